"""F on one face of a support vector machine: more than Newton's parabola."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..grams.base import Reducible
from ..losses.margin import BoxLoss
from ..problem import Array, Charted, Point, Problem
from ..protocols import offers
from .parabola import Parabola, least
from .sets import charted

# Fewer samples are solved for again sooner than a model is made: with 550 of them and
# 18 kernels a grid of machines took 1.7 times as long with the model.
FEWEST = 1500

# Vectors N, all columns of A together, up to which NᵀK_jN is cheaper than a factor.
MOST = 40

# The share of F that the parabola may promise, and how many times its step is taken at
# most: further away other samples are free.
NEAR, FURTHER = 0.15, 3.0


@dataclass(frozen=True)
class OnFace:
    """The minimum of F on a face.

    Attributes
    ----------
    phi : ndarray (p,)
    A : ndarray (n, k)
        Put back between its bounds.
    value : float
        F there, and D(A) if no bound was met and no other kernel wants a weight.
    N : ndarray (q, n, k)
        The directions that A could take.
    """

    phi: Array
    A: Array
    value: float
    N: Array


def beyond(
    problem: Problem,
    point: Point,
    phi: Array,
    step: Array,
    lower: Array,
    decrease: float,
) -> OnFace | None:
    """The minimum on the face of `point`, the inner maximum at φ; None if unknown.

    `step` is that of the parabola and `decrease` its promise; φ ≥ lower.
    """
    n, k = point.A.shape
    if n < FEWEST or not 0 < decrease <= NEAR * abs(point.value):
        return None
    if not (offers(problem.gram, Reducible) and isinstance(problem.loss, BoxLoss)):
        return None
    some = np.flatnonzero((phi > 0) | (phi + step > 0))
    if len(some) * k > MOST:
        return None
    found = point.tangents(some)
    if found is None:
        return None
    most = FURTHER * float(np.abs(step).sum())
    return _minimum(problem, point, phi, lower, some, *found, most)


def again(problem: Problem, last: OnFace, point: Point, lower: Array) -> OnFace:
    """The minimum on the face of a point near `last`, with its directions.

    A of the point need be no inner maximum.
    """
    loss: Any = problem.loss
    weights = charted(problem.weights, "Newton")
    free = loss.free(point.A)
    N = last.N * free
    if loss.intercept:
        # 1ᵀN = 0 on the free entries.
        N -= free * (N.sum(axis=1) / np.maximum(free.sum(axis=0), 1))[:, None, :]
    gradient = weights.chart(last.phi)[1] * point.gradient
    some = np.flatnonzero((last.phi > 0) | (gradient < last.phi @ gradient))
    applied = point.products(some)
    return _minimum(problem, point, last.phi, lower, some, applied, N, np.inf)


def _minimum(
    problem: Problem,
    point: Point,
    phi: Array,
    lower: Array,
    some: Array,
    applied: Array,
    N: Array,
    most: float,
) -> OnFace:
    """Newton's method on the model, the step from φ at most `most` long."""
    loss: Any = problem.loss
    weights = charted(problem.weights, "Newton")
    model = _Model(problem, point, some, applied, N)
    origin, here = phi, model.at(point.theta)
    first = here.value
    for _ in range(20):
        new = _step(model, weights, phi, here, lower)
        if new is None:
            break
        gain, (phi, here) = here.value - new[1].value, new
        if gain <= 1e-4 * (first - here.value):
            break
    size = float(np.abs(phi - origin).sum())
    if size > most:
        phi = origin + (most / size) * (phi - origin)
        here = model.at(weights.chart(phi)[0])
    A = loss.into_domain(point.A + np.einsum("cj,jnc->nc", here.c, N))
    return OnFace(phi, A, here.value, N)


def _step(
    model: _Model, weights: Charted, phi: Array, here: _Here, lower: Array
) -> tuple[Array, _Here] | None:
    """A step of Newton's method on the model; None where it does not descend."""
    parabola = Parabola(weights, phi, here.s, here.hessian, model.some)
    floor = np.maximum(lower, least(weights, here.s, phi))
    step = parabola.minimise(np.minimum(floor, phi)) - phi
    slope, t = float(parabola.gradient @ step), 1.0
    while slope < 0 and t > 1e-3:
        new = np.maximum(phi + t * step, 0.0)
        there = model.at(weights.chart(new)[0])
        if there.value <= here.value + 1e-4 * t * slope:
            return new, there
        t *= 0.5
    return None


@dataclass(frozen=True)
class _Here:
    """The model at one θ: F, −2∂F, ∂²F of the kernels, and c (k, q)."""

    value: float
    s: Array
    hessian: Array
    c: Array


class _Model:
    """F(θ) where A = A₀ + Σ_i c_iN_i, the free entries of A₀ without bounds.

    With ρ = Nᵀ(T − ε sign A₀ − d∘A₀), Q_ij = ⟨N_i, K_jA₀⟩, G_j = NᵀK_jN and
    B(θ) = Nᵀdiag(d)N + Σ_j θ_jG_j,

        F(θ) = g(A₀) − ½θᵀs(A₀) + ½(ρ − Qθ)ᵀB(θ)⁻¹(ρ − Qθ),

    summed over the columns of A. With N_i = −W K_iA₀ and A₀ an inner maximum it is a
    Galerkin method: off by the fourth power of the change of θ, where the parabola is
    off by the third, and aware of poles such as 1/θ_j.
    """

    def __init__(
        self, problem: Problem, point: Point, some: Array, applied: Array, N: Array
    ):
        gram, loss = problem.gram, problem.loss
        assert offers(gram, Reducible) and isinstance(loss, BoxLoss)
        self.s, self.some, self.g = point.s, some, loss.value(point.A)
        m, n, k = N.shape
        T, eps, _, _, d = loss.box
        slope = T - eps * np.sign(point.A) - d * point.A
        self.rho = np.einsum("inc,nc->ci", N, slope)
        self.Q = np.einsum("inc,jnc->cij", N, applied)
        V = N.transpose(2, 0, 1).reshape(k * m, n)
        G = gram.reduced(V.T, some).reshape(len(some), k, m, k, m)
        self.G = np.einsum("jcacb->cjab", G)
        self.D = np.einsum("inc,jnc->cij", N * d, N)

    def at(self, theta: Array) -> _Here:
        some = self.some
        s, value = self.s.copy(), self.g - 0.5 * float(self.s @ theta)
        hessian = np.zeros((len(some), len(some)))
        answers = []
        for rho, Q, G, D in zip(self.rho, self.Q, self.G, self.D, strict=True):
            values, E = np.linalg.eigh(D + np.tensordot(theta[some], G, 1))
            # Kernels may be equal: directions that they share are one.
            kept = values > 1e-10 * values[-1]
            root = E[:, kept] / np.sqrt(values[kept])
            right = root.T @ (rho - Q @ theta[some])
            c = root @ right
            Gc = G @ c
            value += 0.5 * float(right @ right)
            s[some] += 2 * (c @ Q) + Gc @ c
            half = root.T @ (Q + Gc.T)
            hessian += half.T @ half
            answers.append(c)
        return _Here(value, s, hessian, np.array(answers))
