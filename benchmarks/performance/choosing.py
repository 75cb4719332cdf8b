"""MKLSVCCV at its defaults, in units of a grid search of one SVC."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from common import Columns, Row, against, busy
from fits import certified
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from kernelweave import MKLSVCCV, MKLDiscriminantAnalysisCV
from kernelweave.datasets import load_table, load_views
from kernelweave.kernels import Kernel, number_kernels

COLUMNS: Columns = [
    ("data", "data", ""),
    ("n", "n", "d"),
    ("p", "p", "d"),
    ("k", "k", "d"),
    ("seconds", "fit s", ".2f"),
    ("search", "SVC search s", ".2f"),
    ("ratio", "SVC searches", ".2f"),
    ("discriminant", "discriminant s", ".2f"),
    ("worst", "worst gap of the grid", ".0e"),
    ("gap", "gap", ".0e"),
    ("score", "score", ".4f"),
    ("search_score", "SVC score", ".4f"),
]


def choosing(quick: bool) -> Iterator[Row]:
    """Three views, 18 kernels; two classes, and ten."""
    n = 150 if quick else 550
    X, y = load_table("wdbc")
    views = [X[:, first : first + 10] for first in (0, 10, 20)]
    yield {"data": "wdbc"} | measure(views, y, n)
    tables, y = load_views("mfeat")
    yield {"data": "mfeat"} | measure([tables[v] for v in ("fou", "kar", "zer")], y, n)


def measure(views: list[np.ndarray], y: np.ndarray, n: int) -> Row:
    rows = np.random.default_rng(0).permutation(len(y))[:n]
    X, y = np.hstack([view[rows] for view in views]), y[rows]
    kernels = kernels_of(views)
    warm = MKLSVCCV(kernels, vs=[0.5], Cs=[1.0]).fit(X[:100], y[:100])
    times, searches, model = against(
        lambda: search(X.shape[1]).fit(X, y), lambda: MKLSVCCV(kernels).fit(X, y)
    )
    _, discriminants, _ = against(
        lambda: MKLDiscriminantAnalysisCV(kernels).fit(X, y), lambda: None, 2
    )
    seconds, one = float(np.median(times)), float(np.median(searches))
    return {
        "n": n,
        "p": len(kernels),
        "k": len(warm.classes_),
        "seconds": seconds,
        "search": one,
        "ratio": seconds / one,
        "discriminant": float(np.median(discriminants)),
        "worst": float(np.max(model.cv_results_["relative_gap"])),
        **certified(model.solution_),
        "score": model.best_score_,
        "search_score": search(X.shape[1]).fit(X, y).best_score_,
        "note": busy(),
    }


def kernels_of(views: list[np.ndarray]) -> list[Kernel]:
    """Six kernels a view."""
    ends = np.cumsum([view.shape[1] for view in views]).tolist()
    starts = [0, *ends[:-1]]
    places = [slice(a, b) for a, b in zip(starts, ends, strict=True)]
    return [k for v, at in enumerate(places) for k in number_kernels(at, f"{v}: ")]


def search(d: int) -> Any:
    """SVC with an RBF kernel, four C and four widths, five folds."""
    widths = [factor / d for factor in (1 / 16, 1 / 4, 1, 4)]
    grid = {"svc__C": [0.1, 1, 10, 100], "svc__gamma": widths}
    return GridSearchCV(make_pipeline(StandardScaler(), SVC()), grid)
