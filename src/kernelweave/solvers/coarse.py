"""A start from few samples."""

from __future__ import annotations

from dataclasses import dataclass

from ..problem import Array, Problem
from ..solution import uninterrupted


@dataclass(frozen=True)
class Sampling:
    """One in `step` samples, where there are `fewest` or more, to the gap `tol`."""

    step: int
    fewest: int = 400
    tol: float = 1e-3


# A GPU takes as long for hundreds of rows as for thousands, and waits for the host at
# every step: it samples once, and roughly.
GPU = Sampling(8, fewest=5000, tol=1e-2)


def coarse(problem: Problem, tol: float, sampling: Sampling) -> Array | None:
    """The weights that some of many samples want, or None.

    With half of them an iteration costs a quarter to an eighth, and its own start comes
    from fewer samples again, so that most steps are taken on few.
    """
    from ..solve import solve

    if problem.gram.n < sampling.fewest:
        return None
    sample = problem.sample(sampling.step)
    if sample is None:
        return None
    return uninterrupted(solve(sample, tol=max(tol, sampling.tol))).weights
