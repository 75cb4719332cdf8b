"""Tables of any kind as DataFrames of pandas, whose index is the samples' ids."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import issparse

from ..entries import plain_table
from ..frames import column_kinds, from_arrow, is_frame
from ..tables.annotated import annotated_frame

if TYPE_CHECKING:
    import pandas as pd


def is_annotated(table: Any) -> bool:
    """Whether it is an AnnData object, by its parts: X, obs_names, var_names."""
    return all(hasattr(table, name) for name in ("X", "obs_names", "var_names"))


def tables_of(data: Any) -> dict[str, Any] | None:
    """The tables by name, if there are several: of a dict, a list, MuData or AnnData.

    Those of a list are called "view 0", "view 1" and so on. An AnnData object is one
    table, "X"; those in `mod` of MuData have names.

    Examples
    --------
    >>> list(tables_of([np.ones((3, 2)), np.ones((3, 5))]))
    ['view 0', 'view 1']
    >>> tables_of([[1.0, 2.0], [3.0, 4.0]]) is None
    True
    """
    # A sparse matrix may be a mapping, too, from places to numbers.
    if isinstance(data, Mapping) and not issparse(data):
        return dict(data)
    if isinstance(data, list | tuple):
        # Rows, and lists of rows, have no two dimensions of their own.
        if not any(_is_table(table) for table in data):
            return None
        for j, table in enumerate(data):
            if not (_is_table(table) or hasattr(table, "to_frame")):
                raise ValueError(
                    f"view {j} of the list is no table, but {_kind(table)}: a view of "
                    "one column is x[:, None]"
                )
        return {f"view {j}": table for j, table in enumerate(data)}
    parts = getattr(data, "mod", None)
    if isinstance(parts, Mapping) and hasattr(data, "obs_names"):
        return dict(parts)
    return {"X": data} if is_annotated(data) else None


def _is_table(table: Any) -> bool:
    return is_annotated(table) or len(getattr(table, "shape", ())) == 2


def _kind(table: Any) -> str:
    shape = getattr(table, "shape", None)
    name = type(table).__name__
    return name if shape is None else f"{name} of shape {tuple(shape)}"


def has_index(table: Any) -> bool:
    """Whether the rows have ids: not those of polars, of arrays, or 0 to n − 1."""
    if is_annotated(table):
        return True
    import pandas as pd

    index: Any = getattr(table, "index", None)
    if isinstance(index, pd.RangeIndex):
        return index.start != 0
    return isinstance(index, pd.Index)


def by_index(name: str, table: Any, on: str | None) -> pd.DataFrame:
    """The table as a DataFrame of pandas with ids as its index.

    Parameters
    ----------
    name : str
        Of the view, for messages.
    table : DataFrame or Series of pandas, DataFrame of polars, Table of PyArrow,
        AnnData or array (n, d)
    on : str, optional
        The column of ids; else they are the index, or the numbers of the rows.
    """
    import pandas as pd

    table, annotated = from_arrow(table), is_annotated(table)
    if annotated:
        frame = annotated_frame(table)
    elif isinstance(table, pd.Series):
        frame = table.to_frame(name if table.name is None else table.name)
    elif isinstance(table, pd.DataFrame):
        frame = table
    elif is_frame(table):
        frame = _of_polars(table)
    else:
        frame = _of_array(name, table)
    if on is not None and not annotated and frame.index.name != on:
        if on not in frame.columns:
            raise ValueError(
                f"table {name!r} has no column {on!r} by which to join it; it has "
                f"{_first(list(frame.columns))}"
            )
        frame = frame.set_index(on)
    if frame.shape[1] == 0:
        raise ValueError(f"table {name!r} has no columns")
    _check_ids(name, frame.index)
    return frame


def _of_polars(table: Any) -> pd.DataFrame:
    import pandas as pd

    columns: dict[str, Any] = {}
    for name, kind in zip(table.columns, column_kinds(table), strict=True):
        series = table.get_column(name)
        plain = kind in ("numbers", "times") or not series.has_nulls()
        values = series.to_numpy() if plain and kind != "labels" else series.to_list()
        columns[name] = pd.Series(values, dtype=object if kind == "labels" else None)
    return pd.DataFrame(columns)


def _of_array(name: str, table: Any) -> pd.DataFrame:
    import pandas as pd

    X = plain_table(table, f"table {name!r}")
    if issparse(X):
        raise ValueError(
            f"table {name!r} is sparse, and views are made of dense tables: pass "
            "table.toarray(), or one sparse table of all views, "
            "scipy.sparse.hstack([...]).tocsr(), to kernels that name their columns, "
            "such as Linear(columns=slice(0, 100))"
        )
    if not isinstance(X, np.ndarray) or X.ndim != 2:
        raise ValueError(
            f"table {name!r} must be a DataFrame of pandas or polars, a Table of "
            f"PyArrow, an AnnData object or an array (n, d), got {type(table).__name__}"
        )
    return pd.DataFrame(X)


def _check_ids(name: str, ids: pd.Index) -> None:
    # Of an index of several levels every level is a part of the id.
    levels = [ids.get_level_values(i) for i in range(ids.nlevels)]
    missing = np.any([level.isna() for level in levels], axis=0)
    if missing.any():
        raise ValueError(
            f"table {name!r}: {int(missing.sum())} rows have no id in the index"
        )
    if not ids.is_unique:
        twice = list(dict.fromkeys(ids[ids.duplicated()]))
        raise ValueError(
            f"table {name!r}: {len(twice)} samples are there more than once "
            f"({_first(twice)}): keep one row of each, or give each row an id of its "
            "own"
        )


def _first(names: list[Any]) -> str:
    return ", ".join(map(repr, names[:5])) + (", ..." if len(names) > 5 else "")
