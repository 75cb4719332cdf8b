"""Targets of several tables: by index, never silently by position."""

from __future__ import annotations

import warnings
from typing import Any

from ..stacklevel import outside
from ..tables.ids import shown
from .container import Views, as_views, is_views
from .joining import refuse_hidden_ids


def aligned(X: Any, y: Any) -> tuple[Any, Any]:
    """Several tables as `Views`, and y, of the same samples in the same order.

    - y with an index, such as a Series of pandas, is joined by it. Samples without a
      target are left out, with a warning that counts them; targets of samples that no
      table has are refused. Of rows that were taken from other views, as
      cross-validation does, nothing is joined: the index has to be the same.
    - y without an index is taken row by row, if all tables have the same rows in the
      same order, or the views were made by this function; else it is refused.

    One table, and its y, come back as they are.

    Examples
    --------
    >>> import pandas as pd
    >>> rna = pd.DataFrame({"TP53": [0.7, 0.1]}, index=["p2", "p1"])
    >>> clinic = pd.DataFrame({"age": [61, 48]}, index=["p1", "p2"])
    >>> X, y = aligned({"rna": rna, "clinic": clinic}, pd.Series({"p1": 0, "p2": 1}))
    >>> X.index.tolist(), y.tolist()
    (['p2', 'p1'], [1, 0])
    """
    if not is_views(X):
        return X, y
    views = as_views(X)
    if views._numbered and views._whole and len(views.names) > 1:
        refuse_hidden_ids({name: views.table(name) for name in views.names})
    if y is None:
        return views, None
    if not (hasattr(y, "reindex") and hasattr(y, "index")):
        return _by_position(views, y), y
    if y.index.equals(views.index):
        return views.with_frame(views.frame, whole=views._whole, _in_order=True), y
    if not views._whole:
        raise ValueError(
            "y has another index than the samples: bring both into one order before "
            "they are split, X, y = kernelweave.views.aligned(X, y)"
        )
    return _joined(views, y)


def groups_of(X: Any, views: Views, groups: Any) -> Any:
    """The group of every sample of the views that `aligned` made of X.

    They are joined by index; without one they are taken row by row, where y may be.
    """
    if not (hasattr(groups, "reindex") and hasattr(groups, "index")):
        _by_position(as_views(X), groups, "groups")
        return groups
    if not groups.index.is_unique:
        if groups.index.equals(views.index):
            return groups
        twice = list(dict.fromkeys(groups.index[groups.index.duplicated()]))
        raise ValueError(
            f"groups has {len(twice)} samples more than once ({shown(twice)}): keep one"
        )
    found = groups.reindex(views.index)
    lacking = list(views.index[found.isna()])
    if lacking:
        raise ValueError(
            f"{len(lacking)} samples have no group ({shown(lacking)}): give those that "
            "belong to nobody else a group of their own"
        )
    return found


def _by_position(views: Views, y: Any, what: str = "y") -> Views:
    if len(y) != len(views):
        kind = "targets" if what == "y" else "entries"
        raise ValueError(
            f"{what} has {len(y)} {kind}, and the tables have {len(views)} samples: "
            "pass a Series whose index holds the ids of the samples"
        )
    if not views._in_order:
        raise ValueError(
            "the tables do not have the same samples in the same order, and "
            f"{what} has no index: pass a Series whose index holds the ids of the "
            "samples"
        )
    return views


def _joined(views: Views, y: Any) -> tuple[Views, Any]:
    if not y.index.is_unique:
        twice = list(dict.fromkeys(y.index[y.index.duplicated()]))
        raise ValueError(
            f"y has {len(twice)} samples more than once ({shown(twice)}): keep one"
        )
    strange = y.index[~y.index.isin(views.index)]
    if len(strange):
        raise ValueError(
            f"{len(strange)} of {len(y)} samples of y are in no table "
            f"({shown(list(strange))}; the tables have {shown(list(views.index))}): "
            "leave them out, or give y the ids of the samples as its index"
        )
    have = views.index.isin(y.index)
    if not have.all():
        lacking = list(views.index[~have])
        warnings.warn(
            f"{len(lacking)} of {len(views)} samples have no target in y, and are left "
            f"out: {shown(lacking)}",
            UserWarning,
            stacklevel=outside(),
        )
    frame = views.frame[have]
    return views.with_frame(frame, whole=True, _in_order=True), y.loc[frame.index]
