"""What a pass over the rows says of the squared hinge at one point.

    e_ic = 1 − y_ic(z_iᵀw_c + b_c),   a_ic = C_iy_ic(e_ic)₊

The rows with e > 0 are the active ones of column c. Among them (1 − yf)² = (y − f)²:
the squared hinge is a square loss there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg.blas import dsyrk

from ..problem import Array
from .features import FeatureMap
from .moments import Moments
from .sums import CHUNK


@dataclass(frozen=True)
class Place:
    """f(x) = z(x)ᵀcoef + bias (k,), and the weights θ (p,) that it is paid with.

    coef is (D, k), in the units of the features as they are.
    """

    theta: Array
    coef: Array
    bias: Array

    def toward(self, other: Place, t: float) -> Place:
        """(1 − t)·this + t·other."""
        pairs = (
            (self.theta, other.theta),
            (self.coef, other.coef),
            (self.bias, other.bias),
        )
        return Place(*((1 - t) * a + t * b for a, b in pairs))


@dataclass(frozen=True)
class Penalty:
    """C_i = C·(weight of the class of row i)·(weight of row i).

    Attributes
    ----------
    by_class : ndarray (q,)
    by_row : ndarray (n,), optional
        By the number of the row.
    """

    by_class: Array
    by_row: Array | None = None

    def __call__(self, T: Array, first: int) -> Array:
        """C_i (m,) of rows of the classes T (m, q), numbered from `first` on."""
        C = T @ self.by_class
        return C if self.by_row is None else C * self.by_row[first : first + len(T)]


@dataclass(frozen=True)
class Question:
    """What is asked of the rows: two places, and steps between them.

    Attributes
    ----------
    map : FeatureMap
    targets : callable
        From y to the zeros and ones T (m, q) of the classes.
    coding : ndarray (q, k)
        Y = T·coding is +1 and −1.
    penalty : Penalty
    origin : ndarray (D,)
        Near the mean of the features.
    here, there : Place
    steps : ndarray (s,)
        t of (1 − t)·here + t·there.
    """

    map: FeatureMap
    targets: Callable[[Any], Array]
    coding: Array
    penalty: Penalty
    origin: Array
    here: Place
    there: Place
    steps: Array


class ActiveSums:
    """Sums over the rows, most of them at the place `there`.

    Attributes
    ----------
    risks : ndarray (s,)
        ½Σ_ic C_i(e_ic)₊² at every step.
    totals : ndarray (2, k)
        Σ|a_ic| of the rows with y = −1, and of those with y = +1.
    squares : ndarray (2, k)
        Σ a_ic²/C_i of the same.
    pulls : ndarray (2, D, k)
        Σ a_ic(z_i − origin).
    weight : ndarray (k,)
        ΣC_i of the active rows.
    first : ndarray (k, D + 1)
        ΣC_i(z_i − origin, y_ic).
    second : list of k ndarrays (D + 1, D + 1)
        ΣC_i(z_i − origin, y_ic)(z_i − origin, y_ic)ᵀ, the lower triangle.
    """

    def __init__(self, question: Question):
        self.question = question
        D, k = question.there.coef.shape
        self.risks = np.zeros(len(question.steps))
        self.totals, self.squares = np.zeros((2, k)), np.zeros((2, k))
        self.pulls = np.zeros((2, D, k))
        self.weight, self.first = np.zeros(k), np.zeros((k, D + 1))
        self.second = [np.zeros((D + 1, D + 1), order="F") for _ in range(k)]

    def add(self, X: Any, y: Any, first: int) -> None:
        """Count rows whose numbers are first, first + 1, ..."""
        asked, m = self.question, X.shape[0]
        T = asked.targets(y)
        Y, C = T @ asked.coding, asked.penalty(T, first)
        part = max(1, CHUNK // (8 * 2 * (asked.map.width + 1)))
        for start in range(0, m, part):
            rows = slice(start, min(start + part, m))
            self._add(asked.map(X[rows]), Y[rows], C[rows])

    def _add(self, Z: Array, Y: Array, C: Array) -> None:
        asked = self.question
        here, there = (
            1 - Y * (Z @ place.coef + place.bias) for place in (asked.here, asked.there)
        )
        for i, t in enumerate(asked.steps):
            e = np.maximum((1 - t) * here + t * there, 0)
            self.risks[i] += 0.5 * float(C @ np.sum(e * e, axis=1))
        Z -= asked.origin
        e = np.maximum(there, 0)
        size = C[:, None] * e
        for side, rows in enumerate((Y < 0, Y > 0)):
            part = np.where(rows, size, 0.0)
            self.totals[side] += part.sum(axis=0)
            self.squares[side] += np.sum(part * e, axis=0)
            self.pulls[side] += Z.T @ (part * Y)
        for c in range(Y.shape[1]):
            active = (there[:, c] > 0) & (C > 0)
            root = np.sqrt(C[active])[:, None]
            u = root * np.column_stack([Z[active], Y[active, c]])
            self.weight[c] += float(C[active].sum())
            self.first[c] += root[:, 0] @ u
            if len(u):
                self.second[c] = dsyrk(
                    1.0, u.T, beta=1.0, c=self.second[c], overwrite_c=True, lower=True
                )

    def merge(self, other: ActiveSums) -> None:
        self.risks += other.risks
        self.totals += other.totals
        self.squares += other.squares
        self.pulls += other.pulls
        self.weight += other.weight
        self.first += other.first
        for mine, theirs in zip(self.second, other.second, strict=True):
            mine += theirs

    def moments(self, c: int) -> Moments:
        """Moments of (z, y), column c, over its active rows, each counted C_i times."""
        origin = np.append(self.question.origin, 0.0)
        return Moments(origin, float(self.weight[c]), self.first[c], self.second[c])
