"""Θ = {θ}: weights that are given, not learned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from ..problem import Array


@dataclass(eq=False, repr=False)
class Fixed(BaseEstimator):
    """Θ = {θ}, so σ_Θ(s) = θᵀs and one inner solve is the whole answer.

    Parameters
    ----------
    theta : array-like (p,), optional
        The weights; the default is 1/p each, the plain average of the kernels.
    """

    theta: Any = None

    interior = False
    smooth = True  # σ_Θ is linear

    def start(self, p: int) -> Array:
        if self.theta is None:
            return np.full(p, 1 / p)
        theta = np.array(self.theta, dtype=float)
        if theta.shape != (p,):
            raise ValueError(
                f"Fixed(theta) has shape {theta.shape}, but there are {p} kernels: "
                "give one weight for each"
            )
        if not np.all(np.isfinite(theta)) or np.any(theta < 0):
            raise ValueError(
                "Fixed(theta) must hold finite weights that are not negative, got "
                f"{theta}"
            )
        return theta

    def restrict(self, keep: Array) -> Fixed:
        return Fixed(self.start(len(keep))[keep])

    def support(self, s: Array) -> float:
        return float(self.start(len(s)) @ s)

    def maximiser(self, s: Array) -> Array:
        return self.start(len(s))

    def project(self, theta: Array) -> Array:
        return self.start(len(theta))

    def chart(self, phi: Array) -> tuple[Array, Array, Array]:
        return self.start(len(phi)), np.zeros_like(phi), np.zeros_like(phi)

    def coordinates(self, theta: Array) -> Array:
        return np.full(len(theta), 1 / len(theta))

    def master(self, g: Array, S: Array) -> tuple[Array, Array]:
        theta = self.start(S.shape[1])
        multipliers = np.zeros(len(g))
        multipliers[np.argmax(g - 0.5 * S @ theta)] = 1
        return theta, multipliers

    def cvxpy_support(self, s: Any) -> Any:
        return self.start(s.shape[0]) @ s

    def cvxpy_constraints(self, theta: Any) -> list[Any]:
        return [theta == self.start(theta.shape[0])]
