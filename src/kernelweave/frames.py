"""Columns of tables of pandas, polars and PyArrow, without importing any of these."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from .extras import require


def is_frame(table: Any) -> bool:
    """Whether the table has named columns: a DataFrame of pandas or polars."""
    return hasattr(table, "columns") and hasattr(table, "dtypes")


def from_arrow(table: Any) -> Any:
    """The DataFrame of a Table or RecordBatch of PyArrow; other tables as they are.

    Queries of polars, which have no rows yet, are refused.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from_arrow(pa.table({"age": [61, 48]})).columns.tolist()
    ['age']
    """
    library = type(table).__module__.partition(".")[0]
    if library == "polars" and hasattr(table, "collect"):
        raise TypeError("a LazyFrame of polars has no rows yet: pass X.collect()")
    arrow = library == "pyarrow"
    if not (arrow and hasattr(table, "schema") and hasattr(table, "to_pandas")):
        return table
    require("pandas", "a table of PyArrow")
    return table.to_pandas()


def only_by_place(args: Sequence[Any], options: Mapping[str, Any]) -> bool:
    """Whether X is one table, and at most one of all has an index to join rows by.

    Of the arguments of a method of X and others, by place and by name.
    """
    X = args[0] if args else options.get("X")
    plain = isinstance(X, np.ndarray) or hasattr(type(X), "columns")
    values = (*args, *options.values())
    return plain and sum(hasattr(value, "reindex") for value in values) < 2


def is_dask(*tables: Any) -> bool:
    """Whether one of these is a collection of Dask, which need not be installed."""
    return any(hasattr(type(table), "__dask_graph__") for table in tables)


def some_rows(table: Any, rows: Any) -> Any:
    """The rows at a slice, or at numbers, of a table of any kind on the host."""
    return _safe_indexing(table, rows) if is_frame(table) else table[rows]


def column(table: Any, j: int) -> Any:
    """Column j, as a Series."""
    return table.iloc[:, j] if hasattr(table, "iloc") else table.to_series(j)


def gaps(series: Any) -> NDArray[np.bool_]:
    """Which entries of a Series are missing."""
    if hasattr(series, "isna"):
        return np.asarray(series.isna(), dtype=bool)
    missing = series.is_null()
    if series.dtype.is_float():
        missing = missing | series.is_nan().fill_null(True)
    return np.asarray(missing, dtype=bool)


def as_texts(series: Any) -> NDArray[Any]:
    """The entries of a Series as str, None where they are missing, (n,)."""
    values = series.to_list()
    out = np.full(len(values), None, dtype=object)
    for i in np.flatnonzero(~gaps(series)):
        out[i] = str(values[i])
    return out


def numbers(table: Any, columns: Sequence[int]) -> NDArray[np.float64]:
    """Columns of numbers as one array of floats; what is missing is NaN."""
    if not is_frame(table):
        return np.asarray(table[:, columns], dtype=float)
    if hasattr(table, "iloc"):
        chosen = without_na(table.iloc[:, columns])
        return chosen.to_numpy(dtype=float, na_value=np.nan)
    return np.asarray(table[:, columns].to_numpy(), dtype=float)


def without_na(table: Any) -> Any:
    """The DataFrame with NaN for what is missing in columns of Python objects."""
    if not hasattr(table, "iloc"):
        return table
    new: dict[int, NDArray[Any]] = {}
    objects = np.dtype(object)
    for j in [j for j, dtype in enumerate(table.dtypes) if dtype == objects]:
        series = column(table, j)
        missing = gaps(series)
        if missing.any():
            new[j] = np.where(missing, np.nan, series.to_numpy(dtype=object))
    return replaced(table, new) if new else table


def column_kinds(table: Any, columns: Iterable[int] | None = None) -> list[str]:
    """What the columns of a DataFrame hold, or those at some places.

    Returns
    -------
    list of str
        "numbers"; "flags", true or false; "levels", the type category with numbers in
        it; "times"; "labels", everything else: text, categories, objects.
    """
    dtypes = list(table.dtypes)
    columns = range(len(dtypes)) if columns is None else columns
    return [_kind(dtypes[j], table, int(j)) for j in columns]


def _kind(dtype: Any, table: Any, j: int) -> str:
    letter = getattr(dtype, "kind", None) or _polars_letter(dtype)
    if letter in "iuf":
        return "numbers"
    if letter == "b":
        return "flags"
    if letter in "mM":
        return "times"
    values = column(table, j)
    present = values[~gaps(values)] if hasattr(values, "iloc") else values.drop_nulls()
    if type(dtype).__name__ == "CategoricalDtype":
        numbers = all(isinstance(v, Number) for v in dtype.categories)
        return "levels" if numbers else "labels"
    types = {type(v) for v in present}
    if types and types <= {bool, np.bool_}:
        return "flags"
    # NumPy counts its time differences among the whole numbers.
    numbers = bool(types) and all(
        issubclass(t, Number) and not issubclass(t, np.timedelta64) for t in types
    )
    return "numbers" if numbers else "labels"


def _polars_letter(dtype: Any) -> str:
    """The kind that numpy would give to a type of polars."""
    if dtype.is_numeric():
        return "f"
    return "b" if str(dtype) == "Boolean" else "M" if dtype.is_temporal() else "O"


def replaced(table: Any, columns: Mapping[int, NDArray[Any]]) -> Any:
    """The table with other values in some of its columns."""
    if hasattr(table, "iloc"):
        table = table.copy(deep=False)
        for j, values in columns.items():
            table.isetitem(j, values)
        return table
    table = table.clone()
    for j, values in columns.items():
        old = table.to_series(j)
        table.replace_column(j, type(old)(old.name, values))
    return table
