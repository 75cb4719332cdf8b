"""What the print leaves open, tried out: widths of kernels, smoothing, which rows.

These look at the printed numbers for every choice. Widths and smoothing were chosen by
the printed weights, not by accuracies; the rows were not chosen by either.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelweave.datasets import load_table
from kernelweave.methods import METHODS
from kernelweave.problem import Array

from ..comparison import read_toml
from .protocol import LAMBDA, learn_at
from .tasks import (
    BINARY,
    MULTICLASS,
    SIGMAS,
    a_hundred_each,
    features,
    gaussians,
    scaled,
    smoothed,
    source,
    split,
    task_of,
)

FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)


def by_width(
    name: str, splits: int = 4, factors: tuple[float, ...] = FACTORS
) -> list[dict[str, Any]]:
    """How far the weights of SILP_θ are from print, Σ_j of the absolute differences.

    For features scaled to [−1, 1], to [0, 1] and to unit variance, and kernels
    exp(−‖x − z‖²/(cσ)) and exp(−‖x − z‖²/(cσ²)).

    Returns
    -------
    rows of data, scaling, power (of σ), factor (c), distance, weights
    """
    raw, y = load_table(name)
    spread = np.maximum(raw.std(axis=0), 1e-12)
    tables = {
        "[-1, 1]": scaled(raw),
        "[0, 1]": (scaled(raw) + 1) / 2,
        "variance": (raw - raw.mean(axis=0)) / spread,
    }
    return [
        {"data": name, "scaling": scaling, "power": power, "factor": c}
        | _distance(name, X, y, tuple(c * s**power for s in SIGMAS), splits)
        for scaling, X in tables.items()
        for power in (1, 2)
        for c in factors
    ]


def by_smoothing(
    name: str, sigmas: tuple[float, ...] = (0.0, 0.5, 0.75, 1.0), splits: int = 3
) -> list[dict[str, Any]]:
    """How far the weights of SILP_θ are from print on USPS, for smoothed images.

    Returns
    -------
    rows of data, sigma (in pixels), distance, weights
    """
    images, labels = load_table("usps")
    _, y = np.unique(labels, return_inverse=True)
    rows = a_hundred_each(y, _classes(name))
    return [
        {"data": name, "sigma": sigma}
        | _distance(name, smoothed(images[rows], sigma), y[rows], SIGMAS, splits, 0.6)
        for sigma in sigmas
    ]


def by_rows(
    name: str,
    draws: int = 4,
    blocks: int = 1,
    splits: int = 2,
    until: int | None = None,
) -> list[dict[str, Any]]:
    """The accuracy of QCQP_θ for 100 rows a class: consecutive ones, and drawn ones.

    Parameters
    ----------
    name : str
        Such as "satimage(6)".
    draws, blocks, splits : int
        How often 100 rows are drawn; how many blocks of 100 rows, the first ones first;
        how many splits of each.
    until : int, optional
        Take them of so many rows of the table, such as the training part.

    Returns
    -------
    rows of data, rows (such as "block 0" or "draw 0"), accuracy (in percent)
    """
    X, labels = load_table(source(name))
    X, labels = X[:until], labels[:until]
    _, y = np.unique(labels, return_inverse=True)
    X = features(source(name), X)
    k = _classes(name)
    chosen = {f"block {i}": a_hundred_each(y, k, skip=100 * i) for i in range(blocks)}
    chosen |= {f"draw {i}": a_hundred_each(y, k, seed=i) for i in range(draws)}
    return [
        {"data": name, "rows": which, "accuracy": _accuracy(X[rows], y[rows], splits)}
        for which, rows in chosen.items()
    ]


def _accuracy(X: Array, y: Array, splits: int) -> float:
    tasks = (task_of(X, y, 0.6, i) for i in range(splits))
    right = [learn_at(task, (LAMBDA,))[0].accuracy for task in tasks]
    return 100 * float(np.mean(right))


def _classes(name: str) -> int:
    return int(name.partition("(")[2].rstrip(")"))


def printed_weights(name: str) -> Array:
    """θ of SILP_θ in one of Tables 2 to 15."""
    number = 2 + (*BINARY, *MULTICLASS).index(name)
    row = read_toml("ye2008", "printed.toml")[f"table{number}"]["cells"]["SILP_θ"]
    return np.array([row[f"θ{j}"]["mean"] for j in range(1, 11)])


def _distance(
    name: str,
    X: Array,
    y: Array,
    widths: tuple[float, ...],
    splits: int,
    share: float = 0.8,
) -> dict[str, Any]:
    weights = []
    for seed in range(splits):
        train, _ = split(y, share, seed)
        estimator = METHODS["ye2008"].estimator("precomputed", alpha=LAMBDA, tol=1e-4)
        model = estimator.fit(gaussians(X[train], X[train], widths), y[train])
        weights.append(model.weights_)
    mean = np.mean(weights, axis=0)
    away = float(np.sum(np.abs(mean - printed_weights(name))))
    return {"distance": away, "weights": mean}
