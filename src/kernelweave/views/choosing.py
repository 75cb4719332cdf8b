"""Kernels that suit the columns of every view."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..entries import plain_table
from ..frames import is_frame
from ..kernels import Kernel
from ..kernels.columns import resolve_columns
from ..kernels.missing import MissingValuesError
from ..tables.ids import shown
from .column_group import KINDS, ColumnGroup
from .container import Views, as_views, is_views
from .names import refuse_twins


def kernels_for(
    table: Any,
    views: Mapping[str, Any] | None = None,
    *,
    missing: str | None = None,
    kinds: Mapping[str, str] | None = None,
) -> list[Kernel]:
    """Kernels that suit the columns of every view, named "view: kernel".

    - Numbers: `kernels.number_kernels`, that is RBF kernels of ½ and 2 times the median
      distance and a linear one on standardised columns, and Laplacian kernels of ¼, 1
      and 4 times the median distance on ranks of the columns.
    - Counts: chi-squared, linear, and Laplacian on ranks. A view is taken for counts if
      it has several columns, all of whole numbers without a sign, some larger than 10,
      and a tenth or more of them zeros, which most of the columns have; say otherwise
      by `kinds`.
    - Categories (text, the types category and bool): `Overlap`, the share of columns
      that agree.
    - Sequences: `Spectrum`, the substrings of 3 and 5 letters that two share, or of 2
      and 3 where there are more than six different letters. A column of text is taken
      for sequences if more than half of its values are different, all of letters of one
      case, and most of 12 or more.
    - Sentences: `Words`, the words that two texts share. A column of text is taken for
      sentences if more than half of its values are different, and most of 4 words or
      more.

    A view of numbers and categories gets the kernels of both. Medians, means and
    widths are learned when the kernels are fitted, from the training rows.

    Parameters
    ----------
    table : DataFrame of pandas or polars, or array (n, d); or several tables
        Several tables are `Views`, or a dict of them: each is a view.
    views : dict, optional
        From the name of a view to its columns: anything that `columns=` of a kernel
        takes, such as names, a slice or a selector. See `views_from_prefix`. The
        default is one view, "all". Not for several tables.
    missing : {"error", "mean", "impute"}, optional
        What to do about missing values: refuse them, here and later; "mean": a row
        that lacks all columns of a kernel gets nothing from it; "impute": medians, but
        that a text which is missing is treated as by "mean". See `Kernel`. The
        default is "error", or what `Views` say.
    kinds : dict, optional
        From the names of some views to "numeric", "counts", "categorical",
        "sequence" or "words".

    Returns
    -------
    list of Kernel
        For the parameter `kernels` of an estimator.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": [61, 48, 55], "sex": ["f", "m", "f"]})
    >>> kernels = kernels_for(table, {"clinic": ["age", "sex"]})
    >>> [kernel.label for kernel in kernels][5:]
    ['clinic: rank laplacian 4×median', 'clinic: overlap']
    """
    if is_views(table):
        if views is not None:
            raise ValueError(
                "several tables are views already: leave views out, or join the tables "
                "to one and say there which columns are which view"
            )
        tables = as_views(table)
        missing = tables.missing if missing is None else missing
        if missing == "error":
            _refuse_lacking(tables)
        table, views = tables.frame, tables.columns_by_view()
    missing = "error" if missing is None else missing
    if missing not in Kernel._choices:
        raise ValueError(
            f"missing must be one of {', '.join(map(repr, Kernel._choices))}, got "
            f"{missing!r}"
        )
    if not is_frame(table):
        table = np.asarray(plain_table(table, "the table"))
        if table.ndim != 2 or table.dtype.kind not in "biuf":
            raise ValueError(
                "the table must be a DataFrame, or an array (n, d) of numbers; got "
                f"shape {table.shape} of {table.dtype}"
            )
    else:
        refuse_twins(list(table.columns))
    views = {"all": slice(None)} if views is None else views
    if not isinstance(views, Mapping) or not views:
        raise ValueError(
            "views must be a dict from names to columns, such as "
            f"views_from_prefix(table), got {views!r}"
        )
    kinds = {} if kinds is None else kinds
    for name, kind in kinds.items():
        if name not in views or kind not in KINDS:
            raise ValueError(
                f"kinds must give some of the views {', '.join(map(repr, views))} one "
                f"of {', '.join(map(repr, KINDS))}; got {name!r}: {kind!r}"
            )
    kernels: list[Kernel] = []
    for name, columns in views.items():
        if ": " in str(name):
            raise ValueError(
                f"the name of the view {name!r} must not contain ': ', which stands "
                "between view and kernel"
            )
        places = resolve_columns(columns, table, str(name))
        assert places is not None
        view = ColumnGroup(str(name), table, places)
        kernels += view.kernels(missing, kinds.get(name))
    return kernels


def _refuse_lacking(tables: Views) -> None:
    """Refuse samples that lack a table, with their number."""
    for name, count in tables.lacking().items():
        if count:
            absent = tables.table(name).isna().all(axis=1)
            raise MissingValuesError(
                f"{count} of {len(tables)} samples are not in the table {name!r}, or "
                f"have no value there ({shown(list(tables.index[absent]))})",
                "Leave them out, or keep them: with Views(tables, missing='mean') a "
                "table tells nothing about the samples that it lacks",
            )
