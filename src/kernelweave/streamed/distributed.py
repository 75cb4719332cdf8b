"""Rows in Dask arrays and DataFrames: the sums are made where the rows are."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
from sklearn.utils import check_X_y
from threadpoolctl import threadpool_limits

from ..frames import column_kinds, is_dask, is_frame, numbers
from ..problem import Array
from .chunks import S

_OBJECTS = np.empty((0, 0), dtype=object)


class DaskChunks:
    """The rows of Dask collections, one task a block: Σ = (S₁ + S₂) + (S₃ + S₄) + …

    Every block makes sums of its own, which are merged in pairs. The pairs depend on
    the order of the blocks only, and no task changes what another one made, so that a
    task that is run again, because its worker was lost, leaves the same sums. Only the
    last sums come to the client. They are made on the cluster of the current `Client`,
    or by threads of this process if there is none.

    A task holds a block, the sums, and 128 MB of its features; the blocks are read once
    a pass, and once before if their sizes are unknown.

    Parameters
    ----------
    X : Dask array (n, d) or DataFrame of numbers
        Of any blocks of rows; sparse blocks will do.
    y : Dask array, Series or DataFrame, or array (n,) or (n, q)
        Of any blocks of rows.
    labels : bool
        Whether y holds classes.

    Attributes
    ----------
    names : list or None
        Of the columns of a DataFrame.
    width : int
        Their number.
    """

    def __init__(self, X: Any, y: Any, labels: bool):
        self.labels = labels
        self.names = list(X.columns) if is_frame(X) else None
        X = _sized(_table_array(X))
        self.width = X.shape[1]
        y = _targets_like(X, y)
        if labels and y.ndim != 1:
            raise ValueError(f"y must be one column of classes, got shape {y.shape}")
        # Blocks of whole rows, and the same rows in y.
        self.X = X.rechunk({1: -1})
        sizes = self.X.chunks[0]
        self.y = y.rechunk({0: sizes} | dict.fromkeys(range(1, y.ndim), -1))
        self.firsts = np.cumsum([0, *sizes[:-1]])

    def accumulate(self, make: Callable[[], S]) -> S:
        from dask.delayed import delayed

        da = _arrays()
        sums: Any = da.blockwise(
            _part,
            "ij",
            # A node of the graph, sent to every worker once and not with every task.
            delayed(make, pure=False),
            None,
            self.X,
            "ij",
            self.y,
            "ij"[: self.y.ndim],
            da.from_array(self.firsts, chunks=1),
            "i",
            self.labels,
            None,
            align_arrays=False,
            adjust_chunks={"i": 1, "j": 1},
            meta=_OBJECTS,
        )
        sums = da.reduction(
            sums,
            chunk=_as_it_is,
            aggregate=_merged,
            split_every=2,
            concatenate=False,
            dtype=_OBJECTS.dtype,
            meta=_OBJECTS,
        )
        with warnings.catch_warnings(), threadpool_limits(1, "blas"):
            # Landmarks belong into the graph. Threads of one process share its cores.
            warnings.filterwarnings("ignore", "Sending large graph")
            return sums.compute()


def _part(make: Callable[[], S], X: Any, y: Any, first: Array, labels: bool) -> S:
    """The sums of one block, whose first row has the number first[0]."""
    sums = make()
    start, last = int(first[0]), int(first[0]) + X.shape[0] - 1
    if last < start:
        return sums
    try:
        if labels:
            _check_labels(y)
        X, y = check_X_y(
            X,
            y,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            ensure_all_finite="allow-nan",
            multi_output=not labels,
            y_numeric=not labels,
        )
        sums.add(X, y, start)
    except ValueError as error:
        raise ValueError(f"rows {start} to {last}: {error}") from error
    return sums


def _as_it_is(sums: Any, axis: Any, keepdims: bool) -> Any:
    return sums


def _merged(parts: Any, axis: Any, keepdims: bool) -> Any:
    """The sum of sums in nested lists, none of which is changed."""
    first, *others = _flat(parts)
    sums = deepcopy(first)
    for other in others:
        sums.merge(other)
    return sums


def _flat(parts: Any) -> list[Any]:
    if not isinstance(parts, list):
        return [parts]
    return [sums for part in parts for sums in _flat(part)]


def _check_labels(y: Any) -> None:
    """Refuse gaps, and numbers that are measured, before they count as classes."""
    import pandas as pd

    if pd.isna(y).any():
        raise ValueError("y has missing values: leave these rows out")
    if y.dtype.kind == "f" and np.any(y != np.round(y)):
        raise ValueError(
            f"y holds numbers such as {y[y != np.round(y)][0]:g}, which are no "
            "classes: round them, or use MKLRidge"
        )


def is_array(X: Any) -> bool:
    """Whether X is a Dask array."""
    return isinstance(X, _arrays().Array)


def _arrays() -> Any:
    """dask.array, whose types are not those that it takes."""
    import dask.array

    return dask.array


def _table_array(X: Any) -> Any:
    """A Dask array (n, d) of the numbers of a Dask array or DataFrame."""
    if is_array(X):
        if X.ndim != 2:
            raise ValueError(f"X must be a table (n, d), got shape {X.shape}")
        return X
    if not (is_dask(X) and is_frame(X) and X.ndim == 2):
        raise ValueError(
            "X must be a Dask array (n, d) or DataFrame where y is one of Dask's, got "
            f"{type(X).__name__}: wrap it by dask.array.from_array(X, chunks=...), or "
            "pass y.compute()"
        )
    kinds = column_kinds(X._meta)
    text = [
        n for n, k in zip(X.columns, kinds, strict=True) if k in ("labels", "times")
    ]
    if text:
        raise ValueError(
            f"columns of the Dask DataFrame that hold no numbers: {text[:5]}; encode "
            "them as numbers first, or leave them out"
        )
    places = list(range(len(X.columns)))
    return X.map_partitions(numbers, places, meta=np.empty((0, len(places))))


def _targets_like(X: Any, y: Any) -> Any:
    """y as a Dask array with known sizes, of as many rows as X."""
    if not is_dask(y):
        y = _arrays().from_array(np.asarray(y), chunks=-1)
    elif not is_array(y):
        y = y.map_partitions(np.asarray, meta=np.asarray(y._meta))
    y = _sized(y)
    if len(y) != X.shape[0]:
        raise ValueError(f"X has {X.shape[0]} rows, and y has {len(y)}")
    if not len(y):
        raise ValueError("X has no rows")
    return y


def _sized(array: Any) -> Any:
    """The array with the sizes of its blocks, which are computed if unknown."""
    if np.isnan(array.shape[0]):
        # Not in the user's array.
        array = array.copy()
        array.compute_chunk_sizes()
    return array
