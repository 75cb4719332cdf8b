"""Newton's method on the set of weights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator

from ..problem import Array, Iterate, Point, Problem
from .simplex_qp import minimise_on_simplex


@dataclass(eq=False, repr=False)
class Newton(BaseEstimator):
    """Minimise F(θ(φ)) over the unit simplex, one factorisation an iteration.

    Every set of weights here is {θ ≥ 0 : Σ c(θ_j) ≤ 1} with c convex and increasing.
    In φ_j = c(θ_j) it is a simplex and F stays convex, with

        ∇ = θ'∘F',    ∇² = diag(θ') F'' diag(θ') + diag(F'∘θ''),

    so one method serves all: minimise the quadratic model on the simplex exactly,
    then search along the line. For the square loss F, F' and F'' come from one
    Cholesky factor. This is the "custom interior-point method" announced by Kim,
    Magnani and Boyd (2006, §6), without the barrier.
    """

    def iterates(
        self, problem: Problem, tol: float, start: Array | None
    ) -> Iterator[Iterate]:
        weights = problem.weights
        theta = weights.start(problem.gram.p) if start is None else np.array(start)
        phi = weights.coordinates(theta)
        point = problem.at(theta)
        yield Iterate(point)
        while True:
            _, d1, d2 = weights.chart(phi)
            gradient = d1 * point.gradient
            hessian = d1[:, None] * point.hessian() * d1
            hessian.flat[:: len(phi) + 1] += d2 * point.gradient
            target = minimise_on_simplex(hessian, gradient - hessian @ phi, phi)
            step = target - phi
            slope = float(gradient @ step)
            found = None
            for found in _line_search(problem, point, phi, step, slope):
                yield Iterate(found[1])
            if found is None or found[1].value >= point.value:
                return
            phi, point = found


def _line_search(
    problem: Problem, point: Point, phi: Array, step: Array, slope: float
) -> Iterator[tuple[Array, Point]]:
    """Points on the line, the last of them acceptable or no better than rounding."""
    # Below this the change of F is rounding, and so is the test of descent.
    noise = 8 * np.finfo(float).eps * abs(point.value)
    if -slope <= noise:
        return
    t = 1.0
    while -t * slope > noise:
        # Weights at a bound stay exactly there.
        new = np.maximum(phi + t * step, 0.0) if t < 1 else phi + step
        trial = problem.at(problem.weights.chart(new)[0], point.A)
        yield new, trial
        rise = trial.value - point.value
        if rise <= 1e-4 * t * slope + noise:
            return
        # The minimum of the parabola through F(0), F'(0) and F(t), safeguarded.
        t *= float(np.clip(-0.5 * slope * t / (rise - slope * t), 0.1, 0.5))
