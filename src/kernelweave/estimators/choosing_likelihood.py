"""Norm and alpha (or C) of the likelihoods, by left-out samples or by folds."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import partial
from typing import Any

import numpy as np
from sklearn.metrics import check_scoring
from sklearn.utils.validation import _num_samples

from ..fitted.grams import GramData
from ..fitted.model import FittedModel
from ..losses.left_out import LeftOutFit, left_out_fit
from ..problem import Array
from ..selection.choice import keep_choice, warn_of_gaps
from ..selection.grid import GRID_TOL, GridPoint
from ..selection.likelihood_grid import likelihood_grid
from ..threads import blas_threads
from .choosing import by_splits, grid_of
from .learning import warn_of_constant
from .likelihood import Outcome
from .weighing import sample_weights

# The score of a left-out fit, if none was asked for.
Score = Callable[[LeftOutFit, Outcome], float]


def explained(fit: LeftOutFit, outcome: Outcome) -> float:
    """D², the share of the loss of a constant model that is explained."""
    return fit.explained


def fit_best(
    model: Any,
    plain: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    groups: Any,
    scoring: Any,
    score: Score | None = explained,
) -> Any:
    """Choose norm and alpha, or C, and fit there to all samples.

    Sets norm_, alpha_ or C_, best_score_, best_index_ and cv_results_.

    Parameters
    ----------
    plain : estimator
        That of one point of the grid.
    groups : array-like (n,), optional
        With them the choice is by splits that leave whole groups out.
    scoring : str, callable or None
        The score of splits.
    score : callable, optional
        That of samples left out one by one, where nothing else was asked for; without
        it the choice is by splits, always.
    """
    data, outcome = model._begin(X, y, sample_weight)
    if model.cv is None and score is not None and groups is None:
        _choose_by_newton(model, data, outcome, score)
    else:
        _choose_by_folds(model, plain, X, y, sample_weight, groups, scoring)
    return model._fit_data(data, outcome)


def _choose_by_newton(
    model: Any, data: GramData, outcome: Outcome, score: Score
) -> None:
    """Choose by what the last Newton step says of samples left out: sets left_out_."""
    left_out: dict[tuple[float, float], Array] = {}
    scorer = _scorer_of_left_out(model, outcome)

    keep = data.alive
    if not keep.all():
        warn_of_constant(data)

    def look(point: GridPoint) -> tuple[float, Array]:
        theta, solution = np.zeros(len(keep)), point.solution
        theta[keep] = solution.weights
        loss = outcome.loss(1 / point.lam)
        fit = left_out_fit(loss, data.stack.combine(theta), solution.A, solution.bias)
        left_out[point.norm, point.lam] = fit.u
        found = scorer(fit.u) if scorer else score(fit, outcome)
        # In the same units at every alpha.
        return found, fit.losses * point.lam

    grid, tol = grid_of(model), max(model.tol, GRID_TOL)
    walk = partial(
        likelihood_grid,
        data.stack.subset(keep),
        outcome.loss,
        grid.norms,
        solver=model.solver,
        tol=tol,
        max_iter=model.max_iter,
        look=look,
        report=grid.report,
    )
    asked = len(grid.alphas)
    with blas_threads(data.stack.n):
        points = walk(grid.alphas)
        choice = grid.best_of(points, keep)
        while (more := grid.next_beyond(choice.alpha, asked)) is not None:
            grid, points = grid.with_points(points, more, walk([more]))
            choice = grid.best_of(points, keep)
    warn_of_gaps(choice.results["relative_gap"], tol, "leave out the smallest alphas")
    u = left_out[choice.norm, choice.alpha]
    model.left_out_ = u[:, 0] if u.shape[1] == 1 else u
    keep_choice(model, choice)


def _choose_by_folds(
    model: Any,
    plain: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    groups: Any,
    scoring: Any,
) -> None:
    score = check_scoring(plain, scoring)
    # GridSearchCV's default, where nothing was said, of two rows each at least: R² of
    # one is not a number.
    cv = model.cv
    if cv is None and groups is None:
        cv = max(2, min(5, _num_samples(y) // 2))
    if sample_weight is not None:
        sample_weight = sample_weights(sample_weight, None, _num_samples(y))
    rows = model._read(X, y)
    weights = sample_weight, groups
    keep_choice(model, by_splits(model, plain, rows, score, cv, *weights, widen=True))


def _as_it_is(model: Any, X: Any) -> Any:
    return X


def _scorer_of_left_out(
    model: Any, outcome: Outcome
) -> Callable[[Array], float] | None:
    """From left-out values (n, k) to the score that `scoring` asks for; or None."""
    if model.scoring is None:
        return None
    given = copy(model)
    # A model whose rows are fitted values already.
    given._fitted = FittedModel(_as_it_is, np.asarray, outcome.head)  # type: ignore[arg-type]
    scorer = check_scoring(given, model.scoring)
    return lambda u: float(scorer(given, u, outcome.y))
