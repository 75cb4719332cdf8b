"""Truncated Newton with conjugate gradients for (α, b), in the primal.

    P(α) = ½αᵀKα + min_b Σ φ(T − Kα − b),   φ(r) = max_a ra − ε|a| − ½da²,

a over the box lower ≤ a ≤ upper, one problem for each column of T. With a and b the
maximisers, b exact so that 1ᵀa = 0, and W̃ = W − W11ᵀW/1ᵀW1, W = diag(1/d) on the rows S
whose a is inside the box (the support vectors),

    ∇P = K(α − a),    ∇²P = K(I + W̃K),

so K cancels from Newton's equation: this is the preconditioner P of Hao et al. (2012,
§3.1), and K⁻¹ is not needed. What is left, (I + W̃K)q = a − α, is q = −α off S, and on S
symmetric in the inner product of D = diag(d), with the condition number 1 + ‖K‖/d; with
∇²P itself that of K comes on top. The inner product of K would do as well, but is
blind to what of α is in the null space of K, and D(α) is not. In that of D the norm of
the residual is the duality gap that α will have: ½‖α − a‖² on S.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..arrays import filled, namespace
from ..problem import Array

# Plain numbers: NumPy's would make arrays of other kinds its own.
EPS, TINY = float(np.finfo(float).eps), float(np.finfo(float).tiny)


@dataclass(frozen=True)
class Answer:
    """a (n, k), the diagonal of W (n, k) and b (k,) for one f = Kα."""

    a: Array
    w: Array
    bias: Array


@dataclass(frozen=True)
class Pieces:
    """φ, piecewise quadratic: T, lower ≤ 0, upper ≥ 0 and d > 0 are (n, k)."""

    T: Array
    eps: float
    lower: Array
    upper: Array
    d: Array
    intercept: bool

    def answer(self, f: Array, bias: Array) -> Answer:
        """The maximisers for f, the search for b starting at bias."""
        r = self.T - f
        if not self.intercept:
            return self._at(r, 0.0 * bias)
        # Σa falls with b, and is linear between breakpoints: Newton's method, kept
        # inside a bracket.
        xp = namespace(f)
        low, high = xp.min(r, axis=0) - self.eps, xp.max(r, axis=0) + self.eps
        b = xp.clip(bias, low, high)
        at = self._at(r, b)
        for _ in range(100):
            total, slope = xp.sum(at.a, axis=0), xp.sum(at.w, axis=0)
            rounding = 4 * EPS * xp.sum(xp.abs(at.a), axis=0)
            low, high = xp.where(total > 0, b, low), xp.where(total < 0, b, high)
            step = b + total / xp.where(slope > 0, slope, 1.0)
            inside = (slope > 0) & (low <= step) & (step <= high)
            new = xp.where(inside, step, 0.5 * (low + high))
            new = xp.where(xp.abs(total) <= rounding, b, new)
            if bool(xp.all(new == b)):
                break
            b = new
            at = self._at(r, b)
        return at

    def _at(self, r: Array, b: Array) -> Answer:
        xp, r = namespace(r), r - b
        free = xp.sign(r) * xp.clip(xp.abs(r) - self.eps, min=0.0) / self.d
        inside = (xp.abs(r) >= self.eps) & (self.lower <= free) & (free <= self.upper)
        a = xp.clip(free, self.lower, self.upper)
        return Answer(a, xp.where(inside, 1 / self.d, 0.0), b)

    def curve(self, w: Array, X: Array) -> Array:
        """W̃X for the columns of X, each with its column of w."""
        X = w * X
        return X - self.share(w, namespace(X).sum(X, axis=0)) if self.intercept else X

    def share(self, w: Array, total: Array) -> Array:
        """Columns that add up to `total`, in proportion to those of w."""
        xp = namespace(w)
        return w * (total / xp.clip(xp.sum(w, axis=0), min=TINY))

    def value(self, alpha: Array, f: Array, at: Answer) -> float:
        """P(α)."""
        r = self.T - f - at.bias
        xp = namespace(r)
        fit = at.a * r - self.eps * xp.abs(at.a) - 0.5 * self.d * at.a**2
        return float(xp.sum(0.5 * alpha * f + fit))

    def gaps(self, alpha: Array, f: Array, at: Answer) -> Array:
        """What φ and its conjugate are apart, (k,), α being clipped to the box.

        φ(r) + ε|x| + ½dx² − rx = ½d(a − x)² + [u(a − x) − ε(|a| − |x|)], u = r − da: no
        difference of large numbers.
        """
        r = self.T - f - at.bias
        xp = namespace(r)
        x = xp.clip(alpha, self.lower, self.upper)
        move = at.a - x
        gap = 0.5 * self.d * move**2 + (r - self.d * at.a) * move
        gap = gap - self.eps * (xp.abs(at.a) - xp.abs(x))
        return xp.sum(gap, axis=0)


@dataclass(frozen=True)
class Minimum:
    """α (n, k) with its a, W and b, and the duality gap there."""

    alpha: Array
    answer: Answer
    gap: float


def minimise(
    K: Array, pieces: Pieces, alpha: Array, bias: Array, goal: float, truncated: bool
) -> Minimum:
    """Minimise P from alpha, 1ᵀα = 0, until the duality gap is at most goal.

    A Newton step is solved to the relative residual η = 0.1, equation (11), or to what
    the goal needs; without truncation to 1e-8. One product with K an iteration of CG,
    2n²k flops that read 8n² bytes; all else takes O(nk).
    """
    f = K @ alpha
    xp = namespace(f)
    at = pieces.answer(f, bias)
    gaps = pieces.gaps(alpha, f, at)
    value, lowest, idle = np.inf, np.inf, 0
    # Ten steps without progress: what is left is rounding.
    while float(xp.sum(gaps)) > goal and idle < 10:
        q, Kq = newton_direction(K, pieces, alpha, at, goal if truncated else None)
        full = pieces.answer(f + Kq, at.bias)
        # P is blind to the null space of K: a full step that brings α to a is taken
        # whatever P says.
        t = filled(gaps.shape, gaps, 1.0)
        short = pieces.gaps(alpha + q, f + Kq, full) > 0.25 * gaps
        if bool(xp.any(short)):
            t = xp.where(short, line_search(pieces, alpha, q, f, Kq, full), 1.0)
            full = pieces.answer(f + t * Kq, full.bias)
        alpha, f, at = alpha + t * q, f + t * Kq, full
        gaps = pieces.gaps(alpha, f, at)
        last, value = value, pieces.value(alpha, f, at)
        now = float(xp.sum(gaps))
        progress = now < 0.5 * lowest or value < last - 1e-9 * abs(last)
        idle = 0 if progress else idle + 1
        lowest = min(lowest, now)
    return Minimum(alpha, at, float(xp.sum(gaps)))


def newton_direction(
    K: Array, pieces: Pieces, alpha: Array, at: Answer, goal: float | None
) -> tuple[Array, Array]:
    """q ≈ (I + W̃K)⁻¹(a − α) and Kq."""
    g = at.a - alpha
    xp = namespace(g)
    off = xp.where(at.w > 0, 0.0, g)
    if pieces.intercept:
        # The rows of S make up for the sum of the others.
        off = off - pieces.share(at.w, xp.sum(off, axis=0))
    Koff = K @ off if bool(xp.any(off != 0)) else off
    r = g - off - pieces.curve(at.w, Koff)
    rest = xp.sum(pieces.d * r * r, axis=0)
    enough = 1e-16 * rest
    if goal is not None:
        # The part off S may have made the residual larger than it was.
        size = xp.sum(pieces.d * xp.where(at.w > 0, g, 0.0) ** 2, axis=0)
        share = 0.6 * float(goal) / size.shape[0]
        enough = xp.clip(0.01 * xp.minimum(size, rest), min=share)
    X, KX, _ = conjugate_gradients(K, pieces, at.w, r, lambda rho, _: rho <= enough)
    q, Kq = off + X, Koff + KX
    # Truncated, it may fail to descend where much is off S; the gradient does not.
    uphill = xp.sum(g * Kq, axis=0) <= 0
    if bool(xp.any(uphill)):
        q = xp.where(uphill, g, q)
        Kq = xp.where(uphill, K @ g, Kq)
    return q, Kq


def conjugate_gradients(
    K: Array,
    pieces: Pieces,
    w: Array,
    r: Array,
    enough: Callable[[Array, Array], Array],
) -> tuple[Array, Array, Array]:
    """X and KX with (I + W̃K)X ≈ r, each column with its column of w: Algorithm 2.

    The columns of r are in the range of W̃. In the inner product of D the energy
    ½⟨X, (I + W̃K)X⟩ − ⟨X, r⟩ falls from zero. A column ends when `enough` is true for
    ρ = ‖r − (I + W̃K)X‖² and minus twice the energy; the latter is returned too.
    """
    xp = namespace(r)
    X, KX, p = xp.zeros_like(r), xp.zeros_like(r), r
    d = xp.tile(pieces.d, (1, r.shape[1] // pieces.d.shape[1]))
    rho = xp.sum(d * r * r, axis=0)
    fallen = xp.zeros_like(rho)
    # n steps in exact arithmetic; rounding asks for more.
    for _ in range(10 * r.shape[0]):
        going = (rho > 0) & ~enough(rho, fallen)
        if not bool(xp.any(going)):
            break
        Kp = K @ p
        Mp = p + pieces.curve(w, Kp)
        energy = xp.sum(d * p * p, axis=0) + xp.sum(p * Kp, axis=0)
        step = xp.where(going, rho / xp.where(going, energy, 1.0), 0.0)
        X, KX, r = X + step * p, KX + step * Kp, r - step * Mp
        fallen = fallen + step * rho
        last, rho = rho, xp.sum(d * r * r, axis=0)
        p = r + xp.where(going, rho / xp.where(going, last, 1.0), 0.0) * p
    return X, KX, fallen


def line_search(
    pieces: Pieces, alpha: Array, q: Array, f: Array, Kq: Array, at: Answer
) -> Array:
    """The t ≥ 0 of each column that minimises P(α + tq), from the answer at t = 1.

    P is convex and piecewise quadratic along the line, so Newton's method ends after
    a few steps; a bracket keeps it from cycling.
    """

    xp = namespace(q)

    def dots(X: Array, Z: Array) -> Array:
        return xp.sum(X * Z, axis=0)

    square = dots(q, Kq)
    t = xp.ones_like(square)
    low, high = xp.zeros_like(t), filled(t.shape, t, np.inf)
    for _ in range(50):
        # ⟨∇P, q⟩ with ∇P = K(α + tq − a)
        slope = dots(alpha + t * q - at.a, Kq)
        bend = square + dots(Kq, pieces.curve(at.w, Kq))
        low, high = xp.where(slope < 0, t, low), xp.where(slope > 0, t, high)
        new = t - slope / xp.where(bend > 0, bend, 1.0)
        middle = xp.where(xp.isfinite(high), 0.5 * (low + high), 2 * t)
        new = xp.where((low <= new) & (new <= high), new, middle)
        new = xp.where(bend > 0, new, t)
        if bool(xp.all(xp.abs(new - t) <= 1e-8 * t)):
            return new
        t = new
        at = pieces.answer(f + t * Kq, at.bias)
    return t
