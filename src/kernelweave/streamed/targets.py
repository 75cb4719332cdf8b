"""From y to the columns T whose sums are kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..losses.square import code_of_classes
from ..problem import Array


class Targets(Protocol):
    """How y becomes the columns T whose sums are kept, and these the targets."""

    def __call__(self, y: Any) -> Array:
        """T (m, q) of some rows."""
        ...

    def coding(self, totals: Array) -> Array:
        """(q, k): the targets are H = T·coding; `totals` are Σ_i t_i."""
        ...


@dataclass(frozen=True)
class Indicators:
    """t_ic = 1 if row i is of class c, else 0, (m, number of classes)."""

    classes: Array

    def __call__(self, y: Any) -> Array:
        y = np.asarray(y)
        place = np.searchsorted(self.classes, y)
        place = np.minimum(place, len(self.classes) - 1)
        wrong = self.classes[place] != y
        if np.any(wrong):
            found = y[wrong].tolist()[0]
            raise ValueError(
                f"a row is of class {found!r}, which is none of the classes "
                f"{self.classes.tolist()}: name all classes at the first call"
            )
        T = np.zeros((len(y), len(self.classes)))
        T[np.arange(len(y)), place] = 1.0
        return T

    def coding(self, totals: Array) -> Array:
        """That of a discriminant, for the classes that rows have had so far."""
        seen = totals > 0.5
        if np.sum(seen) < 2:
            raise ValueError(
                f"all rows so far are of one class, {self.classes[seen].tolist()}: "
                "the first chunk needs rows of two classes at least"
            )
        coding = np.zeros((len(totals), np.sum(seen) - 1))
        coding[seen] = code_of_classes(totals[seen])
        return coding


class Signs(Indicators):
    """The same, with targets +1 and −1: one column for two classes."""

    def coding(self, totals: Array) -> Array:
        Y = 2 * np.eye(len(totals)) - 1
        return Y[:, 1:] if len(totals) == 2 else Y


@dataclass(frozen=True)
class Outputs:
    """t_i = y_i, (m, number of outputs); `one`: whether y is (m,)."""

    one: bool = False

    def __call__(self, y: Any) -> Array:
        y = np.asarray(y, dtype=float)
        return y.reshape(len(y), -1)

    def coding(self, totals: Array) -> Array:
        return np.eye(len(totals))
