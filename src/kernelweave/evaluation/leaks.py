"""Columns of a table that are the target, or tell it one to one."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np

from ..frames import column, gaps, is_frame
from ..problem import Array
from ..stacklevel import outside
from ..targets import missing_targets

# Columns of an array are looked at as a whole only if this many rows allow it.
FIRST_ROWS = 20


def warn_of_leaks(X: Any, y: Array, numbers: bool) -> None:
    """Warn of columns from which a model would learn nothing else.

    Of DataFrames and arrays; other tables are not looked at.
    """
    if not is_frame(X) and not (isinstance(X, np.ndarray) and X.ndim == 2):
        return
    names = copies_of_target(X, y, numbers)
    if names:
        what = "equals" if numbers else "has one value for each class of"
        warnings.warn(
            f"column {', '.join(map(repr, names))} {what} the target: if it is a copy, "
            "or is known only afterwards, a model that uses it learns nothing else; "
            "leave it out",
            UserWarning,
            stacklevel=outside(),
        )


def copies_of_target(X: Any, y: Array, numbers: bool) -> list[Any]:
    """Names of columns that equal y, or are one to one with its classes.

    Columns of arrays are called by their numbers. Of survival times y they equal the
    times. Columns of lists and the like are no copies.
    """
    y = y["time"] if y.dtype.names else y
    same, targets = _equal if numbers else _one_to_one, y.tolist()
    columns = _of_frame(X) if is_frame(X) else _of_array(X, y, numbers)
    return [
        name
        for name, values in columns
        if all(isinstance(value, Hashable) for value in values)
        and same(values, targets)
    ]


def _of_frame(X: Any) -> Iterator[tuple[Any, list[Any]]]:
    for j, name in enumerate(X.columns):
        yield name, entries_of(column(X, j))


def _of_array(X: Array, y: Array, numbers: bool) -> Iterator[tuple[int, list[Any]]]:
    """Columns that may be copies, by the first rows, or by those of one class."""
    places = np.arange(X.shape[1])
    if X.dtype.kind in "fiub":
        some = np.arange(len(y)) if numbers else np.flatnonzero(y == y[0])
        part, wanted = X[some[:FIRST_ROWS]], y[some[:FIRST_ROWS], None]
        if numbers:
            apart = (part != wanted) & ~np.isnan(part)
            places = places[~apart.any(axis=0)]
        else:
            # fmin and fmax pass over what is missing.
            places = places[~(np.fmin.reduce(part) < np.fmax.reduce(part))]
    for j in places.tolist():
        pairs = zip(X[:, j].tolist(), missing_targets(X[:, j]), strict=True)
        yield j, [None if missing else value for value, missing in pairs]


def entries_of(column: Any) -> list[Any]:
    """The entries of a Series, with None for what is missing."""
    pairs = zip(column.to_list(), gaps(column), strict=True)
    return [None if missing else value for value, missing in pairs]


def _equal(values: list[Any], targets: list[Any]) -> bool:
    pairs = [(v, t) for v, t in zip(values, targets, strict=True) if v is not None]
    return len(pairs) > 1 and all(v == t for v, t in pairs)


def _one_to_one(values: list[Any], targets: list[Any]) -> bool:
    """Each class has a value of its own, and most of them are seen again."""
    seen: dict[Any, Any] = {}
    rows = 0
    for value, label in zip(values, targets, strict=True):
        if value is None or label is None:
            continue
        if seen.setdefault(label, value) != value:
            return False
        rows += 1
    classes = len(set(targets) - {None})
    return len(set(seen.values())) == classes and rows >= 2 * classes
