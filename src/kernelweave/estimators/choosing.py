"""Norm and alpha of an estimator with the square loss, chosen by left-out rows."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import indexable

from ..fitted.features import FeatureData, TrainingData
from ..fitted.grams import GramData
from ..fitted.repeated import repeated
from ..inputs.matrices import is_given
from ..inputs.rows import Rows
from ..problem import Array, WeightSet
from ..selection.choice import Choice, Grid, split_results, warn_of_gaps
from ..selection.grid import GRID_TOL, NORMS, GridPoint, grid
from ..selection.splits import cross_validated_grid, splits_of
from ..streamed.held_out import Predicted
from ..weights import Fixed, LpBall
from .learning import warn_of_constant
from .weighing import sample_weights


def grid_of(model: Any) -> Grid:
    """The grid that the parameters of a model describe."""

    def report(norm: float, alpha: float, score: float, seconds: float) -> None:
        print(
            f"norm {norm:9.6g}  alpha {alpha:9.3g}  score {score:8.4f}"
            f"  {seconds:6.2f} s",
            file=sys.stderr,
            flush=True,
        )

    by_C = hasattr(model, "Cs")
    values = [float(value) for value in np.ravel(model.Cs if by_C else model.alphas)]
    return Grid(
        [float(p) for p in np.ravel(NORMS if model.norms is None else model.norms)],
        [1 / C for C in values] if by_C else values,
        model.scoring,
        report if model.verbose else None,
        "C" if by_C else "alpha",
    )


def by_left_out(
    model: Any,
    data: TrainingData,
    H: Array | None,
    score: Callable[[Any], float] | None = None,
) -> Choice:
    """Choose by samples that are left out one by one, or in folds where rows are sums.

    `score` has the left-out predictions, (n, k) or `Predicted`; None is their R².
    """
    keep, look = data.alive, None if score is None else partial(_look_at_rows, score)
    if not keep.all():
        warn_of_constant(data)
    if isinstance(data, FeatureData):
        H, look = data.reduced.H, _look_at_folds(data, score)
    assert H is not None
    asked, tol = grid_of(model), max(model.tol, GRID_TOL)
    points = grid(
        data.stack if keep.all() else data.stack.subset(keep),
        H,
        asked.norms,
        asked.alphas,
        intercept=data.center,
        v=data.v,
        solver=model.solver,
        tol=tol,
        max_iter=model.max_iter,
        one_out=isinstance(data, GramData),
        look=look,
        report=asked.report,
    )
    choice = asked.best_of(points, keep)
    warn_of_gaps(choice.results["relative_gap"], tol, "leave out the smallest alphas")
    return choice


def _look_at_rows(score: Callable[[Any], float], point: GridPoint) -> Any:
    """Score and errors of a point where every row is left out alone."""
    return score(point.left_out), point.errors


def _look_at_folds(
    data: FeatureData, score: Callable[[Predicted], float] | None
) -> Callable[[GridPoint], tuple[float, Array]]:
    """Score and errors of a point where the rows of a fold are left out together.

    R² is that of all rows, from their sums; another score is that of the sample.
    """
    rows, keep = None, data.alive
    if score is not None:
        sample = data.sums.sample
        rows = data.sums.map(sample.X), sample.numbers
    held_out = data.held_out(rows)
    total = float(np.sum(data.reduced.H**2)) or 1.0

    def look(point: GridPoint) -> tuple[float, Array]:
        theta = np.zeros(len(keep))
        theta[keep] = point.solution.weights
        found = held_out(theta, point.lam)
        errors = found.errors
        return score(found) if score else 1 - np.sum(errors) / total, errors

    return look


def by_splits(
    model: Any,
    plain: Any,
    rows: Rows,
    score: Callable[[Any, Any, Any], float],
    cv: Any,
    sample_weight: Any = None,
    groups: Any = None,
    *,
    average: bool = False,
    widen: bool = False,
) -> Choice:
    """`plain` is the estimator of one point, `score` that of it and of new rows.

    All new rows count alike, whatever they weigh. No split takes one of the groups
    apart. `average`: whether all weights are to be equal. `widen`: whether to go on
    beyond an end of the alphas at which the best stands.
    """
    asked = grid_of(model)
    if average:
        asked = replace(asked, norms=[np.inf])
    points = asked
    adopt(plain, model)
    X, y = divisible(rows, plain)
    if sample_weight is not None:
        sample_weight = sample_weights(sample_weight, None, len(y))
    cv = splits_of(cv, y, groups, bool(plain._classes))
    parts = [_part_by_splits(model, plain, X, y, score, sample_weight, points, cv)]
    while True:
        joined = (np.concatenate(part, axis=2) for part in zip(*parts, strict=True))
        order = np.argsort(points.alphas) if len(parts) > 1 else slice(None)
        points = replace(points, alphas=list(np.array(points.alphas)[order]))
        scores, gaps, seconds = (part[:, :, order] for part in joined)
        mean = scores.mean(axis=0)
        choice = points.choose(
            scores, gaps.max(axis=0), seconds.sum(axis=0), mean == np.max(mean)
        )
        more = points.next_beyond(choice.alpha, len(asked.alphas)) if widen else None
        if more is None:
            break
        one = replace(points, alphas=[more])
        new = _part_by_splits(model, plain, X, y, score, sample_weight, one, cv)
        parts = [(scores, gaps, seconds), new]
        points = replace(points, alphas=[*points.alphas, more])
    warn_of_gaps(gaps, max(model.tol, GRID_TOL), "leave out the smallest alphas")
    choice.results.update(split_results(scores))
    return choice


def _part_by_splits(
    model: Any,
    plain: Any,
    X: Any,
    y: Any,
    score: Callable[[Any, Any, Any], float],
    sample_weight: Any,
    points: Grid,
    cv: Any,
) -> tuple[Array, Array, Array]:
    """Scores, gaps and seconds (n_splits, n_norms, n_alphas) of the points."""
    alphas = np.array(points.alphas)

    def report(i: int, j: int, score: float, seconds: float) -> None:
        if points.report is not None:
            points.report(points.norms[i], points.alphas[j], score, seconds)

    with warnings.catch_warnings():
        # What a corner of the grid does badly shows in its score and its gap.
        warnings.simplefilter("ignore", UserWarning)
        return cross_validated_grid(
            preparing(plain),
            X,
            y,
            [LpBall(norm) for norm in points.norms],
            list(1 / alphas if points.parameter == "C" else alphas),
            parameter=points.parameter,
            order=(np.argsort(points.norms)[::-1], np.argsort(alphas)[::-1]),
            solver=model.solver,
            cv=cv,
            classes=bool(plain._classes),
            given=is_given(model),
            score=score,
            sample_weight=sample_weight,
            report=report,
        )


def adopt(plain: Any, model: Any, tol: float = GRID_TOL) -> None:
    """Give an estimator of one point the parameters that it shares with a model.

    `tol` is the relative gap at which a point of the grid is good enough.
    """
    mine = model.get_params(deep=False)
    shared = {name: mine[name] for name in plain.get_params(deep=False) if name in mine}
    plain.set_params(**shared | {"tol": max(model.tol, tol), "verbose": 0})


def preparing(plain: Any) -> Callable[..., Callable[..., Any]]:
    """What `cross_validated_grid` asks: rows prepared once, fitted many times."""

    def prepare(*rows: Any, new: int) -> Callable[..., Any]:
        model = clone(plain)
        data, *rest = model._begin(*rows)
        data = repeated(data, new)

        def fit(**parameters: Any) -> Any:
            return copy(model).set_params(**parameters)._fit_data(data, *rest)

        return fit

    return prepare


def chosen_weights(model: Any) -> WeightSet:
    """The set in which a fitted model that chooses learned its weights."""
    found = vars(model).get("descent_")
    return LpBall(model.norm_) if found is None else Fixed(found.theta)


def divisible(rows: Rows, plain: Any) -> tuple[Any, Any]:
    """X and y as `fit` takes them, of which rows can be taken.

    A table stays what it is otherwise: its names and types choose columns, and every
    training part makes numbers of it anew. Several tables become one; `plain`, which
    will be fitted to the parts, gets the kernels that suit them.
    """
    if rows.table is None:
        return rows.X, rows.y
    if rows.kernels is not None:
        plain.set_params(kernels=rows.kernels)
    return indexable(rows.table)[0], rows.y
