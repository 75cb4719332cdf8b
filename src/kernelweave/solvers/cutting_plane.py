"""Cutting planes: semi-infinite linear programming."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator

from ..arrays import combination, namespace
from ..problem import Array, Iterate, Problem
from ..weights import LpBall
from .sets import mastered


@dataclass(eq=False, repr=False)
class SILP(BaseEstimator):
    """Each A gives a cut F(θ') ≥ g(A) − ½θ'ᵀs(A); the master minimises their maximum.

    Ye et al. 2008: (16) and (37), with λ learned (44) and (47). The lower bound is
    proved by the average of the A's by the master's multipliers, not by the last A.

    Parameters
    ----------
    epsilon : float, optional
        Stop by the paper's own rule (22), `|1 − F(θ_t)/γ_{t−1}| ≤ ε`, where γ is the
        optimum of the master (the paper: ε = 5e-4). By default only the duality gap
        of the problem ends the iteration.
    expansion : bool
        For `LpBall`: expand the norm to second order about the last weights, as the
        wrapper of Yan et al. 2012 does (Algorithms 1 and 2, equation (11)), instead
        of solving the master exactly.
    """

    epsilon: float | None = None
    expansion: bool = False

    def iterates(
        self, problem: Problem, tol: float, start: Array | None
    ) -> Iterator[Iterate]:
        theta = (
            problem.weights.start(problem.gram.p) if start is None else np.array(start)
        )
        point = problem.at(theta)
        As, g, S = [point.A], [problem.loss.value(point.A)], [point.s]
        average = None
        while True:
            yield Iterate(point, average)
            theta, multipliers = self._master(problem, np.array(g), np.array(S), theta)
            bound = np.max(np.array(g) - 0.5 * np.array(S) @ theta)
            average = combination(multipliers, namespace(*As).stack(As))
            point = problem.at(theta, point.A)
            # A cut that is not violated would be added for ever.
            rounding = 8 * np.finfo(float).eps
            if abs(point.value - bound) <= abs(bound) * (self.epsilon or rounding):
                yield Iterate(point, average)
                return
            As.append(point.A)
            g.append(problem.loss.value(point.A))
            S.append(point.s)

    def _master(
        self, problem: Problem, g: Array, S: Array, theta: Array
    ) -> tuple[Array, Array]:
        if not self.expansion:
            return mastered(problem.weights, "SILP").master(g, S)
        if not isinstance(problem.weights, LpBall):
            raise TypeError(
                "SILP(expansion=True) expands the norm of LpBall, not "
                f"{type(problem.weights).__name__}"
            )
        return problem.weights.expansion_master(g, S, theta)
