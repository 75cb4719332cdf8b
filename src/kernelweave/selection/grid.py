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
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..arrays import filled, host
from ..grams.base import GramStack
from ..grams.normalise import is_centred
from ..losses import Square, WeightedSquare
from ..losses.quadratic import QuadraticMaximum, leave_one_out
from ..problem import Array, Problem, Solver
from ..reporting import listener, nobody, reporter
from ..solution import Solution, uninterrupted
from ..solve import solve
from ..weights import LpBall
from .left_out import leave_out
from .warm_start import WarmStart, way_through

# Yan et al. 2012, §3: from sparse to practically uniform weights.
NORMS = (1, *(1 + 2.0**-k for k in range(6, 0, -1)), 2, 3, 4, 8, 1e6)

# λ for kernels of implied variance one, as in Yan et al. 2012, §3.
ALPHAS = tuple(4.0**k for k in range(-5, 5))

# The relative gap of a grid point: the scores of its exact and of its computed weights
# differ by far less than either differs from the score of new data.
GRID_TOL = 1e-4


@dataclass(frozen=True)
class GridPoint:
    """One (norm, λ): where it stands on the grid, its solution, and its score.

    The weights minimise F over ‖θ‖_p ≤ 1. `inner_solves` counts the calls of the loss's
    `inner`, each of them one factorisation. Where they were asked for: `left_out`
    (n, k) are predictions of samples left out, `score` what they are worth, and
    `errors` those of the samples, or folds, that were left out.
    """

    index: tuple[int, int]
    norm: float
    lam: float
    solution: Solution
    inner_solves: int
    seconds: float
    left_out: Array | None = None
    score: float = np.nan
    errors: Array | None = None


# From a point that is solved to its score and errors.
Look = Callable[[GridPoint], tuple[float, Array]]

# report(norm, alpha, score, seconds)
Report = Callable[[float, float, float, float], None]


@dataclass(eq=False, repr=False)
class _Remembering(Square):
    """The square loss, which counts its factorisations and keeps the best one's."""

    count: int = field(default=0, init=False)
    best: Any = field(default=None, init=False)

    def maximum(self, K: Array) -> QuadraticMaximum:
        return _remembered(self, super().maximum(K))


def _remembered(loss: Any, found: QuadraticMaximum) -> QuadraticMaximum:
    loss.count += 1
    if loss.best is None or found.value < loss.best.value:
        loss.best = found
    return found


@dataclass(eq=False, repr=False)
class _RememberingWeighted(WeightedSquare):
    """The same of samples with weights."""

    count: int = field(default=0, init=False)
    best: Any = field(default=None, init=False)

    def maximum(self, K: Array) -> QuadraticMaximum:
        return _remembered(self, super().maximum(K))


def leave_one_out_grid(
    gram: GramStack,
    H: Array,
    norms: Sequence[float],
    lams: Sequence[float],
    *,
    intercept: bool = True,
    v: Array | None = None,
    solver: Solver | None = None,
    tol: float = GRID_TOL,
    max_iter: int = 200,
) -> list[GridPoint]:
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
    v : ndarray (n,), optional
        Weights of the samples: B has λ/v in the place of λI.
    solver : Solver, default Newton()
    tol : float
        Relative duality gap of every point.
    max_iter : int
        For each point.

    Returns
    -------
    list of GridPoint
        With `left_out` (n, k), in the order in which the grid is walked. `index`
        gives the place in norms and lams. `errors` (n,) are v_i‖h_i − f_{−i}(x_i)‖²,
        and the score is R², one less their sum over that of v_i‖h_i − h̄‖².
    """
    how = {"intercept": intercept, "v": v, "solver": solver, "tol": tol}
    return grid(gram, H, norms, lams, **how, max_iter=max_iter, one_out=True)


def _centred_again(
    gram: GramStack, solution: Solution, lam: float, H: Array, v: Array | None
) -> Array:
    """Left-out residuals where K1 = 0, and there is no intercept."""
    K = gram.combine(solution.weights)
    if v is None:
        d = filled(K.shape[0], H, float(lam))
        return leave_one_out(K, d, solution.A, False)
    # With weights 1ᵀA is not zero: an intercept takes the place of the centring.
    return leave_out(K, lam, H, True, v).R


def grid(
    gram: GramStack,
    H: Array,
    norms: Sequence[float],
    lams: Sequence[float],
    *,
    intercept: bool,
    v: Array | None = None,
    solver: Solver | None,
    tol: float,
    max_iter: int,
    one_out: bool = False,
    look: Look | None = None,
    report: Report | None = None,
) -> list[GridPoint]:
    """The weights of every (norm, λ), for the square loss.

    Parameters and order are those of `leave_one_out_grid`, which is `one_out`: the
    points then have left-out predictions, errors and R². `look` tells other scores and
    errors; `report` hears of every point when it is there.
    """
    warm, way = WarmStart(solver), way_through(norms, lams)
    tell, points = listener(), []
    each = np.ones(H.shape[0]) if v is None else v
    total = float(np.sum(each @ host(H - each @ H / each.sum()) ** 2)) or 1.0
    # 1ᵀK_j1
    totals = None
    if one_out and not intercept:
        totals = gram.quadratic(filled((gram.n, 1), H, 1.0))
    for done, (at, (i, norm), (j, lam)) in enumerate(way, 1):
        began = time.perf_counter()
        warm.at = at
        loss: Any = _Remembering(H, lam, intercept)
        if v is not None:
            loss = _RememberingWeighted(H, lam, v, intercept)
        problem = Problem(gram, loss, LpBall(norm))
        # Somebody who listens hears of the points, not of their iterations.
        with nullcontext() if tell is nobody else reporter():
            solution = uninterrupted(solve(problem, warm, tol, max_iter=max_iter))
        left_out, score, errors = None, np.nan, None
        if one_out:
            theta = solution.weights
            if totals is not None and is_centred(theta @ totals, theta @ gram.traces):
                left_out = H - _centred_again(gram, solution, lam, H, v)
            else:
                left_out = H - loss.best.leave_one_out()
            errors = each * np.sum(host(H - left_out) ** 2, axis=1)
            score = 1 - float(np.sum(errors)) / total
        if tell is not nobody:
            tell(done, len(norms) * len(lams), "choosing norm and alpha")
        seconds = time.perf_counter() - began
        found = solution, loss.count, seconds, left_out, score, errors
        point = GridPoint((i, j), norm, lam, *found)
        if look is not None:
            score, errors = look(point)
            point = replace(point, score=score, errors=errors)
        if report is not None:
            report(norm, lam, score, seconds)
        points.append(point)
    return points
