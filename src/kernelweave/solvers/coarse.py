"""A start from few samples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import is_foreign
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


def coarse(
    problem: Problem, tol: float, sampling: Sampling
) -> tuple[Array | None, Array | None]:
    """The weights that some of many samples want, or None; and an A to start from.

    With half of them an iteration costs a quarter to an eighth, and its own start comes
    from fewer samples again, so that most steps are taken on few.

    The A of these samples, with zeros for the others, fits all nearly as their own A
    does: the inner maximum of a smooth loss is a Newton step away.
    """
    from ..solve import solve

    if problem.gram.n < sampling.fewest:
        return None, None
    sample = problem.sample(sampling.step)
    if sample is None:
        return None, None
    found = uninterrupted(solve(sample, tol=max(tol, sampling.tol)))
    if is_foreign(found.A):
        return found.weights, None
    A = np.zeros((problem.gram.n, found.A.shape[1]))
    A[problem.sampled_rows(sampling.step)] = found.A
    return found.weights, A
