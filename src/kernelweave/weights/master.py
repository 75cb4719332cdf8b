"""The small master problems of the cutting-plane methods.

min_{θ∈Θ} max_i g_i − ½θᵀS_i  =  max_{μ∈Δ} μᵀg − ½σ_Θ(Sᵀμ)
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.sparse import csc_matrix

from ..problem import Array
from ..simplex_qp import minimise_on_simplex


class SmoothSet(Protocol):
    """A set of weights whose support function has a Hessian."""

    def support(self, s: Array) -> float: ...

    def maximiser(self, s: Array) -> Array: ...

    def support_hessian(self, s: Array) -> Array: ...


def smooth_master(weights: SmoothSet, g: Array, S: Array) -> tuple[Array, Array]:
    """Newton's method on the multipliers μ; exact to rounding.

    Returns θ, the maximiser for the average cut Sᵀμ, and μ.
    """
    unit = float(np.max(np.abs(g))) or 1.0
    g, S = g / unit, S / unit

    def value(mu: Array) -> float:
        return 0.5 * weights.support(S.T @ mu) - float(g @ mu)

    mu = np.zeros(len(g))
    mu[int(np.argmin([value(vertex) for vertex in np.eye(len(g))]))] = 1.0
    for _ in range(100):
        s = S.T @ mu
        gradient = 0.5 * S @ weights.maximiser(s) - g
        # Cuts with s = 0 are constant: there is no curvature at their average.
        bend = weights.support_hessian(s) if np.any(s > 0) else np.zeros(2 * s.shape)
        hessian = 0.5 * S @ bend @ S.T
        step = minimise_on_simplex(hessian, gradient - hessian @ mu, mu) - mu
        slope = float(gradient @ step)
        here, t = value(mu), 1.0
        if -slope <= 1e-15 * abs(here):
            break
        while value(mu + t * step) > here + 1e-4 * t * slope and t > 1e-10:
            t *= 0.5
        if value(mu + t * step) >= here:
            break
        mu = mu + t * step
    return weights.maximiser(S.T @ mu), mu


def expansion_master(p: float, g: Array, S: Array, theta: Array) -> tuple[Array, Array]:
    """The master under Yan's (11), which expands ‖θ‖_p^p about the last θ̃:

        ½p(p−1) Σ θ̃^(p−2)θ² − p(p−2) Σ θ̃^(p−1)θ + ½p(p−3) + 1 ≤ 1.

    For p < 2 a zero in θ̃ would divide by zero and forbid that weight for ever, so θ̃
    is kept above a thousandth of its largest entry.
    """
    import clarabel

    n = S.shape[1]
    theta = np.maximum(theta, 1e-3 * np.max(theta))
    theta = theta / np.sum(theta**p) ** (1 / p)
    a = 0.5 * p * (p - 1) * theta ** (p - 2)
    c = (p - 2) / (p - 1) * theta
    rho = np.sqrt(max(np.sum(a * c * c) - 0.5 * p * (p - 3), 0.0))
    # Σ a_j(θ_j − c_j)² ≤ ρ²
    root = np.sqrt(a)
    rows = np.vstack([np.zeros((1, n)), -np.diag(root)])
    offsets = np.concatenate([[rho], -root * c])
    return _conic_master(g, S, rows, offsets, [clarabel.SecondOrderConeT(n + 1)])


def group_master(members: Array, g: Array, S: Array) -> tuple[Array, Array]:
    """The master on Σ_g t_g ≤ 1, ‖θ_g‖₂ ≤ t_g, for the group numbers (p,) of kernels.

    The norms t_g follow θ among the variables.
    """
    import clarabel

    p, count = len(members), int(np.max(members)) + 1
    unit = np.eye(p + count)
    rows, cones = [np.append(np.zeros(p), np.ones(count))[None]], []
    for k in range(count):
        inside = np.flatnonzero(members == k)
        rows.append(-unit[[p + k, *inside]])
        cones.append(clarabel.SecondOrderConeT(1 + len(inside)))
    A = np.vstack(rows)
    offsets = np.append(1.0, np.zeros(len(A) - 1))
    wide = np.column_stack([S, np.zeros((len(S), count))])
    found, multipliers = _conic_master(
        g, wide, A, offsets, [clarabel.NonnegativeConeT(1), *cones], tol=1e-11
    )
    return found[:p], multipliers


def _conic_master(
    g: Array, S: Array, rows: Array, offsets: Array, cones: list, tol: float = 1e-8
) -> tuple[Array, Array]:
    """min γ over x ≥ 0: γ ≥ g_i − ½xᵀS_i, offsets − rows·x in the cones; x and μ.

    In units of max|g|, so that the tolerance is a relative one.
    """
    import clarabel

    m, n = S.shape
    unit = float(np.max(np.abs(g))) or 1.0
    A = np.vstack(
        [
            np.column_stack([-0.5 * S / unit, -np.ones(m)]),
            np.column_stack([-np.eye(n), np.zeros(n)]),
            np.column_stack([rows, np.zeros(len(rows))]),
        ]
    )
    b = np.concatenate([-g / unit, np.zeros(n), offsets])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tol
    solution = clarabel.DefaultSolver(
        csc_matrix((n + 1, n + 1)),
        np.append(np.zeros(n), 1.0),
        csc_matrix(A),
        b,
        [clarabel.NonnegativeConeT(m + n), *cones],
        settings,
    ).solve()
    multipliers = np.maximum(np.array(solution.z)[:m], 0)
    return np.maximum(np.array(solution.x)[:n], 0), multipliers / multipliers.sum()
