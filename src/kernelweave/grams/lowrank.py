"""Gram matrices of low rank, as the features that they are products of."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .base import Array
from .dense import DenseStack


class LowRankStack:
    """K_j = Z_jZ_jᵀ with Z_j (n, D_j): n·D numbers are stored, D = Σ_j D_j.

    A product K_jA takes 4nD_jk operations in place of 2n²k, and s_j(A) = ‖Z_jᵀA‖² is
    exact to rounding however small it is.

    Parameters
    ----------
    blocks : sequence of ndarrays (n, D_j)
        Centred and scaled; they are used untouched.
    store : int
        Bytes. If the matrices K_j take less they are kept from the first K(θ) on, so
        that the next costs pn² operations, not n²D.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelweave.grams import LowRankStack
    >>> gram = LowRankStack([np.array([[1.0], [2.0]]), np.eye(2)])
    >>> gram.combine(np.array([0.5, 0.5]))
    array([[1. , 1. ],
           [1. , 2.5]])
    """

    def __init__(self, blocks: Sequence[Array], store: int = 0):
        if not len(blocks) or any(Z.ndim != 2 for Z in blocks):
            raise ValueError("a stack is a list of at least one array (n, D_j)")
        if len({len(Z) for Z in blocks}) > 1:
            raise ValueError(
                "all features must be of the same samples, got arrays of "
                f"{[len(Z) for Z in blocks]} rows"
            )
        self.blocks = list(blocks)
        self.store = store
        self._dense: DenseStack | None = None

    @property
    def n(self) -> int:
        return len(self.blocks[0])

    @property
    def p(self) -> int:
        return len(self.blocks)

    @property
    def traces(self) -> Array:
        return np.array([float(np.sum(Z * Z)) for Z in self.blocks])

    def combine(self, theta: Array) -> Array:
        if self._dense is None and 8 * self.p * self.n**2 <= self.store:
            self._dense = DenseStack(np.stack([Z @ Z.T for Z in self.blocks]))
        if self._dense is not None:
            return self._dense.combine(theta)
        return self._product(theta, self.blocks)

    def _product(self, theta: Array, blocks: Sequence[Array]) -> Array:
        """Σ_j θ_jZ_jZ_jᵀ as one product; the sets of weights have θ ≥ 0."""
        pairs = zip(theta, blocks, strict=True)
        active = [np.sqrt(weight) * Z for weight, Z in pairs if weight]
        if not active:
            return np.zeros((len(blocks[0]), len(blocks[0])))
        Z = np.hstack(active)
        return Z @ Z.T

    def apply(self, A: Array) -> Array:
        return self.apply_some(A, slice(None))

    def apply_some(self, A: Array, kernels: Array | slice) -> Array:
        some = np.arange(self.p)[kernels]
        return np.stack([self.blocks[j] @ (self.blocks[j].T @ A) for j in some])

    def quadratic(self, A: Array) -> Array:
        return np.array([float(np.sum(np.square(Z.T @ A))) for Z in self.blocks])

    def rows(self, index: Array) -> Array:
        return np.stack([Z[index] @ Z.T for Z in self.blocks])

    def block(self, theta: Array, index: Array) -> Array:
        return self._product(theta, [Z[index] for Z in self.blocks])

    def apply_rows(self, index: Array, A: Array) -> Array:
        return np.stack([Z @ (Z[index].T @ A) for Z in self.blocks])

    def subset(self, keep: Array) -> LowRankStack:
        """The kernels in the mask `keep`."""
        if keep.all():
            return self
        return LowRankStack([self.blocks[j] for j in np.flatnonzero(keep)], self.store)

    def __getitem__(self, j: int) -> Array:
        return self.blocks[j] @ self.blocks[j].T
