"""Predictions for Dask arrays and DataFrames: made when asked for, block by block."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import wraps
from typing import Any

import numpy as np

from ..frames import is_dask, is_frame
from ..problem import Array
from .distributed import is_array


def by_blocks(method: Callable[[Any, Any], Array]) -> Callable[[Any, Any], Any]:
    """A method of rows that is lazy where it is given a Dask collection.

    A Dask array gives a Dask array; a Dask DataFrame gives a Series or a DataFrame, of
    the same index and partitions. Nothing is computed but the answer for one made-up
    row, which tells the type and the columns.
    """

    @wraps(method)
    def either(self: Any, X: Any) -> Any:
        return _lazily(self, method.__name__, X) if is_dask(X) else method(self, X)

    return either


def _lazily(model: Any, name: str, X: Any) -> Any:
    from dask.delayed import delayed

    # Fitting the model again must not change what was asked of it before.
    model = copy(model)
    if is_frame(X) and X.ndim == 2:
        head = X._meta_nonempty.iloc[:1]
        like = np.asarray(getattr(model, name)(head))
        meta = _framed(like, head.index, model)[:0]
        return X.map_partitions(_frame_of_block, model, name, like[:0], meta=meta)
    if not is_array(X) or X.ndim != 2:
        raise ValueError(
            f"X must be a Dask array (m, d) or DataFrame, got {type(X).__name__}"
        )
    empty = np.asarray(getattr(model, name)(np.zeros((1, X.shape[1]))))[:0]
    X = X if X.numblocks[1] == 1 else X.rechunk({1: -1})
    shape: dict[str, Any] = {"drop_axis": 1}
    if empty.ndim == 2:
        shape = {"chunks": (X.chunks[0], empty.shape[1:])}
    # The model is a node of the graph, sent to every worker once.
    model = delayed(model, pure=False)
    return X.map_blocks(_block, model, name, empty, meta=empty, **shape)


def _block(X: Any, model: Any, name: str, empty: Array) -> Array:
    """What the model says of a block, which may have no rows."""
    return np.asarray(getattr(model, name)(X)) if X.shape[0] else empty


def _frame_of_block(X: Any, model: Any, name: str, empty: Array) -> Any:
    return _framed(_block(X, model, name, empty), X.index, model)


def _framed(values: Array, index: Any, model: Any) -> Any:
    """As a Series, or a DataFrame whose columns are the classes if they are as many."""
    import pandas as pd

    if values.ndim == 1:
        return pd.Series(values, index=index)
    classes = getattr(model, "classes_", ())
    named = len(classes) == values.shape[1]
    return pd.DataFrame(values, index=index, columns=classes if named else None)
