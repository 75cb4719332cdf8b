"""Stored Gram matrices."""

from __future__ import annotations

import numpy as np

from .base import Array


class DenseStack:
    """K_1..K_p stored as one array (p, n, n), for K(θ) = Σ_j θ_j K_j.

    Parameters
    ----------
    K : ndarray (p, n, n)
        Symmetric positive semidefinite matrices; they are used untouched.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelweave.grams import DenseStack
    >>> x = np.array([[1.0], [2.0]])
    >>> gram = DenseStack(np.stack([x @ x.T, np.eye(2)]))
    >>> gram.combine(np.array([0.5, 0.5]))
    array([[1. , 1. ],
           [1. , 2.5]])
    """

    def __init__(self, K: Array):
        K = np.ascontiguousarray(K, dtype=float)
        if K.ndim != 3 or K.shape[1] != K.shape[2] or K.shape[0] == 0:
            raise ValueError(
                "a stack is an array (p, n, n) of at least one square matrix, got "
                f"shape {K.shape}"
            )
        self._K = K
        self._flat = K.reshape(K.shape[0], -1)

    @property
    def n(self) -> int:
        return self._K.shape[1]

    @property
    def p(self) -> int:
        return self._K.shape[0]

    @property
    def traces(self) -> Array:
        return np.trace(self._K, axis1=1, axis2=2)

    @property
    def matrices(self) -> Array:
        """The stored matrices themselves, (p, n, n)."""
        return self._K

    def combine(self, theta: Array) -> Array:
        active = np.flatnonzero(theta)
        if 4 * len(active) > self.p:
            return (theta @ self._flat).reshape(self.n, self.n)
        # Few active kernels: read only these. A fancy index would copy them.
        out = np.zeros((self.n, self.n))
        term = np.empty_like(out)
        for j in active:
            out += np.multiply(self._K[j], theta[j], out=term)
        return out

    def apply(self, A: Array) -> Array:
        # One product (p·n, n)(n, k) for all kernels.
        return (self._K.reshape(-1, self.n) @ A).reshape(self.p, self.n, -1)

    def apply_some(self, A: Array, kernels: Array | slice) -> Array:
        if isinstance(kernels, slice):
            return (self._K[kernels].reshape(-1, self.n) @ A).reshape(-1, *A.shape)
        return np.stack([self._K[j] @ A for j in kernels])

    def quadratic(self, A: Array) -> Array:
        if self.n <= 500:
            # ⟨K_j, AAᵀ⟩: one product with long rows, for any k.
            return self._flat @ (A @ A.T).ravel()
        return np.einsum("ik,jik->j", A, self.apply(A))

    def rows(self, index: Array) -> Array:
        return self._K[:, index]

    def block(self, theta: Array, index: Array) -> Array:
        where = np.ix_(index, index)
        out = np.zeros((len(index), len(index)))
        for j in np.flatnonzero(theta):
            out += theta[j] * self._K[j][where]
        return out

    def apply_rows(self, index: Array, A: Array) -> Array:
        return np.stack([K[index].T @ A for K in self._K])

    def subset(self, keep: Array) -> DenseStack:
        """The kernels in the mask `keep`."""
        return self if keep.all() else DenseStack(self._K[keep])

    def sample(self, rows: Array) -> DenseStack:
        return DenseStack(self._K[:, rows[:, None], rows])

    def __getitem__(self, j: int) -> Array:
        return self._K[j]
