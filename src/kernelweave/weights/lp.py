"""Θ = {θ ≥ 0, ‖θ‖_p ≤ 1}: from sparse weights (p = 1) to uniform ones (p = ∞)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.optimize import brentq
from sklearn.base import BaseEstimator

from ..problem import Array
from .bisection import increasing_root
from .master import expansion_master, smooth_master
from .simplex import Simplex


@dataclass(eq=False, repr=False)
class LpBall(BaseEstimator):
    """Θ = {θ ≥ 0, ‖θ‖_p ≤ 1}, σ_Θ(s) = ‖s‖_q with 1/p + 1/q = 1.

    The maximiser is θ_j = (s_j/‖s‖_q)^(q−1). In φ_j = θ_j^p the set is a simplex.
    The norm is tight at the optimum, so `LpBall(1)` is the simplex, and `LpBall(inf)`
    gives every kernel the weight 1 (Yan et al. 2012; Kloft et al. 2011).

    Parameters
    ----------
    p : float
        At least 1; np.inf is allowed. Smaller is sparser.

    Examples
    --------
    >>> import numpy as np
    >>> LpBall(2).maximiser(np.array([3.0, 4.0]))
    array([0.6, 0.8])
    """

    p: float = 2.0

    def _p(self) -> float:
        p = float(self.p)
        if not p >= 1:
            raise ValueError(f"LpBall needs a number p of at least 1, got {self.p!r}")
        return p

    @property
    def interior(self) -> bool:
        """Whether every kernel that helps at all has a positive weight."""
        return self._p() > 1

    @property
    def smooth(self) -> bool:
        """Whether σ_Θ is differentiable: it is unless p = 1."""
        return self._p() > 1

    @property
    def _power(self) -> float:
        """q − 1 = 1/(p − 1)."""
        return 1 / (self._p() - 1)

    def start(self, p: int) -> Array:
        return np.full(p, p ** (-1 / self._p()))

    def restrict(self, keep: Array) -> LpBall:
        return self

    def support(self, s: Array) -> float:
        top = float(np.max(s))
        if self._p() == 1 or top <= 0:
            return top
        q = 1 + self._power
        return top * float(np.sum(np.exp(q * _log_shares(s))) ** (1 / q))

    def maximiser(self, s: Array) -> Array:
        p = self._p()
        if p == 1:
            return Simplex().maximiser(s)
        if np.max(s) <= 0 or p == np.inf:
            return self.start(len(s))
        # θ_j = u_j^(q−1)/(Σu^q)^(1/p), u = s/max s: the norm to the power of q − 1
        # would lose all digits as p goes to 1.
        logs, power = _log_shares(s), self._power
        return np.exp(power * logs) / np.sum(np.exp((1 + power) * logs)) ** (1 / p)

    def support_hessian(self, s: Array) -> Array:
        """∇²‖s‖_q = (q−1)/‖s‖_q (diag(u^(q−2)) − θθᵀ), u = s/‖s‖_q, θ = u^(q−1)."""
        norm = self.support(s)
        u = np.maximum(s / norm, 1e-100)
        theta = u**self._power
        return self._power / norm * (np.diag(theta / u) - np.outer(theta, theta))

    def balance(self, v: Array) -> Array:
        """The θ∈Θ that minimises Σ_j v_j/θ_j: Kloft et al. 2011, proposition 1."""
        p = self._p()
        if p == np.inf:
            return np.ones(len(v))
        u = v / np.max(v)
        return u ** (1 / (p + 1)) / np.sum(u ** (p / (p + 1))) ** (1 / p)

    def project(self, theta: Array) -> Array:
        p = self._p()
        t = np.maximum(np.asarray(theta, dtype=float), 0)
        if p == np.inf:
            return np.minimum(t, 1)
        if np.max(t) <= 1 and np.sum(t**p) <= 1:
            return t
        if p == 1:
            return Simplex().project(t)
        if p == 2:
            return t / np.linalg.norm(t)

        def nearest(m: float) -> Array:
            # θ + mθ^(p−1) = t
            return increasing_root(lambda x: x + m * x ** (p - 1), t, 1.0)

        if np.sum(nearest(0.0) ** p) <= 1:
            return nearest(0.0)  # outside by rounding only
        upper = 1.0
        while np.sum(nearest(upper) ** p) > 1:
            upper *= 4
        m = brentq(lambda m: np.sum(nearest(m) ** p) - 1, 0, upper, xtol=1e-15)
        point = nearest(float(m))
        return point / np.sum(point**p) ** (1 / p)

    def chart(self, phi: Array) -> tuple[Array, Array, Array]:
        a = 1 / self._p()
        if a == 0:
            return np.ones_like(phi), np.zeros_like(phi), np.zeros_like(phi)
        phi = np.maximum(phi, 1e-150) if a < 1 else phi
        theta = phi**a
        if a == 1:
            return theta, np.ones_like(phi), np.zeros_like(phi)
        return theta, a * theta / phi, a * (a - 1) * theta / phi**2

    def coordinates(self, theta: Array) -> Array:
        p = self._p()
        if p == np.inf:
            return np.full(len(theta), 1 / len(theta))
        phi = np.maximum(theta, 0) ** p
        return phi / phi.sum()

    def master(self, g: Array, S: Array) -> tuple[Array, Array]:
        p = self._p()
        if p == 1:
            return Simplex().master(g, S)
        if p == np.inf:
            multipliers = np.zeros(len(g))
            multipliers[np.argmax(g - 0.5 * S.sum(axis=1))] = 1
            return np.ones(S.shape[1]), multipliers
        return smooth_master(self, g, S)

    def expansion_master(self, g: Array, S: Array, theta: Array) -> tuple[Array, Array]:
        """The master with ‖θ‖_p^p expanded to second order about theta: Yan, (11)."""
        p = self._p()
        if p in (1, np.inf):
            return self.master(g, S)
        point, multipliers = expansion_master(p, g, S, theta)
        return point / np.sum(point**p) ** (1 / p), multipliers

    def cvxpy_support(self, s: Any) -> Any:
        import cvxpy as cp

        p = self._p()
        if p == 1:
            return cp.max(s)
        return cp.sum(s) if p == np.inf else _cvxpy_norm(s, p / (p - 1))

    def cvxpy_constraints(self, theta: Any) -> list[Any]:
        import cvxpy as cp

        p = self._p()
        size = cp.max(theta) if p == np.inf else _cvxpy_norm(theta, p)
        return [theta >= 0, size <= 1]


def _log_shares(s: Array) -> Array:
    """log(s_j/max s), −∞ where s_j ≤ 0: exact beside the largest too."""
    s = np.maximum(s, 0)
    top = np.max(s)
    with np.errstate(divide="ignore"):
        near, far = np.log1p((s - top) / top), np.log(s / top)
    return np.where(s > 0.5 * top, near, far)


def _cvxpy_norm(x: Any, p: float) -> Any:
    """‖x‖_p as cvxpy writes it.

    Second-order cones will do for a fraction p of small numbers. Any other p cvxpy
    would round to a fraction, 1.0001 to 1: it takes power cones.
    """
    import cvxpy as cp

    norm: Any = cp.pnorm  # declared for whole p only
    near = Fraction(p).limit_denominator(8)
    if near.numerator <= 8 and abs(float(near) - p) <= 1e-12:
        return norm(x, p)
    return norm(x, p, approx=False)
