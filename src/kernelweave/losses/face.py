"""The optimum over some entries of a, the others at their bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg.lapack import dpotrf, dtrtrs

from ..problem import Array

if TYPE_CHECKING:
    from .box import Box


class Face:
    """The free entries of a box problem, one factor, and borders to it.

    [[M, B], [Bᵀ, D]] [step, z] = [r, e] with M = LLᵀ the part of K + diag(d) that was
    free at first. The columns of B, of which V = L⁻¹B is kept, hold the intercept,
    the entries fixed since, whose z is a multiplier, and those released since, whose
    z is their step.

    Attributes
    ----------
    index : ndarray of int
        The free entries.
    low, high : ndarrays
        Their bounds, on their side of zero if ε > 0.
    """

    def __init__(
        self,
        K: Array,
        box: Box,
        a: Array,
        f: Array,
        free: Array,
        side: Array | None = None,
    ):
        self._K, self._box, self._base = K, box, free
        self._side = np.sign(a) if side is None else side
        self._begin = a.copy()
        self._residual = box.t - f
        M = K[np.ix_(free, free)]
        M.flat[:: len(free) + 1] += box.d[free]
        self.factor, self._jitter = _factorise(M)
        self._u = solve_lower(
            self.factor, self._residual[free] - box.epsilon * self._side[free]
        )
        self.V = np.empty((len(free), 0))
        self._D = np.empty((0, 0))
        self._e = np.empty(0)
        # Entries that have a row or a border: to free them again needs a new factor.
        self._touched = free
        # Where the free entries are: a row of M, or past these a border.
        self._at = np.arange(len(free))
        self._set(free)
        if box.intercept:
            self._border(np.ones(len(free)), np.empty(0), 0.0, -float(a.sum()))

    @property
    def borders(self) -> int:
        """How many entries were fixed or released since the factorisation."""
        return len(self._e) - self._box.intercept

    def _set(self, index: Array) -> None:
        box, side = self._box, self._side[index]
        self.index = index
        self.low, self.high = box.lower[index], box.upper[index]
        if box.epsilon > 0:
            self.low = np.where(side > 0, 0.0, self.low)
            self.high = np.where(side < 0, 0.0, self.high)

    def _border(self, column: Array, row: Array, corner: float, value: float) -> None:
        self.V = np.column_stack([self.V, solve_lower(self.factor, column)])
        self._D = np.block([[self._D, row[:, None]], [row[None], np.array([[corner]])]])
        self._e = np.append(self._e, value)

    def optimum(self) -> tuple[Array, float]:
        """The free entries at their optimum, and the bias."""
        y, bias, z = self._u, 0.0, self._e
        if len(z):
            S = self._D - self.V.T @ self.V
            z = np.linalg.solve(S, self._e - self.V.T @ self._u)
            y = self._u - self.V @ z
            bias = float(z[0]) if self._box.intercept else 0.0
        step = dtrtrs(self.factor, y, lower=1, trans=1)[0]
        step = np.concatenate([step, z])[self._at]
        return self._begin[self.index] + step, bias

    def fix(self, blocked: Array, ends: Array) -> None:
        """Keep the free entries in the mask `blocked` at `ends` from now on."""
        m = len(self._base)
        places, entries = self._at[blocked], self.index[blocked]
        self._at = self._at[~blocked]
        self._set(self.index[~blocked])
        for place, entry, end in zip(places, entries, ends, strict=True):
            column, row = np.zeros(m), np.zeros(len(self._e))
            if place < m:
                column[place] = 1.0
            else:
                row[place - m] = 1.0
            self._border(column, row, 0.0, end - self._begin[entry])

    def release(self, new: Array, direction: Array, a: Array, f: Array) -> Face:
        """A face where the entries `new` are free as well, to move in `direction`."""
        box, K, m = self._box, self._K, len(self._base)
        side = np.sign(a)
        side[new] = np.where(a[new] == 0, direction, side[new])
        if self.borders + len(new) > 40 or np.isin(new, self._touched).any():
            return Face(K, box, a, f, np.append(self.index, new), side)
        self._side = side
        self._touched = np.append(self._touched, new)
        for entry in new:
            row = np.zeros(len(self._e))
            if box.intercept:
                row[0] = 1.0
            added = self._at >= m
            row[self._at[added] - m] = K[entry, self.index[added]]
            corner = float(K[entry, entry] + box.d[entry] + self._jitter)
            value = self._residual[entry] - box.epsilon * side[entry]
            self._at = np.append(self._at, m + len(self._e))
            self._border(K[entry, self._base], row, corner, float(value))
            self._set(np.append(self.index, entry))
        return self

    def alone(self) -> Face:
        """The same free entries without borders but the intercept's."""
        if self.borders == 0:
            return self
        a = self._begin
        return Face(self._K, self._box, a, a, self.index)


def solve_lower(L: Array, B: Array) -> Array:
    """L⁻¹B."""
    return dtrtrs(L, B, lower=1)[0] if len(L) else B


def _factorise(M: Array) -> tuple[Array, float]:
    """Lower Cholesky factor of M, and what had to be added to its diagonal.

    M is often singular: equal samples, kernels of low rank. Along a flat direction
    the step is then long, and a bound ends it.
    """
    if len(M) == 0:
        return M, 0.0
    unit = np.finfo(float).eps * float(np.trace(M))
    for jitter in (unit, 1e3 * unit, 1e6 * unit):
        shifted = M.copy()
        shifted.flat[:: len(M) + 1] += jitter
        L, info = dpotrf(shifted.T, lower=1, overwrite_a=1)
        if info == 0:
            return L, jitter
    raise ValueError(
        "the combined kernel is not positive semidefinite: check the base kernels "
        "with numpy.linalg.eigvalsh, or clip their negative eigenvalues"
    )
