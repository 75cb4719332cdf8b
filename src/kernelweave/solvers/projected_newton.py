"""Newton's method for every set of weights that has a projection."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator

from ..problem import Array, Iterate, Penalised, Point, Problem
from .coarse import Sampling, coarse
from .nesterov import minimise_quadratic


@dataclass(eq=False, repr=False)
class ProjectedNewton(BaseEstimator):
    """Minimise the parabola of F at θ over Θ, search along the line, and again.

        θ⁺ = argmin {F'(θ)ᵀ(x − θ) + ½(x − θ)ᵀF''(θ)(x − θ) : x ∈ Θ}

    by Nesterov's projected gradients, which ask of Θ its projection and nothing else.
    `Newton` is faster and more exact where the set has a chart (`protocols.Charted`);
    this is for the sets that have none, such as `GroupSimplex`.
    """

    def iterates(
        self, problem: Problem, tol: float, start: Array | None
    ) -> Iterator[Iterate]:
        weights = problem.weights
        if isinstance(weights, Penalised):
            raise TypeError(
                f"ProjectedNewton needs a set of weights, not {weights!r}; use LpBall, "
                "or DualLBFGS() for the square loss"
            )
        if start is None:
            start, _ = coarse(problem, tol, Sampling(2 if tol <= 1e-4 else 4))
        theta = weights.start(problem.gram.p) if start is None else np.array(start)
        point = problem.at(theta)
        # What is handed out must not keep a matrix alive.
        yield Iterate(point.bare())
        while True:
            # Below this a change of F is rounding, and so is the test of descent.
            noise = 8 * np.finfo(float).eps * abs(point.value)
            step = best_weights(problem, point) - point.theta
            slope = float(point.gradient @ step)
            if -slope <= tol * abs(point.value):
                # F is there already; to prove it may need no further inner solve.
                yield Iterate(point.bare(), point.predict(point.theta + step))
            point, t = point.bare(), 1.0
            while True:
                if -t * slope <= noise:
                    return
                trial = problem.at(point.theta + t * step, point.A)
                yield Iterate(trial.bare())
                rise = trial.value - point.value
                if rise <= 1e-4 * t * slope + noise:
                    break
                # The minimum of the parabola through F(0), F'(0) and F(t).
                t *= float(np.clip(-0.5 * t * slope / (rise - t * slope), 0.1, 0.5))
            if trial.value >= point.value:
                return
            point = trial


def best_weights(problem: Problem, point: Point) -> Array:
    """The weights that minimise the parabola of F at a point."""
    hessian, project = point.hessian(), problem.weights.project
    return minimise_quadratic(point.gradient, hessian, point.theta, project)
