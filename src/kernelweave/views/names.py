"""Views by name: of kernels and of columns."""

from __future__ import annotations

from typing import Any

from ..frames import is_frame


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
    refuse_twins(names)
    return names


def refuse_twins(names: list[Any]) -> None:
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"two columns have the name {twice!r}: rename one")
