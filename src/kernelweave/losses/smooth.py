"""What the losses of likelihoods share: a damped Newton method for the inner maximum.

For a convex, smooth loss L of the fitted values u = f + 1bᵀ, f = K(θ)A,

    F(θ) = min_A,b ½⟨A, f⟩ + L(u) = max_A g(A) − ½⟨A, K(θ)A⟩,
    g(A) = min_u L(u) + ⟨A, u⟩,     so that  A = −∇L(u)  at the optimum.

Every L here is at least zero and comes as near to zero as one likes: g(0) = 0.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Protocol

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from sklearn.base import BaseEstimator

from ..arrays import is_foreign
from ..problem import Array, Inner
from .margin import rounding_of_fit

# Derivatives in θ are those of a place whose fitted values are as near on average: a
# factor more would cost as much as a third of the inner solve.
EXACT = 0.1

# Within this part of F of the inner maximum a factor is made where the derivatives will
# want it, and the last steps have the use of it.
CLOSE = 1e-2

# How far a multiple of A may be from A itself.
REACH = (4.0, 2.0, 1.5, 1.2, 1.1, 1.05, 1.02, 1.01, 1.001, 1.0, 0.9, 0.5, 0.1, 1e-3)

# The inner maximum is exact to this part of F, or as exact as rounding allows.
PRECISION = 1e-13


class System(Protocol):
    """G = (W⁻¹ + K)⁻¹ with W = ∇²L(u), on 1ᵀA = 0 if there is an intercept."""

    def solve(self, X: Array) -> Array:
        """GX of right-hand sides X (n, k, m): G − G1(1ᵀG1)⁻¹1ᵀG with an intercept."""
        ...


class SmoothLoss(BaseEstimator, ABC):
    """A convex, smooth L(u) ≥ 0 that knows its gradient, its Hessian and its conjugate.

    A class has the methods below. The inner maximum is found by Newton's method, with
    an exact search along the line; steps use the last factor for as long as they help.
    """

    # The inner maximum may be sought from any A, also outside the domain of g.
    starts_anywhere = True

    @abstractmethod
    def value(self, A: Array) -> float:
        """g(A), −∞ outside its domain."""

    @abstractmethod
    def risk(self, f: Array, near: Array | None = None) -> tuple[float, Array]:
        """min_b L(f + 1bᵀ) and b (k,), which is sought from `near`."""

    @abstractmethod
    def answers(self, u: Array) -> Array:
        """−∇L(u), (n, k), in the domain of g if b is the best one."""

    @abstractmethod
    def system(self, K: Array, u: Array) -> System:
        """(W⁻¹ + K)⁻¹ with W = ∇²L(u)."""

    @abstractmethod
    def first(self, K: Array) -> Array:
        """An A to start from."""

    def best_multiple(self, f: Array, energy: float) -> float:
        return 1.0

    def best_scale(self, A: Array, support: float) -> float:
        """The t that maximises g(tA) − ½t²σ, which is concave in t and 0 at 0."""

        def falls(t: float) -> float:
            return 0.5 * t * t * support - self.value(t * A)

        if not np.any(A):
            return 1.0
        here = falls(1.0)
        # Beyond the domain g is −∞.
        high = next((t for t in REACH if np.isfinite(falls(t))), 0.0)
        if high == 0:
            return 0.0
        found = minimize_scalar(falls, bounds=(0.0, high), method="bounded")
        return float(found.x) if found.fun < min(here, 0.0) else float(here < 0)

    def inner(self, K: Array, start: Array | None = None) -> Inner:
        if is_foreign(K):
            raise TypeError(
                f"the inner problem of {type(self).__name__} is solved by the host, "
                "and the arrays are not NumPy's: pass arrays of NumPy"
            )
        K = np.ascontiguousarray(K, dtype=float)
        found = _Descent(self, K, self.first(K) if start is None else start)
        found.run()
        f, bias = found.f, found.bias
        A, value = self.answers(f + bias), found.value
        value += rounding_of_fit(K, A, 1e-13 * abs(value))

        def hessian(applied: Array) -> Array:
            X = np.moveaxis(applied, 0, 2)
            H = np.tensordot(X, found.nearly().solve(X), axes=([0, 1], [0, 1]))
            return 0.5 * (H + H.T)

        def respond(change: Array) -> Array:
            # f moves by `change` and by what A, which answers to it, then changes.
            answer = found.nearly().solve(change[:, :, None])[:, :, 0]
            moved = f + change - K @ answer
            return self.answers(moved + self.risk(moved, bias)[1]) - A

        return Inner(A, value, bias, hessian, respond)


class _Descent:
    """Newton's method on P(A) = ½⟨A, KA⟩ + min_b L(KA + 1bᵀ).

    With the answers r = −∇L(u) to A and δ = r − A the step is δ − GKδ, and the point r
    proves that P(A) is above the minimum by at most ½⟨δ, Kδ⟩.
    """

    def __init__(self, loss: SmoothLoss, K: Array, A: Array):
        self.loss, self.K = loss, K
        self._system, self._place = None, np.zeros(0)
        with np.errstate(over="ignore", invalid="ignore"):
            f = K @ A
            start = 0.5 * max(float(np.sum(A * f)), 0.0) + loss.risk(f)[0]
        # From a start that is no better than none the way may be a long one.
        none = not start < loss.risk(np.zeros(A.shape))[0]
        self.A, self.f = (np.zeros(A.shape),) * 2 if none else (A, f)
        self._judge(None)

    def _judge(self, near: Array | None) -> None:
        risk, self.bias = self.loss.risk(self.f, near)
        self.value = 0.5 * float(np.sum(self.A * self.f)) + risk
        self.rest = self.loss.answers(self.f + self.bias) - self.A
        self.pull = self.K @ self.rest
        self.gap = 0.5 * max(float(np.sum(self.rest * self.pull)), 0.0)

    def run(self) -> None:
        before, patience = np.inf, 4
        kept = self.A, self.value
        for _ in range(200):
            if self.gap <= PRECISION * abs(self.value) or not patience:
                break
            slow = self.gap > 0.3 * before
            before, last = self.gap, self._system
            close = self.gap <= CLOSE * abs(self.value) and not slow
            self._step(self.nearly() if close else self.near(0.0 if slow else 2.0))
            fresh = self._system is not last
            # At the end a step only moves rounding errors about.
            better, fall = self.value < kept[1], kept[1] - self.value
            moved = fall > 1e-12 * abs(self.value) or self.gap <= 0.5 * before
            patience = 4 if moved else patience - fresh
            kept = (self.A, self.value) if better else kept
        if kept[1] < self.value and self.gap > PRECISION * abs(self.value):
            self.A = kept[0]
        # Steps add up their rounding errors, which the bounds must not have.
        self.f = self.K @ self.A
        self._judge(self.bias)

    def near(self, most: float) -> System:
        """The system of u, or of a place from which no fitted value is that far.

        Curvatures are about exponential in u.
        """
        u = self.f + self.bias
        if self._system is None or np.max(np.abs(u - self._place)) > most:
            self._system, self._place = self.loss.system(self.K, u), u
        return self._system

    def nearly(self) -> System:
        """The system of u, or of a place that is as near on average.

        Curvatures there are off by about as much, and derivatives with them: they
        guide a step in θ, and prove nothing.
        """
        u = self.f + self.bias
        if self._system is None or np.mean(np.abs(u - self._place)) > EXACT:
            return self.near(0.0)
        return self._system

    def _step(self, system: System) -> None:
        step = self.rest - system.solve(self.pull[:, :, None])[:, :, 0]
        move = self.K @ step

        def slope(t: float) -> float:
            f = self.f + t * move
            with np.errstate(all="ignore"):
                u = f + self.loss.risk(f, self.bias)[1]
                rest = self.A + t * step - self.loss.answers(u)
                found = float(np.sum(move * rest))
            return found if np.isfinite(found) else np.inf

        t = _root(slope, -float(np.sum(move * self.rest)))
        self.A, self.f = self.A + t * step, self.f + t * move
        self._judge(self.bias)


def _root(slope: Any, first: float) -> float:
    """t with slope(t) near zero, of an increasing function that is `first` < 0 at 0."""
    t, at = 1.0, slope(1.0)
    if first >= 0 or abs(at) <= 0.3 * abs(first):
        return t
    low, high = 0.0, t
    # Powers of ten on one side, of two on the other: the root may be far from 1.
    while at < 0 and t < 1e6:
        low, t = t, 2 * t
        at, high = slope(t), t
    while low == 0 and high > 1e-200:
        t = 0.1 * high
        if slope(t) < 0:
            low = t
        else:
            high = t
    while slope(high) == np.inf and high > (1 + 1e-9) * low:
        t = 0.5 * (low + high)
        low, high = (t, high) if slope(t) < 0 else (low, t)
    if not slope(low) < 0 < slope(high) < np.inf:
        return low
    return float(brentq(slope, low, high, xtol=1e-2 * low, rtol=1e-3))
