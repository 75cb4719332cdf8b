"""Which columns of a view matter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.metrics import get_scorer
from sklearn.utils import _safe_indexing

from ..checks import count
from ..evaluation.groups import check_groups
from ..evaluation.splits import make_splits
from ..inputs.matrices import is_given
from ..problem import Array
from ..reporting import reporter
from ..targets import refuse_missing
from ..views import one_table, view_of

if TYPE_CHECKING:
    import pandas as pd

# A step of so many standard deviations tells a derivative, and is exact for linear
# kernels.
STEP = 1e-3


def feature_importance(
    model: Any,
    X: Any,
    y: Any,
    *,
    view: str | None = None,
    groups: Any = None,
    cv: int = 5,
    n_repeats: int = 5,
    scoring: str | None = None,
    random_state: int | None = 0,
) -> pd.DataFrame:
    """What the columns of a view are good for, in samples that were left out.

    The model is fitted anew in each of `cv` folds. Of the samples left out

    - slope: the mean derivative of the prediction along the column, times the standard
      deviation of the column. For linear kernels the prediction is a line and this is
      its coefficient, exactly; for others it is the mean of what differs from sample
      to sample, and a column that raises some and lowers others may have a slope of
      zero;
    - lost: what the score loses if the column is permuted, mean of `n_repeats`, with
      `lost_low` and `lost_high` the least and the largest of them.

    Parameters
    ----------
    model : fitted estimator of kernelweave
    X : DataFrame or array (n, d)
        Of numbers, where slopes are wanted; permuting takes columns of any kind.
    y : array-like (n,)
    view : str, optional
        The view whose columns are looked at; all columns by default.
    groups : array-like (n,), optional
        Samples of the same group are left out together.
    cv, n_repeats : int
    scoring : str, optional
        A name of scikit-learn; accuracy or R² by default.
    random_state : int, optional

    Returns
    -------
    DataFrame
        A row a column, what is lost most first; columns lost, lost_low, lost_high,
        and slope, of a number or of the second of two classes. With more classes there
        is one slope a class, "slope of ...".

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from kernelweave import MKLRidge
    >>> from kernelweave.kernels import Linear
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> model = MKLRidge([Linear(name="all")]).fit(X, y)
    >>> feature_importance(model, X, y).index[0] in ("s5", "bmi", "s1")
    True
    """
    import pandas as pd

    if is_given(model):
        raise ValueError(
            "ready-made Gram matrices have no columns: use view_importance, or kernels "
            "of a table"
        )
    count("n_repeats", n_repeats)
    model, X, y, groups = one_table(model, X, y, groups)
    refuse_missing(y)
    y = np.asarray(y)
    frame = X if hasattr(X, "columns") else pd.DataFrame(np.asarray(X))
    columns = _columns_of(model, frame, view)
    scorer = get_scorer(scoring or ("accuracy" if is_classifier(model) else "r2"))
    rng = np.random.default_rng(random_state)
    group = None if groups is None else check_groups(groups, len(y))
    splits = make_splits(model, y, group, cv, 1, random_state)
    lost = np.zeros((len(columns), n_repeats))
    slopes: list[Array] = []
    with reporter() as report:
        for s, (train, test) in enumerate(splits):
            fitted = clone(model).fit(_as(X, frame, train), y[train])
            rows = frame.iloc[test]
            score = scorer(fitted, _like(X, rows), y[test])
            slopes.append(
                np.stack([_slope(fitted, X, rows, frame, c) for c in columns])
            )
            share = len(test) / len(y)
            for c, column in enumerate(columns):
                for r in range(n_repeats):
                    mixed = rows.copy()
                    values = rng.permutation(rows[column].to_numpy())
                    mixed[column] = pd.Series(values, rows.index, rows[column].dtype)
                    change = score - scorer(fitted, _like(X, mixed), y[test])
                    lost[c, r] += share * change
            report(s + 1, len(splits), "importance of columns")
    answer = pd.DataFrame(
        {
            "lost": lost.mean(axis=1),
            "lost_low": lost.min(axis=1),
            "lost_high": lost.max(axis=1),
        },
        index=pd.Index(columns, name="column"),
    )
    for name, values in _named(model, np.mean(slopes, axis=0)).items():
        answer[name] = values
    return answer.sort_values("lost", ascending=False, kind="stable")


def _columns_of(model: Any, frame: Any, view: str | None) -> list[Any]:
    """The columns that the kernels of a view look at."""
    names = [view_of(str(name)) for name in model.kernel_names_]
    if view is not None and view not in names:
        raise ValueError(
            f"there is no view {view!r}; there are {', '.join(dict.fromkeys(names))}"
        )
    used: set[int] = set()
    for kernel, name in zip(model.kernels_, names, strict=True):
        if view is None or name == view:
            chosen = getattr(kernel, "columns_", None)
            numbers = range(frame.shape[1]) if chosen is None else chosen
            used |= {int(j) for j in np.arange(frame.shape[1])[numbers]}
    return [frame.columns[j] for j in sorted(used)]


def _as(X: Any, frame: Any, rows: Array) -> Any:
    return _safe_indexing(X, rows) if X is not frame else frame.iloc[rows]


def _like(X: Any, rows: Any) -> Any:
    """Rows of the frame as X had them."""
    return rows if hasattr(X, "columns") else rows.to_numpy()


def _f(model: Any, X: Any) -> Array:
    """Numbers, or log-odds, or decision values of classes, (m, k)."""
    f = model.decision_function(X) if is_classifier(model) else model.predict(X)
    return np.asarray(f, dtype=float).reshape(len(f), -1)


def _slope(model: Any, X: Any, rows: Any, frame: Any, column: Any) -> Array:
    """Mean derivative along a column times its standard deviation; NaN for text."""
    values = rows[column]
    if values.dtype.kind not in "fiu":
        return np.full(_f(model, _like(X, rows.iloc[:1])).shape[1], np.nan)
    spread = float(np.nanstd(frame[column].to_numpy(dtype=float)))
    if spread == 0:
        return np.zeros(_f(model, _like(X, rows.iloc[:1])).shape[1])
    ends = []
    for sign in (1, -1):
        moved = rows.copy()
        moved[column] = values.astype(float) + sign * STEP * spread
        ends.append(_f(model, _like(X, moved)))
    return np.mean(ends[0] - ends[1], axis=0) / (2 * STEP)


def _named(model: Any, slopes: Array) -> dict[str, Array]:
    if slopes.shape[1] == 1:
        return {"slope": slopes[:, 0]}
    names = model.classes_ if is_classifier(model) else range(slopes.shape[1])
    return {f"slope of {name}": slopes[:, k] for k, name in enumerate(names)}
