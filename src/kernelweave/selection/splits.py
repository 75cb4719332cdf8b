"""Scores of every (set of weights, α or C) of a grid, split by split."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils import _safe_indexing

from ..problem import Array, WeightSet
from ..reporting import reporter
from ..solution import uninterrupted
from ..targets import refuse_missing
from .groups import group_splits
from .warm_start import WarmStart

# From parameters of an estimator to one that is fitted with them.
Fit = Callable[..., Any]


def cross_validated_grid(
    prepare: Callable[..., Fit],
    X: Any,
    y: Any,
    sets: Sequence[WeightSet],
    values: Sequence[float],
    *,
    parameter: str,
    order: tuple[Array, Array],
    solver: Any,
    cv: Any,
    classes: bool,
    given: bool,
    score: Callable[[Any, Any, Any], float],
    sample_weight: Any = None,
    settled: Callable[[Any], bool] | None = None,
    report: Callable[[int, int, float, float], None] | None = None,
) -> tuple[Array, Array, Array]:
    """Scores of every (split, set of weights, value), along warm-started paths.

    Everything is learned from the training rows of the split alone: kernel widths,
    centring, scaling, weights and coefficients. Its Gram matrices are computed once.

    Parameters
    ----------
    prepare : callable
        prepare(X, y, ..., new=m) has what `fit` has of an estimator, and how many rows
        will be predicted. It makes the Gram matrices of these rows, and returns what
        fits the estimator to them with other parameters weights, solver and
        `parameter`.
    X, y
        As in its `fit`.
    sets : sequence of weight sets
    values : sequence of float
        Of the parameter: alpha, or C.
    parameter : str
    order : two arrays of int
        The ways through the sets and through the values, from dense weights to sparse
        ones and from strong regularisation to weak.
    solver : Solver or None
        What is started from the neighbours on the grid.
    cv : int, splitter or iterable of (train, test)
        PredefinedSplit gives a validation set.
    classes : bool
        Whether y holds classes, of which every split gets its share.
    given : bool
        Whether X holds Gram matrices (p, n, n).
    score : callable(estimator, X, y) -> float
        Larger is better.
    sample_weight : ndarray (n,), optional
    settled : callable(estimator) -> bool, optional
        Whether the values that follow would leave a fitted estimator as it is. They are
        then given its score without another fit.
    report : callable(i, j, score, seconds), optional
        Called after every fit, with its place in sets and values.

    Returns
    -------
    scores, gaps, seconds : ndarrays (n_splits, n_sets, n_values)
    """
    refuse_missing(y)
    n = len(y)
    splitter = check_cv(cv, y, classifier=classes)
    try:
        splits = list(splitter.split(np.zeros((n, 1)) if given else X, y))
    except ValueError as error:
        if "'groups'" not in str(error):
            raise
        raise ValueError(
            f"cv={cv!r} asks for the group of every row: pass fit(X, y, groups=...)"
        ) from error
    if not splits:
        raise ValueError(f"cv={cv!r} has no splits: give a number of folds, such as 5")
    scores, gaps, seconds = np.empty((3, len(splits), len(sets), len(values)))
    for split, (train, test) in enumerate(splits):
        rows, new = _part(X, train, train, given), _part(X, test, train, given)
        y_train, y_test = _safe_indexing(y, train), _safe_indexing(y, test)
        extra = () if sample_weight is None else (sample_weight[train],)
        began = time.perf_counter()
        try:
            fit = prepare(rows, y_train, *extra, new=len(test))
        except ValueError as error:
            raise ValueError(
                f"the {len(train)} training rows of split {split + 1} of {len(splits)} "
                f"cannot be learned from: {error}"
            ) from error
        warm = WarmStart(solver)
        for a, i in enumerate(order[0]):
            model, found = None, np.nan
            for b, j in enumerate(order[1]):
                warm.at = (a, b)
                with reporter() as tell:
                    if model is not None and settled is not None and settled(model):
                        warm.repeat((a, b - 1))
                    else:
                        value = {parameter: values[j]}
                        model = fit(weights=sets[i], solver=warm, **value)
                        uninterrupted(model.solution_)
                        found = score(model, new, y_test)
                gap = model.solution_.certificate.relative_gap
                scores[split, i, j], gaps[split, i, j] = found, gap
                seconds[split, i, j] = time.perf_counter() - began
                done = seconds[:split].size + a * len(values) + b + 1
                tell(done, seconds.size, f"split {split + 1} of {len(splits)}")
                if report is not None:
                    report(i, j, scores[split, i, j], seconds[split, i, j])
                began = time.perf_counter()
    return scores, gaps, seconds


def splits_of(cv: Any, y: Any, groups: Any = None, classes: bool = False) -> Any:
    """Folds of whole groups, and with their share of the events, if y has such.

    Without groups, and without events, `cv` comes back as it is.
    """
    if groups is not None:
        return group_splits(cv, y, groups, classes)
    if not isinstance(cv, Integral) or getattr(y, "dtype", None) is None:
        return cv
    if not y.dtype.names:
        return cv
    event = y["event"]
    if np.sum(event) < cv:
        raise ValueError(
            f"cv={cv} folds need an event each, and y has {int(np.sum(event))}: use "
            "fewer folds, or cv=None"
        )
    return list(StratifiedKFold(int(cv)).split(np.zeros((len(y), 1)), event))


def _part(X: Any, rows: Array, columns: Array, given: bool) -> Any:
    """The rows of a table, or of a stack of Gram matrices against `columns`."""
    if given:
        return np.stack([np.asarray(K)[np.ix_(rows, columns)] for K in X])
    return _safe_indexing(X, rows)
