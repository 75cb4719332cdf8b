"""The point of a grid of norms and alphas that left-out rows speak for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..problem import Array
from .grid import GRID_TOL, GridPoint
from .results import grid_results, not_worse, warn_of_gaps

# What is found at one point with the weights of all kernels: the score, and the errors
# of the rows, or folds, that were left out.
Look = Callable[[GridPoint, Array], tuple[float, Array]]

# report(norm, alpha, score, seconds)
Report = Callable[[float, float, float, float], None]


@dataclass(frozen=True)
class Choice:
    """What was chosen, its score and place on the grid, and all points."""

    norm: float
    alpha: float
    score: float
    index: int
    results: dict[str, Any]


@dataclass(frozen=True)
class Grid:
    """Norms × alphas, and how every point is solved and judged.

    `scoring` is what the user asked for; None is R², of which one standard error is
    given away for a larger norm.
    """

    norms: list[float]
    alphas: list[float]
    solver: Any
    tol: float
    max_iter: int
    scoring: Any
    report: Report

    def along(
        self,
        walk: Callable[..., Iterator[GridPoint]],
        stack: Any,
        keep: Array,
        H: Array,
        look: Look,
        intercept: bool,
        v: Array | None = None,
    ) -> Choice:
        """Walk the grid, look at every point, and choose.

        `keep` (p,) is the mask of the kernels that take part, v the weights of the
        samples.
        """
        shape = (len(self.norms), len(self.alphas))
        scores, gaps, seconds = np.empty((3, *shape))
        solves = np.empty(shape, dtype=int)
        weights = np.zeros((*shape, len(keep)))
        left_out: dict[tuple[int, int], Array] = {}
        for point in walk(
            stack.subset(keep),
            H,
            self.norms,
            self.alphas,
            intercept=intercept,
            v=v,
            solver=self.solver,
            tol=max(self.tol, GRID_TOL),
            max_iter=self.max_iter,
        ):
            at = point.index
            weights[at][keep] = point.solution.weights
            scores[at], left_out[at] = look(point, weights[at])
            gaps[at] = point.solution.certificate.relative_gap
            seconds[at], solves[at] = point.seconds, point.inner_solves
            self.report(point.norm, point.lam, scores[at], seconds[at])
        eligible = scores == np.max(scores)
        if self.scoring is None:
            errors = np.array([left_out[at] for at in np.ndindex(shape)])
            eligible = not_worse(errors.reshape(*shape, -1))
        choice = self.choose(scores[None], gaps, seconds, eligible)
        choice.results["inner_solves"] = solves.ravel()
        choice.results["weights"] = weights.reshape(-1, len(keep))
        return choice

    def choose(
        self, scores: Array, gaps: Array, seconds: Array, eligible: Array
    ) -> Choice:
        """The best of the points, whose scores are (n_splits, n_norms, n_alphas).

        Of the eligible points the largest norm is chosen, what adapts least; in it
        the best score, and of equal ones the largest alpha.
        """
        both = np.meshgrid(self.norms, self.alphas, indexing="ij")
        P, L = (values.ravel() for values in both)
        results = grid_results(
            {"norm": P, "alpha": L}, scores, gaps, seconds, self.scoring
        )
        mean = results["mean_test_score"]
        best = int(np.lexsort((L, mean, P, eligible.ravel()))[-1])
        warn_of_gaps(gaps, max(self.tol, GRID_TOL), "leave out the smallest alphas")
        return Choice(float(P[best]), float(L[best]), float(mean[best]), best, results)
