"""The logistic loss: probabilities of two classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit

from ..problem import Array
from .margin import per_entry
from .smooth import SmoothLoss
from .weighted import Weighted


@dataclass(eq=False, repr=False)
class Logistic(SmoothLoss):
    """g(A) = ΣC·h(Y∘A/C), h(α) = −α log α − (1−α) log(1−α), on 0 ≤ Y∘A ≤ C.

    1ᵀA = 0 if there is an intercept. In the primal: the smallest
    ½‖w‖² + ΣC log(1 + exp(−Y∘(f + b))). The probability of +1 is 1/(1 + exp(−f − b)).

    Parameters
    ----------
    Y : ndarray (n, k)
        +1 and −1: one column for two classes, or one for each of several labels.
    C : float or ndarray (n,) or (n, k)
        Penalty of errors; zero leaves a sample out.
    intercept : bool
    """

    Y: Array
    C: Any = 1.0
    intercept: bool = True

    @property
    def _C(self) -> Array:
        return per_entry(self.C, self.Y)

    def value(self, A: Array) -> float:
        C = self._C
        share = np.divide(self.Y * A, C, out=np.zeros(A.shape), where=C > 0)
        return float(np.sum(C * entropy(share)))

    def answers(self, u: Array) -> Array:
        return self._C * self.Y * expit(-self.Y * u)

    def risk(self, f: Array, near: Array | None = None) -> tuple[float, Array]:
        C = self._C
        bias = np.zeros(f.shape[1])
        if self.intercept:
            for c in range(f.shape[1]):
                guess = None if near is None else float(near[c])
                bias[c] = _best_bias(self.Y[:, c], C[:, c], f[:, c], guess)
        return float(np.sum(C * np.logaddexp(0, -self.Y * (f + bias)))), bias

    def losses(self, u: Array) -> Array:
        """What every sample adds to the loss at the fitted values u, (n,)."""
        return np.sum(self._C * np.logaddexp(0, -self.Y * u), axis=1)

    def system(self, K: Array, u: Array) -> Weighted:
        return Weighted(K, self.curvature(u), self.intercept)

    def curvature(self, u: Array) -> Array:
        """w, (n, k): the second derivatives of the loss."""
        return self._C * expit(u) * expit(-u)

    def first(self, K: Array) -> Array:
        return np.zeros(self.Y.shape)

    def order(self) -> Array:
        return np.lexsort(self.Y.T)

    def sample(self, rows: Array, times: int) -> Logistic:
        return Logistic(self.Y[rows], times * self._C[rows], self.intercept)


def entropy(share: Array) -> Array:
    """−α log α − (1−α) log(1−α), exact for small α as well; −∞ outside 0 ≤ α ≤ 1."""
    outside = (share < 0) | (share > 1)
    α = np.where(outside, 0.0, share)
    with np.errstate(divide="ignore", invalid="ignore"):
        one = np.where(α > 0, α * np.log(α), 0.0)
        other = np.where(α < 1, (1 - α) * np.log1p(-α), 0.0)
    return np.where(outside, -np.inf, -one - other)


def _best_bias(y: Array, C: Array, f: Array, guess: float | None) -> float:
    """The root of ΣC·y/(1 + exp(y(f + b))), which falls with b: Newton in a bracket."""
    plus, minus = float(C[y > 0].sum()), float(C[y < 0].sum())
    if not (plus > 0 and minus > 0):
        raise ValueError(
            "a column of Y has one class only (or samples of weight zero in the "
            "other): the intercept of a logistic model then has no end"
        )
    odds = np.log(plus) - np.log(minus)
    used = f[C > 0]
    low, high = odds - float(used.max()), odds - float(used.min())
    b = odds - float(C @ f) / (plus + minus) if guess is None else guess
    for _ in range(200):
        b = b if low <= b <= high else 0.5 * (low + high)
        p, q = expit(f + b), expit(-f - b)
        excess = float(np.sum(C * np.where(y > 0, q, -p)))
        size = float(np.sum(C * np.where(y > 0, q, p)))
        if excess > 0:
            low = b
        else:
            high = b
        slope = float(np.sum(C * p * q))
        step = excess / slope if slope > 0 else np.inf
        if abs(excess) <= 4e-16 * size or high - low <= 4e-16 * (abs(low) + abs(high)):
            break
        b = b + step
    return b
