"""New samples of several tables, as a model was trained on them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .container import as_views
from .joining import SEPARATOR

if TYPE_CHECKING:
    import pandas as pd


def as_trained(X: Any, columns: Iterable[Any]) -> pd.DataFrame:
    """The frame of several tables with the columns of a training, in their order.

    A view that is not there is missing in all rows. Other columns than those of the
    training do no harm; other views are refused, and views that lack columns.

    Parameters
    ----------
    X : Views, or a dict of tables, AnnData or MuData
    columns : iterable of str
        "view: column", such as `feature_names_in_`.

    Examples
    --------
    >>> import pandas as pd
    >>> clinic = pd.DataFrame({"age": [61, 48]})
    >>> as_trained({"clinic": clinic}, ["rna: TP53", "clinic: age"])
       rna: TP53  clinic: age
    0        NaN           61
    1        NaN           48
    """
    views, names = as_views(X), list(columns)
    if not all(isinstance(c, str) and SEPARATOR in c for c in names):
        raise ValueError(
            f"the model was fitted to one table, with the columns {_first(names)}: "
            "pass one table"
        )
    trained: dict[str, list[str]] = {}
    for name in names:
        trained.setdefault(name.partition(SEPARATOR)[0], []).append(name)
    for view, here in views.columns_by_view().items():
        if view not in trained:
            raise ValueError(
                f"the model knows no view {view!r}: it was fitted to "
                f"{', '.join(trained)}"
            )
        there = set(here)
        lost = [name for name in trained[view] if name not in there]
        if lost:
            raise ValueError(
                f"view {view!r} lacks {len(lost)} of the {len(trained[view])} columns "
                f"that the model was fitted to: {_first(lost)}"
            )
    return views.frame.reindex(columns=names)


def _first(names: list[Any]) -> str:
    return ", ".join(map(repr, names[:5])) + (", ..." if len(names) > 5 else "")
