"""The point of a grid that left-out rows speak for, and what was found on the grid."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.exceptions import ConvergenceWarning

from ..problem import Array
from ..stacklevel import outside
from .grid import GridPoint, Report

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
    """Norms × alphas, and how every point is judged and reported.

    `scoring` is what the user asked for; None is R², of which one standard error is
    given away for a larger norm. `parameter` is what the user calls alpha: "C" is 1/α.
    """

    norms: list[float]
    alphas: list[float]
    scoring: Any
    report: Report | None
    parameter: str = "alpha"

    def best_of(self, points: list[GridPoint], keep: Array) -> Choice:
        """What the points speak for, of which there is one for each norm and alpha.

        `keep` (p,) is the mask of the kernels that take part.
        """
        every = sorted(points, key=lambda point: point.index)
        shape = len(self.norms), len(self.alphas)
        scores = np.reshape([point.score for point in every], shape)
        seconds = np.reshape([point.seconds for point in every], shape)
        certificates = [point.solution.certificate for point in every]
        gaps = np.reshape([each.relative_gap for each in certificates], shape)
        eligible = scores == np.max(scores)
        if self.scoring is None:
            errors = np.array([point.errors for point in every])
            eligible = not_worse(errors.reshape(*shape, -1))
        choice = self.choose(scores[None], gaps, seconds, eligible)
        weights = np.zeros((len(every), len(keep)))
        weights[:, keep] = [point.solution.weights for point in every]
        solves = np.array([point.inner_solves for point in every])
        choice.results["inner_solves"] = solves
        choice.results["weights"] = weights
        return choice

    def with_points(
        self, points: list[GridPoint], alpha: float, new: list[GridPoint]
    ) -> tuple[Grid, list[GridPoint]]:
        """The grid with one more alpha, its alphas sorted, and the points on it.

        `new` are those of the new alpha alone.
        """
        alphas = [*self.alphas, alpha]
        order = np.argsort(alphas)
        rank = np.argsort(order).tolist()
        old = [(point, point.index[1]) for point in points]
        both = [*old, *((point, len(self.alphas)) for point in new)]
        placed = [replace(p, index=(p.index[0], rank[j])) for p, j in both]
        return replace(self, alphas=[alphas[i] for i in order]), placed

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


def keep_choice(model: Any, choice: Choice) -> None:
    """Set norm_, alpha_ or C_, best_score_, best_index_ and cv_results_ of a model."""
    model.norm_ = choice.norm
    if hasattr(model, "Cs"):
        model.C_ = 1 / choice.alpha
    else:
        model.alpha_ = choice.alpha
    model.best_score_, model.best_index_ = choice.score, choice.index
    model.cv_results_ = choice.results


def grid_results(
    grid: dict[str, Array], scores: Array, gaps: Array, seconds: Array, scoring: Any
) -> dict[str, Any]:
    """`cv_results_` as in GridSearchCV, with gaps and times; scores (n_splits, ...).

    Where a score is NaN no point is the best, which is an error.
    """
    if np.isnan(scores).any():
        raise ValueError(
            f"scoring={scoring!r} is not a number (nan) at some points of the grid: "
            "use a score that all splits have (R² needs two rows in each of them, the "
            "area under a curve rows of all classes), or fewer splits (cv=...)"
        )
    mean = scores.mean(axis=0).ravel()
    results: dict[str, Any] = {f"param_{name}": grid[name] for name in grid}
    results |= {
        "params": [
            dict(zip(grid, point, strict=True))
            for point in zip(*grid.values(), strict=True)
        ],
        "mean_test_score": mean,
        "rank_test_score": rankdata(-mean, method="min").astype(int),
        "relative_gap": gaps.ravel(),
        "seconds": seconds.ravel(),
    }
    return results


def split_results(scores: Array) -> dict[str, Array]:
    """The columns of `cv_results_` for every split."""
    results = {
        f"split{split}_test_score": values.ravel()
        for split, values in enumerate(scores)
    }
    return results | {"std_test_score": scores.std(axis=0).ravel()}


def warn_of_gaps(gaps: Array, tol: float, remedy: str) -> None:
    """Say how many points of the grid did not converge."""
    # Bounds that contradict each other prove as little as a gap of that size.
    gaps = np.abs(gaps)
    count = np.sum(gaps > tol)
    if count:
        warnings.warn(
            f"{count} of {gaps.size} points of the grid stopped at a relative duality "
            f"gap above {tol:.1e}, the worst at {gaps.max():.1e}: raise max_iter, or "
            f"{remedy}",
            ConvergenceWarning,
            stacklevel=outside(),
        )
