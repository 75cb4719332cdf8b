"""Several tables of the same samples as one thing, whose rows can be taken."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..extras import require
from ..kernels import Kernel
from .files import read_tables
from .joining import SEPARATOR, side_by_side
from .names import views_from_prefix
from .sources import by_index, has_index, tables_of
from .target_column import take_target

if TYPE_CHECKING:
    import pandas as pd


class Views:
    """Tables of the same samples, joined by the ids of their rows.

    Estimators take them in the place of one table; with `kernels=None` every table is
    a view with kernels that suit its columns, those of `kernels_for`. Rows are taken as
    from a DataFrame, so scikit-learn's splitters and searches work.

    Parameters
    ----------
    tables : dict from names to tables, list of tables, AnnData or MuData, optional
        A table is a DataFrame of pandas, whose index holds the ids of the samples, one
        of polars, a Table of PyArrow, an AnnData object or an array (n, d). Samples
        come in the order of the first table, then those that only others have. Tables
        of a list are called "view 0", "view 1" and so on.
    on : str, optional
        The column of ids, in place of the index. Without it, rows of polars and of
        arrays, which have no index, are the same sample if they have the same number.
    missing : {"error", "mean", "impute"}
        What kernels chosen by default do about missing values; "mean" allows samples
        that lack a table, which then tells nothing about them. See `Kernel`.
    **named : tables
        The same by keyword: `Views(rna=rna, clinic=clinic)`.

    Attributes
    ----------
    frame : pandas.DataFrame (n, d)
        All columns, called "view: column"; missing where a table lacks a sample.
    missing : str

    Examples
    --------
    >>> import pandas as pd
    >>> clinic = pd.DataFrame({"age": [61, 48, 55]}, index=["p1", "p2", "p3"])
    >>> rna = pd.DataFrame({"TP53": [0.7, 0.1]}, index=["p3", "p1"])
    >>> views = Views(clinic=clinic, rna=rna, missing="mean")
    >>> views
    Views of 3 samples: clinic (1 column), rna (1 column, of 2 samples)
    >>> views.frame
        clinic: age  rna: TP53
    p1           61        0.1
    p2           48        NaN
    p3           55        0.7
    >>> views[1:].index.tolist()
    ['p2', 'p3']
    """

    frame: pd.DataFrame
    missing: str

    def __init__(
        self,
        tables: Any = None,
        /,
        *,
        on: str | None = None,
        missing: str = "error",
        **named: Any,
    ):
        require("pandas", "Views")
        given = _by_name(tables, named)
        if missing not in Kernel._choices:
            known = ", ".join(map(repr, Kernel._choices))
            raise ValueError(f"missing must be one of {known}, got {missing!r}")
        parts = {name: by_index(name, table, on) for name, table in given.items()}
        if on is None:
            _check_numbers(given, parts)
        self.frame = side_by_side(parts)
        self.missing = missing
        # Whether every table had the rows of `frame`, in its order: only then a target
        # without an index can be theirs row by row.
        self._in_order = all(
            part.index.equals(self.frame.index) for part in parts.values()
        )
        # Rows that were taken from others have to keep their order.
        self._whole = True
        # Whether rows are joined by their numbers.
        self._numbered = on is None and not any(map(has_index, given.values()))

    @classmethod
    def read(
        cls,
        *paths: str | os.PathLike[str],
        on: str | None = None,
        missing: str = "error",
    ) -> Views:
        """Views from files, each named like its file: see `tables.read_table`.

        Parameters
        ----------
        *paths : path
            CSV, TSV or Parquet.
        on : str, optional
            The column of ids. They are text: 007 stays 007.
        missing : {"error", "mean", "impute"}
        """
        return cls(read_tables(paths, on), on=on, missing=missing)

    @property
    def names(self) -> list[str]:
        """The names of the views."""
        return list(self.columns_by_view())

    @property
    def index(self) -> pd.Index:
        """The ids of the samples."""
        return self.frame.index

    @property
    def shape(self) -> tuple[int, int]:
        return self.frame.shape

    def __len__(self) -> int:
        return len(self.frame)

    def columns_by_view(self) -> dict[str, list[str]]:
        """From the name of a view to its columns in `frame`."""
        return views_from_prefix(self.frame, SEPARATOR)

    def lacking(self) -> dict[str, int]:
        """How many samples have no value in any column of a view."""
        return {
            name: int(self.frame[columns].isna().all(axis=1).sum())
            for name, columns in self.columns_by_view().items()
        }

    def table(self, name: str) -> pd.DataFrame:
        """The table of a view, with the names that its columns had."""
        views = self.columns_by_view()
        if name not in views:
            raise KeyError(f"there is no view {name!r}; there are {', '.join(views)}")
        columns = [column.removeprefix(name + SEPARATOR) for column in views[name]]
        return self.frame[views[name]].set_axis(columns, axis=1)

    def __getitem__(self, rows: Any) -> Any:
        """Rows by their numbers, a mask or a slice; or the table of a view by name."""
        return self.table(rows) if isinstance(rows, str) else self.iloc[rows]

    @property
    def iloc(self) -> _Rows:
        """Rows by number, slice or mask, as of a DataFrame."""
        return _Rows(self, "iloc")

    @property
    def loc(self) -> _Rows:
        """Rows by id or mask, as of a DataFrame."""
        return _Rows(self, "loc")

    def take(self, indices: Any, axis: int = 0) -> Views:
        """Rows by their numbers."""
        if axis != 0:
            raise ValueError("rows are taken from views, not columns")
        return self.with_frame(self.frame.take(indices), whole=False)

    def with_frame(self, frame: pd.DataFrame, *, whole: bool, **known: bool) -> Views:
        """The same views with another frame, of some of the rows or columns."""
        views = object.__new__(Views)
        vars(views).update(vars(self), frame=frame, _whole=whole, **known)
        return views

    def take_target(self, name: str) -> tuple[Views, pd.Series]:
        """The views without the column of the target, and the target by sample.

        Columns of that name in other tables, which would tell it, are taken out as
        well. Samples without a target are left out, with a warning that counts them.

        Parameters
        ----------
        name : str
            "column", or "view: column" where several tables have it.

        Examples
        --------
        >>> import pandas as pd
        >>> clinic = pd.DataFrame({"age": [61, 48], "ill": ["yes", "no"]})
        >>> views, y = Views(clinic=clinic).take_target("ill")
        >>> views.frame.columns.tolist(), y.tolist()
        (['clinic: age'], ['yes', 'no'])
        """
        return take_target(self, name)

    def __repr__(self) -> str:
        lacking = self.lacking()
        parts = []
        for name, columns in self.columns_by_view().items():
            width = f"{len(columns)} column{'s' * (len(columns) != 1)}"
            there = len(self) - lacking[name]
            some = f", of {there} samples" if lacking[name] else ""
            parts.append(f"{name} ({width}{some})")
        samples = f"{len(self)} sample{'s' * (len(self) != 1)}"
        return f"Views of {samples}: {', '.join(parts)}"

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError(
            "Views are several tables, which estimators of kernelweave take: for "
            "others, views.frame is one table of all columns"
        )


class _Rows:
    """Rows of views, by what `iloc` or `loc` of a DataFrame takes."""

    def __init__(self, views: Views, how: str):
        self._views, self._how = views, how

    def __getitem__(self, rows: Any) -> Views:
        if isinstance(rows, tuple) and len(rows) == 2:
            rows, columns = rows
            if columns is not Ellipsis and columns != slice(None):
                raise IndexError("rows are taken from views, not columns")
        rows = [rows] if np.ndim(rows) == 0 and not isinstance(rows, slice) else rows
        if hasattr(rows, "index") and not isinstance(rows, list | tuple):
            if not rows.index.equals(self._views.index):
                raise IndexError("the mask has another index than the samples")
            rows = np.asarray(rows)
        frame = getattr(self._views.frame, self._how)[rows]
        return self._views.with_frame(frame, whole=False)


def is_views(X: Any) -> bool:
    """Whether X is several tables: `Views`, a dict or list of them, AnnData, MuData."""
    return isinstance(X, Views) or tables_of(X) is not None


def as_views(X: Any, missing: str = "error") -> Views:
    """X as `Views`, which stay what they are.

    Examples
    --------
    >>> import pandas as pd
    >>> rna, clinic = pd.DataFrame({"TP53": [0.7]}), pd.DataFrame({"age": [61]})
    >>> as_views({"rna": rna, "clinic": clinic}).frame.columns.tolist()
    ['rna: TP53', 'clinic: age']
    """
    return X if isinstance(X, Views) else Views(X, missing=missing)


def _by_name(tables: Any, named: Mapping[str, Any]) -> dict[str, Any]:
    given = {} if tables is None else tables_of(tables)
    if given is None:
        raise ValueError(
            "tables must be a dict from the names of views to tables, a list of "
            "tables, or given by keyword, Views(rna=rna, clinic=clinic); got "
            f"{type(tables).__name__}"
        )
    twice = [name for name in named if name in given]
    if twice:
        raise ValueError(f"two tables are called {twice[0]!r}: rename one")
    given |= named
    if not given:
        raise ValueError("there is no table: Views(rna=rna, clinic=clinic)")
    for name in given:
        if not isinstance(name, str) or not name or SEPARATOR in name:
            raise ValueError(
                f"the name of a view is a text without {SEPARATOR!r}, got {name!r}"
            )
    return given


def _check_numbers(given: dict[str, Any], parts: dict[str, pd.DataFrame]) -> None:
    """Refuse tables without an index that are not the same rows as the others."""
    others = [name for name in given if has_index(given[name])]
    bare = [n for n in given if n not in others and not hasattr(given[n], "index")]
    if bare and others:
        raise ValueError(
            f"table {bare[0]!r} has no index, and {others[0]!r} has one: name the "
            "column of ids, which all must have, with on="
        )
    if bare and len({len(part) for part in parts.values()}) > 1:
        counts = ", ".join(f"{name}: {len(part)}" for name, part in parts.items())
        raise ValueError(
            f"tables without an index must have the same rows, and have {counts}: name "
            "the column of ids, which all must have, with on="
        )
