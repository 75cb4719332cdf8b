"""Targets, weights and groups of tables: by index, never silently by position."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

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
    if not _has_index(y):
        return _by_position(views, y), y
    if y.index.equals(views.index):
        return views.with_frame(views.frame, whole=views._whole, _in_order=True), y
    if not views._whole:
        raise ValueError(
            "y has another index than the samples: bring both into one order before "
            "they are split, X, y = kernelweave.views.aligned(X, y)"
        )
    return _joined(views, y)


def aligned_with(X: Any, y: Any, **beside: Any) -> tuple[Any, Any, dict[str, Any]]:
    """X and y as `aligned` has them, and values of the same samples in their order.

    Values with an index are joined by it. Those without one are taken row by row if
    the tables and y have the same samples in the same order; else they are refused.
    Of one table all rows are matched by place, as scikit-learn does, with a warning
    where an index has the same ids in another order.

    Parameters
    ----------
    X : several tables, or one
    y : array-like (n,) or (n, k), or None
    **beside : array-like (n,), or None
        Weights, groups, each by the name that messages call it. A number stands for all
        samples.

    Examples
    --------
    >>> import pandas as pd
    >>> rna = pd.DataFrame({"TP53": [0.7, 0.1]}, index=["p2", "p1"])
    >>> y, weight = pd.Series({"p1": 0, "p2": 1}), pd.Series({"p1": 2.0, "p2": 1.0})
    >>> X, y, beside = aligned_with({"rna": rna}, y, sample_weight=weight)
    >>> y.tolist(), beside["sample_weight"].tolist()
    ([1, 0], [1.0, 2.0])
    """
    if not is_views(X):
        placed = {what: by_place(X, values, what) for what, values in beside.items()}
        return X, by_place(X, y, "y"), placed
    given = as_views(X)
    views, joined = aligned(given, y)
    moved = not given._in_order or (_has_index(y) and not y.index.equals(given.index))
    found = {
        what: _in_order_of(views, values, what, moved)
        for what, values in beside.items()
    }
    return views, joined, found


def _in_order_of(views: Views, values: Any, what: str, moved: bool) -> Any:
    """Values of the samples of views; `moved`: not in the order of the tables."""
    if values is None or np.ndim(values) == 0:
        return values
    if _has_index(values):
        return _looked_up(views, values, what)
    if moved:
        raise ValueError(
            f"{what} has no index, and the tables and y do not have the same samples "
            f"in the same order: pass {what} as a Series whose index holds the ids of "
            "the samples"
        )
    return values


def by_place(X: Any, values: Any, what: str) -> Any:
    """Values of the rows of one table, with the index of the table.

    Rows stay in their places. Where both indexes have the same ids in different
    orders, a warning tells of it.
    """
    ids, own = _index(X), _index(values)
    if ids is None or own is None or len(ids) != len(own) or own.equals(ids):
        return values
    if not (ids.is_unique and own.is_unique and own.isin(ids).all()):
        return values
    warnings.warn(
        f"{what} has the same index as X in another order: rows are matched by place, "
        f"as in scikit-learn; pass {what}.loc[X.index] to match them by index, or "
        f"{what}.to_numpy() if their places are right",
        UserWarning,
        stacklevel=outside(),
    )
    # What is called with these next need not say it again.
    return values.set_axis(ids, axis=0)


def _has_index(values: Any) -> bool:
    return hasattr(values, "reindex") and hasattr(values, "index")


def _index(data: Any) -> Any:
    """The index of a DataFrame or Series of pandas; None of anything else."""
    index = getattr(data, "index", None)
    return index if type(index).__module__.partition(".")[0] == "pandas" else None


def _looked_up(views: Views, values: Any, what: str) -> Any:
    if values.index.equals(views.index):
        return values
    if not values.index.is_unique:
        twice = list(dict.fromkeys(values.index[values.index.duplicated()]))
        raise ValueError(
            f"{what} has {len(twice)} samples more than once ({shown(twice)}): keep one"
        )
    lacking = list(views.index[~views.index.isin(values.index)])
    if lacking:
        raise ValueError(
            f"{what} lacks {len(lacking)} of {len(views)} samples ({shown(lacking)}; "
            f"it has {shown(list(values.index))}): its index has to hold the ids of "
            "the samples"
        )
    return values.loc[views.index]


def _by_position(views: Views, y: Any) -> Views:
    if len(y) != len(views):
        raise ValueError(
            f"y has {len(y)} targets, and the tables have {len(views)} samples: pass "
            "a Series whose index holds the ids of the samples"
        )
    if not views._in_order:
        raise ValueError(
            "the tables do not have the same samples in the same order, and y has no "
            "index: pass a Series whose index holds the ids of the samples"
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
