"""Huber's loss: squares of small errors, and no more than the size of large ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..problem import Array
from .margin import BoxLoss, per_entry


@dataclass(eq=False, repr=False)
class Huber(BoxLoss):
    """g(A) = ⟨A, H⟩ − ‖A‖²/(2C) on −Cδ ≤ A ≤ Cδ, with 1ᵀA = 0 with an intercept.

    In the primal: the smallest ½‖w‖² + ΣC·φ(H − f − b), φ(r) = ½r² for abs(r) ≤ δ, else
    δ·abs(r) − ½δ² (Huber 1964). For δ → ∞ it is the square loss with λ = 1/C.

    Parameters
    ----------
    H : ndarray (n, k)
        Targets.
    C : float or ndarray (n,) or (n, k)
        Penalty of errors; zero leaves a sample out.
    delta : float or ndarray (k,)
        δ: errors beyond it pull no harder than δ.
    intercept : bool
    """

    H: Array
    C: Any = 1.0
    delta: Any = 1.0
    intercept: bool = True

    @property
    def bounded(self) -> bool:
        """A is; but where C is large F rises as steeply as beside a pole."""
        return False

    @property
    def box(self) -> tuple[Array, float, Array, Array, Array]:
        delta = np.asarray(self.delta, dtype=float)
        if not np.all((delta > 0) & (delta < np.inf)):
            raise ValueError(f"delta must be positive, got {self.delta!r}")
        C = per_entry(self.C, self.H)
        bound = delta * C
        return self.H, 0.0, -bound, bound, 1 / np.where(C > 0, C, 1.0)
