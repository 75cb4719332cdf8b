"""What the losses of support vector machines share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from scipy.optimize import brentq
from sklearn.base import BaseEstimator, clone

from ..arrays import filled, host, is_foreign, like, namespace, take
from ..problem import Array, Inner
from .box import EPS, ROUGH, Box, BoxMaximum, approach, maximise


class BoxLoss(BaseEstimator, ABC):
    """g(A) = ⟨A, T⟩ − ε‖A‖₁ − ½Σ d∘A² on lower ≤ A ≤ upper, 1ᵀA = 0 with intercept.

    The columns are problems of their own that share K(θ): one class against the rest,
    or one output each. In the primal, with f = K(θ)A and the best b,

        F(θ) = min_f,b ½‖f‖² + Σ φ(T − f − b),  φ(r) = max_a ra − ε|a| − ½da².
    """

    C: Any
    intercept: bool

    # What every column of A adds up to, if there is an intercept.
    total: float = 0.0

    @property
    @abstractmethod
    def box(self) -> tuple[Array, float, Array, Array, Array]:
        """T, ε, lower, upper and d; the arrays are (n, k)."""

    @property
    def bounded(self) -> bool:
        """Whether A is: F is then Lipschitz in K(θ)."""
        _, _, lower, upper, _ = self.box
        xp = namespace(upper)
        return bool(xp.all(xp.isfinite(upper - lower)))

    def value(self, A: Array) -> float:
        T, eps, _, _, d = self.box
        xp = namespace(A)
        return float(xp.sum(A * T) - eps * xp.sum(xp.abs(A)) - 0.5 * xp.sum(d * A * A))

    def best_scale(self, A: Array, support: float) -> float:
        # max_t t(⟨A,T⟩ − ε‖A‖₁) − ½t²(Σd∘A² + σ), tA in the box
        T, eps, lower, upper, d = self.box
        xp = namespace(A)
        slope = float(xp.sum(A * T) - eps * xp.sum(xp.abs(A)))
        curvature = float(xp.sum(d * A * A)) + support
        if slope <= 0:
            return 0.0
        if not curvature > 0:
            return 1.0
        with np.errstate(all="ignore"):
            room = xp.where(A < 0, lower / A, filled(A.shape, A, np.inf))
            room = xp.where(A > 0, upper / A, room)
        t = min(slope / curvature, float(xp.min(room)))
        # An entry at its bound stays there, whatever rounding says.
        return 1.0 if abs(t - 1) < 1e-12 else t

    def into_domain(self, A: Array) -> Array:
        """A point of the domain near A."""
        _, _, lower, upper, _ = self.box
        xp = namespace(A)
        A = xp.clip(A, lower, upper)
        if self.intercept:
            # What one side has in excess it loses in proportion.
            plus = xp.sum(xp.clip(A, min=0.0), axis=0)
            minus = xp.sum(xp.clip(-A, min=0.0), axis=0)
            both = xp.minimum(plus, minus)
            with np.errstate(divide="ignore", invalid="ignore"):
                A = xp.where(A > 0, A * xp.where(plus > both, both / plus, 1.0), A)
                A = xp.where(A < 0, A * xp.where(minus > both, both / minus, 1.0), A)
        return A

    def order(self) -> Array:
        return np.lexsort(host(self.box[0]).T)

    def sample(self, rows: Array, times: int) -> BoxLoss:
        targets = {"Y", "H"} & set(self.get_params(deep=False))
        parts = {name: take(getattr(self, name), rows) for name in targets}
        C = like(self.C, self.C)
        C = times * (C if C.ndim == 0 or C.shape[0] == 1 else take(C, rows))
        return clone(self).set_params(C=C, **parts)

    def inner(self, K: Array, start: Array | None = None) -> Inner:
        if is_foreign(K):
            raise TypeError(
                f"the inner problem of {type(self).__name__} is solved by the host, "
                "and the arrays are not NumPy's: take the squared hinge and the solver "
                "Primal(), or pass arrays of NumPy"
            )
        k = self.box[0].shape[1]
        K = np.ascontiguousarray(K, dtype=float)
        if start is not None:
            start = self.into_domain(start)
        columns: list[BoxMaximum] = []
        for c in range(k):
            column = None if start is None else start[:, c]
            columns.append(maximise(K, self._column(c), column))
        A = np.column_stack([column.a for column in columns])
        f = np.column_stack([column.f for column in columns])
        bias = np.array([column.bias for column in columns])
        value = self.primal(A, f, bias)
        value += rounding_of_fit(K, A, 1e-12 * abs(value))

        def hessian(applied: Array) -> Array:
            return sum(
                (c.hessian(applied[:, :, i]) for i, c in enumerate(columns)),
                start=np.zeros((len(applied), len(applied))),
            )

        def respond(change: Array) -> Array:
            moved = [c.respond(change[:, i]) for i, c in enumerate(columns)]
            return self.into_domain(A + np.column_stack(moved)) - A

        def tangent(changes: Array) -> Array | None:
            moved = [c.tangent(changes[:, :, i]) for i, c in enumerate(columns)]
            found = [part for part in moved if part is not None]
            return np.stack(found, axis=2) if len(found) == k else None

        return Inner(A, value, bias, hessian, respond, tangent=tangent)

    def rough(self, K: Array, start: Array | None = None, tol: float = ROUGH) -> Array:
        """A (n, k) near the inner maximiser, by pair steps alone.

        They end where slopes differ by less than `tol`, relative to the targets.
        """
        start = None if start is None else self.into_domain(start)
        k = self.box[0].shape[1]
        return np.column_stack(
            [
                approach(
                    K, self._column(c), None if start is None else start[:, c], tol
                )
                for c in range(k)
            ]
        )

    def _column(self, c: int) -> Box:
        T, eps, lower, upper, d = self.box
        # One type and layout, whatever was given: else the steps compile again.
        t, low, high, ridge = (
            np.array(part[:, c], dtype=float) for part in (T, lower, upper, d)
        )
        return Box(t, float(eps), low, high, ridge, self.intercept, self.total)

    def free(self, A: Array) -> Array:
        """The entries that are neither at a bound nor at the kink of ε‖A‖₁, (n, k)."""
        _, eps, lower, upper, _ = self.box
        return (lower < A) & (upper > A) & ((A != 0) | (eps == 0))

    def distance(self, f: Array, bias: Array) -> Array:
        """How far samples with A = 0 are from wanting another A, (n,).

        Negative where a slope at A = 0 points into the box.
        """
        T, eps, lower, upper, _ = self.box
        slope = T - f - bias
        up = np.where(upper > 0, eps - slope, np.inf)
        down = np.where(lower < 0, eps + slope, np.inf)
        return np.min(np.minimum(up, down), axis=1)

    def primal(self, A: Array, f: Array, bias: Array) -> float:
        """½⟨A, f⟩ + Σφ(T − f − b), at least F for f = K(θ)A of any A."""
        xp = namespace(f)
        risk = float(xp.sum(self._phi(f, bias)) + self.total * xp.sum(bias))
        return 0.5 * float(xp.sum(A * f)) + risk

    def _answer(self, f: Array, bias: Array) -> Array:
        """The A of the box that maximises g(A) − ⟨A, f + b⟩."""
        T, eps, lower, upper, d = self.box
        xp = namespace(f)
        r = T - f - bias
        soft = xp.sign(r) * xp.clip(xp.abs(r) - eps, min=0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            return xp.clip(xp.where(soft == 0, 0.0, soft / d), lower, upper)

    def _phi(self, f: Array, bias: Array) -> Array:
        T, eps, _, _, d = self.box
        A = self._answer(f, bias)
        return A * (T - f - bias) - eps * namespace(A).abs(A) - 0.5 * d * A * A

    def risk(self, f: Array) -> tuple[float, Array]:
        """Σφ(T − f − b) with the best b, and b."""
        k, xp = f.shape[1], namespace(f)
        bias = np.zeros(k)
        if self.intercept:
            T, eps, _, _, _ = self.box
            reach = eps + host(xp.max(xp.abs(T - f), axis=0))
            for c in range(k):
                # The sum of the answers falls with b.
                def excess(b: float, c: int = c) -> float:
                    trial = np.zeros(k)
                    trial[c] = b
                    answer = self._answer(f, like(trial, f))
                    return float(xp.sum(answer[:, c])) - self.total

                low, high = -reach[c], reach[c]
                if excess(low) <= 0:
                    bias[c] = low
                elif excess(high) >= 0:
                    bias[c] = high
                else:
                    bias[c] = brentq(excess, low, high, xtol=1e-14 * reach[c])
        offset = self.total * float(np.sum(bias))
        bias = like(bias, f)
        return float(xp.sum(self._phi(f, bias))) + offset, bias

    def best_multiple(self, f: Array, energy: float) -> float:
        return 1.0

    def cvxpy_value(self, A: Any) -> tuple[Any, list[Any]]:
        """g(A) and its domain, as cvxpy writes them."""
        import cvxpy as cp

        T, eps, lower, upper, d = self.box
        g = cp.sum(cp.multiply(T, A))
        if eps > 0:
            g -= eps * cp.sum(cp.abs(A))
        if np.any(d > 0):
            g -= 0.5 * cp.sum_squares(cp.multiply(np.sqrt(d), A))
        domain: list[Any] = []
        if self.intercept:
            domain.append(cp.sum(A, axis=0) == self.total)
        for bound, sign in ((lower, -1.0), (upper, 1.0)):
            finite = np.isfinite(bound)
            if finite.any():
                mask = finite.astype(float)
                limit = np.where(finite, bound, 0.0)
                domain.append(cp.multiply(sign * mask, A) <= sign * limit)
        return g, domain


def rounding_of_fit(K: Array, A: Array, small: float) -> float:
    """½⟨|A|, ½ε|K||A|⟩: how far ½⟨A, f⟩ + Σφ may be off because f = KA is rounded.

    |K_ij| ≤ √(K_ii K_jj) is enough where that makes it small.
    """
    size = np.abs(A)
    reach = np.sqrt(np.maximum(np.diag(K), 0)) @ size
    most = 0.25 * EPS * float(reach @ reach)
    if most <= small:
        return most
    rows = [slice(i, i + 256) for i in range(0, len(K), 256)]
    return 0.25 * EPS * sum(float(np.sum(size[r] * (abs(K[r]) @ size))) for r in rows)


def per_entry(C: Any, Y: Array, infinite: bool = False) -> Array:
    """C as an array of the shape and kind of Y (n, k).

    It is a number, one a sample (n,), or one an entry (n, k).
    """
    if isinstance(Y, np.ndarray) and isinstance(C, np.ndarray | float | int):
        xp, C = np, np.asarray(C, dtype=float)
    else:
        xp, C = namespace(Y), like(C, Y)
    shape = tuple(Y.shape)
    if C.ndim == 1:
        C = C[:, None]
    fits = [a in (1, b) for a, b in zip(C.shape, shape, strict=False)]
    if C.ndim not in (0, 2) or not all(fits):
        raise ValueError(
            f"C must be a number, one number a sample ({shape[0]},) or one an "
            f"entry {shape}, got shape {tuple(C.shape)}"
        )
    C = xp.broadcast_to(C, shape)
    if not bool(xp.all(C >= 0)):
        raise ValueError("C must hold numbers that are not negative")
    if not infinite and bool(xp.any(xp.isinf(C))):
        raise ValueError(
            "C must be finite here; SquaredHinge alone takes np.inf, on a stack "
            "WithIdentity"
        )
    return C
