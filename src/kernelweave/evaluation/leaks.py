"""Columns of a table that are the target, or tell it one to one."""

from __future__ import annotations

import warnings
from typing import Any

from ..frames import gaps, is_frame
from ..problem import Array
from ..stacklevel import outside


def warn_of_leaks(X: Any, y: Array, numbers: bool) -> None:
    """Warn of columns of a pandas table from which a model would learn nothing else."""
    if not (is_frame(X) and hasattr(X, "items")):
        return
    names = copies_of_target(X, y, numbers)
    if names:
        what = "equals" if numbers else "has one value for each class of"
        warnings.warn(
            f"column {', '.join(map(repr, names))} {what} the target: if it is a copy, "
            "or is known only afterwards, the model learns nothing else; leave it out",
            UserWarning,
            stacklevel=outside(),
        )


def copies_of_target(X: Any, y: Array, numbers: bool) -> list[Any]:
    """Names of columns of a DataFrame that equal y, or are one to one with its classes.

    Of survival times y they equal the times.
    """
    targets = (y["time"] if y.dtype.names else y).tolist()
    same = _equal if numbers else _one_to_one
    return [name for name, column in X.items() if same(entries_of(column), targets)]


def entries_of(column: Any) -> list[Any]:
    """The entries of a Series, with None for what is missing."""
    pairs = zip(column.tolist(), gaps(column), strict=True)
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
