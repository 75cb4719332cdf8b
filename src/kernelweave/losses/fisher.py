"""Fisher's ratio with the within-class scatter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from ..arrays import like, namespace
from ..problem import Array, Inner
from .quadratic import maximise


@dataclass(eq=False, repr=False)
class FisherRatio(BaseEstimator):
    """g(A) = −(λ/2)[m₊‖A₊ − 1/m₊‖² + m₋‖A₋ + 1/m₋‖²], ΣA₊ = 1, ΣA₋ = −1.

    The largest Fisher discriminant ratio of the kernel K(θ),

        FDR*(θ) = max_w (wᵀ(μ₊ − μ₋))² / wᵀ(Σ₊ + Σ₋ + λI)w = −(2/λ)F(θ),

    so the smallest F is the largest ratio (Kim, Magnani and Boyd 2006, (2), (7)).

    Parameters
    ----------
    y : ndarray (n,)
        +1 and −1, both present.
    lam : float
        λ > 0.
    """

    y: Array
    lam: float

    @property
    def class_sizes(self) -> Array:
        """m₊ or m₋ for every sample."""
        E = self.constraint
        return E @ namespace(E).sum(E, axis=0)

    @property
    def means(self) -> Array:
        """a, (n, 1): 1/m₊ and −1/m₋, so that Ka compares the two class means."""
        return (self.y / self.class_sizes)[:, None]

    @property
    def constraint(self) -> Array:
        """E, (n, 2): the indicators of the classes."""
        xp = namespace(self.y)
        return xp.astype(xp.stack([self.y > 0, self.y < 0], axis=1), xp.float64)

    @property
    def ridge(self) -> Array:
        """d = λm, the diagonal of the inner system."""
        return self.lam * self.class_sizes

    def value(self, A: Array) -> float:
        square = self.ridge[:, None] * (A - self.means) ** 2
        return -0.5 * float(namespace(A).sum(square))

    def best_scale(self, A: Array, support: float) -> float:
        return 1.0

    def into_domain(self, A: Array) -> Array:
        """The point of the domain nearest to A."""
        E = self.constraint
        missing = like([[1.0], [-1.0]], E) - E.T @ A
        return A + (E / namespace(E).sum(E, axis=0)) @ missing

    def inner(self, K: Array, start: Array | None = None) -> Inner:
        return self.consume(namespace(K).asarray(K, copy=True))

    def consume(self, K: Array, start: Array | None = None) -> Inner:
        # g(A) = ⟨A, da⟩ − ½⟨A, dA⟩ − ½aᵀda, and aᵀda = 2λ.
        d, a = self.ridge, self.means
        e = like([[1.0], [-1.0]], a)
        best = maximise(K, d, d[:, None] * a, self.constraint, e)
        # The multipliers are the class means of f up to the ridge: the threshold
        # lies half-way between them.
        bias = namespace(a).mean(best.nu, axis=0)
        value = best.value - self.lam
        return Inner(best.A, value, bias, best.hessian, best.respond, best.slack)

    def cvxpy_value(self, A: Any) -> tuple[Any, list[Any]]:
        """g(A) and its domain, as cvxpy writes them."""
        import cvxpy as cp

        root = np.sqrt(self.ridge)[:, None]
        g = -0.5 * cp.sum_squares(cp.multiply(root, A - self.means))
        return g, [np.array([[1.0], [-1]]) == self.constraint.T @ A]
