"""Training rows by their Gram matrices: stored, computed when needed, or in files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import filled, host, like, namespace, take
from ..grams import Stack
from ..grams.normalise import Statistics
from ..inputs.rows import Reader
from ..kernels import Kernel
from ..kernels.fitting import selected
from ..problem import Array
from .expansion import KernelExpansion, KernelTerm, MatrixExpansion
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
        """f = Σ_j K̃_j(A∘W_j) + b of new rows, with all that training rows tell of it.

        A (n, k), or (p, n, k), is of training rows; W (p,) or (k, p) the weights;
        `balanced`: whether 1ᵀA = 0, so that centring leaves A as it is, with its zeros.
        """
        W = np.atleast_2d(W)
        prepared: dict[int, Array] = {}
        offsets: dict[int, Array] = {}
        constant = bias
        for j in np.flatnonzero(W.any(axis=0)).tolist():
            s = self.statistics[j]
            C = (A[j, ...] if A.ndim == 3 else A) * like(W[:, j], A)
            if s.row_means is not None and not balanced:
                C = C - namespace(C).mean(C, axis=0)
            C = s.scale * C
            offsets[j] = 0 * bias
            if s.row_means is not None:
                offsets[j] = -(s.row_means @ C)
                constant = constant + offsets[j]
            if s.root_diagonal is not None:
                C = C / s.root_diagonal[:, None]
            prepared[j] = C
        used = np.any([np.any(host(C) != 0, axis=1) for C in prepared.values()], axis=0)
        rows = np.flatnonzero(used)
        if not used.all():
            prepared = {j: take(C, rows) for j, C in prepared.items()}
        spherical = [s.root_diagonal is not None for s in self.statistics]
        expansion: KernelExpansion | MatrixExpansion
        if self.kernels is None:
            places = np.array(list(prepared), dtype=int)
            columns = rows if self.kept is None else self.kept[rows]
            parts = list(prepared.values()), list(offsets.values())
            expansion = MatrixExpansion(
                places, columns, *parts, constant, any(spherical)
            )
        elif not len(rows):
            # Without a single coefficient f is constant.
            expansion = KernelExpansion([], constant)
        else:
            chosen = [self.kernels[j] for j in prepared]
            X = self.X if used.all() else take(self.X, rows)
            compared = zip(prepared.items(), chosen, selected(chosen, X), strict=True)
            terms = [
                KernelTerm(j, kernel, part, C, spherical[j], offsets[j])
                for (j, C), kernel, part in compared
            ]
            expansion = KernelExpansion(terms, constant)
        coef = A if self.kept is None else self._of_all(A)
        return Coefficients(coef, bias, expansion)

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
