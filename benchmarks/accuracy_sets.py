"""The data of `accuracy.py`: tables, views and functions with noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import sklearn.datasets
from sklearn.model_selection import KFold, StratifiedKFold, train_test_split

from kernelweave.datasets import load_table, load_views

ROWS, FOLDS, REPEATS = 1000, 5, 5

TABLES = (
    "australian",
    "banana",
    "breast-cancer",
    "cancer",
    "flare",
    "german",
    "german-numeric",
    "heart",
    "heart-cleveland",
    "heart-cleveland-onehot",
    "ionosphere",
    "letter",
    "liver",
    "pima",
    "satimage",
    "segment",
    "sonar",
    "spambase",
    "splice",
    "thyroid",
    "titanic",
    "usps",
    "waveform",
    "wdbc",
    "wine",
    "wpbc",
)
BUNDLED = ("digits", "iris")
VIEWS = ("breast-tcga", "leaves100", "mfeat", "msrcv1", "proteinfold-pca27")
# A view of Gaussian noise beside the real ones.
NOISY = tuple(f"{name}+noise" for name in VIEWS)
CLASSES = (*TABLES, *BUNDLED, *VIEWS)
NUMBERS = (
    "reg-concrete",
    "reg-power-plant",
    "reg-wine-quality",
    "diabetes",
    "friedman1",
    "friedman2",
    "friedman3",
)


@dataclass(frozen=True)
class DataSet:
    """X (n, d), targets, and the columns of every view."""

    name: str
    X: np.ndarray
    y: np.ndarray
    views: dict[str, slice]
    numbers: bool

    def folds(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Training and test rows of five folds, then five others, always the same."""
        kind = KFold if self.numbers else StratifiedKFold
        return [
            fold
            for seed in range(REPEATS)
            for fold in kind(FOLDS, shuffle=True, random_state=seed).split(
                self.X, self.y
            )
        ]


def load(name: str) -> DataSet:
    """At most 1000 rows, drawn by a fixed seed."""
    real, _, noise = name.partition("+")
    if real in VIEWS:
        tables, y = load_views(real)
        if noise:
            rows = np.random.default_rng(0).standard_normal((len(y), 300))
            tables = {**tables, "noise": rows}
        ends = np.cumsum([table.shape[1] for table in tables.values()])
        places = zip(tables, ends, tables.values(), strict=True)
        views = {view: slice(int(e) - X.shape[1], int(e)) for view, e, X in places}
        X = np.hstack(list(tables.values()))
    else:
        X, y = _table(real)
        views = {"all": slice(0, X.shape[1])}
    y = np.asarray(y)
    if len(y) > ROWS:
        kept, _ = train_test_split(
            np.arange(len(y)),
            train_size=ROWS,
            random_state=0,
            stratify=None if name in NUMBERS else y,
        )
        X, y = X[kept], y[kept]
    return DataSet(name, X, y, views, name in NUMBERS)


def _table(name: str) -> tuple[Any, Any]:
    if name in BUNDLED or name == "diabetes":
        return getattr(sklearn.datasets, f"load_{name}")(return_X_y=True)
    if name.startswith("friedman"):
        noise = {"1": 1.0, "2": 125.0, "3": 0.1}[name[-1]]
        make = getattr(sklearn.datasets, f"make_{name}")
        return make(ROWS, noise=noise, random_state=0)
    X, y = load_table(name)
    # The first column of wpbc, the time of observation, tells the outcome.
    return (X[:, 1:] if name == "wpbc" else X), y
