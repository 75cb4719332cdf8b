"""Cox's likelihood without one of its samples, for all samples at once.

Column i of an array (n, n) belongs to the problem without sample i.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, xlogy

from ..problem import Array
from .cox import Cox

# Steps of the left-out problems: the error falls by ten a step, if C is not large.
STEPS = 4

# Steps end where none of the problems can gain more than this part of its value.
ENOUGH = 1e-7


def cox_left_out(loss: Cox, K: Array, A: Array) -> tuple[Array, Array, float]:
    """u_{−i} (n, 1), losses (n,) and null, as `left_out.LeftOutFit` has them.

    Chord steps, with the factor of the whole problem, on all n problems.
    """
    n, others = len(K), _Others(loss)
    u = K @ A
    G = loss.system(K, u).solve(np.eye(n)[:, None])[:, 0]
    held = np.maximum(np.diag(G), 1e-300)
    # Column i is the A of the problem without i, where it is zero.
    B, step, t = A - G * (A[:, 0] / held), np.zeros(K.shape), np.ones(n)
    np.fill_diagonal(B, 0.0)
    best, U = np.full(n, np.inf), np.zeros(K.shape)
    for _ in range(STEPS + 1):
        trial = B + t * step
        np.fill_diagonal(trial, 0.0)
        F = K @ trial
        risk, rest = others.judge(F)
        value = 0.5 * np.sum(trial * F, axis=0) + risk
        # A step that is too long is taken again, a fifth as long.
        better = value < best
        best = np.where(better, value, best)
        B, U = np.where(better, trial, B), np.where(better, F, U)
        rest -= trial
        pull = K @ rest
        gap = 0.5 * np.sum(rest * pull, axis=0)
        if better.all() and np.all(gap <= ENOUGH * np.abs(best)):
            break
        new = rest - G @ pull
        new -= G * (np.diag(new) / held)
        step, t = np.where(better, new, step), np.where(better, 1.0, 0.2 * t)
    null = float(np.sum(others.added(np.zeros(K.shape))))
    return np.diag(U)[:, None].copy(), others.added(U), null


class _Others:
    """The n problems, each without one sample."""

    def __init__(self, loss: Cox):
        self._C, self._parts = float(loss.C), loss.strata_parts()

    def judge(self, U: Array) -> tuple[Array, Array]:
        """The risk (n,) of every problem at its column of U, and −∇L, (n, n)."""
        risk, answers = np.zeros(U.shape[1]), np.zeros(U.shape)
        for part in self._parts:
            loss, answer = self._part(part, U, without=True)
            risk += loss
            answers[part.rows] = answer
        return self._C * risk, self._C * answers

    def added(self, U: Array) -> Array:
        """What sample i adds to the loss at column i, (n,)."""
        total = np.zeros(U.shape[1])
        for part in self._parts:
            total += self._part(part, U, without=False)[0]
            total -= self._part(part, U, without=True)[0]
        return self._C * total

    def _part(self, part, U: Array, without: bool) -> tuple[Array, Array]:
        """Loss (n,) and −∇L of one stratum, in its order, with C = 1."""
        m = len(part.rows)
        own = np.arange(m), part.rows
        U = U[part.rows]
        E = np.log(part.v)[:, None] + U
        D, pull = np.repeat(part.d[:, None], U.shape[1], axis=1), part.e @ U
        if without:
            E[own] = -np.inf
            some = np.flatnonzero(part.e > 0)
            D[part.last[some], part.rows[some]] -= part.e[some]
            # What is left of an event that stood alone is rounding.
            D[1e-12 * part.d[:, None] >= D] = 0.0
            pull[part.rows] -= part.e * U[own]
        S = np.logaddexp.accumulate(E[::-1], axis=0)[::-1]
        first = S[part.first]
        terms = np.where(D > 0, D * np.where(D > 0, first, 0.0), 0.0)
        loss = np.sum(terms - xlogy(D, D), axis=0) - pull
        with np.errstate(invalid="ignore"):
            above = E - np.vstack([S[1:], np.full((1, U.shape[1]), -np.inf)])
        above[np.isneginf(E)] = -np.inf
        answers = part.e[:, None] - _expected(above, part.first, D)
        if without:
            answers[own] = 0.0
        return loss, answers


def _expected(above: Array, first: Array, D: Array) -> Array:
    """m of `cox_steps.expect`, for all columns; `above` are the logits of λ."""
    share, rest = expit(above), expit(-above)
    jumps = np.zeros(above.shape)
    jumps[first] = D
    m, flow = np.empty(above.shape), np.zeros(above.shape[1])
    for i in range(len(m)):
        flow += jumps[i]
        m[i] = flow * share[i]
        flow *= rest[i]
    return m
