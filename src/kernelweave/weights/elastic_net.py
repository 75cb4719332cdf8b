"""Θ = {θ ≥ 0, vΣθ_j + (1−v)Σθ_j^p ≤ 1}: sparse, with groups of like kernels kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq
from sklearn.base import BaseEstimator

from ..problem import Array
from .bisection import increasing_root
from .lp import LpBall
from .master import smooth_master
from .simplex import Simplex

EPS = float(np.finfo(float).eps)


@dataclass(eq=False, repr=False)
class ElasticNet(BaseEstimator):
    """Θ = {θ ≥ 0, Σ_j c(θ_j) ≤ 1} with c(θ) = vθ + (1−v)θ^p.

    The maximiser of θᵀs is θ_j = ((s_j/η − v)₊/(p(1−v)))^(1/(p−1)) with η > 0 the root
    that makes the constraint tight. v = 1 is the simplex, v = 0 the ℓp ball; in
    between some weights are zero, and equal kernels get equal weights.

    Parameters
    ----------
    v : float
        Between 0 and 1; larger is sparser.
    p : float
        Above 1. The default, 2, is the elastic net of Yang et al. 2011, equation (9);
        others are their remark 3.
    """

    v: float = 0.5
    p: float = 2.0

    def _parameters(self) -> tuple[float, float]:
        v, p = float(self.v), float(self.p)
        if not (0 <= v <= 1 and 1 < p < np.inf):
            raise ValueError(
                "ElasticNet needs v between 0 and 1 and a finite p above 1, got "
                f"v={self.v!r} and p={self.p!r}"
            )
        return v, p

    def _end(self) -> Simplex | LpBall | None:
        """The set at v = 1 or v = 0, which has closed forms of its own."""
        v, p = self._parameters()
        # A θ of the ball costs 1 + vQ at most, which for such a v is rounding.
        return Simplex() if v == 1 else LpBall(p) if v < 1e-24 else None

    @property
    def interior(self) -> bool:
        """Whether the chart is singular at zero, or as good as that.

        θ' = 1/v there and θ'' = −∞ for p < 2, and neither lasts: a weight of zero is
        then no place for a parabola to begin.
        """
        v, p = self._parameters()
        return v <= 1e-3 or p < 1.1

    def cost(self, theta: Array) -> Array:
        """c(θ_j), (p,)."""
        v, p = self._parameters()
        return v * theta + (1 - v) * theta**p

    def start(self, p: int) -> Array:
        # The positive root of vc + (1−v)c^p = 1/Q.
        return self.chart(np.full(p, 1 / p))[0]

    def restrict(self, keep: Array) -> ElasticNet:
        return self

    def maximiser(self, s: Array) -> Array:
        end = self._end()
        if end is not None:
            return end.maximiser(s)
        s = np.maximum(s, 0)
        if not np.any(s > 0):
            return self.start(len(s))
        root = self._root(s)
        theta = np.exp(self._logs(s, root))
        if self.p > 2:
            # A weight near zero has an infinite slope in t: of two points beside the
            # root, which share η to rounding, the mean that costs 1 at most.
            few = 8 * EPS * abs(root)
            low, high = (
                np.exp(self._logs(s, t)) for t in (root - few, min(root + few, 0.0))
            )
            under, over = 1 - np.sum(self.cost(low)), np.sum(self.cost(high)) - 1
            if under > 0 and over > 0:
                theta = (over * low + under * high) / (under + over)
        return self._inside(theta)

    def support(self, s: Array) -> float:
        """η + Σ_j max_θ (s_jθ − ηc(θ)) = η(1 + (1−v)(p−1)Σθ_j^p).

        It is no less than σ(s) at any η > 0, so that an error of the root cannot make
        it too small, and all its terms are positive.
        """
        end = self._end()
        if end is not None:
            return end.support(s)
        v, p = self._parameters()
        s = np.maximum(s, 0)
        top = float(np.max(s))
        if top <= 0:
            return 0.0
        root = self._root(s)
        powers = float(np.sum(np.exp(p * self._logs(s, root))))
        slope = v + (1 - v) * p * np.exp((p - 1) * root)
        return top * float((1 + (1 - v) * (p - 1) * powers) / slope)

    def _logs(self, s: Array, root: float) -> Array:
        """log θ_j where the largest s has the weight t, for root = log t.

        s_j = ηc'(θ_j), and η = max s/c'(t), so with δ = 1 − s/max s

            (θ_j/t)^(p−1) = 1 − δ_j − κδ_j t^(1−p),   κ = v/(p(1−v)):

        no difference of numbers that are nearly equal as v goes to 1, or p.
        """
        v, p = self._parameters()
        top = np.max(s)
        u, delta = s / top, (top - s) / top
        debt = np.log(v) - np.log(p * (1 - v)) - (p - 1) * root
        debt = np.exp(min(debt, 700.0))
        with np.errstate(divide="ignore"):
            near = np.log1p(-np.minimum(delta * (1 + debt), 1.0))
            far = np.log(np.maximum(u - delta * debt, 0.0))
        return root + np.where(delta < 0.5, near, far) / (p - 1)

    def _root(self, s: Array) -> float:
        """log t with Σc(θ_j) = 1, t the weight of the largest s."""
        v, p = self._parameters()
        if p == 2:
            # θ_j = u_j(t + κ) − κ and c(θ) = w((θ + κ)² − κ²), w = 1 − v, so the m
            # largest u give (t² + 2κt)Σu² = 1/w + κ²Σ(1 − u²); m is the last with
            # θ_m > 0.
            top = np.max(s)
            u = np.sort(s)[::-1] / top
            delta = (top - np.sort(s)[::-1]) / top
            kappa = 0.5 * v / (1 - v)
            short = np.cumsum(delta * (1 + u))
            q = (1 / (1 - v) + kappa * kappa * short) / np.cumsum(u * u)
            t = q / (kappa + np.sqrt(kappa * kappa + q))
            return float(np.log(t[np.flatnonzero(u * t > kappa * delta)[-1]]))

        def excess(root: float) -> float:
            logs = self._logs(s, root)
            return float(np.sum(v * np.exp(logs) + (1 - v) * np.exp(p * logs))) - 1

        # θ_j ≤ t, and 1/Q ≤ t as c(θ) ≤ θ up to 1.
        low = -float(np.log(len(s)))
        if not excess(low) < 0 < excess(0.0):
            return 0.0 if excess(0.0) <= 0 else low
        return float(brentq(excess, low, 0.0, xtol=1e-300, rtol=4 * EPS))

    def _inside(self, theta: Array) -> Array:
        """θ, or if it costs more than 1 by rounding, a multiple that does not."""
        # c is convex with c(0) = 0: c(θ/a) ≤ c(θ)/a.
        return theta / max(float(np.sum(self.cost(theta))), 1.0)

    def support_hessian(self, s: Array) -> Array:
        """∇²σ = x(diag(w) − (ws)(ws)ᵀ/Σws²), w = dθ/d(xs) where θ is not zero."""
        end = self._end()
        if isinstance(end, LpBall):
            return end.support_hessian(s)
        v, p = self._parameters()
        root = self._root(s)
        theta = np.exp(self._logs(s, root))
        x = float(v + (1 - v) * p * np.exp((p - 1) * root)) / float(np.max(s))
        active = theta > 0
        w = np.zeros(len(s))
        w[active] = theta[active] ** (2 - p) / (p * (p - 1) * (1 - v))
        ws = w * s
        return x * (np.diag(w) - np.outer(ws, ws) / (ws @ s))

    def balance(self, norms: Array) -> Array:
        """The θ∈Θ that minimises Σ_j norms_j/θ_j: θ²c'(θ) = norms_j/η."""
        end = self._end()
        if isinstance(end, LpBall):
            return end.balance(norms)
        v, p = self._parameters()
        u = norms / np.max(norms)

        def at(log_eta: float) -> Array:
            goal = u * np.exp(-log_eta)
            return increasing_root(
                lambda t: t * t * (v + (1 - v) * p * t ** (p - 1)), goal, 2.0
            )

        def excess(log_eta: float) -> float:
            return float(np.sum(self.cost(at(log_eta)))) - 1

        # c'(θ) lies between v and p, and θ² between 1/Q² and 1.
        high = 2 * np.log(len(u)) + np.log(1 / v) + 1
        root = float(brentq(excess, -np.log(p) - 1, high, xtol=1e-14))
        return self._inside(at(root))

    def project(self, theta: Array) -> Array:
        end = self._end()
        if end is not None:
            return end.project(theta)
        v, p = self._parameters()
        t = np.maximum(np.asarray(theta, dtype=float), 0)
        if np.sum(self.cost(np.minimum(t, 1))) <= 1 and np.max(t) <= 1:
            return t
        if p == 2:
            return self._inside(self._nearest(t))

        def at(m: float) -> Array:
            # θ + m c'(θ) = t
            return increasing_root(
                lambda x: x + m * (v + (1 - v) * p * x ** (p - 1)), t, 2.0
            )

        upper = 1.0
        while np.sum(self.cost(at(upper))) > 1:
            upper *= 4
        m = brentq(lambda m: float(np.sum(self.cost(at(m)))) - 1, 0, upper, xtol=1e-15)
        return self._inside(at(float(m)))

    def _nearest(self, t: Array) -> Array:
        """The projection of a t ≥ 0 outside, for p = 2: θ = (t − mv)₊/(1 + 2m(1−v)).

        With w = 1 − v and the k largest t in play, Σc(θ) = 1 is C = Bm + wBm² with
        B = kv² + 4w and C = Σ(vt + wt²) − 1; k is the last with t_k > m_k v.
        """
        v = self._parameters()[0]
        w = 1 - v
        u = np.sort(t)[::-1]
        B = np.arange(1, len(u) + 1) * v * v + 4 * w
        C = np.cumsum(v * u + w * u * u) - 1
        # The largest alone may be inside, C < 0, if others are not: m_k < 0 then.
        m = 2 * C / (B + np.sqrt(np.maximum(B * B + 4 * w * B * C, 0)))
        m = m[np.flatnonzero(u > m * v)[-1]]
        return np.maximum(t - m * v, 0) / (1 + 2 * m * w)

    def chart(self, phi: Array) -> tuple[Array, Array, Array]:
        end = self._end()
        if end is not None:
            return end.chart(phi)
        v, p = self._parameters()
        if p == 2:
            theta = 2 * phi / (v + np.sqrt(v * v + 4 * (1 - v) * phi))
        else:
            theta = increasing_root(self.cost, phi, 2.0)
        slope = v + (1 - v) * p * theta ** (p - 1)
        bend = (1 - v) * p * (p - 1) * np.maximum(theta, 1e-150) ** (p - 2)
        return theta, 1 / slope, -bend / slope**3

    def coordinates(self, theta: Array) -> Array:
        phi = self.cost(np.maximum(theta, 0))
        return phi / phi.sum()

    def master(self, g: Array, S: Array) -> tuple[Array, Array]:
        end = self._end()
        return smooth_master(self, g, S) if end is None else end.master(g, S)

    def cvxpy_support(self, s: Any) -> Any:
        import cvxpy as cp

        end = self._end()
        if end is not None:
            return end.cvxpy_support(s)
        v, p = self._parameters()
        if p != 2:
            raise TypeError(
                "the conic form is for ElasticNet with p = 2; use Newton() or SILP()"
            )
        # σ(s) = min_η η + Σ_j (s_j − ηv)₊²/(4(1−v)η)
        eta = cp.Variable(nonneg=True)
        return eta + cp.quad_over_lin(cp.pos(s - v * eta), 4 * (1 - v) * eta)

    def cvxpy_constraints(self, theta: Any) -> list[Any]:
        import cvxpy as cp

        v, p = self._parameters()
        return [theta >= 0, v * cp.sum(theta) + (1 - v) * cp.sum(theta**p) <= 1]
