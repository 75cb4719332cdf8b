"""The way through a grid of (norm p, λ), every point from its neighbours.

    s(p, λ) ≈ s(p, λ₊)·s(p₊, λ) / s(p₊, λ₊)

with p₊ and λ₊ the norm and the regularisation before. At the optimum θ ∝ s^{1/(p−1)},
so an error of s is larger in θ for p < 2, and smaller for p > 2. Where λ is small a
solution may be near in F and θ, and its s far off. So up to p = 2 the s of a neighbour
is taken to be θ^{p−1} of its weights, and that of its coefficients above.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from ..problem import Array, Iterate, Problem, Solver
from ..solvers.newton import Newton


class WarmStart(BaseEstimator):
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
        self._seen: dict[tuple[int, int], _Seen] = {}

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
                if best is None or point.value < best.value:
                    self._seen[self.at] = _Seen(
                        problem.weights, point.value, point.theta, point.s
                    )
                yield iterate

    def repeat(self, before: tuple[int, int]) -> None:
        """Take the point `before`, which is solved, for the one that is next."""
        if before in self._seen:
            self._seen[self.at] = self._seen[before]

    def _predict(self, problem: Problem) -> Array | None:
        i, j = self.at
        weights: Any = problem.weights
        norm, lam, both = (
            self._seen.get(at) for at in ((i - 1, j), (i, j - 1), (i - 1, j - 1))
        )
        if not weights.interior:
            # Where weights vanish s does not tell them: the last norm's are nearest.
            near = norm or lam
            return None if near is None else near.theta / near.theta.sum()
        if norm is None or lam is None or both is None:
            near = lam or norm
            if near is None:
                return None
            logs = near.log_s(weights.p)
        else:
            logs = lam.log_s(weights.p) + norm.log_s(weights.p) - both.log_s(weights.p)
        return weights.maximiser(np.exp(logs - np.max(logs)))


@dataclass(frozen=True)
class _Seen:
    """The best point of a neighbour, and the set that its weights are in."""

    weights: Any
    value: float
    theta: Array
    s: Array

    def log_s(self, norm: float) -> Array:
        """log s, up to a constant, to begin from at another norm."""
        if not self.weights.interior or max(norm, self.weights.p) > 2:
            return _log(self.s)
        return (self.weights.p - 1) * _log(self.theta)


def _log(values: Array) -> Array:
    return np.log(np.maximum(values, np.finfo(float).tiny))


def way_through(
    norms: Sequence[float], lams: Sequence[float]
) -> list[tuple[tuple[int, int], tuple[int, float], tuple[int, float]]]:
    """The way through the grid, large to small: where we are, i and p, j and λ."""
    rows = sorted(enumerate(norms), key=lambda pair: -pair[1])
    columns = sorted(enumerate(lams), key=lambda pair: -pair[1])
    return [
        ((a, b), row, column)
        for a, row in enumerate(rows)
        for b, column in enumerate(columns)
    ]
