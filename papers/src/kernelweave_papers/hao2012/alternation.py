"""Algorithm 1 as printed, with two directions for (α, b) to choose from.

One direction and one exact line search for (α, b), then the cache K_mα, then d by
Nesterov's method with α and b fixed. Our own `Primal` solves for α first, and lets it
follow d: this one is here to be compared with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import cast

import numpy as np
from sklearn.base import BaseEstimator

from kernelweave.problem import Array, Iterate, Problem
from kernelweave.solvers.primal import pieces_of, quadratic_loss
from kernelweave.solvers.truncated_newton import (
    Answer,
    Pieces,
    line_search,
    newton_direction,
)


class Counted:
    """K, and how many of its products with a vector were asked for."""

    def __init__(self, K: Array):
        self.K, self.products = K, 0

    def __len__(self) -> int:
        return len(self.K)

    def __matmul__(self, X: Array) -> Array:
        self.products += X.shape[1]
        return self.K @ X


@dataclass(eq=False, repr=False)
class Alternation(BaseEstimator):
    """PrimalMKL, a solver that ends by the paper's rule ‖∇_z F‖ < χ₂.

    Parameters
    ----------
    direction : {"newton", "pcg"}
        Newton's, by conjugate gradients to the relative residual 0.1 (Algorithm 2), or
        that of nonlinear conjugate gradients, preconditioned by K (Melacci and Belkin
        2011): q = r + βq, r = a − α, β after Polak and Ribière, in the inner product
        of K.
    chi : float
        χ₂, for the objective of (9).

    Attributes
    ----------
    products_ : int
        Products of K(d) and a vector, of the last run; the cache takes p an iteration.
    """

    direction: str = "newton"
    chi: float = 0.1

    def iterates(
        self, problem: Problem, tol: float, start: Array | None
    ) -> Iterator[Iterate]:
        gram, weights = problem.gram, problem.weights
        loss = quadratic_loss(problem)
        pieces = pieces_of(loss)
        theta = weights.start(gram.p) if start is None else np.array(start)
        shape = pieces.T.shape
        alpha, bias = np.zeros(shape), np.zeros(shape[1])
        applied = np.zeros((gram.p, *shape))
        last = (np.zeros(shape), np.zeros(shape), np.ones(shape[1]))
        self.products_ = 0
        for step in count():
            K = Counted(gram.combine(theta))
            f = np.tensordot(theta, applied, 1)
            at = pieces.answer(f, bias)
            r = at.a - alpha
            Kr = K @ r
            self.products_ += K.products
            # λ(½αᵀKα + ...) is (9); d = 1/C = λ. Kernels of unit trace may fulfil the
            # rule before there is an answer.
            if step and np.linalg.norm(pieces.d * Kr) < self.chi:
                return
            K.products = 0
            if self.direction == "newton":
                # All that is asked of K is the product, which is counted.
                q, Kq = newton_direction(cast(Array, K), pieces, alpha, at, 0.0)
            else:
                q, Kq, last = _conjugate(K, r, Kr, last)
            self.products_ += K.products
            full = pieces.answer(f + Kq, at.bias)
            t = line_search(pieces, alpha, q, f, Kq, full)
            alpha = alpha + t * q
            bias = pieces.answer(f + t * Kq, full.bias).bias
            applied = gram.apply(alpha)
            theta = _weights(pieces, alpha, applied, bias, theta, weights.project)
            # a_i = Cy_i(1 − y_i f_i)₊ is the dual point that certifies.
            at = pieces.answer(np.tensordot(theta, applied, 1), bias)
            yield Iterate(problem.bound(theta, alpha, applied), loss.into_domain(at.a))


def _conjugate(
    K: Counted, r: Array, Kr: Array, last: tuple[Array, Array, Array]
) -> tuple[Array, Array, tuple[Array, Array, Array]]:
    """q = r + βq_last and Kq; `last` holds q, r and rᵀKr of the step before."""
    q, before, size = last
    new = np.sum(r * Kr, axis=0)
    beta = np.maximum((new - np.sum(before * Kr, axis=0)) / size, 0)
    q = r + beta * q
    Kq = K @ q if beta.any() else Kr
    uphill = np.sum(r * Kq, axis=0) <= 0
    q, Kq = np.where(uphill, r, q), np.where(uphill, Kr, Kq)
    return q, Kq, (q, r, np.maximum(new, np.finfo(float).tiny))


def _weights(
    pieces: Pieces,
    alpha: Array,
    applied: Array,
    bias: Array,
    theta: Array,
    project: Callable[[Array], Array],
) -> Array:
    """Algorithm 4: d with α and b fixed, until a step is below χ₁ = 1e-5."""
    s = np.einsum("ik,jik->j", alpha, applied)

    def at(theta: Array) -> tuple[float, Answer]:
        f = np.tensordot(theta, applied, 1)
        answer = pieces._at(pieces.T - f, bias)
        return pieces.value(alpha, f, answer), answer

    x = last = theta
    lipschitz, before, now = 1.0, 0.0, 1.0
    for _ in range(1000):
        y = x + (before - 1) / now * (x - last) if before else x
        value, answer = at(y)
        slope = 0.5 * s - np.einsum("ik,jik->j", answer.a, applied)
        while True:
            new = project(y - slope / lipschitz)
            move = new - y
            model = value + slope @ move + 0.5 * lipschitz * (move @ move)
            if at(new)[0] <= model + 1e-12 * abs(value):
                break
            lipschitz *= 2
        last, x = x, new
        if np.max(np.abs(move)) < 1e-5:
            break
        before, now = now, 0.5 * (1 + np.sqrt(1 + 4 * now * now))
    return x


def nonlinear_pcg(K: Counted, pieces: Pieces, goal: float, max_iter: int) -> float:
    """Minimise over (α, b) at given weights by the direction "pcg", from zero, until
    the duality gap is at most `goal`; returns the gap."""
    alpha, f = np.zeros_like(pieces.T), np.zeros_like(pieces.T)
    at = pieces.answer(f, np.zeros(pieces.T.shape[1]))
    last = (alpha, alpha, np.ones(pieces.T.shape[1]))
    for _ in range(max_iter):
        if np.sum(pieces.gaps(alpha, f, at)) <= goal:
            break
        r = at.a - alpha
        q, Kq, last = _conjugate(K, r, K @ r, last)
        full = pieces.answer(f + Kq, at.bias)
        t = line_search(pieces, alpha, q, f, Kq, full)
        alpha, f = alpha + t * q, f + t * Kq
        at = pieces.answer(f, full.bias)
    return float(np.sum(pieces.gaps(alpha, f, at)))
