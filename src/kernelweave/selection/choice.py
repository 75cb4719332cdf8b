"""The point of a grid of norms and alphas that left-out rows speak for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..problem import Array
from .grid import GRID_TOL, GridPoint, Report
from .results import grid_results, warn_of_gaps

# Values of alpha that are added beyond an end of the grid while the best is there.
BEYOND = 4


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
    given away for a larger norm. `parameter` is what the user calls alpha: "C" is 1/α.
    """

    norms: list[float]
    alphas: list[float]
    solver: Any
    tol: float
    max_iter: int
    scoring: Any
    report: Report | None
    parameter: str = "alpha"

    def along(
        self,
        walk: Callable[..., list[GridPoint]],
        keep: Array,
        widen: bool = False,
    ) -> Choice:
        """Walk the grid, and choose.

        `walk(norms, alphas, solver=, tol=, max_iter=, report=)` gives the points with
        their scores and errors; `keep` (p,) is the mask of the kernels that take part;
        `widen`: whether to go on beyond an end of the alphas at which the best stands.
        """
        grid, new = replace(self, alphas=[]), list(self.alphas)
        points = np.empty((len(self.norms), 0), dtype=object)
        while True:
            part = np.empty((len(self.norms), len(new)), dtype=object)
            for point in walk(
                self.norms,
                new,
                solver=self.solver,
                tol=max(self.tol, GRID_TOL),
                max_iter=self.max_iter,
                report=self.report,
            ):
                part[point.index] = point
            points = np.hstack([points, part])
            grid = replace(grid, alphas=[*grid.alphas, *new])
            if points.shape[1] > len(self.alphas):
                order = np.argsort(grid.alphas)
                points = points[:, order]
                grid = replace(grid, alphas=[grid.alphas[i] for i in order])
            shape, every = points.shape, points.ravel().tolist()
            scores = np.reshape([point.score for point in every], shape)
            seconds = np.reshape([point.seconds for point in every], shape)
            certificates = [point.solution.certificate for point in every]
            gaps = np.reshape([each.relative_gap for each in certificates], shape)
            eligible = scores == np.max(scores)
            if self.scoring is None:
                errors = np.array([point.errors for point in every])
                eligible = not_worse(errors.reshape(*shape, -1))
            choice = grid.choose(scores[None], gaps, seconds, eligible)
            more = grid.next_beyond(choice.alpha, len(self.alphas)) if widen else None
            if more is None:
                break
            new = [more]
        warn_of_gaps(gaps, max(self.tol, GRID_TOL), "leave out the smallest alphas")
        weights = np.zeros((len(every), len(keep)))
        weights[:, keep] = [point.solution.weights for point in every]
        solves = np.array([point.inner_solves for point in every])
        choice.results["inner_solves"] = solves
        choice.results["weights"] = weights
        return choice

    def next_beyond(self, best: float, asked: int) -> float | None:
        """The next alpha beyond the end at which the best stands, or None.

        It continues the last ratio of the grid. Of the alphas `asked` were asked for:
        one alone is no grid, and after `BEYOND` more the end is taken to be one.
        """
        if asked < 2 or len(self.alphas) >= asked + BEYOND:
            return None
        least, most = min(self.alphas), max(self.alphas)
        if least < best < most or least == most:
            return None
        # Multiplying by a ratio keeps round numbers round: 4, 16, 64 go on to 256.
        ordered = sorted(set(self.alphas))
        near = ordered[1] if best == least else ordered[-2]
        return best * (best / near)

    def choose(
        self, scores: Array, gaps: Array, seconds: Array, eligible: Array
    ) -> Choice:
        """The best of the points, whose scores are (n_splits, n_norms, n_alphas).

        Of the eligible points the largest norm is chosen, what adapts least; in it
        the best score, and of equal ones the largest alpha.
        """
        both = np.meshgrid(self.norms, self.alphas, indexing="ij")
        P, L = (values.ravel() for values in both)
        named = {"norm": P, self.parameter: 1 / L if self.parameter == "C" else L}
        results = grid_results(named, scores, gaps, seconds, self.scoring)
        mean = results["mean_test_score"]
        best = int(np.lexsort((L, mean, P, eligible.ravel()))[-1])
        return Choice(float(P[best]), float(L[best]), float(mean[best]), best, results)


def not_worse(errors: Array) -> Array:
    """Points of the grid within one standard error of the best, (n_norms, n_alphas).

    `errors` (n_norms, n_alphas, n) are those of every sample, so the standard error is
    that of the mean difference to the best point.
    """
    mean = errors.mean(axis=-1)
    best = np.unravel_index(np.argmin(mean), mean.shape)
    difference = errors - errors[best]
    spread = difference.std(axis=-1) / np.sqrt(errors.shape[-1])
    return difference.mean(axis=-1) <= spread
