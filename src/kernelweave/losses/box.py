"""The algebra that the losses of support vector machines share: a box in a.

    max_a  tᵀa − ε‖a‖₁ − ½aᵀ(K + diag(d))a   on   lower ≤ a ≤ upper,
                                          Σa = total if there is an intercept

Pair steps find roughly which entries are at their bounds; an active-set method, which
solves for the others (the free ones: support vectors on the margin), ends exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..problem import Array
from .face import Face, solve_lower

EPS = float(np.finfo(float).eps)

# Slopes are residuals of the targets; pair steps end at what libsvm stops at.
ROUGH = 1e-3


@dataclass(frozen=True)
class Box:
    """t, ε, the bounds, the diagonal d and the total of one column; arrays are (n,)."""

    t: Array
    epsilon: float
    lower: Array
    upper: Array
    d: Array
    intercept: bool
    total: float = 0.0

    def start(self) -> Array:
        """A point of the domain."""
        if self.total == 0:
            return np.zeros(len(self.t))
        return self.upper * (self.total / np.sum(self.upper))

    def free(self, a: Array) -> Array:
        """The entries that are neither at a bound nor at the kink of ε‖a‖₁."""
        free = (a > self.lower) & (a < self.upper)
        return np.flatnonzero(free & (a != 0) if self.epsilon > 0 else free)

    def violation(self, a: Array, f: Array, bias: float) -> Array:
        """The slopes that point into the box; f is (K + diag(d))a."""
        slope = self.t - f - bias
        up = slope - np.where(a >= 0, self.epsilon, -self.epsilon)
        down = slope - np.where(a > 0, self.epsilon, -self.epsilon)
        return np.where(
            (up > 0) & (a < self.upper),
            up,
            np.where((down < 0) & (a > self.lower), down, 0.0),
        )

    def rounding(self, root: Array, a: Array) -> float:
        """How exact slopes are: |K_ij| ≤ √(K_ii K_jj), and `root` holds √K_ii."""
        size = np.abs(a)
        largest = np.max(np.abs(self.t)) + np.max(self.d * size)
        return 4 * EPS * float(largest + np.max(root) * (root @ size))

    def bias(self, a: Array, f: Array) -> float:
        """The middle of the b at which no slope points into the box."""
        if not self.intercept:
            return 0.0
        slope = self.t - f
        up = (slope - np.where(a >= 0, self.epsilon, -self.epsilon))[a < self.upper]
        down = (slope - np.where(a > 0, self.epsilon, -self.epsilon))[a > self.lower]
        most = np.max(up, initial=-np.inf), np.min(down, initial=np.inf)
        finite = [float(b) for b in most if np.isfinite(b)]
        return sum(finite) / max(len(finite), 1)


@dataclass(frozen=True)
class BoxMaximum:
    """a (n,), f = Ka, the bias, and the free entries with their factor."""

    a: Array
    f: Array
    bias: float
    face: Face

    def hessian(self, applied: Array) -> Array:
        """∇²_ij = ⟨K_ia, W K_ja⟩ over the free entries; `applied` is K_ja, (p, n).

        W = M⁻¹ − M⁻¹11ᵀM⁻¹/(1ᵀM⁻¹1) if there is an intercept: the bordered inverse.
        Of entries that depend on each other, as those of a kernel of low rank do, only
        as many as determine the others take part: the others would have no curvature
        to hold them, and go to their bounds at once.
        """
        R = applied[:, self.face.index].T
        found = self.face.form(R)
        if found is None and self.face.borders:
            found = self.face.alone(self.a).form(R)
        if found is not None:
            return found
        factor, index = self.face.independent()
        X = solve_lower(factor, applied[:, index].T)
        if self.face.intercept:
            q = solve_lower(factor, np.ones(len(index)))
            q /= max(float(np.linalg.norm(q)), 1e-300)
            X -= np.outer(q, q @ X)
        return X.T @ X

    def tangent(self, changes: Array) -> Array | None:
        """−W times changes (q, n) of Ka: how a answers, whatever the bounds; (q, n).

        None where free entries depend on each other.
        """
        out = np.zeros(changes.shape)
        found = self.face.answers(-changes[:, self.face.index].T)
        if found is None:
            return None
        out[:, self.face.index] = found.T
        return out

    def respond(self, change: Array) -> Array:
        """How a answers to a change of K, times a, with the same entries free."""
        out = np.zeros(len(self.a))
        out[self.face.index] = self.face.answer(-change)
        return out


def approach(K: Array, box: Box, start: Array | None, tol: float) -> Array:
    """a near the answer, by pair steps alone."""
    a, f = _begin(K, box, start)
    _ascend(K, box, a, f, tol, 4 * len(K))
    return a


def _begin(K: Array, box: Box, start: Array | None) -> tuple[Array, Array]:
    """a and (K + diag(d))a."""
    a = box.start() if start is None else start.copy()
    return a, K @ a + box.d * a if a.any() else np.zeros(len(K))


def _ascend(K: Array, box: Box, a: Array, f: Array, tol: float, steps: int) -> int:
    """At most so many steps in pairs, or in single entries, in place."""
    from .box_steps import ascend_pairs, ascend_single

    ascend = ascend_pairs if box.intercept else ascend_single
    unit = float(np.max(np.abs(box.t)) or np.max(np.abs(f))) or 1.0
    bounds = box.t, box.epsilon, box.lower, box.upper
    return ascend(K, box.d, *bounds, a, f, tol * unit, steps)


def maximise(K: Array, box: Box, start: Array | None = None) -> BoxMaximum:
    """Solve the problem at the head of this file.

    Parameters
    ----------
    K : ndarray (n, n)
        Symmetric positive semidefinite.
    box : Box
    start : ndarray (n,), optional
        A point of the domain; near the answer it saves most of the work.
    """
    n = len(K)
    a, f = _begin(K, box, start)
    tol, chunk = ROUGH, 2 * n
    face = None
    while face is None and tol > 1e-13 and chunk <= 1000 * n:
        taken = _ascend(K, box, a, f, tol, chunk)
        face = _active_set(K, box, a, f)
        if face is None:
            _balance(K, box, a, f)
        if taken < chunk:
            tol *= 0.1
        chunk *= 2
    if face is None:
        face = Face(K, box, a, box.free(a))
    return BoxMaximum(a, f - box.d * a, box.bias(a, f), face)


def _balance(K: Array, box: Box, a: Array, f: Array) -> None:
    """Put a back on Σa = total, in place, at the entries whose slopes are smallest.

    Where K is as good as zero, steps of the free entries are rounding, and one that
    meets a bound takes the sum along.
    """
    excess = float(a.sum()) - box.total
    if not box.intercept or abs(excess) <= 4 * EPS * float(np.sum(np.abs(a))):
        return
    slope = np.abs(box.t - f - box.bias(a, f))
    for i in np.argsort(slope).tolist():
        room = a[i] - (box.lower[i] if excess > 0 else box.upper[i])
        step = min(excess, room) if excess > 0 else max(excess, room)
        a[i] -= step
        excess -= step
        if excess == 0:
            break
    f[:] = K @ a + box.d * a


def _active_set(K: Array, box: Box, a: Array, f: Array) -> Face | None:
    """A primal active-set method from a, in place; None if it did not end.

    Step towards the optimum of the free entries; an entry that meets its bound stays
    there; at the optimum of the free ones release those whose slope points inwards.
    """
    face = Face(K, box, a, box.free(a))
    root = np.sqrt(np.maximum(np.diag(K), 0))
    bias, last, left = box.bias(a, f), None, np.inf
    for _ in range(100 + len(a)):
        index = face.index
        if len(index):
            step, change = face.step(a, f, bias)
            ends = np.where(step > 0, face.high, face.low)
            with np.errstate(divide="ignore", invalid="ignore"):
                room = np.where(step == 0, np.inf, (ends - a[index]) / step)
            t = min(max(float(np.min(room)), 0.0), 1.0)
            a[index] += t * step
            bias += t * change
            if t < 1:
                blocked = room <= t
                a[index[blocked]] = ends[blocked]
                moved = np.zeros(len(a))
                moved[index] = t * step
                f += K @ moved + box.d * moved
                face.fix(blocked)
                face, left = face.alone(a) if face.borders > 40 else face, np.inf
                continue
        f[:] = K @ a + box.d * a
        if len(index) == 0:
            bias = box.bias(a, f)
        violation = box.violation(a, f, bias)
        violation[index] = 0.0
        worst = float(np.max(np.abs(violation)))
        noise = box.rounding(root, a)
        rest = float(np.max(np.abs(face.slope(f, bias)), initial=0.0))
        if box.intercept:
            rest = max(
                rest,
                noise
                * abs(float(a.sum()) - box.total)
                / (EPS * float(np.sum(np.abs(a))) or 1.0),
            )
        if rest > max(noise, 1e-2 * worst):
            # Once more from here, as long as that helps, then with a new factor.
            if rest <= 0.5 * left:
                left = rest
                continue
            if face.borders:
                face, left = face.alone(a), np.inf
                continue
            if rest > 100 * noise:
                return None
        left = np.inf
        if worst <= 10 * noise:
            return face
        # Several at once may block each other; the worst alone cannot be blocked.
        share = 1.0 if last is not None and np.array_equal(a, last) else 0.5
        last = a.copy()
        new = np.flatnonzero(np.abs(violation) >= share * worst)
        face = face.release(new, np.sign(violation[new]), a)
    f[:] = K @ a + box.d * a
    return None
