"""SimpleMKL: reduced gradients on the simplex."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator

from ..problem import Array, Iterate, Point, Problem, WeightSet
from ..weights import ElasticNet, LpBall, Simplex
from .sets import charted, general


@dataclass(eq=False, repr=False)
class ReducedGradient(BaseEstimator):
    """SimpleMKL: descend along the reduced gradient, from bound to bound.

    On the unit simplex of φ_j = r_jθ_j, with the gradient G and the largest weight μ,

        D_j = G_μ − G_j    (0 where φ_j = 0 and G_j > G_μ),    D_μ = −Σ_{j≠μ} D_j.

    Go to the first bound in the way; while F falls, take that weight out of D, which
    D_μ makes up for, and go on to the next one. Where F would rise, search back from
    there by Armijo's rule. Rakotomamonjy et al. 2008, Algorithm 1. Every value of F is
    an inner solve, and an iterate.

    It is the baseline that everybody knows, for `Simplex`: steepest descent, so that
    kernels which are much alike make it slow beyond a gap of 1e-2 or 1e-3.
    """

    def iterates(
        self, problem: Problem, tol: float, start: Array | None
    ) -> Iterator[Iterate]:
        _require_simplex(problem.weights)
        weights = charted(problem.weights, "ReducedGradient")
        theta = weights.start(problem.gram.p) if start is None else np.array(start)
        phi = weights.coordinates(theta)
        point = problem.at(theta)
        yield Iterate(point)
        while True:
            began = phi
            G = weights.chart(phi)[1] * point.gradient
            mu = int(np.argmax(phi))
            D = np.where((phi > 0) | (G[mu] > G), G[mu] - G, 0.0)
            while True:
                D[mu] = 0.0
                D[mu] = -D.sum()
                slope = float(weights.chart(phi)[1] * point.gradient @ D)
                room = np.divide(-phi, D, out=np.full(len(D), np.inf), where=D < 0)
                nu = int(np.argmin(room))
                t = float(room[nu])
                # The slope is known, so a stretch on which F rises at once costs no
                # inner solve. Without room it is the pivot that has come to its end.
                if not (slope < 0 and 0 < t < np.inf):
                    break
                end = np.maximum(phi + t * D, 0.0)
                end[nu] = 0.0
                end /= end.sum()
                ahead = problem.at(weights.chart(end)[0], point.A)
                yield Iterate(ahead)
                rise = ahead.value - point.value
                # A weight at rounding level goes, though F cannot tell the difference.
                alike = max(rise, -slope * t) <= _noise(point)
                if rise >= 0 and not alike:
                    search = self._search(problem, point, phi, end - phi, rise)
                    phi, point = yield from search
                    break
                phi, point = end, ahead
                D[nu] = 0.0
            if np.array_equal(phi, began):
                return

    def _search(
        self, problem: Problem, point: Point, phi: Array, step: Array, rise: float
    ) -> Generator[Iterate, None, tuple[Array, Point]]:
        """Armijo's rule on φ + [0, 1]·step, where F has risen at the end."""
        weights = charted(problem.weights, "ReducedGradient")
        scale = weights.chart(phi)[1]
        slope = float(scale * point.gradient @ step)
        t = 1.0
        while -slope * t > _noise(point):
            # The minimum of the parabola through F(0), F'(0) and F(t).
            t *= float(np.clip(-0.5 * slope * t / (rise - slope * t), 0.01, 0.5))
            new = np.maximum(phi + t * step, 0.0)
            trial = problem.at(weights.chart(new)[0], point.A)
            yield Iterate(trial)
            rise = trial.value - point.value
            if rise <= 1e-4 * t * slope:
                return new, trial
        return phi, point


def _noise(point: Point) -> float:
    """Below this a change of F is rounding."""
    return 8 * np.finfo(float).eps * abs(point.value)


def _require_simplex(weights: WeightSet) -> None:
    if isinstance(weights, ElasticNet) and weights.v == 1:
        return
    if isinstance(weights, LpBall) and weights.p == 1:
        return
    if not isinstance(weights, Simplex):
        raise TypeError(
            f"ReducedGradient is for weights on the simplex, Simplex(), not "
            f"{weights!r}; use {general(weights)}, or Level() or SILP() where the "
            "loss has no Hessian"
        )
