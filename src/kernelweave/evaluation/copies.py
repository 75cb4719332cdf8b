"""Rows that are there several times, and so are tested on what was learned from."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.sparse import issparse

from ..arrays import host
from ..kernels import Precomputed
from ..problem import Array
from ..stacklevel import outside

# So many of the tested rows, at least, have a copy among those learned from.
FEW = 0.02

# Rows that agree in all columns are taken for copies if this share of them also has the
# same target. Rows of few columns with few values agree by accident, and then targets
# differ.
SAME_TARGET = 0.9


def warn_of_copies(
    estimator: Any, X: Any, y: Array, splits: list[tuple[Array, Array]] | None = None
) -> float:
    """Warn if tested rows are copies of rows that were learned from; their share.

    Parameters
    ----------
    estimator : estimator of kernelweave
    X : table (n, d), or Gram matrices (p, n, n)
    y : ndarray (n,)
    splits : list of (train, test), optional
        By default every row is left out alone.
    """
    share = copied_share(estimator, X, y, splits)
    if share > 0:
        warnings.warn(copied_words(share), UserWarning, stacklevel=outside())
    return share


def copied_words(share: float) -> str:
    """What it means that so many rows have copies, and what to do."""
    return (
        f"{100 * share:.0f} % of the tested rows are equal to rows that were "
        "learned from, so the scores tell how well the model remembers. If they are "
        "copies, or repeated measurements, of the same sample, pass groups= (on the "
        "command line --groups COLUMN), so that all rows of a sample are left out "
        "together"
    )


def copied_share(
    estimator: Any,
    X: Any,
    y: Array,
    splits: list[tuple[Array, Array]] | None = None,
) -> float:
    """The share of tested rows with a copy among those learned from; few count as 0."""
    marks = row_marks(estimator, X)
    marks = np.unique(marks, return_inverse=True)[1]
    if marks.max() == len(marks) - 1 or _agreement(marks, y) < SAME_TARGET:
        return 0.0
    if splits is None:
        share = float(np.mean(np.bincount(marks)[marks] > 1))
    else:
        tested = sum(len(test) for _, test in splits)
        twins = (np.isin(marks[test], marks[train]) for train, test in splits)
        share = sum(int(np.sum(twin)) for twin in twins) / tested
    return share if share >= FEW else 0.0


def _agreement(marks: Array, y: Array) -> float:
    """The share of repeated rows that have the commonest target among their equals."""
    # Events and times are a structured array, which has no order of rows.
    y = np.array(y.tolist()) if y.dtype.names else y
    # NumPy 2.0 compares no rows of objects, such as names of classes.
    entries = np.unique(y, return_inverse=True)[1].reshape(y.shape)
    targets = np.unique(entries, axis=0, return_inverse=True)[1].reshape(len(y))
    pairs, counts = np.unique([marks, targets], axis=1, return_counts=True)
    kinds, sizes = np.unique(marks, return_counts=True)
    most = np.zeros(len(sizes), dtype=int)
    np.maximum.at(most, np.searchsorted(kinds, pairs[0]), counts)
    return float(most[sizes > 1].sum() / sizes[sizes > 1].sum())


def row_marks(estimator: Any, X: Any) -> Array:
    """A number for every row; equal rows have the same, (n,)."""
    kernels = getattr(estimator, "kernels", None)
    if isinstance(kernels, str):
        return _together([_rounded(K) for K in host(X)])
    if issparse(X):
        rows = X.tocsr()
        rows.sum_duplicates()
        ends = zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
        return _numbered(
            [rows.indices[a:b].tobytes() + rows.data[a:b].tobytes() for a, b in ends]
        )
    table = X.to_numpy() if hasattr(X, "to_numpy") else np.asarray(host(X))
    table = table.reshape(len(table), -1)
    if isinstance(kernels, list) and table.shape[1] == 1:
        # The rows of Precomputed kernels are told by their numbers.
        matrices = [k.K for k in kernels if isinstance(k, Precomputed)]
        known = table.dtype.kind in "iu" or not np.isnan(table.astype(float)).any()
        if len(matrices) == len(kernels) and known:
            rows = table.ravel().astype(int)
            return _together([_rounded(K)[rows] for K in matrices])
    return _marks(table)


def _rounded(K: Any) -> Array:
    """Marks of the rows of a matrix, whose last digits are those of its making."""
    K = np.asarray(K, dtype=float)
    size = np.max(np.abs(K)) or 1.0
    return _marks(np.round(K / size, 9))


def _together(parts: list[Array]) -> Array:
    return _marks(np.stack(parts, axis=1))


def _marks(table: Array) -> Array:
    if table.dtype.kind in "biuf":
        # Adding zero makes one zero of both.
        numbers = np.ascontiguousarray(table, dtype=float) + 0.0
        return _numbered([row.tobytes() for row in numbers])
    return _numbered(["\t".join(map(str, row)) for row in table])


def _numbered(words: list[Any]) -> Array:
    seen: dict[Any, int] = {}
    return np.array([seen.setdefault(word, len(seen)) for word in words])
