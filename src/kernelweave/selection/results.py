"""Grids of parameters: what was found on them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.exceptions import ConvergenceWarning

from ..problem import Array
from ..stacklevel import outside


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
