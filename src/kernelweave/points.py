"""What is known at one θ, and at one A: upper bounds F(θ) and lower bounds D(A)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from .arrays import combination
from .grams.base import Array


@dataclass(frozen=True)
class Point:
    """What the problem says at one θ: the upper bound F(θ) and its derivatives.

    With A the inner maximiser, ∂F/∂θ_j = −½s_j, s_j = tr(AᵀK_jA). The p weights and
    derivatives are NumPy's; A, bias and K_jA are arrays of the stack's kind.

    Attributes
    ----------
    theta : ndarray (p,)
    A : ndarray (n, k)
    bias : ndarray (k,)
    value : float
        F(θ), or an upper bound of it.
    s : ndarray (p,)
    """

    theta: Array
    A: Array
    bias: Array
    value: float
    s: Array
    _apply: Callable[[Array | slice], Array]
    _hessian: Callable[[Array], Array] | None = None
    _respond: Callable[[Array], Array] | None = None
    _tangent: Callable[[Array], Array | None] | None = None

    @property
    def applied(self) -> Array:
        """K_jA, (p, n, k)."""
        return self._apply(slice(None))

    @property
    def gradient(self) -> Array:
        """∂F/∂θ_j = −½ s_j(A)."""
        return -0.5 * self.s

    def products(self, kernels: Array) -> Array:
        """K_jA of these kernels, (q, n, k)."""
        return self._apply(kernels)

    def hessian(self, kernels: Array | slice = slice(None)) -> Array:
        """∇²F(θ), (p, p), or of some kernels only."""
        if self._hessian is None:
            raise TypeError(
                "this loss has no Hessian in θ; use a first-order solver such as "
                "kernelweave.solvers.SILP"
            )
        return self._hessian(self._apply(kernels))

    def bare(self) -> Point:
        """The same without what the derivatives need: factors, and K(θ)."""
        return replace(self, _hessian=None, _respond=None, _tangent=None)

    def predict(self, theta: Array) -> Array | None:
        """A near the inner maximiser at other weights, to first order in their change.

        None if the loss cannot tell. It is off by the square of the change, and so is
        the bound that it proves, where that of A itself is off by the change.
        """
        if self._respond is None:
            return None
        some = np.flatnonzero(theta != self.theta)
        change = combination((theta - self.theta)[some], self._apply(some))
        return self.A + self.respond(change)

    def respond(self, change: Array) -> Array:
        """The change of A, to first order, where K(θ)A changes by `change` (n, k)."""
        if self._respond is None:
            raise TypeError("this loss does not tell how A answers to K(θ)")
        return self._respond(change)

    def tangents(self, kernels: Array) -> tuple[Array, Array] | None:
        """K_jA of these kernels, and how A answers to each on its face, (q, n, k).

        None if the loss has no faces, or a degenerate one.
        """
        if self._tangent is None:
            return None
        applied = self._apply(kernels)
        found = self._tangent(applied)
        return None if found is None else (applied, found)


@dataclass(frozen=True)
class DualPoint:
    """A and the lower bound D(A) = g(A) − ½σ_Θ(s(A)) that it proves."""

    A: Array
    value: float


@dataclass(frozen=True)
class Iterate:
    """One step of a solver: θ, which proves min F ≤ F(θ), and perhaps an A.

    `A` is a second candidate for the lower bound, where the solver has a better
    one than the inner maximiser at θ (cutting planes: the average by multipliers).
    """

    point: Point
    A: Array | None = None
