"""M = diag(d) + K and its factor, for arrays that are not NumPy's."""

from __future__ import annotations

import numpy as np

from ..arrays import add_to_diagonal, cholesky, namespace
from ..grams.tiles import spans
from ..problem import Array
from .triangle import Triangle


class SeparateFactor:
    """M = diag(d) + K in the memory of K, and the factor of M + ESEᵀ beside it.

    On EᵀA = e the term ⟨A, ESEᵀA⟩ is a constant: see `quadratic`. Two arrays (n, n) are
    alive, where LAPACK lets K and the factor share one: a product with half of a matrix
    is slow on a GPU.
    """

    def __init__(self, K: Array, d: Array, E: Array):
        xp = namespace(K)
        n = K.shape[0]
        diagonal = xp.linalg.diagonal(K) + d
        unit = float(xp.sum(diagonal - d)) / n + float(xp.max(d))
        self._E, self._SE = E, E * (unit / xp.sum(E * E, axis=0))
        if E.shape[1]:
            for rows in spans(n, 1024):
                K[rows, :] += self._SE[rows, :] @ E.T
        add_to_diagonal(K, d)
        self._K = K
        # n ε tr(M) bounds the rounding error of the factorisation (Higham 2002, 10.3).
        self._unit = np.finfo(float).eps * float(
            xp.sum(diagonal) + xp.sum(E * self._SE)
        )

    def factorise(self) -> Triangle:
        """L with LLᵀ = M + ESEᵀ, which may be singular to rounding."""
        L = cholesky(self._K)
        for jitter in (1.0, 1e2, 1e4):
            if L is not None:
                break
            shifted = namespace(self._K).asarray(self._K, copy=True)
            add_to_diagonal(shifted, jitter * self._unit)
            L = cholesky(shifted)
        if L is None:
            raise ValueError(
                "the combined kernel is not positive semidefinite: check the base "
                "kernels with numpy.linalg.eigvalsh, or clip their negative eigenvalues"
            )
        return Triangle(L)

    def __matmul__(self, A: Array) -> Array:
        """MA."""
        return self._K @ A - self._SE @ (self._E.T @ A)
