"""How sparse to be: every (norm p, λ) of a grid, along warm-started paths.

At one point of the grid the weights solve

    min_{‖θ‖_p ≤ 1} max_A  g_λ(A) − ½ Σ_j θ_j s_j(A),    s_j(A) = tr(AᵀK_jA),

and at the optimum θ is the maximiser for s. Norms go from large to small and, within
a norm, λ from large to small. With p₊ the norm and λ₊ the regularisation before,

    s(p, λ) ≈ s(p, λ₊)·s(p₊, λ) / s(p₊, λ₊)

predicts s, and with it θ, so that two inner solves a point are enough on average. For
the square loss the factor of the last one also gives every left-out prediction.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing

from .arrays import filled
from .grams.base import GramStack
from .grams.normalise import is_centred
from .losses import Square
from .losses.quadratic import QuadraticMaximum, leave_one_out
from .problem import Array, Problem, Solver, WeightSet
from .reporting import reporter
from .solution import Solution, uninterrupted
from .solve import solve
from .targets import refuse_missing
from .walk import Walk, way_through
from .weights import LpBall

# Yan et al. 2012, §3: from sparse to practically uniform weights.
NORMS = (1, *(1 + 2.0**-k for k in range(6, 0, -1)), 2, 3, 4, 8, 1e6)

# λ for kernels of implied variance one, as there.
ALPHAS = tuple(4.0**k for k in range(-5, 5))

# The relative gap of a grid point: the scores of its exact and of its computed weights
# differ by far less than either differs from the score of new data.
GRID_TOL = 1e-4


@dataclass(frozen=True)
class GridPoint:
    """One (norm, λ): where it stands on the grid, and its solution.

    The weights minimise F over ‖θ‖_p ≤ 1. `inner_solves` counts the calls of the loss's
    `inner`, each of them one factorisation, of which `best` is the last that paid, or
    None; `left_out` (n, k) are predictions of samples left out, or None.
    """

    index: tuple[int, int]
    norm: float
    lam: float
    solution: Solution
    inner_solves: int
    seconds: float
    best: QuadraticMaximum | None = None
    left_out: Array | None = None


@dataclass(eq=False, repr=False)
class _Remembering(Square):
    """The square loss, which counts its factorisations and keeps the best one's."""

    def __post_init__(self):
        self.count = 0
        self.best: QuadraticMaximum | None = None

    def maximum(self, K: Array) -> QuadraticMaximum:
        found = super().maximum(K)
        self.count += 1
        if self.best is None or found.value < self.best.value:
            self.best = found
        return found


def leave_one_out_grid(
    gram: GramStack,
    H: Array,
    norms: Sequence[float],
    lams: Sequence[float],
    *,
    intercept: bool = True,
    solver: Solver | None = None,
    tol: float = GRID_TOL,
    max_iter: int = 200,
) -> Iterator[GridPoint]:
    """Weights and left-out predictions of every (norm, λ), for the square loss.

    With A the coefficients at the weights θ that all samples chose, and
    B = [[λI + K(θ), 1], [1ᵀ, 0]],

        f_{−i}(x_i) = h_i − A_i/[B⁻¹]_ii

    is exactly what refitting A without sample i predicts for it, at these θ; without an
    intercept B has no border, unless K(θ)1 = 0 (see `losses.quadratic.leave_one_out`).
    It is not what learning all again without it would predict: the weights, and the
    scaling of the kernels, have seen sample i. Of p numbers learned from n ≫ p samples
    little is due to one of them, so the values compare points of the grid well; but the
    smaller p (the norm) and the more kernels, the more the weights adapt to the
    samples, and the more the estimate flatters. For an honest figure of the
    chosen model use rows that took no part.

    Parameters
    ----------
    gram : GramStack
        K_1..K_p on n samples, centred and scaled.
    H : ndarray (n, k)
        Targets.
    norms : sequence of float
        Each at least 1; np.inf is allowed.
    lams : sequence of float
    intercept : bool
    solver : Solver, default Newton()
    tol : float
        Relative duality gap of every point.
    max_iter : int
        For each point.

    Yields
    ------
    GridPoint
        With `left_out` (n, k), in the order in which the grid is walked. `index`
        gives the place in norms and lams.
    """
    # 1ᵀK_j1
    totals = None if intercept else gram.quadratic(filled((gram.n, 1), H, 1.0))
    for point in grid(
        gram,
        H,
        norms,
        lams,
        intercept=intercept,
        solver=solver,
        tol=tol,
        max_iter=max_iter,
    ):
        began = time.perf_counter()
        assert point.best is not None
        theta = point.solution.weights
        if totals is not None and is_centred(theta @ totals, theta @ gram.traces):
            d = filled(gram.n, H, float(point.lam))
            K = gram.combine(theta)
            left_out = H - leave_one_out(K, d, point.solution.A, intercept)
        else:
            left_out = H - point.best.leave_one_out()
        seconds = point.seconds + time.perf_counter() - began
        yield replace(point, best=None, left_out=left_out, seconds=seconds)


