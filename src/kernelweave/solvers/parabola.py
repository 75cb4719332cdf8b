"""The parabola of F at one θ, on the unit simplex of φ."""

from __future__ import annotations

import numpy as np

from ..problem import Array, Charted, Point, Problem
from ..simplex_qp import minimise_on_simplex
from .sets import charted

# A step considers at most MANY kernels, or three times as many as are active.
MANY = 100


class Parabola:
    """F(φ + d) ≈ F + ∇ᵀd + ½dᵀ∇²d on the simplex.

    Parameters
    ----------
    weights : Charted
    phi : ndarray (p,)
    s : ndarray (p,)
        −2∂F/∂θ.
    hessian : ndarray (q, q)
        ∂²F/∂θ² of the kernels that may change.
    kernels : ndarray of int (q,) or slice
        The others, of weight zero, are left there.
    """

    def __init__(
        self,
        weights: Charted,
        phi: Array,
        s: Array,
        hessian: Array,
        kernels: Array | slice,
    ):
        _, d1, d2 = weights.chart(phi)
        if not weights.interior:
            # The curvature of a chart may be infinite at zero: take it where a weight
            # that is to grow is going.
            aim = weights.coordinates(weights.maximiser(s))
            d2 = weights.chart(np.maximum(phi, np.maximum(0.5 * aim, 1e-6)))[2]
        self.phi, self.kernels = phi, kernels
        self.gradient = -0.5 * d1 * s
        d1, d2 = d1[kernels], d2[kernels]
        self.hessian = d1[:, None] * hessian * d1
        self.hessian.flat[:: len(d1) + 1] += -0.5 * d2 * s[kernels]

    @classmethod
    def of(cls, weights: Charted, point: Point, phi: Array) -> Parabola:
        """That of F itself; of hundreds of kernels the poor ones are left at zero."""
        kernels = _candidates(phi, weights.chart(phi)[1] * point.gradient)
        return cls(weights, phi, point.s, point.hessian(kernels), kernels)

    def decrease(self, step: Array) -> float:
        """−∇ᵀd − ½dᵀ∇²d."""
        d = step[self.kernels]
        return -float(self.gradient @ step) - 0.5 * float(d @ self.hessian @ d)

    def minimise(self, lower: Array) -> Array:
        """The minimiser over the simplex with φ ≥ lower."""
        # φ = lower + c·w with w on the unit simplex.
        c = 1 - lower.sum()
        offset = (lower - self.phi)[self.kernels]
        gradient = c * (self.gradient[self.kernels] + self.hessian @ offset)
        start = (self.phi - lower)[self.kernels] / c
        found = lower.copy()
        found[self.kernels] += c * minimise_on_simplex(
            c * c * self.hessian, gradient, start
        )
        return found


def model_step(problem: Problem, point: Point, phi: Array) -> Array:
    """Newton's step from φ: to the minimum of the parabola on the simplex."""
    weights = charted(problem.weights, "Newton")
    lower = least(weights, point.s, phi)
    return Parabola.of(weights, point, phi).minimise(lower) - phi


def least(weights: Charted, s: Array, phi: Array) -> Array:
    """How small a step may make the weights of a set whose optimum is interior.

    The chart is singular at zero there. At the optimum θ is the maximiser for s(A),
    so a weight may go at once where the present s would put it, but not far below a
    thousandth of the average (s may still change), and to a tenth in any case.
    """
    if not weights.interior:
        return np.zeros_like(phi)
    aim = weights.coordinates(weights.maximiser(s))
    return np.minimum(0.1 * phi, 0.5 * np.maximum(aim, 1e-3 / len(phi)))


def _candidates(phi: Array, gradient: Array) -> Array | slice:
    """The kernels that a step may change: the active ones and the most promising."""
    count = max(MANY, 3 * np.count_nonzero(phi))
    if count >= len(phi):
        return slice(None)
    promise = np.where(phi > 0, -np.inf, gradient)
    return np.sort(np.argpartition(promise, count)[:count])
