"""Training rows as Gram matrices: stored, computed when needed, or left in files."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import issparse

from ..arrays import is_foreign, namespace
from ..grams import LazyStack, MappedStack
from ..grams.mapped import too_large
from ..grams.stored import given_stack, stored_stack
from ..grams.tiles import cheap
from ..inputs.mixed_table import MixedTable
from ..inputs.rows import Rows
from ..kernels import Kernel
from ..kernels.fitting import fit_kernels, names_of
from ..threads import blas_threads
from .grams import GramData


def represent(
    rows: Rows,
    kernels: Sequence[Kernel],
    normalize: str | None,
    center: bool,
    origin_free: bool,
    store: int,
    learner: bool = False,
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
    learner : bool
        Whether widths are learned afterwards, where a kernel says "learn".
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
        fitted = fit_kernels(kernels, X, rows.table, origin_free, learner)
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
