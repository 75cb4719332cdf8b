"""Which column of a table is infinite."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse

from ..frames import is_frame, numbers


def name_infinite_column(X: Any, error: ValueError) -> None:
    """Raise an error that names the first infinite column and row, if there is one.

    Parameters
    ----------
    X : DataFrame, array or sparse matrix (n, d)
    error : ValueError
        What scikit-learn says of it, which names neither.
    """
    if "infinity" not in str(error):
        return
    if issparse(X):
        entries = X.tocoo()
        places = np.flatnonzero(np.isinf(entries.data))
        found = list(zip(entries.row[places], entries.col[places], strict=True))
    else:
        table = X if is_frame(X) else np.asarray(X, dtype=float)
        found = list(zip(*np.nonzero(np.isinf(numbers(table, _all(X)))), strict=True))
    if not found:
        return
    row, place = map(int, min(found, key=lambda at: (at[1], at[0])))
    count = sum(int(column) == place for _, column in found)
    name = repr(X.columns[place]) if is_frame(X) else f"{place} (from 0)"
    where = X.index[row] if hasattr(X, "iloc") else row
    rows = f"1 row ({where})" if count == 1 else f"{count} rows, such as {where}"
    raise ValueError(
        f"X: column {name} is infinite in {rows}: correct it, or write NaN if the "
        "value is missing"
    ) from error


def _all(X: Any) -> list[int]:
    return list(range(np.shape(X)[1]))
