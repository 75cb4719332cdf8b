"""Θ = {θ ≥ 0, rᵀθ = 1}: sparse weights that add up to one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linprog
from sklearn.base import BaseEstimator

from ..problem import Array


@dataclass(eq=False, repr=False)
class Simplex(BaseEstimator):
    """Θ = {θ ≥ 0, rᵀθ = 1}, σ_Θ(s) = max_j s_j/r_j.

    Parameters
    ----------
    r : array-like (p,), optional
        The traces of the kernels, for kernels that are not scaled to one trace
        (Ye et al. 2008: rᵀθ = 1 with r_j = tr K_j). The default is r = 1.
    """

    r: Any = None

    def _r(self, p: int) -> Array:
        if self.r is None:
            return np.ones(p)
        r = np.asarray(self.r, dtype=float)
        if r.shape != (p,):
            raise ValueError(
                f"Simplex(r) has shape {r.shape}, but there are {p} kernels: give one "
                "trace for each"
            )
        if not np.all(np.isfinite(r)) or np.any(r <= 0):
            raise ValueError(
                f"Simplex(r) must hold positive numbers, got {r}: leave out kernels "
                "whose trace is zero"
            )
        return r

    interior = False

    def start(self, p: int) -> Array:
        return 1 / (p * self._r(p))

    def restrict(self, keep: Array) -> Simplex:
        if self.r is None:
            return Simplex()
        r = np.array(self.r, dtype=float)
        if r.shape == keep.shape:
            r[~keep] = 1  # a trace of zero is no error in a kernel that is left out
        return Simplex(Simplex(r)._r(len(keep))[keep])

    def support(self, s: Array) -> float:
        return float(np.max(s / self._r(len(s))))

    def maximiser(self, s: Array) -> Array:
        r = self._r(len(s))
        j = int(np.argmax(s / r))
        theta = np.zeros(len(s))
        theta[j] = 1 / r[j]
        return theta

    def project(self, theta: Array) -> Array:
        # θ_j = (t_j − ν r_j)₊ with ν the root of rᵀθ = 1; breakpoints at t_j/r_j.
        t = np.asarray(theta, dtype=float)
        r = self._r(len(t))
        if np.min(t) >= 0 and abs(r @ t - 1) <= 4 * len(t) * np.finfo(float).eps:
            return t.copy()  # there already: zeros stay zeros
        order = np.argsort(-t / r)
        nu = (np.cumsum((r * t)[order]) - 1) / np.cumsum((r * r)[order])
        inside = np.flatnonzero((t / r)[order] > nu)
        nearest = np.maximum(t - nu[inside[-1] if len(inside) else 0] * r, 0)
        if not nearest.any():
            # So far outside that 1 is lost beside t: the nearest point is a vertex.
            return self.maximiser(t)
        return nearest / (r @ nearest)

    def chart(self, phi: Array) -> tuple[Array, Array, Array]:
        r = self._r(len(phi))
        return phi / r, 1 / r, np.zeros_like(phi)

    def coordinates(self, theta: Array) -> Array:
        return theta * self._r(len(theta))

    def master(self, g: Array, S: Array) -> tuple[Array, Array]:
        # min γ over (θ, γ): γ ≥ g_i − ½θᵀS_i. In units of max|g|, so that the LP's
        # absolute tolerances are relative ones; but HiGHS takes no number above 1e15,
        # and where S spans many decades it may end without an answer: then in units of
        # max S.
        m, p = S.shape
        r = self._r(p)
        most = float(np.max(np.abs(S / r)))
        for unit in (max(np.max(np.abs(g)), 1e-12 * most) or 1.0, most):
            result = linprog(
                np.append(np.zeros(p), 1.0),
                A_ub=np.column_stack([-0.5 * S / r / unit, -np.ones(m)]),
                b_ub=-g / unit,
                A_eq=np.append(np.ones(p), 0.0)[None],
                b_eq=[1.0],
                bounds=[(0, None)] * p + [(None, None)],
                method="highs-ds",
                options={
                    "primal_feasibility_tolerance": 1e-10,
                    "dual_feasibility_tolerance": 1e-10,
                },
            )
            if result.status == 0:
                break
        else:
            raise RuntimeError(f"the linear master problem failed: {result.message}")
        phi = np.maximum(result.x[:p], 0)
        multipliers = np.maximum(-result.ineqlin.marginals, 0)
        return phi / phi.sum() / r, multipliers / multipliers.sum()

    def cvxpy_support(self, s: Any) -> Any:
        import cvxpy as cp

        return cp.max(cp.multiply(1 / self._r(s.shape[0]), s))

    def cvxpy_constraints(self, theta: Any) -> list[Any]:
        return [theta >= 0, self._r(theta.shape[0]) @ theta == 1]
