"""Whole groups of samples left out of a fit with the square loss, exactly.

    B = [[diag(d) + K, 1], [1ᵀ, 0]],   G the upper left block of B⁻¹,   A = GH

The residuals of a group g by the fit without it are R_g = (G_gg)⁻¹A_g. Without an
intercept B has no border.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from ..grams.normalise import is_centred
from ..problem import Array


def bordered_inverse(K: Array, d: Array, intercept: bool) -> Array:
    """G (n, n) of the head of this file."""
    n = len(K)
    # On 1ᵀA = 0 a shift along 1 changes nothing, and K may annihilate 1.
    M = K + ((np.trace(K) / n + d.mean()) / n if intercept else 0.0)
    M.flat[:: n + 1] += d
    factor = cho_factor(M, lower=True, overwrite_a=True)
    G = cho_solve(factor, np.eye(n), overwrite_b=True, check_finite=False)
    if intercept:
        sums = G.sum(axis=0)
        G -= np.outer(sums, sums / sums.sum())
    return G


def group_residuals(G: Array, A: Array, groups: Array) -> Array:
    """R (n, k), R_g = (G_gg)⁻¹A_g."""
    R = np.empty_like(A)
    for rows in members(groups):
        R[rows] = np.linalg.solve(G[np.ix_(rows, rows)], A[rows])
    return R


def leave_groups_out(
    K: Array, d: Array, A: Array, intercept: bool, groups: Array
) -> Array:
    """Residuals (n, k) of every sample when its group is left out, at fixed weights.

    As `quadratic.leave_one_out`: without an intercept, K with K1 = 0 is centred again
    without the group, by the border; to its residuals comes b_{−g}, the mean of the
    other targets.
    """
    b: Array | float = 0.0
    again = not intercept and bool(is_centred(K.sum(), np.trace(K)))
    if again:
        H = K @ A + d[:, None] * A
        b = H.mean(axis=0) - group_shift(H, np.ones(len(H)), groups)
        A = A - A.mean(axis=0)
    G = bordered_inverse(K, d, intercept or again)
    return group_residuals(G, A, groups) + b


def group_shift(H: Array, v: Array, groups: Array) -> Array:
    """b − b_{−g}: how the mean target moves when the group of i is left out, (n, k).

    Σ_g v_i(h_i − b)/(Σv − Σ_g v_i), the samples weighing v (n,).
    """
    far, shift = v[:, None] * (H - v @ H / v.sum()), np.empty_like(H)
    for rows in members(groups):
        shift[rows] = far[rows].sum(axis=0) / (v.sum() - v[rows].sum())
    return shift


def members(groups: Array) -> list[Array]:
    """The rows of each group."""
    order = np.argsort(groups, kind="stable")
    ends = np.flatnonzero(groups[order][1:] != groups[order][:-1]) + 1
    return np.split(order, ends)
