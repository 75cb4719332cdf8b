"""The hinge loss: support vector machines with the 1-norm soft margin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..problem import Array
from .margin import BoxLoss, per_entry


@dataclass(eq=False, repr=False)
class Hinge(BoxLoss):
    """g(A) = ΣY∘A on 0 ≤ Y∘A ≤ C, with 1ᵀA = 0 if there is an intercept.

    In the primal: the smallest ½‖w‖² + Σ C(1 − Y∘(f + b))₊.

    Parameters
    ----------
    Y : ndarray (n, k)
        +1 and −1: one column for two classes, else one a class against the rest.
    C : float or ndarray (n,) or (n, k)
        Penalty of errors; zero leaves a sample out.
    intercept : bool
    """

    Y: Array
    C: Any = 1.0
    intercept: bool = True

    @property
    def box(self) -> tuple[Array, float, Array, Array, Array]:
        C = per_entry(self.C, self.Y)
        zero = np.zeros(self.Y.shape)
        return (
            self.Y,
            0.0,
            np.where(self.Y > 0, 0, -C),
            np.where(self.Y > 0, C, 0),
            zero,
        )
