"""The loss of one-class machines: how far are the samples from the origin?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..problem import Array
from .margin import BoxLoss


@dataclass(eq=False, repr=False)
class OneClass(BoxLoss):
    """g(A) = 0 on 0 ≤ A ≤ C, 1ᵀA = total.

    In the primal: the smallest ½‖w‖² + ΣC(ρ − f)₊ − total·ρ, and b = −ρ. With C = 1 and
    total = νn at most a share ν of the samples lies below ρ (Schölkopf et al. 2001).
    F(θ) = −½ min AᵀK(θ)A: the best weights make the distance between the origin and
    the samples largest.

    Parameters
    ----------
    C : ndarray (n,)
        What the samples weigh.
    total : float
        Positive, and at most ΣC.
    """

    C: Any
    total: float = 1.0

    intercept = True

    @property
    def box(self) -> tuple[Array, float, Array, Array, Array]:
        upper = np.asarray(self.C, dtype=float).reshape(-1, 1)
        zero = np.zeros(upper.shape)
        return zero, 0.0, zero, upper, zero

    def best_scale(self, A: Array, support: float) -> float:
        return 1.0

    def into_domain(self, A: Array) -> Array:
        _, _, lower, upper, _ = self.box
        A = np.clip(A, lower, upper)
        size = float(np.sum(A))
        if size > self.total:
            return A * (self.total / size)
        # What is missing, in proportion to what there is room for.
        rest = float(np.sum(upper)) - size
        return A + (upper - A) * ((self.total - size) / rest) if rest > 0 else A
