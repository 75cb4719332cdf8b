"""How good predictions are, where the target is known."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..problem import Array
from .output import plural
from .task import lacking_targets


class Score:
    """Accuracy, or R² = 1 − Σ(y − f)²/Σ(y − ȳ)², added up over chunks of rows.

    Parameters
    ----------
    target : str
    classes : ndarray or None
        None for a regression.
    """

    def __init__(self, target: str, classes: Array | None):
        self.target, self.classes = target, classes
        self._count, self._good = 0, 0
        self._error = self._sum = self._square = 0.0

    def add(self, predicted: Array, known: Any) -> None:
        """Compare with a Series of targets, in which some may be missing."""
        there = ~lacking_targets(known)
        f = np.asarray(predicted)[there]
        y = known[there]
        self._count += len(y)
        if self.classes is not None:
            self._good += int(np.sum(f.astype(str) == _as_text(y)))
            return
        y = y.to_numpy(dtype=float)
        self._error += float(np.sum((y - f) ** 2))
        self._sum, self._square = self._sum + y.sum(), self._square + float(y @ y)

    def notes(self) -> list[str]:
        """A line, if any target was known."""
        if not self._count:
            return []
        rows = plural(self._count, "row")
        if self.classes is not None:
            share = f"accuracy {self._good / self._count:.4f}"
            return [f"{share} on {rows} whose {self.target} is given"]
        total = self._square - self._sum**2 / self._count
        if total <= 0:
            return []
        r2 = 1 - self._error / total
        return [f"R² {r2:.4f} on {rows} whose {self.target} is given"]


def _as_text(labels: Any) -> Array:
    """Labels as text; whole numbers without a point."""
    if labels.dtype.kind == "f" and np.all(labels == np.rint(labels)):
        labels = labels.astype(int)
    return labels.astype(str).to_numpy(dtype=str)
