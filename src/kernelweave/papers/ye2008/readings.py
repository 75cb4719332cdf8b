"""What the print leaves open, tried out: width of the kernels, and which rows.

These look at the printed numbers for every choice. The widths were chosen by the
printed weights, not by accuracies; the rows were not chosen by either.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...datasets import load_table
from ...methods import METHODS
from ...problem import Array
from ..comparison import read_toml
from .protocol import LAMBDA, learn_at
from .tasks import (
    SIGMAS,
    a_hundred_each,
    features,
    gaussians,
    scaled,
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


def by_rows(
    name: str, draws: int = 4, splits: int = 2, seed: int = 0
) -> list[dict[str, Any]]:
    """The accuracy of QCQP_θ for the first 100 rows a class, and for drawn ones.

    Returns
    -------
    rows of data, rows ("first" or the seed), accuracy (in percent)
    """
    X, labels = load_table(source(name))
    _, y = np.unique(labels, return_inverse=True)
    X = features(source(name), X)
    out: list[dict[str, Any]] = []
    for draw in (None, *range(seed, seed + draws)):
        rows = a_hundred_each(y, int(name[-2]), draw)
        right = [
            learn_at(task_of(X[rows], y[rows], 0.6, i), (LAMBDA,))[0].accuracy
            for i in range(splits)
        ]
        which = "first" if draw is None else str(draw)
        accuracy = 100 * float(np.mean(right))
        out.append({"data": name, "rows": which, "accuracy": accuracy})
    return out


def printed_weights(name: str) -> Array:
    """θ of SILP_θ in Tables 2 to 5."""
    number = 2 + ("sonar", "heart", "ionosphere", "cancer").index(name)
    row = read_toml("ye2008", "printed.toml")[f"table{number}"]["cells"]["SILP_θ"]
    return np.array([row[f"θ{j}"]["mean"] for j in range(1, 11)])


def _distance(
    name: str, X: Array, y: Array, widths: tuple[float, ...], splits: int
) -> dict[str, Any]:
    weights = []
    for seed in range(splits):
        train, _ = split(y, 0.8, seed)
        estimator = METHODS["ye2008"].estimator("precomputed", alpha=LAMBDA, tol=1e-4)
        model = estimator.fit(gaussians(X[train], X[train], widths), y[train])
        weights.append(model.weights_)
    mean = np.mean(weights, axis=0)
    away = float(np.sum(np.abs(mean - printed_weights(name))))
    return {"distance": away, "weights": mean}
