"""Stored Gram matrices."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..arrays import (
    energies,
    filled,
    host,
    is_foreign,
    like,
    namespace,
    require_memory,
    take,
)
from .base import Array


class DenseStack:
    """K_1..K_p stored as one array (p, n, n), for K(θ) = Σ_j θ_j K_j.

    Parameters
    ----------
    K : array (p, n, n), of NumPy or another kind
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
        K = like(K, K) if is_foreign(K) else np.ascontiguousarray(K, dtype=float)
        if K.ndim != 3 or K.shape[1] != K.shape[2] or K.shape[0] == 0:
            raise ValueError(
                "a stack is an array (p, n, n) of at least one square matrix, got "
                f"shape {K.shape}"
            )
        self._K = K
        self._flat = namespace(K).reshape(K, (K.shape[0], -1))
        self.p, self.n = K.shape[:2]

    @property
    def traces(self) -> Array:
        return host(namespace(self._K).linalg.trace(self._K))

    @property
    def matrices(self) -> Array:
        """The stored matrices themselves, (p, n, n)."""
        return self._K

    def combine(self, theta: Array) -> Array:
        active = np.flatnonzero(theta)
        if is_foreign(self._K):
            out = filled((self.n, self.n), self._K)
            for j in active:
                out += float(theta[j]) * self._K[int(j), :, :]
            return out
        if 4 * len(active) > self.p:
            return (theta @ self._flat).reshape(self.n, self.n)
        # Few active kernels: read only these. A fancy index would copy them.
        out = np.zeros((self.n, self.n))
        term = np.empty_like(out)
        for j in active:
            out += np.multiply(self._K[j], theta[j], out=term)
        return out

    def apply(self, A: Array) -> Array:
        if A.shape[1] == 1 and not is_foreign(A):
            support = np.flatnonzero(A)
            if 2 * len(support) <= self.n:
                return self._apply_support(support, A)
        # One product (p·n, n)(n, k) for all kernels.
        xp = namespace(self._K)
        product = xp.reshape(self._K, (-1, self.n)) @ A
        return xp.reshape(product, (self.p, self.n, -1))

    def _apply_support(self, support: Array, A: Array) -> Array:
        from .dense_steps import apply_support  # numba takes a second to import

        out = np.empty((self.p, self.n))
        apply_support(self._K, support, np.ascontiguousarray(A[:, 0], float), out)
        return out[:, :, None]

    def apply_some(self, A: Array, kernels: Array | slice) -> Array:
        xp = namespace(self._K)
        if isinstance(kernels, slice):
            product = xp.reshape(self._K[kernels, :, :], (-1, self.n)) @ A
            return xp.reshape(product, (-1, *A.shape))
        return xp.stack([self._K[int(j), :, :] @ A for j in kernels])

    def quadratic(self, A: Array) -> Array:
        if self.n <= 500 and not is_foreign(A):
            # ⟨K_j, AAᵀ⟩: one product with long rows, for any k.
            return self._flat @ (A @ A.T).ravel()
        return energies(A, self.apply(A))

    def reduced(self, V: Array, kernels: Array) -> Array:
        return np.stack([V.T @ (self._K[j] @ V) for j in kernels])

    def rounding(self, A: Array) -> Array:
        if is_foreign(self._K):
            return np.zeros(self.p)
        reach = self._root_diagonal @ np.abs(A)
        return 0.5 * np.finfo(float).eps * np.sum(reach * reach, axis=1)

    @cached_property
    def _root_diagonal(self) -> Array:
        """√K_ii of every kernel, (p, n)."""
        return np.sqrt(np.maximum(np.einsum("jii->ji", self._K), 0.0))

    def exact(self, A: Array) -> Array:
        A = np.ascontiguousarray(A, dtype=float)
        from .twice import energy  # numba takes a second to import

        return np.array([energy(K, A, A) for K in self._K])

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
        if keep.all():
            return self
        return DenseStack(take(self._K, np.flatnonzero(keep)))

    def sample(self, rows: Array) -> DenseStack:
        if is_foreign(self._K):
            return DenseStack(take(take(self._K, rows, 1), rows, 2))
        # A part of the rows, then its columns: an index of both has a copy to make.
        out = np.empty((self.p, len(rows), len(rows)))
        for K, to in zip(self._K, out, strict=True):
            for first in range(0, len(rows), 64):
                part = slice(first, first + 64)
                np.take(K[rows[part]], rows, axis=1, out=to[part], mode="clip")
        return DenseStack(out)

    def home(self, numbers: Array) -> Array:
        """Numbers of the host in an array where the matrices are."""
        return like(numbers, self._K)

    def check_room(self) -> None:
        require_memory(16 * self.n**2, self._K, f"K(θ) of {self.n} rows and its factor")

    def __getitem__(self, j: int) -> Array:
        return self._K[j, :, :]
