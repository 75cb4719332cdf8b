"""Training rows by their Gram matrices: stored, computed when needed, or in files."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import issparse

from ..arrays import filled, host, is_foreign, like, namespace
from ..grams import LazyStack, MappedStack, Stack
from ..grams.mapped import too_large
from ..grams.normalise import Statistics, is_centred
from ..grams.stored import given_stack, stored_stack
from ..grams.tiles import cheap
from ..inputs.mixed_table import MixedTable
from ..inputs.rows import Reader, Rows
from ..kernels import Kernel
from ..kernels.fitting import fit_kernels, names_of
from ..losses import Square, WeightedSquare
from ..losses.quadratic import left_out_rows
from ..problem import Array
from ..streamed.cross_fit import cross_fitted
from ..threads import blas_threads
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

    def square(self, H: Array, lam: float) -> Square | WeightedSquare:
        """The square loss of targets H (n, k)."""
        if self.v is not None:
            return WeightedSquare(H, lam, self.v, self.center)
        return Square(H, lam, self.center)

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

    def left_out(
        self,
        theta: Array,
        H: Array,
        A: Array,
        bias: Array,
        lam: float,
        v: Array | None = None,
    ) -> tuple[Array, Array]:
        """Predictions f_{−i}(x_i) and targets (n, k), by a ridge regression λ on H.

        The samples weigh v (n,), by default what the rows weigh; given weights bring an
        intercept with them. Exact at these θ, but for matrices in files: by folds.
        """
        if isinstance(self.stack, MappedStack) and v is None:
            return self._by_folds(theta, H, lam)
        intercept = self.center or v is not None
        K = self.stack.combine(theta)
        if v is None and self.v is not None:
            v = self.v
            if not intercept and _comes_centred(K):
                # Their centring would tell the targets: an intercept centres again.
                intercept = True
                loss = WeightedSquare(self.home(H), lam, self.home(v), True)
                inner = loss.inner(K)
                A, bias = inner.A, inner.bias
        v = np.ones(self.stack.n) if v is None else v
        v = v if self.host else self.home(v)
        found = left_out_rows(K, lam, A, bias, v, intercept)
        return host(found[0]), host(found[1])

    def _by_folds(self, theta: Array, H: Array, lam: float) -> tuple[Array, Array]:
        stack: Any = self.stack
        totals = theta @ stack.quadratic(np.ones((stack.n, 1)))
        centred = not self.center and bool(is_centred(totals, theta @ stack.traces))
        product = partial(stack.product, theta)
        return cross_fitted(product, H, lam, self.center, centred), H


def _comes_centred(K: Array) -> bool:
    """Whether K1 = 0."""
    xp = namespace(K)
    return bool(is_centred(xp.sum(K), xp.linalg.trace(K)))


def stored_matrices(data: GramData) -> Array:
    """The matrices (p, n, n) of data that were represented with room for all."""
    stack: Any = data.stack
    return stack.matrices


def represent(
    rows: Rows,
    kernels: Sequence[Kernel],
    normalize: str | None,
    center: bool,
    origin_free: bool,
    store: int,
) -> GramData:
    """The Gram matrices of training rows.

    Parameters
    ----------
    rows : Rows
    kernels : sequence of Kernel
        Not for rows that are ready-made matrices.
    normalize, center
        As in `kernelweave.grams.normalise.normalise`.
    origin_free : bool
        Whether predictions are the same for xᵀz about any origin.
    store : int
        Bytes of matrices that are stored; more are computed whenever they are used, if
        that is cheap, or read from their files.
    """
    n, how = rows.n, (normalize, center)
    with blas_threads(n):
        if rows.table is None:
            names = [f"kernel {j}" for j in range(rows.X.shape[0])]
            stack, statistics = given_stack(rows.X, *how)
            alive = np.array([s.scale > 0 for s in statistics])
            rest = statistics, alive, center, rows.reader, not is_foreign(rows.X)
            return GramData(n, names, None, None, stack, *rest)
        X = own(rows.X, rows.table)
        fitted = fit_kernels(kernels, X, rows.table, origin_free)
        names = names_of(fitted)
        found: Any = None
        if 8 * len(fitted) * n**2 > store:
            if cheap(fitted, X) or is_foreign(X):
                found = LazyStack(fitted, X, *how, sys.maxsize)
            elif too_large(fitted, n):
                found = MappedStack(fitted, X, *how)
        if found is None:
            found, statistics = stored_stack(fitted, X, *how)
        else:
            statistics = found.statistics
        alive = np.array([s.scale > 0 for s in statistics])
        rest = statistics, alive, center, rows.reader, not is_foreign(X)
        return GramData(n, names, fitted, X, found, *rest)


def own(X: Any, given: Any) -> Any:
    """The validated table X as an array that the user's `given` does not share.

    What was converted is a copy already. Memory-mapped arrays stay in their files: they
    must not be changed as long as the model is used.
    """
    if is_foreign(X):
        return namespace(X).asarray(X, copy=True) if X.dtype == given.dtype else X
    if isinstance(X, MixedTable):
        return X
    if issparse(X):
        same = issparse(given) and given.format == X.format
        return X.copy() if same and np.may_share_memory(X.data, given.data) else X
    if isinstance(given, np.memmap) or (X is not given and X.flags.owndata):
        return X
    return X.copy(order="K")
