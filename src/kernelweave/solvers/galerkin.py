"""The problem on a subspace of A's: one factorisation, then products."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from sklearn.base import BaseEstimator

from ..arrays import combination, filled, is_foreign, namespace, take
from ..grams import DenseStack
from ..losses import Square
from ..problem import Array, Charted, Iterate, Point, Problem
from ..solution import uninterrupted
from ..solve import solve
from .coarse import GPU, Sampling
from .newton import Newton, beginning
from .parabola import model_step
from .sets import charted, general
from .subspace import Subspace


@dataclass(eq=False, repr=False)
class Galerkin(BaseEstimator):
    """Solve the problem on a growing subspace of A's, from one factor of K(θ₀).

    With M = λI + K(θ₀) = LLᵀ and A₀ its inner maximiser, A answers to the weights by

        A(θ) = A₀ − Σ_j (θ_j − θ₀_j) M⁻¹K_jA₀ + ...

    On the span of A₀ and these answers the problem is a small one of the same kind (see
    `Subspace`). Its F is off by the fourth power of θ − θ₀, where Newton's parabola is
    off by the third, and it knows of the poles of F. What is still missing points along
    M⁻¹R with the residual R = H − λA − K(θ)A: such a step adds k vectors and takes one
    product with every kernel, not a factorisation. D(A) never falls, and F(θ) is
    bounded without K(θ).

    The small problem's F is below that of the whole, and far from θ₀ it may be far
    below: its minimum then lies beside a pole of F that the subspace does not know of
    yet. So where the bound at that minimum is no better than the best one, K(θ) is
    factorised halfway to the weights of the best one. A(θ) joins the subspace, and the
    small problem is exact there, too.

    Parameters
    ----------
    products : int
        Steps after which K(θ) is factorised anew, should the gap still be open.
    """

    products: int = 8

    def iterates(
        self, problem: Problem, tol: float, start: Array | None
    ) -> Iterator[Iterate]:
        gram, loss = problem.gram, problem.loss
        if not isinstance(loss, Square) or not applies(problem):
            raise TypeError(
                "Galerkin is for the square loss with λ > 0 and a set of weights with "
                f"a chart, not {type(loss).__name__} and "
                f"{type(problem.weights).__name__}: use {general(problem.weights)}"
            )
        weights = charted(problem.weights, "Galerkin")
        sampling = GPU if is_foreign(loss.H) else Sampling(4)
        theta = weights.chart(beginning(problem, tol, start, sampling)[0])[0]
        H = loss.gradient(filled((gram.n, 1), loss.H))
        memory = self._memory(gram.n, gram.p, H.shape[1])
        space = Subspace(H, gram.p, memory, gram.apply, loss.into_domain)
        C = np.zeros((0, H.shape[1]))
        top, low, last = np.inf, -np.inf, np.inf
        best = theta
        while True:
            point = problem.at(theta)
            yield Iterate(point.bare())
            if point.value < top:
                top, best = point.value, theta
            xp = namespace(H)
            products = xp.permute_dims(point.applied, (2, 0, 1))
            grown = space.add(point.A.T, C, products)
            # The present A is now among the latest vectors, in another basis perhaps.
            C = C[:0]
            new = point.respond(_changes(problem, point))
            gap = np.inf
            for _ in range(self.products):
                grown = space.add(new.T, C) or grown
                if not grown:
                    break
                grown = False
                small = Problem(
                    DenseStack(space.grams), Square(space.targets, loss.lam), weights
                )
                # The bound feels the square root of what this leaves open.
                exact = uninterrupted(solve(small, Newton(), 1e-5 * tol, start=theta))
                # `dual_A` is the A that proves the larger lower bound.
                theta, C = exact.weights, exact.dual_A
                A, KA = space.expand(C)
                new = point.respond(combination(theta, KA) - loss.gradient(A))
                near = _bound(problem, point, theta, A, KA, new, tol)
                yield Iterate(near)
                proved = problem.dual(near.A, near.s).value
                low = max(low, proved)
                if near.value < top:
                    top, best = near.value, theta
                gap, before = near.value - proved, gap
                if gap > 0.5 * before:
                    break
            # What a factorisation can no longer close is rounding.
            if not top - low < 0.99 * last:
                return
            last = top - low
            if best is not theta:
                theta = 0.5 * (best + theta)

    def _memory(self, n: int, p: int, k: int) -> int:
        """Bytes for the subspace: three factorisations, or as much as K(θ).

        In any case twice what a step may add.
        """
        vector = 12 * n * (p + 1)
        added = 3 * k + 21
        rounds = 3 * (k + added + self.products * k)
        return max(min(8 * n * n, rounds * vector), 2 * added * vector)


def applies(problem: Problem) -> bool:
    """Whether Galerkin can solve the problem."""
    loss = problem.loss
    return (
        isinstance(loss, Square)
        and loss.lam > 0
        and isinstance(problem.weights, Charted)
    )


def _changes(problem: Problem, point: Point) -> Array:
    """K_jA for the kernels that Newton's step has or wants, (n, q).

    Many columns cost more than the steps that they save: then only the sum that
    Newton's step makes of them.
    """
    weights = charted(problem.weights, "Galerkin")
    phi = weights.coordinates(point.theta)
    step = model_step(problem, point, phi)
    theta = weights.chart(phi + step)[0]
    some = np.flatnonzero((theta > 0) | (point.theta > 0))
    n, k = point.A.shape
    if len(some) * k <= 3 * k + 20:
        xp, chosen = namespace(point.A), take(point.applied, some)
        return xp.reshape(xp.permute_dims(chosen, (1, 0, 2)), (n, -1))
    return combination(theta - point.theta, point.applied)


def _bound(
    problem: Problem,
    origin: Point,
    theta: Array,
    A: Array,
    KA: Array,
    WR: Array,
    tol: float,
) -> Point:
    """An upper bound of F near θ, by what the factor at θ₀ knows.

    For the square loss F(θ) = v(A) + ½⟨R, W(θ)R⟩ for every A of the domain, where v is
    the inner objective and W(θ) the inverse of λI + K(θ) on the domain. `Problem.bound`
    takes W ≤ 1/λ. But where every weight is at least cθ₀, c ≤ 1, also W(θ) ≤ W(θ₀)/c.
    A weight of zero has c = 0; on the way to θ₀, at θ + ε(θ₀ − θ), c is ε at least, and
    F is convex: a small ε costs little. The first ε that is enough is taken, so that a
    weight of zero stays zero if it can.
    """
    loss = problem.loss
    assert isinstance(loss, Square)
    plain = problem.bound(theta, A, KA)
    s = problem.precise(A, problem.quadratic(A, KA), theta, plain.value)
    slope = loss.gradient(A)
    R = slope - combination(theta, KA)
    R0 = slope - combination(origin.theta, KA)
    # W(θ₀)R₀ = A₀ − A.
    back = origin.A - A
    pairs = ((R, WR), (R, back), (R0, back))
    squares = np.array([float(namespace(X).sum(X * Z)) for X, Z in pairs])
    held = origin.theta > 0
    best = plain
    lower, g = problem.dual(A, s).value, loss.value(A)
    for e in (0.0, *np.logspace(-7, -1, 25)):
        if best.value - lower <= tol * best.value:
            break
        nearer = (1 - e) * theta + e * origin.theta
        c = min(1.0, float(np.min(nearer[held] / origin.theta[held])))
        if c > 0:
            rest = squares @ [(1 - e) ** 2, 2 * e * (1 - e), e * e]
            value = g - 0.5 * float(nearer @ s) + 0.5 * max(rest, 0.0) / c
            if value < best.value:
                apply = partial(take, KA)
                best = replace(plain, theta=nearer, A=A, value=value, s=s, _apply=apply)
    return best
