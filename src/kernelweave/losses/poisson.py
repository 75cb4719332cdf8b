"""The Poisson loss: counts and rates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logsumexp, xlogy

from ..problem import Array
from .margin import per_entry
from .smooth import SmoothLoss
from .weighted import Weighted


@dataclass(eq=False, repr=False)
class Poisson(SmoothLoss):
    """g(A) = ΣC(h(y) − h(μ)), h(μ) = μ log μ − μ, μ = y − A/C ≥ 0.

    1ᵀA = 0 if there is an intercept. In the primal: the smallest ½‖w‖² plus half the
    deviance, ΣC(μ − y + y log(y/μ)), of the means μ = exp(f + b).

    Parameters
    ----------
    H : ndarray (n, k)
        Counts or rates y ≥ 0, one column an output.
    C : float or ndarray (n,) or (n, k)
        Penalty of errors; for rates the exposure. Zero leaves a sample out.
    intercept : bool
    """

    H: Array
    C: Any = 1.0
    intercept: bool = True

    @property
    def _C(self) -> Array:
        return per_entry(self.C, self.H)

    @property
    def _unit(self) -> Array:
        """With an intercept the mean (k,), in units of which g is as well; else 1."""
        C, k = self._C, self.H.shape[1]
        if not self.intercept:
            return np.ones(k)
        total = np.sum(C * self.H, axis=0)
        if not np.all(total > 0):
            raise ValueError(
                "all counts of a column are zero: the logarithm of their mean, the "
                "intercept, has no end"
            )
        return total / np.sum(C, axis=0)

    def value(self, A: Array) -> float:
        C, y, unit = self._C, self.H, self._unit
        a = np.divide(A, C, out=np.zeros(A.shape), where=C > 0)
        # A count that is not expected at all has a = y, but for rounding.
        if np.any(a > (1 + 1e-12) * y):
            return -np.inf
        a, some = np.minimum(a, y), y > 0
        # h(y) − h(y − a) = a log y − y[(1 − x) log(1 − x) + x], x = a/y.
        x = np.divide(a, y, out=np.zeros(A.shape), where=some)
        terms = xlogy(a, np.where(some, y / unit, 1.0)) - y * _below(x)
        return float(np.sum(C * np.where(some, terms, -xlogy(-a, -a / unit) - a)))

    def answers(self, u: Array) -> Array:
        C, y = self._C, self.H
        with np.errstate(over="ignore"):
            # y − exp(u) = −y(exp(u − log y) − 1), exact where the two are near.
            A = C * np.where(y > 0, -y * np.expm1(self._excess(u)), -np.exp(u))
            if not self.intercept:
                return A
            # The sum of A is zero but for the rounding of b, which this takes back.
            w = C * np.exp(u)
            return A - w * (A.sum(axis=0) / w.sum(axis=0))

    def _excess(self, u: Array) -> Array:
        """u − log y, zero where it is no more than rounding: equal counts fit exactly.

        Without, F and D of such counts would be 1e-30 and 0, and their gap all of F.
        """
        logs = np.log(np.where(self.H > 0, self.H, 1.0))
        t = u - logs
        return np.where(np.abs(t) <= 4 * np.finfo(float).eps * (1 + abs(logs)), 0.0, t)

    def risk(self, f: Array, near: Array | None = None) -> tuple[float, Array]:
        C = self._C
        bias = np.zeros(f.shape[1])
        if self.intercept:
            bias = np.log(self._unit * np.sum(C, axis=0)) - logsumexp(f, axis=0, b=C)
        return float(np.sum(self.losses(f + bias))), bias

    def losses(self, u: Array) -> Array:
        """What every sample adds to the loss at the fitted values u, (n,)."""
        C, y = self._C, self.H
        with np.errstate(over="ignore"):
            terms = np.where(y > 0, y * _above(self._excess(u)), np.exp(u))
        return np.sum(np.where(C > 0, C * terms, 0.0), axis=1)

    def system(self, K: Array, u: Array) -> Weighted:
        return Weighted(K, self.curvature(u), self.intercept)

    def curvature(self, u: Array) -> Array:
        """w, (n, k): the second derivatives of the loss."""
        return self._C * np.exp(u)

    def first(self, K: Array) -> Array:
        """The answer of the least squares around log(y) that Newton's step is there.

        From zero the first step, linear in y, would overshoot by far.
        """
        C, y = self._C, self.H
        u = np.log((y + np.maximum(np.mean(y, axis=0), 1e-300)) / 2)
        w = C * np.exp(u)
        # A = q − W(KA + 1bᵀ) with q = r + Wu, of which b takes a multiple of W1.
        q = C * y - w + w * u
        if self.intercept:
            q = q - w * (q.sum(axis=0) / w.sum(axis=0))
        return q - Weighted(K, w, self.intercept).solve((K @ q)[:, :, None])[:, :, 0]

    def order(self) -> Array:
        return np.lexsort(self.H.T)

    def sample(self, rows: Array, times: int) -> Poisson:
        return Poisson(self.H[rows], times * self._C[rows], self.intercept)


def _above(t: Array) -> Array:
    """exp(t) − 1 − t, exact for small t as well."""
    series = np.zeros(t.shape)
    for n in range(14, 1, -1):
        series = t / n * (1.0 + series) if n > 2 else t * t / 2 * (1.0 + series)
    return np.where(np.abs(t) < 0.3, series, np.expm1(t) - t)


def _below(x: Array) -> Array:
    """(1 − x) log(1 − x) + x for x ≤ 1, exact for small x as well: Σ x^n/(n(n−1))."""
    small = np.abs(x) < 0.1
    y = np.where(small, x, 0.0)
    series = sum((y**n / (n * (n - 1)) for n in range(18, 1, -1)), np.zeros(x.shape))
    with np.errstate(divide="ignore", invalid="ignore"):
        whole = np.where(x < 1, (1 - x) * np.log1p(-np.minimum(x, 1.0)), 0.0) + x
    return np.where(small, series, whole)
