"""(W⁻¹ + K)⁻¹ where every column of the fitted values has a curvature of its own."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_solve

from ..problem import Array
from .cholesky import factorise_lower


class Weighted:
    """G = S(I + SKS)⁻¹S for W = S², S = diag(√w), column by column of w (n, k).

    No number is divided by a weight, which may be zero.
    """

    def __init__(self, K: Array, w: Array, intercept: bool):
        self._roots = np.sqrt(w)
        self._factors = [factorise(scaled(K, s)) for s in self._roots.T]
        self._intercept = intercept

    def solve(self, X: Array) -> Array:
        out = np.empty_like(X)
        for c, (s, L) in enumerate(zip(self._roots.T, self._factors, strict=True)):
            Z = (
                np.column_stack([X[:, c], np.ones(len(s))])
                if self._intercept
                else X[:, c]
            )
            Y = s[:, None] * solve_both(L, s[:, None] * Z)
            if self._intercept:
                # G1 stands in the last column.
                G1, Y = Y[:, -1], Y[:, :-1]
                total = float(G1.sum())
                Y = Y - np.outer(G1, Y.sum(axis=0) / total if total > 0 else 0 * Y[0])
            out[:, c] = Y
        return out


def scaled(K: Array, s: Array) -> Array:
    """diag(s) K diag(s), a new array."""
    M = K * s
    M *= s[:, None]
    return M


def factorise(M: Array) -> Array:
    """The lower Cholesky factor of I + M, in the memory of M (n, n) ⪰ 0, symmetric.

    Above the diagonal there is no number of it.
    """
    diagonal = np.diag(M) + 1
    unit = np.finfo(float).eps * float(np.sum(diagonal))
    for jitter in (0.0, unit, 1e2 * unit, 1e4 * unit):
        M.flat[:: len(M) + 1] = diagonal + jitter
        # LAPACK's lower triangle is the upper one here: the other stays as it was.
        if factorise_lower(M.T) == 0:
            return M.T
        lower = np.tril(M, -1)
        M[:] = lower + lower.T
    raise ValueError(
        "the combined kernel is not positive semidefinite: check the base kernels "
        "with numpy.linalg.eigvalsh, or clip their negative eigenvalues"
    )


def solve_both(L: Array, B: Array) -> Array:
    """(LLᵀ)⁻¹B."""
    return cho_solve((L, True), B, check_finite=False)
