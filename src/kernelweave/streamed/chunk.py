"""One chunk of rows: is it what the others are?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from scipy.sparse import issparse, vstack
from sklearn.utils import check_array

from ..entries import plain_table, without_duplicates
from ..frames import column, column_kinds, is_frame, numbers
from ..problem import Array
from ..targets import refuse_missing
from .sources import Source

# Chunks are put together until they have _FEW rows or _BYTES bytes: a sum over few rows
# costs as much as one over many. Those of more than _MANY rows are taken apart, so that
# progress and checkpoints do not wait for them.
_FEW = 8192
_MANY = 32_768
_BYTES = 2**26


def check_chunk(X: Any, y: Any, source: Source, at: int, classes: bool | None) -> Any:
    """X as numbers and y as an array, or an error that says what is wrong with them.

    Parameters
    ----------
    X, y
        As they come from the source.
    source : Source
    at : int
        The number of the first row, for messages.
    classes : bool or None
        Whether y holds classes, else numbers; None: not known yet.
    """
    where = f"the chunk that begins at row {at}"
    if is_frame(X):
        _check_names(list(X.columns), source.names or [], where)
        for name, kind in zip(X.columns, column_kinds(X), strict=True):
            if kind not in ("numbers", "flags"):
                value = column(X, list(X.columns).index(name)).to_list()[0]
                raise ValueError(
                    f"{where}: column {name!r} holds {str(value)!r}: rows that come in "
                    "chunks hold numbers; turn it into numbers, or leave it out"
                )
        X = numbers(X, range(len(X.columns)))
    if not issparse(X) and np.asarray(X).dtype.kind not in "biufO":
        raise ValueError(f"{where} holds text, not numbers: leave these columns out")
    X = check_array(
        plain_table(X),
        accept_sparse="csr",
        dtype=np.float64,
        ensure_all_finite="allow-nan",
        ensure_min_samples=0,
    )
    X = without_duplicates(X)
    if X.shape[1] != source.width:
        raise ValueError(
            f"{where} has {X.shape[1]} columns, but the first chunk has {source.width}"
        )
    refuse_missing(y, f"{where}: ", at)
    y = np.asarray(y)
    if len(y) != X.shape[0]:
        raise ValueError(f"{where}: X has {X.shape[0]} rows, and y {len(y)}")
    if classes is None:
        return X, y
    return X, (_labels if classes else _numbers)(y, where)


def gather(chunks: Iterable[tuple[Any, Array]]) -> Iterator[tuple[Any, Array]]:
    """Small chunks put together and large ones taken apart."""
    held: list[tuple[Any, Array]] = []
    rows = size = 0
    for X, y in chunks:
        held.append((X, y))
        rows, size = rows + X.shape[0], size + 8 * X.shape[0] * X.shape[1]
        if rows >= _FEW or size >= _BYTES:
            yield from _parts(held)
            held, rows, size = [], 0, 0
    if held:
        yield from _parts(held)


def _parts(held: list[tuple[Any, Array]]) -> Iterator[tuple[Any, Array]]:
    X, y = _joined(held)
    for first in range(0, len(y), _MANY):
        yield X[first : first + _MANY], y[first : first + _MANY]


def _joined(held: list[tuple[Any, Array]]) -> tuple[Any, Array]:
    if len(held) == 1:
        return held[0]
    X = [X for X, _ in held]
    y = np.concatenate([y for _, y in held])
    return (vstack(X, "csr") if issparse(X[0]) else np.vstack(X)), y


def _check_names(here: list[Any], first: list[Any], where: str) -> None:
    if here == first:
        return
    lost = [name for name in first if name not in here]
    new = [name for name in here if name not in first]
    what = (
        f"lacks the column {lost[0]!r}" if lost else "has the columns in another order"
    )
    what = f"has a new column {new[0]!r}" if new and not lost else what
    raise ValueError(f"{where} {what}: all chunks need the columns of the first")


def _labels(y: Array, where: str) -> Array:
    if y.ndim != 1:
        raise ValueError(f"{where}: classes are one column, y has shape {y.shape}")
    if y.dtype == object:
        values = y.tolist()
        kinds = {type(value) for value in values}
        if len(kinds) > 1 or None in values:
            names = " and ".join(sorted(kind.__name__ for kind in kinds))
            raise ValueError(f"{where}: classes must be of one type, got {names}")
        y = np.array(values)
    if y.dtype.kind == "f" and not np.all(y == np.rint(y)):
        wrong = y[y != np.rint(y)][0]
        raise ValueError(
            f"{where}: a class is {wrong}: classes are text or whole numbers; for "
            "numbers use MKLRidge"
        )
    if y.dtype.kind not in "biufUS":
        raise ValueError(f"{where}: classes are text or whole numbers, got {y.dtype}")
    return y


def _numbers(y: Array, where: str) -> Array:
    if y.dtype.kind not in "biuf":
        raise ValueError(f"{where}: the target must be numbers, got {y.dtype}")
    y = y.astype(float)
    if not np.all(np.isfinite(y)):
        raise ValueError(f"{where}: the target has missing or infinite values")
    return y
