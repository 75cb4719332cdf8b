"""Which columns of a table a kernel looks at."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

# A tuple is the name of a column of several levels.
_NAMES = (str, tuple)


def resolve_columns(columns: Any, X: Any, label: str) -> NDArray[np.intp] | None:
    """Numbers of the chosen columns of X, or None for all of them."""
    if columns is None:
        return None
    if callable(columns):
        columns = columns(X)
    n = X.shape[1]
    names = list(X.columns) if hasattr(X, "columns") else []
    # Backwards, so that the first of several columns of one name counts.
    places = {names[j]: j for j in range(len(names) - 1, -1, -1)}

    def _no_choice(given: Any) -> ValueError:
        return ValueError(
            f"kernel {label!r}: columns must be None, the number or name of a column, "
            "a list of these, a slice, a mask or a function of the table, got "
            f"{given!r}"
        )

    def number(column: Any) -> int:
        if isinstance(column, _NAMES):
            if column not in places:
                known = ", ".join(map(str, names[:8])) if names else "no names at all"
                raise ValueError(
                    f"kernel {label!r}: the table has no column {column!r}; it has "
                    f"{known}{', ...' if len(names) > 8 else ''}"
                )
            return places[column]
        if isinstance(column, bool) or not isinstance(column, int | np.integer):
            raise _no_choice(column)
        if not -n <= int(column) < n:
            raise ValueError(
                f"kernel {label!r}: there is no column {column}; the table has {n}"
            )
        return int(column) % n

    if isinstance(columns, slice):
        if isinstance(columns.start, _NAMES) or isinstance(columns.stop, _NAMES):
            # As in pandas, a slice of names includes its end.
            first = 0 if columns.start is None else number(columns.start)
            last = n - 1 if columns.stop is None else number(columns.stop)
            chosen = np.arange(first, last + 1)[:: columns.step]
        else:
            chosen = np.arange(n)[columns]
    elif isinstance(columns, str | int | np.integer) or _is_name(columns, places):
        chosen = np.array([number(columns)])
    elif not hasattr(columns, "__iter__"):
        raise _no_choice(columns)
    else:
        columns = list(columns)
        if columns and all(isinstance(c, bool | np.bool_) for c in columns):
            if len(columns) != n:
                raise ValueError(
                    f"kernel {label!r}: the mask has {len(columns)} entries, the table "
                    f"{n} columns"
                )
            chosen = np.flatnonzero(columns)
        else:
            chosen = np.array([number(c) for c in columns], dtype=int)
    if len(chosen) == 0:
        raise ValueError(f"kernel {label!r} has no columns: its choice is empty")
    return chosen


def _is_name(columns: Any, places: dict[Any, int]) -> bool:
    """Whether a tuple is the name of one column, and no list of columns."""
    return isinstance(columns, tuple) and any(columns == name for name in places)
