"""The level method: cutting planes that stay near the last weights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_triangular
from scipy.optimize import nnls
from sklearn.base import BaseEstimator

from ..arrays import combination, filled, namespace, take
from ..problem import Array, Charted, Iterate, Problem
from .sets import charted, mastered


@dataclass(eq=False, repr=False)
class Level(BaseEstimator):
    """Project θ_t on the level set of the cuts, for every loss.

    With h(θ) = max_i g(A_i) − ½θᵀs(A_i) ≤ F(θ), the best value seen above and the
    optimum of the master below,

        ℓ = τ·upper + (1−τ)·lower,   θ_{t+1} = argmin {‖θ − θ_t‖ : θ∈Θ, h(θ) ≤ ℓ}.

    Yang et al. 2011, Algorithm 1. The gap upper − lower never grows (Theorem 4). Cuts
    without a multiplier are dropped, but only when the gap has fallen by a tenth: in
    between, all level sets have a point in common, and the rate rests on that
    (Theorem 5).

    Parameters
    ----------
    tau : float
        τ between 0 and 1. Small is bold; τ → 0 gives the steps of `SILP`. Where F is
        smooth the new θ attains little less than ℓ, and the gap shrinks by no more
        than τ a step: the paper's values are for its gap of a percent, and for a small
        tol τ = 0.5 or less, before and after, takes far fewer steps.
    tau_close : float
        τ once the gap is below 1 % of the value.
    """

    tau: float = 0.9
    tau_close: float = 0.99

    def iterates(
        self, problem: Problem, tol: float, start: Array | None
    ) -> Iterator[Iterate]:
        if not (0 < self.tau < 1 and 0 < self.tau_close < 1):
            raise ValueError(
                "Level needs tau and tau_close between 0 and 1, got "
                f"{self.tau!r} and {self.tau_close!r}"
            )
        weights, p = charted(problem.weights, "Level"), problem.gram.p
        master = mastered(weights, "Level").master
        theta = weights.start(p) if start is None else np.array(start)
        point = problem.at(theta)
        xp = namespace(point.A)
        As, g, S = filled((0, *point.A.shape), point.A), np.empty(0), np.empty((0, p))
        upper, lower, dropped_at = np.inf, -np.inf, np.inf
        while True:
            As = xp.concat([As, point.A[None, ...]])
            g = np.append(g, problem.loss.value(point.A))
            S = np.vstack([S, point.s])
            lowest, mu = master(g, S)
            # By the multipliers, as a bound must hold however exact the master is.
            lower = max(lower, float(mu @ g) - 0.5 * weights.support(mu @ S))
            upper = min(upper, point.value)
            yield Iterate(point, combination(mu, As))
            gap = upper - lower
            if gap <= 8 * np.finfo(float).eps * abs(upper):
                return
            tau = self.tau if gap >= 0.01 * abs(upper) else self.tau_close
            level = lower + tau * gap
            new, active = _nearest(weights, theta, g - level, S)
            # A projection that is still ε above the level is drawn towards the master's
            # point, which is below it, as far as convexity asks.
            above = max(float(np.max(g - 0.5 * S @ new)) - level, 0.0)
            below = max(level - float(np.max(g - 0.5 * S @ lowest)), 0.0)
            if np.array_equal(new, theta):
                # The last inner maximum is not exact enough to cut θ_t off.
                above, below = 1.0, 0.0
            if above > 0:
                new = new + above / (above + below) * (lowest - new)
            if np.array_equal(new, theta):
                return
            if gap <= max(0.9, 1 - tau) * dropped_at:
                keep = np.flatnonzero((mu > 0) | (active > 0))
                As, g, S, dropped_at = take(As, keep), g[keep], S[keep], gap
            theta = new
            point = problem.at(theta, point.A)


def _nearest(
    weights: Charted, theta: Array, excess: Array, S: Array
) -> tuple[Array, Array]:
    """The x∈Θ with ½xᵀS_i ≥ excess_i that is nearest to theta, and multipliers λ.

    In rows C_i of length one the dual is

        q(λ) = min_{x∈Θ} ½‖x − θ‖² + λᵀ(e − Cx),   x(λ) = π(θ + Cᵀλ),   ∇q = e − Cx,

    concave, with the Hessian −CPCᵀ where the projection π on Θ has the derivative P.
    Newton's method on λ ≥ 0 with P + δI: as 0 ≤ P ≤ I, δ = 1 is a step of ascent
    always, and smaller ones are tried first.
    """
    size = np.linalg.norm(0.5 * S, axis=1)
    size = np.where(size > 0, size, 1.0)
    C, e = 0.5 * S / size[:, None], excess / size

    def at(lam: Array) -> tuple[Array, Array, float]:
        x = weights.project(theta + lam @ C)
        rest = e - C @ x
        return x, rest, 0.5 * float(np.sum((x - theta) ** 2)) + float(lam @ rest)

    lam, delta = np.zeros(len(e)), 1e-10
    x, rest, q = at(lam)
    # A part of the first violation, and the rounding of e − Cx.
    rounding = 8 * np.finfo(float).eps * float(np.max(np.abs(e)))
    enough = 1e-6 * float(np.max(rest)) + rounding
    for _ in range(100):
        if np.max(np.abs(np.maximum(lam + rest, 0) - lam)) <= enough:
            break
        M = _curvature(weights, theta + lam @ C, x, C) + delta * (C @ C.T)
        M.flat[:: len(M) + 1] += 1e-14 * len(M)
        # max ∇qᵀ(y − λ) − ½(y − λ)ᵀM(y − λ) over y ≥ 0, with M = RᵀR
        R = np.linalg.cholesky(M).T
        y = nnls(R, solve_triangular(R, rest + M @ lam, trans="T"))[0]
        gain = float(rest @ (y - lam) - 0.5 * (y - lam) @ M @ (y - lam))
        noise = rounding * float(lam.sum() + y.sum())
        trial = at(y)
        if trial[2] >= q + 0.1 * gain - noise:
            lam, (x, rest, q), delta = y, trial, max(0.01 * delta, 1e-10)
            if gain <= noise:
                break
        elif delta < 1:
            delta = min(100 * delta, 1.0)
        else:
            break
    return x, lam


def _curvature(weights: Charted, t: Array, x: Array, C: Array) -> Array:
    """CPCᵀ for the derivative P of the projection x of t on Θ.

    Θ = {θ ≥ 0, Σ_j c(θ_j) ≤ 1}; its chart has θ' = 1/c' and θ'' = −c''/c'³. Where the
    sum is tight, x + m c'(x) = t and c'ᵀdx = 0 on the positive weights, so

        P = W − Wc'(c'ᵀWc')⁻¹c'ᵀW,   W = diag(1/(1 + m c'')).
    """
    tight, first, second = weights.chart(weights.coordinates(x))
    on = x > 0
    if not np.all(first[on] > 0) or not np.allclose(tight, x, rtol=1e-9, atol=0):
        # Inside, or in a box: a coordinate moves with t or not at all.
        return C[:, on & (x == t)] @ C[:, on & (x == t)].T
    C, slope = C[:, on], 1 / first[on]
    bend = -second[on] * slope * slope * slope
    m = max(float(slope @ (t - x)[on]) / float(slope @ slope), 0.0)
    w = 1 / (1 + m * bend)
    u = C @ (w * slope)
    return (C * w) @ C.T - np.outer(u, u) / float(slope @ (w * slope))
