"""F on one face of a support vector machine: more than Newton's parabola."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..grams.base import Reducible
from ..problem import Array, Point, Problem
from ..protocols import offers
from .parabola import Parabola, least
from .sets import charted

# Fewer samples are solved for again sooner than a model is made.
FEWEST = 400

# Vectors N, all columns of A together, up to which NᵀK_jN is cheaper than a factor.
MOST = 40

# The share of F that the parabola may promise, and how many times its step is taken at
# most: further away other samples are free.
NEAR, FURTHER = 0.15, 3.0


def beyond(
    problem: Problem,
    point: Point,
    phi: Array,
    step: Array,
    lower: Array,
    decrease: float,
) -> tuple[Array, Array] | None:
    """φ at the minimum of F on the face of `point`, and A there; None if unknown.

    `step` is that of the parabola and `decrease` its promise; φ ≥ lower.
    """
    gram, weights = problem.gram, charted(problem.weights, "Newton")
    n, k = point.A.shape
    if n < FEWEST or not 0 < decrease <= NEAR * abs(point.value):
        return None
    if not offers(gram, Reducible):
        return None
    some = np.flatnonzero((phi > 0) | (phi + step > 0))
    if len(some) * k > MOST:
        return None
    found = point.tangents(some)
    if found is None:
        return None
    origin, parabolic = phi, float(np.abs(step).sum())
    model = _Face(point, some, *found, gram)
    here = model.at(point.theta)
    value = here.value
    for _ in range(20):
        parabola = Parabola(weights, phi, here.s, here.hessian, some)
        floor = np.maximum(lower, least(weights, here.s, phi))
        step = parabola.minimise(np.minimum(floor, phi)) - phi
        slope = float(parabola.gradient @ step)
        if parabola.decrease(step) <= 1e-4 * (value - here.value):
            break
        t = 1.0
        while t > 1e-3:
            new = model.at(weights.chart(np.maximum(phi + t * step, 0.0))[0])
            if new.value <= here.value + 1e-4 * t * slope:
                break
            t *= 0.5
        else:
            break
        phi, here = np.maximum(phi + t * step, 0.0), new
    size, most = float(np.abs(phi - origin).sum()), FURTHER * parabolic
    if size > most:
        phi = origin + (most / size) * (phi - origin)
        here = model.at(weights.chart(phi)[0])
    loss: Any = problem.loss
    return phi, loss.into_domain(point.A + model.change(here.c))


@dataclass(frozen=True)
class _Here:
    """The model at one θ: F less F(θ₀), −2∂F, ∂²F of the kernels, and c (k, m)."""

    value: float
    s: Array
    hessian: Array
    c: Array


class _Face:
    """F(θ) where A = A₀ + Σ_i c_iN_i, N_i = −W K_iA₀, the free entries without bounds.

    With δ = θ − θ₀, R_ij = ⟨K_iA₀, W K_jA₀⟩, which is ∇²F and NᵀMN in one, M = W⁻¹,
    and G_j = NᵀK_jN,

        F(θ) = F(θ₀) − ½δᵀs + ½(Rδ)ᵀ(R + Σ_j δ_jG_j)⁻¹(Rδ),

    summed over the columns of A: a Galerkin method, off by the fourth power of δ, and
    aware of poles such as 1/θ_j. N is taken so that R + Σ_j δ_jG_j = I at θ₀.
    """

    def __init__(
        self, point: Point, some: Array, applied: Array, N: Array, gram: Reducible
    ):
        self.theta, self.s, self.some = point.theta, point.s, some
        q, n, k = N.shape
        R = -np.einsum("inc,jnc->cij", N, applied)
        values, E = np.linalg.eigh(0.5 * (R + R.transpose(0, 2, 1)))
        # Kernels may be equal: directions that they share are one.
        kept = values > 1e-10 * values[:, -1:]
        unit = np.where(kept, 1 / np.sqrt(np.where(kept, values, 1.0)), 0.0)
        E = E * unit[:, None, :]
        # (k, q, n), the vectors of column c in the c-th part.
        self.N = np.einsum("cij,inc->cjn", E, N)
        self.R = E.transpose(0, 2, 1) @ R
        G = gram.reduced(self.N.reshape(k * q, n).T, some).reshape(q, k, q, k, q)
        self.G = np.einsum("jcacb->cjab", G)

    def at(self, theta: Array) -> _Here:
        delta = (theta - self.theta)[self.some]
        s, value = self.s.copy(), -0.5 * float(self.s @ (theta - self.theta))
        hessian = np.zeros((len(self.some), len(self.some)))
        answers = []
        for R, G in zip(self.R, self.G, strict=True):
            M = np.eye(len(R)) + np.tensordot(delta, G, 1)
            right = R @ delta
            try:
                L = np.linalg.cholesky(M)
            except np.linalg.LinAlgError:
                # θ beside a pole.
                return _Here(np.inf, s, hessian, self.R[:, :, 0])
            c = np.linalg.solve(M, right)
            Gc = G @ c
            value += 0.5 * float(right @ c)
            s[self.some] += Gc @ c - 2 * (R.T @ c)
            half = np.linalg.solve(L, R - Gc.T)
            hessian += half.T @ half
            answers.append(c)
        return _Here(value, s, hessian, np.array(answers))

    def change(self, c: Array) -> Array:
        """A − A₀, (n, k)."""
        return np.einsum("cj,cjn->nc", c, self.N)