def grid(
    gram: GramStack,
    H: Array,
    norms: Sequence[float],
    lams: Sequence[float],
    *,
    intercept: bool,
    solver: Solver | None,
    tol: float,
    max_iter: int,
) -> Iterator[GridPoint]:
    """The weights of every (norm, λ), for the square loss, with the last factor.

    Parameters and order are those of `leave_one_out_grid`.
    """
    walk = Walk(solver)
    for at, (i, norm), (j, lam) in way_through(norms, lams):
        began = time.perf_counter()
        walk.at = at
        loss = _Remembering(H, lam, intercept)
        problem = Problem(gram, loss, LpBall(norm))
        with reporter() as tell:
            solution = uninterrupted(solve(problem, walk, tol, max_iter=max_iter))
        done = at[0] * len(lams) + at[1] + 1
        tell(done, len(norms) * len(lams), "choosing norm and alpha")
        seconds = time.perf_counter() - began
        yield GridPoint((i, j), norm, lam, solution, loss.count, seconds, loss.best)


def cross_validated_grid(
    estimator: Any,
    X: Any,
    y: Any,
    sets: Sequence[WeightSet],
    values: Sequence[float],
    *,
    parameter: str,
    order: tuple[Array, Array],
    cv: Any,
    score: Callable[[Any, Any, Any], float],
    sample_weight: Any = None,
    report: Callable[[int, int, float, float], None] | None = None,
) -> tuple[Array, Array, Array]:
    """Scores of every (split, set of weights, value), along warm-started paths.

    Everything is learned from the training rows of the split alone: kernel widths,
    centring, scaling, weights and coefficients. Its Gram matrices are computed once.

    Parameters
    ----------
    estimator : estimator with parameters weights, solver and `parameter`
    X, y
        As in its `fit`.
    sets : sequence of weight sets
    values : sequence of float
        Of the parameter: alpha, or C.
    parameter : str
    order : two arrays of int
        The ways through the sets and through the values, from dense weights to sparse
        ones and from strong regularisation to weak.
    cv : int, splitter or iterable of (train, test)
        PredefinedSplit gives a validation set.
    score : callable(estimator, X, y) -> float
        Larger is better.
    sample_weight : ndarray (n,), optional
    report : callable(i, j, score, seconds), optional
        Called after every fit, with its place in sets and values.

    Returns
    -------
    scores, gaps, seconds : ndarrays (n_splits, n_sets, n_values)

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from kernelweave import MKLRidge
    >>> X, y = load_diabetes(return_X_y=True)
    >>> in_order = np.arange(2)
    >>> scores, _, _ = cross_validated_grid(
    ...     MKLRidge(), X[:150], y[:150], [LpBall(2), LpBall(1)], [10.0, 1.0], cv=3,
    ...     parameter="alpha", order=(in_order, in_order), score=MKLRidge.score)
    >>> scores.shape
    (3, 2, 2)
    """
    refuse_missing(y)
    given = isinstance(estimator.kernels, str)
    n = len(y)
    splitter = check_cv(cv, y, classifier=is_classifier(estimator))
    splits = list(splitter.split(np.zeros((n, 1)) if given else X, y))
    if not splits:
        raise ValueError(f"cv={cv!r} has no splits: give a number of folds, such as 5")
    scores, gaps, seconds = np.empty((3, len(splits), len(sets), len(values)))
    for split, (train, test) in enumerate(splits):
        rows, new = _part(X, train, train, given), _part(X, test, train, given)
        y_train, y_test = _safe_indexing(y, train), _safe_indexing(y, test)
        extra = () if sample_weight is None else (sample_weight[train],)
        began = time.perf_counter()
        prepared = clone(estimator)
        try:
            problem = prepared._begin(rows, y_train, *extra)
        except ValueError as error:
            raise ValueError(
                f"the {len(train)} training rows of split {split + 1} of {len(splits)} "
                f"cannot be learned from: {error}"
            ) from error
        walk = Walk(estimator.solver)
        for a, i in enumerate(order[0]):
            for b, j in enumerate(order[1]):
                walk.at = (a, b)
                model = copy(prepared).set_params(
                    weights=sets[i], solver=walk, **{parameter: values[j]}
                )
                with reporter() as tell:
                    model._fit_stack(*problem)
                uninterrupted(model.solution_)
                scores[split, i, j] = score(model, new, y_test)
                gaps[split, i, j] = model.solution_.certificate.relative_gap
                seconds[split, i, j] = time.perf_counter() - began
                done = seconds[:split].size + a * len(values) + b + 1
                tell(done, seconds.size, f"split {split + 1} of {len(splits)}")
                if report is not None:
                    report(i, j, scores[split, i, j], seconds[split, i, j])
                began = time.perf_counter()
    return scores, gaps, seconds


def _part(X: Any, rows: Array, columns: Array, given: bool) -> Any:
    """The rows of a table, or of a stack of Gram matrices against `columns`."""
    if given:
        return np.stack([np.asarray(K)[np.ix_(rows, columns)] for K in X])
    return _safe_indexing(X, rows)
