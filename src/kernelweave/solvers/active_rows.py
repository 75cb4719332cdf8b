"""F(θ) of a support vector machine from the rows near its margin."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..arrays import energies, is_foreign, take
from ..grams.base import Crossed
from ..losses.margin import BoxLoss, rounding_of_fit
from ..problem import Array, Inner, Point, Problem
from ..protocols import Penalised, offers

# Of fewer rows all are solved for.
FEWEST = 1500

# Where more than this share of the rows is near the margin, all are solved for.
MOST = 0.6

# Rows beyond the margin that are solved for, of those within: a step makes some of
# them support vectors.
BEYOND = 0.15


def rows_matter(problem: Problem) -> bool:
    """Whether F of the problem can be had from some of its rows."""
    gram, loss = problem.gram, problem.loss
    return (
        isinstance(loss, BoxLoss)
        and gram.n >= FEWEST
        and offers(gram, Crossed)
        and not is_foreign(loss.box[0])
        and not offers(problem.weights, Penalised)
    )


class ActiveRows:
    """F at one θ after another: an inner problem of the rows W that may have A ≠ 0.

    The others are looked at afterwards, f = K(θ)[:, W]A: rows on the wrong side of the
    margin join W. Products and s_j need K_j[S, S] alone, S the support vectors. So

        |W|²/2 + (n − |W|)|S| + p|S|²/2    kernel values, not (1 + p)n²/2,

    and the inner problem has |W| rows. F is the primal value of all rows: an upper
    bound, whatever W is.

    Parameters
    ----------
    problem : Problem
        One whose `rows_matter`.
    tol : float
        The relative gap that is wanted: rows that are missed may add a tenth of it.
    """

    def __init__(self, problem: Problem, tol: float):
        self._problem, self._tol = problem, tol
        self._gram: Any = problem.gram
        self._loss: Any = problem.loss
        # The rows to begin with.
        self._rows = np.arange(problem.gram.n)

    def see(self, theta: Array, A: Array) -> None:
        """Begin with the rows that the prediction K(θ)A puts within the margin."""
        n = len(A)
        # A few rows say whether to look at all of them.
        few = np.arange(0, n, 16)
        if np.mean(self._predicted(theta, few, A) < 0) > MOST:
            return
        distance = self._predicted(theta, np.arange(n), A)
        self._choose((distance < 0) | np.any(A != 0, axis=1), distance, 0.0)

    def _predicted(self, theta: Array, rows: Array, A: Array) -> Array:
        """The distance of some rows from the margin of f = K(θ)A, with their best b."""
        f, loss = self._fit(theta, rows, A), self._loss.sample(rows, 1)
        return loss.distance(f, loss.risk(f)[1])

    def at(self, theta: Array, start: Array | None = None) -> Point:
        """`Problem.at`; K_jA is that of the support vectors, and 0 elsewhere."""
        loss, n = self._loss, self._gram.n
        W, K, a = self._begin(theta, start)
        if len(W) < n:
            a = loss.sample(W, 1).rough(K, a)
            new = self._missed(theta, W, K, a)[0]
            W, K, a = self._joined(theta, W, K, a, new)
        while True:
            inner: Inner = loss.sample(W, 1).inner(K, a)
            a = inner.A
            A = np.zeros((n, a.shape[1]))
            A[W] = a
            new, f = self._missed(theta, W, K, a, inner.bias)
            value = loss.primal(A, f, inner.bias)
            value += rounding_of_fit(K, a, 1e-12 * abs(value))
            if not len(new) or value - inner.value <= 0.1 * self._tol * abs(value):
                break
            W, K, a = self._joined(theta, W, K, a, new)
        ways = _embedded(inner, W, n)
        return self._point(theta, A, f, inner.bias, value, *ways)

    def roughly(self, theta: Array, start: Array, tol: float) -> Point:
        """The same of an A near the inner maximum, without derivatives.

        F is the primal value at A, with slopes that differ by `tol` at most.
        """
        W, K, a = self._begin(theta, start)
        a = self._loss.sample(W, 1).rough(K, a, tol)
        new, f = self._missed(theta, W, K, a)
        if len(new):
            W, K, a = self._joined(theta, W, K, a, new)
            a = self._loss.sample(W, 1).rough(K, a, tol)
            f = self._missed(theta, W, K, a)[1]
        A = np.zeros((self._gram.n, a.shape[1]))
        A[W] = a
        value, bias = self._loss.risk(f)
        value += 0.5 * float(np.sum(A * f))
        return self._point(theta, A, f, bias, value)

    def _begin(
        self, theta: Array, start: Array | None
    ) -> tuple[Array, Array, Array | None]:
        """W, K(θ)[W, W], and A of W to start from."""
        W = self._rows
        whole = len(W) == self._gram.n
        K = self._gram.combine(theta) if whole else self._gram.block(theta, W)
        if not np.isfinite(K.sum()):
            raise FloatingPointError("the combined kernel contains NaN or infinity")
        return W, K, None if start is None else start[W]

    def _point(
        self,
        theta: Array,
        A: Array,
        f: Array,
        bias: Array,
        value: float,
        *ways: Any,
    ) -> Point:
        """What is known at θ; the next point begins with the rows near its margin."""
        used = np.any(A != 0, axis=1)
        distance = self._loss.distance(f, bias)
        self._choose(used | (distance < 0), distance, BEYOND)
        S = np.flatnonzero(used)
        applied = np.zeros((self._gram.p, *A.shape))
        applied[:, S] = self._gram.within(S, A[S])
        s = np.maximum(energies(A, applied), 0.0)
        return Point(theta, A, bias, value, s, partial(take, applied), *ways)

    def _choose(self, inside: Array, distance: Array, beyond: float) -> None:
        """The rows inside the margin and the nearest others, if that is not most."""
        n, count = len(inside), int((1 + beyond) * np.count_nonzero(inside))
        self._rows = np.arange(n)
        if count <= MOST * n:
            order = np.argsort(np.where(inside, -np.inf, distance), kind="stable")
            self._rows = np.sort(order[:count])

    def _missed(
        self, theta: Array, W: Array, K: Array, a: Array, bias: Array | None = None
    ) -> tuple[Array, Array]:
        """The rows that W should have as well, and f of all rows."""
        n = self._gram.n
        f, out = np.empty((n, a.shape[1])), np.ones(n, dtype=bool)
        f[W], out[W] = K @ a, False
        rest = np.flatnonzero(out)
        if len(rest):
            A = np.zeros((n, a.shape[1]))
            A[W] = a
            f[rest] = self._fit(theta, rest, A)
        if bias is None:
            bias = self._loss.risk(f)[1]
        return rest[self._loss.distance(f, bias)[rest] < 0], f

    def _fit(self, theta: Array, rows: Array, A: Array) -> Array:
        """K(θ)A of some rows."""
        S = np.flatnonzero(np.any(A != 0, axis=1))
        parts = np.array_split(rows, max(1, len(rows) // 512))
        return np.vstack([self._gram.cross(theta, part, S) @ A[S] for part in parts])

    def _joined(
        self, theta: Array, W: Array, K: Array, a: Array, new: Array
    ) -> tuple[Array, Array, Array]:
        """W, K(θ)[W, W] and A of W with the rows `new`, whose A is zero."""
        if not len(new):
            return W, K, a
        w, W = len(W), np.append(W, new)
        grown = np.empty((len(W), len(W)))
        grown[:w, :w] = K
        grown[w:] = self._gram.cross(theta, new, W)
        grown[:w, w:] = grown[w:, :w].T
        corner = grown[w:, w:]
        corner[:] = 0.5 * (corner + corner.T)
        return W, grown, np.vstack([a, np.zeros((len(new), a.shape[1]))])


def _embedded(inner: Inner, W: Array, n: int) -> tuple[Any, Any, Any]:
    """The derivatives of an inner maximum of the rows W, for arrays of all rows."""

    def hessian(applied: Array) -> Array:
        assert inner.hessian is not None
        return inner.hessian(applied[:, W])

    def respond(change: Array) -> Array:
        assert inner.respond is not None
        out = np.zeros((n, change.shape[1]))
        out[W] = inner.respond(change[W])
        return out

    def tangent(changes: Array) -> Array | None:
        assert inner.tangent is not None
        found = inner.tangent(changes[:, W])
        if found is None:
            return None
        out = np.zeros(changes.shape)
        out[:, W] = found
        return out

    return hessian, respond, tangent
