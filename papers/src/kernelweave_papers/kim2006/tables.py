"""Table 1 and Figure 1, to be run split by split."""

from __future__ import annotations

from functools import partial

import numpy as np
from sklearn.metrics import roc_auc_score, roc_curve

from ..table import Cell, Table
from .protocol import SETS, SPLITS, scores_of_both, task

# False positive rates at which the curves are averaged.
RATES = tuple(i / 50 for i in range(51))
FEW = 80


def accuracies(split: int, rows: int | None = None) -> list[Cell]:
    """Table 1: percent of the test rows that are classified correctly."""
    cells: list[Cell] = []
    for name in SETS:
        data = task(name, split, rows)
        for kernel, f in scores_of_both(data).items():
            right = np.mean(np.sign(f) == data.y_test)
            cells.append(Cell(name, kernel, 100 * float(right)))
    return cells


def curves(split: int, rows: int | None = None) -> list[Cell]:
    """Figure 1: the true positive rate at every false positive rate, for sonar."""
    data = task("sonar", split, rows)
    cells: list[Cell] = []
    for kernel, f in scores_of_both(data).items():
        false, true, _ = roc_curve(data.y_test, f)
        # The curve is a staircase; at a step its upper end counts.
        heights = [float(np.max(true[false <= rate])) for rate in RATES]
        cells += [
            Cell(kernel, f"{rate:g}", height)
            for rate, height in zip(RATES, heights, strict=True)
        ]
    return cells


def areas(split: int, rows: int | None = None) -> list[Cell]:
    """The areas under the two curves."""
    data = task("sonar", split, rows)
    return [
        Cell("sonar", kernel, float(roc_auc_score(data.y_test, f)))
        for kernel, f in scores_of_both(data).items()
    ]


TABLES: dict[str, Table] = {
    "table1": Table(
        "optimal kernel and cross-validation",
        "accuracy",
        SPLITS,
        tuple(SETS.values()),
        accuracies,
        partial(accuracies, rows=FEW),
    ),
    "figure1": Table(
        "ROC curves for sonar",
        "curve",
        SPLITS,
        ("sonar",),
        curves,
        partial(curves, rows=FEW),
    ),
    "figure1-area": Table(
        "areas under the ROC curves for sonar",
        "weights",
        SPLITS,
        ("sonar",),
        areas,
        partial(areas, rows=FEW),
    ),
}
