"""The problem in the centre: a Gram stack, a loss and a set of weights.

    min_{θ∈Θ} max_A  g(A) − ½ Σ_j θ_j tr(AᵀK_jA)
       weights/     losses/            grams/

A solver sees only what is defined here and in protocols.py. Optimality is judged by the
problem, with F(θ) from above and D(A) from below, never by the solver.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

import numpy as np
from scipy.optimize import brentq

from .arrays import combination, energies, namespace, take
from .grams.base import Array, GramStack, Sampled, Selected
from .protocols import (
    Charted,
    Conic,
    Consuming,
    Fit,
    Inner,
    Loss,
    Mastered,
    Named,
    Penalised,
    SampledLoss,
    Smooth,
    WeightSet,
)

__all__ = [
    "Array",
    "Charted",
    "Conic",
    "Consuming",
    "DualPoint",
    "Fit",
    "Inner",
    "Iterate",
    "Loss",
    "Mastered",
    "Named",
    "Penalised",
    "Point",
    "Problem",
    "SampledLoss",
    "Smooth",
    "Solver",
    "WeightSet",
]


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

    @property
    def applied(self) -> Array:
        """K_jA, (p, n, k)."""
        return self._apply(slice(None))

    @property
    def gradient(self) -> Array:
        """∂F/∂θ_j = −½ s_j(A)."""
        return -0.5 * self.s

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
        return replace(self, _hessian=None, _respond=None)

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


@dataclass(frozen=True)
class Problem:
    """min over θ in `weights` of F(θ) = max_A g(A) − ½ Σ_j θ_j tr(AᵀK_jA).

    Parameters
    ----------
    gram : GramStack
        The base kernels K_1..K_p on n samples, centred and scaled.
    loss : Loss
        g, with its targets: `kernelweave.losses.Square(H, lam)`, ...
    weights : WeightSet
        Θ: `kernelweave.weights.Simplex()`, ...

    Examples
    --------
    >>> import numpy as np
    >>> from kernelweave import Problem, solve
    >>> from kernelweave.grams import DenseStack
    >>> from kernelweave.losses import Square
    >>> from kernelweave.weights import Simplex
    >>> x = np.linspace(-1, 1, 8)[:, None]
    >>> gram = DenseStack(np.stack([x @ x.T, (x @ x.T) ** 2]))
    >>> solution = solve(Problem(gram, Square(x**2, lam=0.1), Simplex()))
    >>> solution.weights.round(3)
    array([0., 1.])
    """

    gram: GramStack
    loss: Loss
    weights: WeightSet

    def sample(self, step: int) -> Problem | None:
        """The problem on one in `step` samples, the loss counting `step` times.

        Its optimal weights are near those of the whole. None where the stack or the
        loss cannot be sampled.
        """
        gram, loss = self.gram, self.loss
        if not (isinstance(gram, Sampled) and isinstance(loss, SampledLoss)):
            return None
        rows = np.sort(loss.order()[step // 2 :: step])
        return Problem(gram.sample(rows), loss.sample(rows, step), self.weights)

    def at(self, theta: Array, start: Array | None = None) -> Point:
        """Evaluate F at theta: one inner solve, one product with every kernel."""
        theta = _finite(theta)
        gram = self.gram
        K = gram.combine(theta)
        if not np.isfinite(float(namespace(K).sum(K))):
            raise FloatingPointError("the combined kernel contains NaN or infinity")
        if isinstance(self.loss, Consuming):
            inner = self.loss.consume(K, start)
        else:
            inner = self.loss.inner(K, start)
        del K
        A = inner.A
        if gram.p > 100 and isinstance(gram, Selected):
            # The Hessian will want the products with few of the many kernels.
            s = self.quadratic(A)
            apply = partial(gram.apply_some, A)
        else:
            applied = gram.apply(A)
            s = self.quadratic(A, applied)
            apply = partial(take, applied)
        value = inner.value + self._penalty(theta)
        return Point(
            theta, A, inner.bias, value, s, apply, inner.hessian, inner.respond
        )

    def bound(self, theta: Array, A: Array, applied: Array | None = None) -> Point:
        """An upper bound of F(θ) from any A, without K(θ): one product a kernel.

        −½⟨A', KA'⟩ ≤ −⟨A', KA⟩ + ½⟨A, KA⟩, so with f = K(θ)A

            F(θ) ≤ ½⟨A, f⟩ + risk(f),    risk(f) = max_A' g(A') − ⟨A', f⟩,

        with equality at the inner maximiser. The point holds the best multiple of A.
        `applied` is K_jA, if it is known.
        """
        loss = self.loss
        if not isinstance(loss, Fit):
            raise TypeError(
                f"{type(loss).__name__} has no `risk`, which the bound without a "
                "factorisation needs; use a solver that factorises, such as Newton()"
            )
        theta = _finite(theta)
        applied = self.gram.apply(A) if applied is None else applied
        s = self.quadratic(A, applied)
        f = combination(theta, applied)
        t = loss.best_multiple(f, float(theta @ s))
        risk, bias = loss.risk(t * f)
        value = 0.5 * t * t * float(theta @ s) + risk + self._penalty(theta)
        apply = partial(take, t * applied)
        return Point(theta, t * A, bias, value, t * t * s, apply)

    def quadratic(self, A: Array, applied: Array | None = None) -> Array:
        """s_j(A) = tr(AᵀK_jA), (p,); from K_jA, if they are known.

        Rounding makes a sum that is zero negative. No s_j is: weight sets take powers
        of them.
        """
        s = self.gram.quadratic(A) if applied is None else energies(A, applied)
        return np.maximum(s, 0.0)

    def dual(self, A: Array, s: Array | None = None) -> DualPoint:
        """The lower bound D(tA) at the best scale t; s = s(A) if it is known."""
        sigma = self.weights.support(self.quadratic(A) if s is None else s)
        if isinstance(self.weights, Penalised):
            # σ(t²s) = t⁴σ(s).
            t = self._quartic_scale(A, sigma)
            return DualPoint(t * A, self.loss.value(t * A) - 0.5 * t**4 * sigma)
        t = self.loss.best_scale(A, sigma)
        return DualPoint(t * A, self.loss.value(t * A) - 0.5 * t * t * sigma)

    def _quartic_scale(self, A: Array, sigma: float) -> float:
        """The t > 0 that maximises g(tA) − ½t⁴σ.

        Its derivative is that of g(tA) − ½t²τ at τ = 2t²σ, so t is the fixed point of
        best_scale(A, 2t²σ), which decreases in t.
        """

        def excess(t: float) -> float:
            return t - self.loss.best_scale(A, 2 * t * t * sigma)

        high = max(1.0, 1.0 - excess(1.0))
        if excess(1.0) == 0 or not excess(0.0) < 0:
            return 1.0
        return float(brentq(excess, 0.0, high, xtol=1e-15 * high, rtol=1e-14))

    def _penalty(self, theta: Array) -> float:
        weights = self.weights
        return weights.penalty(theta) if isinstance(weights, Penalised) else 0.0


def _finite(theta: Array) -> Array:
    """A copy of the weights, which no loss need check for NaN."""
    theta = np.array(theta, dtype=float)
    if not np.all(np.isfinite(theta)):
        raise FloatingPointError("a weight of a kernel is NaN or infinite")
    return theta


class Solver(Protocol):
    """A way to the saddle point min_θ max_A g(A) − ½Σ_j θ_j s_j(A).

    It holds its mathematics and nothing else: `solve` stops it.
    """

    def iterates(
        self, problem: Problem, tol: float, start: Array | None
    ) -> Iterator[Iterate]:
        """Yield iterates with fresh arrays, until no further progress is possible.

        `tol` is the relative duality gap that the caller wants: solvers that hand
        the problem on to another program need it, the others may ignore it.
        """
        ...
