"""How good predictions are, where the target is known."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..problem import Array
from .output import plural
from .samples import listed
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
        self._labels = None if classes is None else ClassLabels(classes)
        self._count = self._good = self._strange = 0
        self._example: str | None = None
        self._first: float | None = None
        self._error = self._sum = self._square = 0.0

    def add(self, predicted: Array, known: Any) -> None:
        """Compare with a Series of targets, in which some may be missing."""
        there = ~lacking_targets(known)
        f = np.asarray(predicted)[there]
        y = known[there]
        self._count += len(y)
        if not len(y):
            return
        if self._labels is not None:
            classes = self._labels.of(y)
            self._good += int(np.sum(f == classes))
            self._see(y, np.array([c is None for c in classes], dtype=bool))
            return
        import pandas as pd

        numbers = pd.to_numeric(y, errors="coerce").to_numpy(dtype=float)
        self._see(y, np.isnan(numbers))
        with np.errstate(over="ignore", invalid="ignore"):
            self._add_numbers(numbers, f)

    def _see(self, y: Any, strange: Array) -> None:
        """Count targets that are no class, or no number, and keep one of them."""
        self._strange += int(np.sum(strange))
        if self._example is None and np.any(strange):
            self._example = str(y.iloc[int(np.argmax(strange))])

    def _add_numbers(self, y: Array, f: Array) -> None:
        self._error += float(np.sum((y - f) ** 2))
        # Sums of d = y − y₁ lose at most one digit per tenfold number of rows n:
        # Σd² ≤ (n + 1)Σ(d − d̄)², since d₁ = 0 is one of them. Those of y may lose all.
        self._first = y[0] if self._first is None else self._first
        d = y - self._first
        self._sum, self._square = self._sum + d.sum(), self._square + float(d @ d)

    @property
    def rows(self) -> int:
        """How many rows the score is of; 0 where there is none."""
        there = self.classes is not None or self._has_r2
        return self._count if there else 0

    @property
    def _has_r2(self) -> bool:
        known = self._count > 0 and not self._strange
        return (
            known and bool(np.isfinite(self._square + self._error)) and self._total > 0
        )

    @property
    def _total(self) -> float:
        """Σ(y − ȳ)²"""
        return self._square - self._sum * (self._sum / self._count)

    def notes(self) -> list[str]:
        """A line, if any target was known."""
        if not self._count:
            return []
        rows = plural(self._count, "row")
        if self.classes is not None:
            share = f"accuracy {self._good / self._count:.4f}"
            return [f"{share} on {rows} whose {self.target} is given", *self._unknown()]
        if self._strange:
            return [f"no R²: {self.target} holds {self._example!r}, which is no number"]
        if not np.isfinite(self._square + self._error):
            return [f"no R²: {self.target} is infinite, or too large, in some row"]
        if not self._has_r2:
            return []
        r2 = 1 - self._error / self._total
        return [f"R² {r2:.4f} on {rows} whose {self.target} is given"]

    def _unknown(self) -> list[str]:
        if not self._strange:
            return []
        assert self.classes is not None
        return [
            f"{plural(self._strange, 'row')} of them have a {self.target} that is no "
            f"class of the model, such as {self._example!r}: its classes are "
            f"{listed(self.classes)}"
        ]


class ClassLabels:
    """Known targets as classes of a model, whatever the file wrote for them.

    A target is the class with the same text. If there is none, it is the class that
    means the same, where that is one only: numbers by their value (1, 1.0 and "01"),
    truth values in any spelling (True, "true" and "TRUE").

    Parameters
    ----------
    classes : ndarray

    Examples
    --------
    >>> import pandas as pd
    >>> ClassLabels(np.array(["01", "02", "x"])).of(pd.Series([1, 2])).tolist()
    ['01', '02']
    """

    def __init__(self, classes: Array):
        labels = np.asarray(classes).tolist()
        self._by_text = {str(label): label for label in labels}
        meanings = [_meaning(label) for label in labels]
        self._by_meaning = {
            meaning: label
            for meaning, label in zip(meanings, labels, strict=True)
            if meanings.count(meaning) == 1
        }

    def of(self, known: Any) -> Array:
        """The class of every target of a Series; None for what is no class."""
        values = known.astype(object)
        classes = {value: self._class_of(value) for value in values.unique()}
        out = np.full(len(values), None)
        out[:] = [classes[value] for value in values]
        return out

    def _class_of(self, value: Any) -> Any:
        return self._by_text.get(str(value), self._by_meaning.get(_meaning(value)))


def _meaning(label: Any) -> Any:
    """What a label says: a truth value, a number, or its own text."""
    text = str(label).strip()
    if text.lower() in ("true", "false"):
        return text.lower()
    try:
        value = float(text)
    except ValueError:
        return text
    return value if np.isfinite(value) else text
