"""From y to the columns T whose sums are kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..problem import Array


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


class Outputs:
    """t_i = y_i, (m, number of outputs)."""

    def __call__(self, y: Any) -> Array:
        y = np.asarray(y, dtype=float)
        return y.reshape(len(y), -1)
