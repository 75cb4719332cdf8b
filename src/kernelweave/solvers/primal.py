"""Truncated Newton in the primal, then the weights by Nesterov's method."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from sklearn.base import BaseEstimator

from ..arrays import combination, filled, host, is_foreign, namespace
from ..losses import Square, SquaredEpsilonInsensitive, SquaredHinge
from ..problem import Array, Iterate, Penalised, Problem
from .coarse import GPU, coarse
from .nesterov import minimise_quadratic
from .sets import general
from .truncated_newton import Answer, Pieces, conjugate_gradients, minimise

EPS = np.finfo(float).eps


@dataclass(eq=False, repr=False)
class Primal(BaseEstimator):
    """Minimise ½αᵀK(θ)α + Σφ(K(θ)α + b) for α and b at θ, then for θ; and again.

    Hao et al. (2012, Algorithms 1 to 4), for losses φ that are piecewise quadratic:
    `SquaredHinge`, `SquaredEpsilonInsensitive`, `Square`. α and b come from truncated
    Newton steps, preconditioned CG and an exact line search; θ from Nesterov's
    accelerated projected gradient, on a model made of the cached K_jα and αᵀK_jα. No
    matrix is factorised, and none but K(θ) is formed.

    With α fixed, as in print, the step in θ minimises a function above F that bends
    by GᵀW̃G, G_j = K_jα. F itself bends by less,

        ∇²F = GᵀW̃(G − KV) = (G − KV)ᵀW̃(G − KV) + VᵀKV,    (I + W̃K)V = W̃G,

    since α follows θ, dα/dθ = −V. In the directions of K that matter the two are apart
    by 1 + C‖K‖, and so many alternations it takes: on 200 rows with ten Gaussians and
    C = 10 more than 150 for a gap of 1e-3. So V is found as well, by the same CG
    on all columns at once, and truncated: with every V the second form is at least
    ∇²F, and V = 0 gives the step in print. A gap of 1e-6 then takes 3 to 12 iterations
    for C from 0.1 to 100, about as many as `Newton`.

    α is solved for as exactly as the gap of θ asks for: s(A) is off by the root of the
    inner gap, so that is driven to the square of the gap that is hoped for next.

    An iteration reads the p matrices twice, for K(θ) and for K_jA: 2pn²(1 + k) flops,
    16pn² bytes. A step of CG for α takes 2n²k flops and for V 2pn²k, each reading K(θ)
    once, 8n² bytes. There are some √(1 + C‖K‖) of them to a digit.

    Parameters
    ----------
    truncated : bool
        Whether a Newton step is solved to the relative residual η = 0.1 of equation
        (11), or to what the next gap needs; otherwise to 1e-8, every time.
    """

    truncated: bool = True

    def iterates(
        self, problem: Problem, tol: float, start: Array | None
    ) -> Iterator[Iterate]:
        gram, weights = problem.gram, problem.weights
        loss = quadratic_loss(problem)
        pieces = pieces_of(loss)
        if start is None and is_foreign(pieces.T):
            # Without the hinge: a GPU waits for the host in every product of CG with
            # few rows, and the square loss is solved without them.
            ridge = float(namespace(pieces.d).mean(pieces.d))
            squares = replace(problem, loss=Square(pieces.T, ridge, pieces.intercept))
            start, _ = coarse(squares, tol, GPU)
        theta = weights.start(gram.p) if start is None else np.array(start)
        shape = tuple(pieces.T.shape)
        A, bias = filled(shape, pieces.T), filled(shape[1], pieces.T)
        aim, follow = theta, filled(shape, A)
        t, slope, value, gap = 1.0, 0.0, np.inf, np.inf
        goal = 1e-3 * problem.bound(theta, A, filled((gram.p, *shape), A)).value
        while True:
            trial, begin = (1 - t) * theta + t * aim, A + t * follow
            K = gram.combine(trial)
            while True:
                inner = minimise(K, pieces, begin, bias, goal, self.truncated)
                begin, bias = loss.into_domain(inner.alpha), inner.answer.bias
                applied = gram.apply(begin)
                point = problem.bound(trial, begin, applied)
                yield Iterate(point)
                # F − D = [F − g + ½θᵀs] + [½σ(s) − ½θᵀs]: what α and what θ owe.
                energy = float(trial @ point.s)
                rough = point.value - loss.value(point.A) + 0.5 * energy
                owed = 0.5 * (weights.support(point.s) - energy)
                noise = 8 * EPS * abs(point.value)
                if rough <= max(0.1 * owed, noise):
                    break
                if inner.gap > goal or inner.gap <= EPS * noise:
                    break  # rounding: α will not become better
                goal = min(0.01 * goal, 0.1 * inner.gap)
            rise = point.value - value
            if rise > 1e-4 * t * slope + noise:
                # The minimum of the parabola through F(0), F'(0) and F(t).
                t *= float(np.clip(-0.5 * t * slope / (rise - t * slope), 0.1, 0.5))
                if -t * slope <= noise:
                    return
                continue
            theta, A, value = trial, begin, point.value
            share = owed / abs(value) if value else 0.0
            V, H = _response(
                K, pieces, inner.answer, applied, min(0.1, abs(share) ** 0.5)
            )
            aim = minimise_quadratic(point.gradient, H, theta, weights.project)
            slope, t = float(point.gradient @ (aim - theta)), 1.0
            # Below the rounding of F only the gap tells whether a step was one.
            if -slope <= noise and not owed + rough < 0.5 * gap:
                return
            gap = owed + rough
            follow = -combination(aim - theta, namespace(V).permute_dims(V, (1, 0, 2)))
            hope = 0.1 * max(owed, tol * abs(value))
            goal = min(goal, 0.01 * hope**2 / abs(value)) if value else 0.0


def _response(
    K: Array, pieces: Pieces, at: Answer, applied: Array, rest: float
) -> tuple[Array, Array]:
    """V (n, p, k) with (I + W̃K)V ≈ W̃G and ∇²F (p, p), for G_j = K_jA (p, n, k).

    `rest` is how much of ∇²F_jj may be missed, relatively.
    """
    p, n, k = applied.shape
    xp = namespace(applied)
    G = xp.reshape(xp.permute_dims(applied, (1, 0, 2)), (n, p * k))
    w = xp.tile(at.w, (1, p))
    R = pieces.curve(w, G)
    # minus twice the energy of CG rises to ∇²F_jj, and ρ bounds what is to come.
    V, KV, _ = conjugate_gradients(
        K, pieces, w, R, lambda rho, bend: rho <= rest * bend
    )
    E = G - KV
    H = np.zeros((p, p))
    for X, Z in ((E, pieces.curve(w, E)), (V, KV)):
        X, Z = (xp.reshape(part, (n, p, k)) for part in (X, Z))
        H += host(xp.tensordot(X, Z, axes=((0, 2), (0, 2))))
    return xp.reshape(V, (n, p, k)), 0.5 * (H + H.T)


Quadratic = SquaredHinge | SquaredEpsilonInsensitive | Square


def quadratic_loss(problem: Problem) -> Quadratic:
    """The loss, if it is one of those that this solver is for."""
    if isinstance(problem.weights, Penalised):
        raise TypeError(
            f"Primal needs a set of weights, not {problem.weights!r}; use LpBall, or "
            "DualLBFGS() for the square loss"
        )
    if not isinstance(problem.loss, Quadratic):
        raise TypeError(
            "Primal is for SquaredHinge, SquaredEpsilonInsensitive and Square, whose "
            f"primal is piecewise quadratic, not {type(problem.loss).__name__}; use "
            f"{general(problem.weights)}"
        )
    return problem.loss


def pieces_of(loss: Quadratic) -> Pieces:
    if isinstance(loss, Square):
        shape = tuple(loss.H.shape)
        d, wide = filled(shape, loss.H, loss.lam), filled(shape, loss.H, np.inf)
        pieces = Pieces(loss.H, 0.0, -wide, wide, d, loss.intercept)
    else:
        pieces = Pieces(*loss.box, loss.intercept)
    if not bool(namespace(pieces.d).all(pieces.d > 0)):
        raise ValueError(
            "Primal needs λ > 0 and a finite C: without errors the primal has no "
            "curvature; use Newton() where λ or C is learned"
        )
    return pieces
