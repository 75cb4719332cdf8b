"""The way through a grid of (norm p, λ), every point from its neighbours.

    s(p, λ) ≈ s(p, λ₊)·s(p₊, λ) / s(p₊, λ₊)

with p₊ and λ₊ the norm and the regularisation before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from sklearn.base import BaseEstimator

from .problem import Array, Iterate, Problem, Solver
from .solvers.newton import Newton


class Walk(BaseEstimator):
    """A solver that begins where its neighbours on the grid predict the optimum.

    s(p, λ) ≈ s(p, λ₊)·s(p₊, λ)/s(p₊, λ₊), and θ is the maximiser for s.

    Parameters
    ----------
    solver : Solver, default Newton()
        What is started there; and, if it gets stuck, at the set's own start.

    Attributes
    ----------
    at : tuple (int, int)
        The point of the grid that is solved next. Its neighbours are the points with
        one number or both smaller by one.
    """

    def __init__(self, solver: Solver | None = None):
        self.solver = solver
        self.at: tuple[int, int] = (0, 0)
        self._seen: dict[tuple[int, int], tuple[float, Array, Array]] = {}

    def iterates(
        self, problem: Problem, tol: float, start: Array | None
    ) -> Iterator[Iterate]:
        solver = Newton() if self.solver is None else self.solver
        near = self._predict(problem) if start is None else start
        self._seen.pop(self.at, None)
        for begin in (None,) if near is None else (near, None):
            for iterate in solver.iterates(problem, tol, begin):
                point = iterate.point
                best = self._seen.get(self.at)
                if best is None or point.value < best[0]:
                    self._seen[self.at] = (point.value, point.theta, point.s)
                yield iterate

    def _predict(self, problem: Problem) -> Array | None:
        i, j = self.at
        norm, lam, both = (
            self._seen.get(at) for at in ((i - 1, j), (i, j - 1), (i - 1, j - 1))
        )
        if not problem.weights.interior:
            # Where weights vanish s does not tell them: the last norm's are nearest.
            near = norm or lam
            return None if near is None else near[1] / near[1].sum()
        if norm is None or lam is None or both is None:
            near = lam or norm
            return None if near is None else problem.weights.maximiser(near[2])
        logs = _log(lam[2]) + _log(norm[2]) - _log(both[2])
        return problem.weights.maximiser(np.exp(logs - np.max(logs)))


def _log(s: Array) -> Array:
    return np.log(np.maximum(s, np.finfo(float).tiny))


def way_through(
    norms: Sequence[float], lams: Sequence[float]
) -> Iterator[tuple[tuple[int, int], tuple[int, float], tuple[int, float]]]:
    """The way through the grid, large to small: where we are, i and p, j and λ."""
    rows = sorted(enumerate(norms), key=lambda pair: -pair[1])
    columns = sorted(enumerate(lams), key=lambda pair: -pair[1])
    for a, row in enumerate(rows):
        for b, column in enumerate(columns):
            yield (a, b), row, column
