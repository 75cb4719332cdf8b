"""The point of a grid of norms and alphas that left-out rows speak for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
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
        walk: Callable[..., Iterator[GridPoint]],
        stack: Any,
        keep: Array,
        look: Look,
        widen: bool = False,
    ) -> Choice:
        """Walk the grid, look at every point, and choose.

        `walk(stack, norms, alphas, solver=, tol=, max_iter=)` yields the points; `keep`
        (p,) is the mask of the kernels that take part; `widen`: whether to go on beyond
        an end of the alphas at which the best stands.
        """
        grid, parts, new = replace(self, alphas=[]), [], list(self.alphas)
        while True:
            parts.append(self._part(walk, stack, keep, look, new))
            joined = [np.concatenate(part, axis=1) for part in zip(*parts, strict=True)]
            grid = replace(grid, alphas=[*grid.alphas, *new])
            if len(parts) > 1:
                order = np.argsort(grid.alphas)
                joined = [part[:, order] for part in joined]
                grid = replace(grid, alphas=[grid.alphas[i] for i in order])
                parts = [tuple(joined)]
            scores, errors, gaps, seconds, solves, weights = joined
            eligible = scores == np.max(scores)
            if self.scoring is None:
                eligible = not_worse(errors)
            choice = grid.choose(scores[None], gaps, seconds, eligible)
            more = grid.next_beyond(choice.alpha, len(self.alphas)) if widen else None
            if more is None:
                break
            new = [more]
        warn_of_gaps(gaps, max(self.tol, GRID_TOL), "leave out the smallest alphas")
        choice.results["inner_solves"] = solves.ravel()
        choice.results["weights"] = weights.reshape(-1, len(keep))
        return choice

    def _part(
        self,
        walk: Callable[..., Iterator[GridPoint]],
        stack: Any,
        keep: Array,
        look: Look,
        alphas: list[float],
    ) -> tuple[Array, ...]:
        """Scores, errors, gaps, seconds, inner solves and weights of some alphas."""
        shape = (len(self.norms), len(alphas))
        scores, gaps, seconds = np.empty((3, *shape))
        solves = np.empty(shape, dtype=int)
        weights = np.zeros((*shape, len(keep)))
        left_out: dict[tuple[int, int], Array] = {}
        for point in walk(
            stack.subset(keep),
            self.norms,
            alphas,
            solver=self.solver,
            tol=max(self.tol, GRID_TOL),
            max_iter=self.max_iter,
        ):
            at = point.index
            weights[at][keep] = point.solution.weights
            scores[at], left_out[at] = look(point, weights[at])
            gaps[at] = point.solution.certificate.relative_gap
            seconds[at], solves[at] = point.seconds, point.inner_solves
            if self.report is not None:
                self.report(point.norm, point.lam, scores[at], seconds[at])
        errors = np.array([left_out[at] for at in np.ndindex(shape)])
        return scores, errors.reshape(*shape, -1), gaps, seconds, solves, weights

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
        # Numbers of few digits go on in such: 4, 16, 64, ... to 256.
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
