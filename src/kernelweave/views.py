"""Views: the kernels that describe the same part of a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .entries import plain_table
from .frames import is_frame
from .inputs.matrices import is_given
from .kernels import Kernel
from .kernels.columns import resolve_columns
from .problem import Array
from .table_view import KINDS, TableView


def view_of(label: str) -> str:
    """The view that a kernel belongs to: what stands before ": " in its name.

    Parameters
    ----------
    label : str

    Returns
    -------
    str
        All of the label if it has no ": ".

    Examples
    --------
    >>> view_of("clinical: rbf 1×median"), view_of("linear")
    ('clinical', 'linear')
    """
    return label.partition(": ")[0]


def views_from_prefix(table: Any, sep: str = "_") -> dict[str, list[str]]:
    """Columns grouped by what stands before the separator in their names.

    Parameters
    ----------
    table : DataFrame of pandas or polars
    sep : str
        The first one in a name counts: "rna_tp53_a" belongs to "rna".

    Returns
    -------
    dict
        From the name of a view to the names of its columns, in the order of the table.
        Columns without a separator form the view "other".

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame(columns=["age", "rna_tp53", "sex", "rna_esr1", "meth_a"])
    >>> views_from_prefix(table)
    {'other': ['age', 'sex'], 'rna': ['rna_tp53', 'rna_esr1'], 'meth': ['meth_a']}
    """
    names = _column_names(table)
    if not (isinstance(sep, str) and sep):
        raise ValueError(f"sep must be a text such as '_', got {sep!r}")
    views: dict[str, list[str]] = {}
    for name in names:
        prefix, found, rest = name.partition(sep)
        if found and not (prefix and rest):
            side = "before" if rest else "after"
            raise ValueError(
                f"the column {name!r} has nothing {side} its {sep!r}: rename it"
            )
        views.setdefault(prefix if found else "other", []).append(name)
    alone = [name for name in views.get("other", []) if sep not in name]
    if len(alone) == len(names):
        raise ValueError(
            f"no column has {sep!r} in its name: give another sep, or the views as "
            "{'name': [columns]}"
        )
    if alone and len(alone) < len(views["other"]):
        raise ValueError(
            f"columns without {sep!r}, such as {alone[0]!r}, would form the view "
            f"'other', but there are columns that start with 'other{sep}': rename these"
        )
    for name in alone:
        if name in views:
            raise ValueError(
                f"the column {name!r} has no {sep!r}, but others start with "
                f"{name + sep!r}: is it of the view {name!r}? Rename it"
            )
    return views


def kernels_for(
    table: Any,
    views: Mapping[str, Any] | None = None,
    *,
    missing: str = "error",
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

    A view of numbers and categories gets the kernels of both. Medians, means and
    widths are learned when the kernels are fitted, from the training rows.

    Parameters
    ----------
    table : DataFrame of pandas or polars, or array (n, d)
    views : dict, optional
        From the name of a view to its columns: anything that `columns=` of a kernel
        takes, such as names, a slice or a selector. See `views_from_prefix`. The
        default is one view, "all".
    missing : {"error", "mean", "impute"}
        What to do about missing values: refuse them, here and later; "mean": a row
        that lacks all columns of a kernel gets nothing from it; "impute": medians. See
        `Kernel`.
    kinds : dict, optional
        From the names of some views to "numeric", "counts" or "categorical".

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
        _refuse_twins(list(table.columns))
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
        view = TableView(str(name), table, places)
        kernels += view.kernels(missing, kinds.get(name))
    return kernels


def absent_counts(model: Any, X: Any) -> dict[str, int]:
    """How many rows of X lack every column of a view.

    Parameters
    ----------
    model : fitted estimator
    X : array-like (m, d)

    Returns
    -------
    dict
        From view to number; views that no row lacks have 0. Empty for Gram matrices,
        which do not tell.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from kernelweave import MKLRidge
    >>> table = pd.DataFrame({"age": [61, 48, 55, 50], "rna": [np.nan, 0.3, 0.9, 0.1]})
    >>> kernels = kernels_for(table, {"age": "age", "rna": "rna"}, missing="mean")
    >>> model = MKLRidge(kernels).fit(table, [1, 2, 3, 4])
    >>> absent_counts(model, table)
    {'age': 0, 'rna': 1}
    """
    from .estimators.base import check_new  # it imports weights/, which imports this

    if is_given(model):
        return {}
    masks: dict[str, Array] = {}
    Z = check_new(model, X)
    for kernel in model.kernels_:
        view, mask = view_of(kernel.label), kernel.absent(Z)
        masks[view] = masks[view] & mask if view in masks else mask
    return {view: int(np.sum(mask)) for view, mask in masks.items()}


def _column_names(table: Any) -> list[str]:
    if not is_frame(table):
        raise ValueError(
            "views_from_prefix needs a DataFrame with names of columns, got "
            f"{type(table).__name__}: give views as {{'name': slice(0, 10), ...}}"
        )
    names = list(table.columns)
    for name in names:
        if not isinstance(name, str):
            raise ValueError(
                f"names of columns must be text, got {name!r}: table.columns = "
                "table.columns.astype(str)"
            )
    _refuse_twins(names)
    return names


def _refuse_twins(names: list[Any]) -> None:
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"two columns have the name {twice!r}: rename one")
