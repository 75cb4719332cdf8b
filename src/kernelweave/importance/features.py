"""Which columns of a view matter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.metrics import get_scorer
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing

from ..checks import count
from ..estimators.access import fit_knowing_groups
from ..evaluation.concordance import is_survival
from ..evaluation.splits import make_splits
from ..extras import require
from ..inputs.matrices import is_given
from ..problem import Array
from ..reporting import reporter
from ..selection.groups import check_groups
from ..survival import survival_array, survival_target
from ..targets import refuse_missing
from ..views import one_table, view_of
from ..views.one_table import kernel_estimator
from .engines import check_predicts

if TYPE_CHECKING:
    import pandas as pd

# Derivatives are differences over steps of this many standard deviations, exact for
# linear kernels.
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
    model : fitted estimator of kernelweave, or a Pipeline that ends in one
    X : DataFrame or array (n, d)
        Of numbers, where slopes are wanted; permuting takes columns of any kind.
    y : array-like (n,)
    view : str, optional
        The view whose columns are looked at; all columns by default. Behind the other
        steps of a Pipeline columns may have become others: there it must be None.
    groups : array-like (n,), optional
        Samples of the same group are left out together.
    cv, n_repeats : int
    scoring : str, optional
        A name of scikit-learn; accuracy, R² or the concordance by default.
    random_state : int, optional

    Returns
    -------
    DataFrame
        A row a column, what is lost most first; columns lost, lost_low, lost_high,
        and slope, of a number or of the second of two classes. With more classes there
        is one slope a class, "slope of ...". `frame.attrs` has the score of left-out
        samples (`score`), what score it is (`score_name`) and the number of `splits`.

    Notes
    -----
    It costs `cv` fits, and for each column 2 + n_repeats predictions of all samples:
    look at one view at a time where there are thousands of columns.

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
    require("pandas", "feature_importance")
    import pandas as pd

    core = kernel_estimator(model)
    check_predicts(core)
    if is_given(core):
        raise ValueError(
            "ready-made Gram matrices have no columns: use view_importance, or kernels "
            "of a table"
        )
    count("n_repeats", n_repeats)
    model, X, y, groups = one_table(model, X, y, groups)
    if is_survival(core):
        y = survival_array(*survival_target(y))
    refuse_missing(y)
    y = np.asarray(y)
    frame = X if hasattr(X, "columns") else pd.DataFrame(np.asarray(X))
    columns = _columns_of(model, frame, view)
    name, scorer = _scorer(core, scoring)
    rng = np.random.default_rng(random_state)
    group = None if groups is None else check_groups(groups, len(y))
    truth = np.array(y.tolist()) if is_survival(core) else y
    splits = make_splits(model, truth, group, cv, 1, random_state)
    lost, whole = np.zeros((len(columns), n_repeats)), 0.0
    slopes: list[Array] = []
    with reporter() as report:
        for s, (train, test) in enumerate(splits):
            among = None if group is None else group[train]
            table = _safe_indexing(X, train)
            fitted = fit_knowing_groups(clone(model), table, y[train], among)
            rows = frame.iloc[test]
            score = scorer(fitted, _like(X, rows), y[test])
            share = len(test) / len(y)
            whole += share * score
            found = []
            for c, column in enumerate(columns):
                found.append(_slope(fitted, X, rows, frame, column))
                for r in range(n_repeats):
                    mixed = rows.copy()
                    values = rng.permutation(rows[column].to_numpy())
                    mixed[column] = pd.Series(values, rows.index, rows[column].dtype)
                    change = score - scorer(fitted, _like(X, mixed), y[test])
                    lost[c, r] += share * change
                done = s * len(columns) + c + 1
                report(done, len(splits) * len(columns), "importance of columns")
            slopes.append(np.stack(found))
    answer = pd.DataFrame(
        {
            "lost": lost.mean(axis=1),
            "lost_low": lost.min(axis=1),
            "lost_high": lost.max(axis=1),
        },
        index=pd.Index(columns, name="column"),
    )
    for label, values in _named(core, np.mean(slopes, axis=0)).items():
        answer[label] = values
    answer = answer.sort_values("lost", ascending=False, kind="stable")
    answer.attrs = {"score": whole, "score_name": name, "splits": len(splits)}
    return answer


def _scorer(model: Any, scoring: str | None) -> tuple[str, Any]:
    """A score in words, and as a function of a model, rows and targets."""
    if scoring is None and is_survival(model):
        return "concordance", lambda fitted, X, y: fitted.score(X, y)
    if scoring is None:
        scoring = "accuracy" if is_classifier(model) else "r2"
    words = {"r2": "R²"}.get(scoring, scoring.replace("_", " "))
    return words, get_scorer(scoring)


def _columns_of(model: Any, frame: Any, view: str | None) -> list[Any]:
    """The columns that the kernels of a view look at."""
    if isinstance(model, Pipeline) and len(model.steps) > 1:
        if view is not None:
            raise ValueError(
                f"which columns of X the view {view!r} has is not known behind "
                f"{model.steps[0][0]!r}: leave view out, or fit "
                f"{type(model.steps[-1][1]).__name__} to the transformed table"
            )
        return list(frame.columns)
    model = model.steps[-1][1] if isinstance(model, Pipeline) else model
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
