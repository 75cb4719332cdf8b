"""The problem in the centre: a Gram stack, a loss and a set of weights.

    min_{θ∈Θ} max_A  g(A) − ½ Σ_j θ_j tr(AᵀK_jA)
       weights/     losses/            grams/

A solver sees only what is defined here, in points.py and in protocols.py. Optimality is
judged by the problem, with F(θ) from above and D(A) from below, never by the solver.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
from scipy.optimize import brentq

from .arrays import combination, energies, namespace, take
from .grams.base import Array, GramStack, Sampled, Selected, Stored
from .points import DualPoint, Iterate, Point
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
    offers,
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

# Rounding that could change a bound by more than this part of it is computed away.
SEEN = 1e-8


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
        if not (offers(gram, Sampled) and offers(loss, SampledLoss)):
            return None
        rows = self.sampled_rows(step)
        return Problem(gram.sample(rows), loss.sample(rows, step), self.weights)

    def sampled_rows(self, step: int) -> Array:
        """The rows of `sample`, in the order of its A."""
        loss: Any = self.loss
        return np.sort(loss.order()[step // 2 :: step])

    def at(self, theta: Array, start: Array | None = None) -> Point:
        """Evaluate F at theta: one inner solve, one product with every kernel."""
        theta = _finite(theta)
        gram = self.gram
        K = gram.combine(theta)
        if not np.isfinite(float(namespace(K).sum(K))):
            raise FloatingPointError("the combined kernel contains NaN or infinity")
        loss = self.loss
        if offers(loss, Consuming):
            inner = loss.consume(K, start)
        else:
            inner = self.loss.inner(K, start)
        del K
        A = inner.A
        if gram.p > 100 and offers(gram, Selected):
            # The Hessian will want the products with few of the many kernels.
            s = self.quadratic(A)
            apply = partial(gram.apply_some, A)
        else:
            applied = gram.apply(A)
            s = self.quadratic(A, applied)
            apply = partial(take, applied)
        value = inner.value
        if inner.slack is not None:
            exact = self.precise(A, s, theta, value)
            if exact is not s:
                s = np.maximum(exact, 0.0)
                value = self.loss.value(A) - 0.5 * float(theta @ exact) + inner.slack
        value += self._penalty(theta)
        ways = inner.hessian, inner.respond, inner.tangent
        return Point(theta, A, inner.bias, value, s, apply, *ways)

    def bound(self, theta: Array, A: Array, applied: Array | None = None) -> Point:
        """An upper bound of F(θ) from any A, without K(θ): one product a kernel.

        −½⟨A', KA'⟩ ≤ −⟨A', KA⟩ + ½⟨A, KA⟩, so with f = K(θ)A

            F(θ) ≤ ½⟨A, f⟩ + risk(f),    risk(f) = max_A' g(A') − ⟨A', f⟩,

        with equality at the inner maximiser. The point holds the best multiple of A.
        `applied` is K_jA, if it is known.
        """
        loss = self.loss
        if not offers(loss, Fit):
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
        value = 0.5 * t * t * float(theta @ s) + risk
        # An error e of f changes ½⟨A, f⟩ by ½⟨A, e⟩, and the risk by −⟨A, e⟩.
        exact = self.precise(A, s, theta, value)
        value += 0.5 * t * t * float(theta @ (s - exact)) + self._penalty(theta)
        s = np.maximum(exact, 0.0)
        apply = partial(take, t * applied)
        return Point(theta, t * A, bias, value, t * t * s, apply)

    def quadratic(self, A: Array, applied: Array | None = None) -> Array:
        """s_j(A) = tr(AᵀK_jA), (p,); from K_jA, if they are known.

        Rounding makes a sum that is zero negative. No s_j is: weight sets take powers
        of them.
        """
        s = self.gram.quadratic(A) if applied is None else energies(A, applied)
        return np.maximum(s, 0.0)

    def precise(self, A: Array, s: Array, theta: Array, value: float) -> Array:
        """s = s(A), or exactly, if rounding of θᵀs could be seen in a bound `value`.

        An exact s_j is negative where K_j is not quite positive semidefinite.
        """
        if offers(self.gram, Stored):
            error = 0.5 * float(theta @ self.gram.rounding(A))
            if error > SEEN * abs(value):
                return self.gram.exact(A)
        return s

    def dual(self, A: Array, s: Array | None = None) -> DualPoint:
        """The lower bound D(tA) at the best scale t; s = s(A) if it is known."""
        s = self.quadratic(A) if s is None else s
        point = self._dual(A, s)
        if offers(self.gram, Stored):
            if offers(self.weights, Penalised):
                lost = point.value - self._dual(A, s + self.gram.rounding(A)).value
            else:
                # σ(s + e) ≤ σ(s) + σ(e): what an error e of s(tA) takes off the bound.
                lost = 0.5 * self.weights.support(self.gram.rounding(point.A))
            if lost > SEEN * abs(point.value):
                return self._dual(A, np.maximum(self.gram.exact(A), 0.0))
        return point

    def _dual(self, A: Array, s: Array) -> DualPoint:
        sigma = self.weights.support(s)
        if offers(self.weights, Penalised):
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
        return weights.penalty(theta) if offers(weights, Penalised) else 0.0


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
