"""Training rows by their Gram matrices: stored, computed when needed, or in files."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..arrays import filled, like
from ..grams import Stack
from ..grams.normalise import Statistics
from ..inputs.rows import Reader
from ..kernels import Kernel
from ..problem import Array
from .expansion import MatrixExpansion, expand
from .model import Coefficients


@dataclass(frozen=True)
class GramData:
    """K_1..K_p of the training rows, centred and scaled, and what new rows need.

    Attributes
    ----------
    n : int
        Number of training rows, with those of weight zero.
    names : list of str
        Of the kernels.
    kernels : list of Kernel, or None
        Fitted; None for ready-made matrices.
    X : Any
        The training rows; None for ready-made matrices.
    stack : Stack
    statistics : list of Statistics
    alive : ndarray of bool (p,)
        Which kernels are not zero or constant.
    center : bool
    reader : Reader
    host : bool
        Whether the matrices are NumPy's.
    v : ndarray, optional
        Weights of the rows of the stack, all positive.
    kept : ndarray of int, optional
        Which of the n rows the stack has, if some have weight zero.
    """

    n: int
    names: list[str]
    kernels: list[Kernel] | None
    X: Any
    stack: Stack
    statistics: list[Statistics]
    alive: Array
    center: bool
    reader: Reader
    host: bool
    v: Array | None = None
    kept: Array | None = None

    def coefficients(
        self, W: Array, A: Array, bias: Array, balanced: bool = False
    ) -> Coefficients:
        """f = Σ_j K̃_j(A∘W_j) + b of new rows.

        A (n, k), or (p, n, k), is of training rows; W (p,) or (k, p) the weights;
        `balanced`: whether 1ᵀA = 0, so that the zeros of A stay zeros.
        """
        W = np.atleast_2d(W)
        active = np.flatnonzero(W.any(axis=0)).tolist()
        by_kernel = A.ndim == 3
        parts = (
            (j, (A[j, ...] if by_kernel else A) * like(W[:, j], A)) for j in active
        )
        expansion = expand(
            self.kernels, self.X, self.statistics, parts, bias, balanced=balanced
        )
        if self.kept is None:
            return Coefficients(A, bias, expansion)
        if isinstance(expansion, MatrixExpansion):
            expansion = replace(expansion, columns=self.kept[expansion.columns])
        return Coefficients(self._of_all(A), bias, expansion)

    def _of_all(self, A: Array) -> Array:
        """A (n, k) with zeros for the rows of weight zero."""
        out = filled((self.n, A.shape[1]), A)
        for row, number in enumerate(np.asarray(self.kept).tolist()):
            out[number, ...] = A[row, ...]
        return out

    def home(self, numbers: Array) -> Array:
        """Numbers of the host in an array where the matrices are."""
        move = getattr(self.stack, "home", np.asarray)
        return move(numbers)


def stored_matrices(data: GramData) -> Array:
    """The matrices (p, n, n) of data that were represented with room for all."""
    stack: Any = data.stack
    return stack.matrices
