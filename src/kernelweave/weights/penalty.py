"""(μ/2)‖θ‖_p² added to F(θ), in place of a set of weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator

from ..problem import Array
from .lp import LpBall


@dataclass(eq=False, repr=False)
class LpPenalty(BaseEstimator):
    """min_{θ≥0} F(θ) + (μ/2)‖θ‖_p²: the Tikhonov form, Yan et al. 2012, (25).

    Its dual (26) is g(A) − ‖s(A)‖_q²/(8μ), so the conjugate that stands in the place
    of σ_Θ is ‖s‖_q²/(4μ) = max_θ θᵀs − μ‖θ‖_p², with the maximiser

        θ_j = ‖s‖_q/(2μ) (s_j/‖s‖_q)^(q−1).

    With ρ = ‖θ‖_p and the square loss F_λ(ρθ') = F_{λ/ρ}(θ')/ρ, so θ/ρ is the optimum
    of `LpBall(p)` for λ/ρ: the two forms trace the same path.

    Parameters
    ----------
    p : float
        Above 1; np.inf is allowed.
    mu : float
        μ > 0.

    Examples
    --------
    >>> import numpy as np
    >>> LpPenalty(2, mu=0.5).maximiser(np.array([3.0, 4.0]))
    array([3., 4.])
    """

    p: float = 2.0
    mu: float = 1.0

    interior = True
    smooth = True  # the conjugate is differentiable, for p > 1

    def _ball(self) -> LpBall:
        if not float(self.p) > 1:
            raise ValueError(
                f"LpPenalty(p) needs a number p above 1, got {self.p!r}; for p = 1 use "
                "Simplex()"
            )
        if not 0 < float(self.mu) < np.inf:
            raise ValueError(
                f"LpPenalty(mu) needs a positive number mu, got {self.mu!r}"
            )
        return LpBall(self.p)

    def penalty(self, theta: Array) -> float:
        """(μ/2)‖θ‖_p²."""
        self._ball()
        top = float(np.max(np.abs(theta)))
        norm = top * np.linalg.norm(theta / top, self.p) if top > 0 else 0.0
        return 0.5 * self.mu * float(norm) ** 2

    def support(self, s: Array) -> float:
        return max(self._ball().support(s), 0.0) ** 2 / (4 * self.mu)

    def maximiser(self, s: Array) -> Array:
        ball = self._ball()
        return max(ball.support(s), 0.0) / (2 * self.mu) * ball.maximiser(s)

    def project(self, theta: Array) -> Array:
        return np.maximum(np.asarray(theta, dtype=float), 0)

    def start(self, p: int) -> Array:
        return self._ball().start(p)

    def restrict(self, keep: Array) -> LpPenalty:
        return self
