"""(W⁻¹ + K)⁻¹ where every column of the fitted values has a curvature of its own."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_solve
from scipy.linalg.lapack import dpotrf

from ..problem import Array


class Weighted:
    """G = S(I + SKS)⁻¹S for W = S², S = diag(√w), column by column of w (n, k).

    No number is divided by a weight, which may be zero.
    """

    def __init__(self, K: Array, w: Array, intercept: bool):
        self._roots = np.sqrt(w)
        self._factors = [factorise(s[:, None] * K * s) for s in self._roots.T]
        self._intercept = intercept

    def solve(self, X: Array) -> Array:
        out = np.empty_like(X)
        for c, (s, L) in enumerate(zip(self._roots.T, self._factors, strict=True)):
            Y = s[:, None] * cho_solve((L, True), s[:, None] * X[:, c])
            if self._intercept:
                G1 = s * cho_solve((L, True), s)
                total = float(G1.sum())
                Y -= np.outer(G1, Y.sum(axis=0) / total if total > 0 else 0 * Y[0])
            out[:, c] = Y
        return out


def factorise(M: Array) -> Array:
    """The lower Cholesky factor of I + M, in the memory of M (n, n) ⪰ 0."""
    M.flat[:: len(M) + 1] += 1
    unit = np.finfo(float).eps * float(np.trace(M))
    for jitter in (0.0, 1.0, 1e2, 1e4):
        shifted = M.copy() if jitter == 0 else M + jitter * unit * np.eye(len(M))
        L, info = dpotrf(shifted.T, lower=1, overwrite_a=1, clean=1)
        if info == 0:
            return L
    raise ValueError(
        "the combined kernel is not positive semidefinite: check the base kernels "
        "with numpy.linalg.eigvalsh, or clip their negative eigenvalues"
    )
