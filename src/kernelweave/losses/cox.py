"""Cox's partial likelihood: times to an event, some of them censored."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import expit, xlogy

from ..problem import Array
from .smooth import SmoothLoss
from .weighted import factorise, solve_both


@dataclass(eq=False, repr=False)
class Cox(SmoothLoss):
    """The partial likelihood of Cox (1972), Breslow's ties: its g has a closed form.

    With the weights v of the samples, d_t the weight of the events at the time t and
    R_t the samples at risk, those with time ≥ t, in the primal: the smallest

        ½‖w‖² + C Σ_t [d_t log(Σ_{R_t} v exp(f)/d_t) − Σ_{events at t} v f].

    In the dual let A = C(e − m): e_i is v_i for an event, else 0, and m_i the number of
    events that the model expects of the sample. With Q_t = Σ_{R_t} m − Σ_{s>t} d_s,

        g(A)/C = Σ_t [Q_t log Q_t − d_t log d_t − (Q_t − d_t) log(Q_t − d_t)]
                 − Σ_i m_i log(m_i/v_i)   on  m ≥ 0, Q_t ≥ d_t, 1ᵀA = 0.

    Baselines differ between strata, whose terms add up. There is no intercept: the
    baseline holds it.

    Parameters
    ----------
    time : ndarray (n,)
        Of the event, or of the last sight.
    event : ndarray of bool (n,)
        False where the time is censored.
    C : float
        Penalty of errors.
    weight : ndarray (n,), optional
        v: how often a sample counts, 1 by default.
    strata : ndarray (n,), optional
        Samples are compared within their stratum only.
    """

    time: Array
    event: Array
    C: Any = 1.0
    weight: Array | None = None
    strata: Array | None = None

    intercept = False

    @cached_property
    def _parts(self) -> list[_Stratum]:
        n = len(self.time)
        v = np.ones(n) if self.weight is None else np.asarray(self.weight, dtype=float)
        strata = np.zeros(n) if self.strata is None else np.asarray(self.strata)
        event = np.asarray(self.event, dtype=bool) & (v > 0)
        if not event.any():
            raise ValueError(
                "no event was observed: Cox's likelihood then says nothing"
            )
        found = []
        for name in np.unique(strata):
            rows = np.flatnonzero((strata == name) & (v > 0))
            if event[rows].any():
                found.append(_Stratum(rows, self.time[rows], event[rows], v[rows]))
        return found

    def strata_parts(self) -> list[_Stratum]:
        """The samples of every stratum that has events, sorted by time."""
        return self._parts

    def value(self, A: Array) -> float:
        a = A[:, 0] / self.C
        outside = np.ones(len(a), dtype=bool)
        for part in self._parts:
            outside[part.rows] = False
        if np.any(a[outside] != 0):
            return -np.inf
        return self.C * sum(part.value(a[part.rows]) for part in self._parts)

    def risk(self, f: Array, near: Array | None = None) -> tuple[float, Array]:
        u = f[:, 0]
        return self.C * sum(p.loss(u[p.rows]) for p in self._parts), np.zeros(1)

    def answers(self, u: Array) -> Array:
        A = np.zeros(u.shape)
        for part in self._parts:
            A[part.rows, 0] = self.C * part.answers(u[part.rows, 0])
        return A

    def system(self, K: Array, u: Array) -> _Contrasts:
        size = np.sqrt(self.C)
        roots = [part.root(u[part.rows, 0]) for part in self._parts]
        roots = [(i, size * rho, share, rest) for i, rho, share, rest in roots]
        return _Contrasts(K, roots)

    def first(self, K: Array) -> Array:
        return np.zeros((len(self.time), 1))

    def order(self) -> Array:
        strata = np.zeros(len(self.time)) if self.strata is None else self.strata
        return np.lexsort((self.time, self.event, strata))

    def sample(self, rows: Array, times: int) -> Cox:
        v, strata = self.weight, self.strata
        return Cox(
            self.time[rows],
            self.event[rows],
            times * self.C,
            None if v is None else v[rows],
            None if strata is None else strata[rows],
        )


class _Stratum:
    """The samples of one baseline, sorted by time."""

    def __init__(self, rows: Array, time: Array, event: Array, v: Array):
        # Events before censored samples of the same time, which are still at risk.
        order = np.lexsort((~event, time))
        self.rows, self.v = rows[order], v[order]
        time = time[order]
        self.e = np.where(event[order], self.v, 0.0)
        # The first sample at risk at every time of an event, and d there.
        times = np.unique(time[self.e > 0])
        self.first = np.searchsorted(time, times)
        self.last = np.searchsorted(times, time, side="right") - 1
        self.d = np.add.reduceat(self.e, self.first)
        # Σ_{s>t} d_s
        self.after = np.append(np.cumsum(self.d[::-1])[::-1][1:], 0.0)
        self.constant = float(np.sum(xlogy(self.d, self.d)))

    def _expected(self, a: Array) -> tuple[Array, Array]:
        """m and Q of A = C(e − m)."""
        m = self.e - a
        return m, np.cumsum(m[::-1])[::-1][self.first] - self.after

    def value(self, a: Array) -> float:
        m, Q = self._expected(a)
        rest = Q - self.d
        # At the first time Q is d, whatever rounding says.
        slack = 1e-12 * (self.d.sum() + np.abs(m).sum())
        if np.any(m < 0) or np.any(rest < -slack) or np.any(m[self.last < 0] > 0):
            return -np.inf
        rest[0] = 0.0
        rest, Q = np.maximum(rest, 0.0), np.maximum(Q, self.d)
        choice = self.d * np.log(Q / self.d)
        with np.errstate(divide="ignore", invalid="ignore"):
            choice += np.where(rest > 0, -rest * np.log1p(-self.d / Q), 0.0)
        return float(np.sum(choice)) - float(np.sum(xlogy(m, m / self.v)))

    def _shares(self, u: Array) -> tuple[Array, Array, Array]:
        """λ and 1 − λ of cox_steps.py, and log Σ v exp(u) of the samples from i on."""
        e = np.log(self.v) + u
        S = np.logaddexp.accumulate(e[::-1])[::-1]
        above = e - np.append(S[1:], -np.inf)
        return expit(above), expit(-above), S

    def loss(self, u: Array) -> float:
        _, _, S = self._shares(u)
        return float(self.d @ S[self.first] - self.e @ u) - self.constant

    def expected(self, share: Array, rest: Array) -> Array:
        """m, (n,)."""
        from .cox_steps import expect

        jumps = np.zeros(len(share))
        jumps[self.first] = self.d
        return expect(share, rest, jumps)

    def answers(self, u: Array) -> Array:
        share, rest, _ = self._shares(u)
        return self.e - self.expected(share, rest)

    def root(self, u: Array) -> tuple[Array, Array, Array, Array]:
        """R of W = RᵀR, (Rx)_i = ρ_i(x_i − mean of the later x): rows, ρ, λ, 1 − λ.

        ρ_i² = m_i(1 − λ_i). The rows of W add up to zero, and elimination from the
        first sample on keeps its form, so that nothing is subtracted.
        """
        share, rest, _ = self._shares(u)
        rho = np.sqrt(self.expected(share, rest) * rest)
        return self.rows, rho, share, rest


class _Contrasts:
    """G = Rᵀ(I + RKRᵀ)⁻¹R for W = RᵀR, R as in `_Stratum.root`."""

    def __init__(self, K: Array, roots: list[tuple[Array, Array, Array, Array]]):
        self._roots = roots
        self._L = factorise(self._apply(self._apply(K).T))

    def _apply(self, X: Array) -> Array:
        """RX; rows of no stratum are zero."""
        from .cox_steps import contrast

        X, out = np.ascontiguousarray(X), np.zeros(X.shape)
        for rows, rho, share, _ in self._roots:
            contrast(X, rows, rho, share, out)
        return out

    def _transposed(self, X: Array) -> Array:
        """RᵀX."""
        from .cox_steps import contrast_transposed

        X, out = np.ascontiguousarray(X), np.zeros(X.shape)
        for rows, rho, share, rest in self._roots:
            contrast_transposed(X, rows, rho, share, rest, out)
        return out

    def solve(self, X: Array) -> Array:
        R = self._apply(X[:, 0])
        return self._transposed(solve_both(self._L, R))[:, None]
