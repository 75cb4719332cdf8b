"""LapMKL as printed: one α for all kernels, by alternation to a stationary point.

    min over θ ∈ Θ, α, b of  J = ½Σ_j θ_j tr(αᵀQ_jα) + Σ_labelled φ(K(θ)α + b),

with Q_j = K_j + γK_jLK_j: equation (18) of Hao et al. (2012), divided by γ_A. For given
θ it is an ordinary machine on the labelled rows, whose kernel is G(θ),

    V(θ) = min_α,b J = max_a g(a) − ½aᵀG(θ)a,    G = K_lQ⁻¹K_lᵀ,  α = Q⁻¹K_lᵀa,

Q = Σθ_jQ_j and K_l the labelled rows of K(θ). V is not convex: Q is linear in θ, so
aᵀGa is convex. What is found is a stationary point, and there is no lower bound of the
optimum. Only with γ = 0, where Q = K and G is linear in θ, is it the optimum.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from ..losses import SquaredHinge
from ..problem import Array, WeightSet
from ..reporting import reporter
from .nesterov import minimise_quadratic
from .truncated_newton import Minimum, Pieces, minimise

EPS = np.finfo(float).eps


class Ending(Enum):
    """Why the alternation ended."""

    STATIONARY = "no direction falls by more than the tolerance"
    MAX_ITER = "the limit on iterations was reached"
    STALLED = "the objective could not be lowered any further"


@dataclass(frozen=True)
class TiedRow:
    """Seconds, objective and slope after one iteration."""

    seconds: float
    objective: float
    slope: float


@dataclass(frozen=True)
class TiedSolution:
    """A stationary point of LapMKL's tied form, which is not a convex problem.

    Attributes
    ----------
    weights : ndarray (p,)
    A : ndarray (n, k)
        α, at all rows: f = Σ_j θ_j K_jα + b.
    bias : ndarray (k,)
    objective : float
        J, an upper bound of the optimum. There is no lower bound.
    slope : float
        max over θ' ∈ Θ of −∇V(θ)ᵀ(θ' − θ), and what α may still gain: zero exactly at
        stationary points. It is the duality gap if γ = 0, and else proves nothing.
    status : Ending
    trace : tuple of TiedRow
    certificate : None
        There is none.
    """

    weights: Array
    A: Array
    bias: Array
    objective: float
    slope: float
    status: Ending
    trace: tuple[TiedRow, ...]
    certificate: None = None

    # As in `Solution`: files keep the name of the status.
    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"status": self.status.name}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, status=Ending[state["status"]])

    @property
    def n_iter(self) -> int:
        return len(self.trace)

    @property
    def converged(self) -> bool:
        return self.status is Ending.STATIONARY


@dataclass(frozen=True)
class _Point:
    """θ with the Cholesky factor C of Q, B = C⁻¹K_lᵀ, and the machine on G = BᵀB."""

    theta: Array
    C: Array
    B: Array
    inner: Minimum
    value: float

    @property
    def alpha(self) -> Array:
        return solve_triangular(self.C, self.B @ self.inner.alpha, lower=True, trans=1)


class Tied:
    """The function V of one problem.

    Parameters
    ----------
    K : ndarray (p, n, n)
        Gram matrices of all rows.
    L : sparse array (n, n)
    gamma : float
        γ_I/γ_A.
    rows : ndarray of int (l,)
        The labelled ones.
    loss : SquaredHinge
        With C = 1/γ_A, for the labelled rows.
    truncated : bool
        As in `Primal`.
    """

    def __init__(
        self,
        K: Array,
        L: Any,
        gamma: float,
        rows: Array,
        loss: SquaredHinge,
        truncated: bool = True,
    ):
        self.loss, self.truncated = loss, truncated
        self.pieces = Pieces(*loss.box, loss.intercept)
        self.labelled = np.ascontiguousarray(K[:, rows])
        # Stored as well: another pn² numbers, and pn³ flops once.
        self.Q = np.stack([k + gamma * _sandwich(k, L) for k in K]) if gamma else K
        # What rounding may have done to Q_j, by the norms of its factors.
        size = np.linalg.norm(K, axis=(1, 2))
        self.noise = 4 * EPS * size * (1 + gamma * size * float(abs(L).sum(0).max()))

    def at(self, theta: Array, start: Minimum | None, goal: float) -> _Point:
        """V(θ), the machine solved to the duality gap `goal`."""
        Q = np.tensordot(theta, self.Q, 1)
        # Q is singular where K is. What is added changes G by as much at most.
        Q.flat[:: len(Q) + 1] += theta @ self.noise
        C = cholesky(Q, lower=True, overwrite_a=True)
        Kl = np.tensordot(theta, self.labelled, 1)
        B = solve_triangular(C, Kl.T, lower=True)
        G = B.T @ B
        shape = self.pieces.T.shape
        alpha = np.zeros(shape) if start is None else start.alpha
        bias = np.zeros(shape[1]) if start is None else start.answer.bias
        inner = minimise(G, self.pieces, alpha, bias, goal, self.truncated)
        value = self.pieces.value(inner.alpha, G @ inner.alpha, inner.answer)
        return _Point(theta, C, B, inner, value)

    def derivatives(self, point: _Point) -> tuple[Array, Array]:
        """∇V (p,), and ∇²V (p, p) without its negative part.

        With a = −φ', g_j = K_jα on the labelled rows and E_j = Q_jα − K_j,lᵀa,

            ∂V/∂θ_j = ½⟨α, Q_jα⟩ − ⟨a, g_j⟩
            ∇²V = gᵀW̃g − XᵀM⁻¹X,    X = C⁻¹E + BW̃g,  M = I + BW̃Bᵀ,

        since α follows θ. With α fixed, as in print, gᵀW̃g alone would bend the model,
        and many more alternations would be needed (see `Primal`).
        """
        at, alpha = point.inner.answer, point.alpha
        p, B = len(self.Q), point.B
        G = B.T @ B
        gradient, H = np.zeros(p), np.zeros((p, p))
        for c in range(alpha.shape[1]):
            a, w = at.a[:, c], np.tile(at.w[:, c : c + 1], (1, p))
            Qa = self.Q @ alpha[:, c]
            g = (self.labelled @ alpha[:, c]).T
            gradient += 0.5 * Qa @ alpha[:, c] - a @ g
            E = Qa - np.tensordot(self.labelled, a, ([1], [0]))
            Wg = self.pieces.curve(w, g)
            X = solve_triangular(point.C, E.T, lower=True) + B @ Wg
            # M⁻¹ = I − B(I + W̃G)⁻¹W̃Bᵀ
            WY = self.pieces.curve(w, B.T @ X)
            WG = self.pieces.curve(np.tile(w[:, :1], (1, len(G))), G)
            R = np.linalg.solve(np.eye(len(G)) + WG, WY)
            H += g.T @ Wg - X.T @ X + (B.T @ X).T @ R
        values, vectors = np.linalg.eigh(0.5 * (H + H.T))
        return gradient, (vectors * np.maximum(values, 0)) @ vectors.T


def stationary_point(
    tied: Tied,
    weights: WeightSet,
    tol: float = 1e-4,
    max_iter: int = 200,
    verbose: int = 0,
) -> TiedSolution:
    """Alternate truncated Newton for (α, b) and Nesterov's method for θ, from the
    middle of Θ, until the relative slope is at most tol."""
    began = time.perf_counter()
    theta = weights.start(len(tied.Q))
    unit = tied.pieces.value(*_nothing(tied.pieces))
    # ∇V is off by the root of the gap that α has.
    goal = max((0.1 * tol) ** 2, EPS) * unit
    point, trace = tied.at(theta, None, goal), []
    while True:
        gradient, H = tied.derivatives(point)
        # Σθ_j ∂V/∂θ_j ≤ 0, so kernels with a positive slope are never the best ones.
        best = weights.maximiser(np.maximum(-gradient, 0))
        slope = float(gradient @ (point.theta - best)) + point.inner.gap
        trace.append(TiedRow(time.perf_counter() - began, point.value, slope))
        with reporter() as report:
            report(0, 0, f"iteration {len(trace)}, slope {slope:.1e}")
        if verbose:
            _print(len(trace), trace[-1])
        if slope <= tol * point.value:
            status = Ending.STATIONARY
        elif len(trace) >= max_iter:
            status = Ending.MAX_ITER
        else:
            aim = minimise_quadratic(gradient, H, point.theta, weights.project)
            lower = _line_search(tied, point, aim, gradient, goal)
            if lower is not None:
                point = lower
                continue
            status = Ending.STALLED
        return TiedSolution(
            point.theta,
            point.alpha,
            point.inner.answer.bias,
            point.value,
            slope,
            status,
            tuple(trace),
        )


def _sandwich(K: Array, L: Any) -> Array:
    KLK = K @ (L @ K)
    return 0.5 * (KLK + KLK.T)


def _line_search(
    tied: Tied, point: _Point, aim: Array, gradient: Array, goal: float
) -> _Point | None:
    """The first of θ + t(aim − θ), t = 1, ½, ..., that lowers V enough."""
    move = aim - point.theta
    slope, t = float(gradient @ move), 1.0
    noise = 8 * EPS * abs(point.value)
    while -t * slope > noise:
        new = tied.at(point.theta + t * move, point.inner, goal)
        if new.value <= point.value + 1e-4 * t * slope:
            return new
        t /= 2
    return None


def _nothing(pieces: Pieces) -> tuple[Array, Array, Any]:
    """f = 0 with the best b: where every method starts."""
    zero = np.zeros_like(pieces.T)
    return zero, zero, pieces.answer(zero, np.zeros(pieces.T.shape[1]))


def _print(iteration: int, row: TiedRow) -> None:
    if iteration == 1:
        print(" iter   objective       slope   seconds", file=sys.stderr)
    print(
        f"{iteration:5d}  {row.objective:.6e}  {row.slope:8.1e}  {row.seconds:8.2f}",
        file=sys.stderr,
        flush=True,
    )
