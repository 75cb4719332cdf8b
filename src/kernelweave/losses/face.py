"""The optimum over some entries of a, the others at their bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg.lapack import dpotrf, dpstrf, dtrtrs

from ..problem import Array

if TYPE_CHECKING:
    from .box import Box


class Face:
    """The free entries of a box problem, one factor, and borders to it.

    [[M, B], [Bᵀ, D]] [x, z] = [r, e] with M = LLᵀ the part of K + diag(d) that was free
    at first. The columns of B, of which V = L⁻¹B is kept, hold the intercept, the
    entries fixed since, whose z is a multiplier, and those released since, whose z is
    their step.

    Attributes
    ----------
    index : ndarray of int
        The free entries.
    low, high : ndarrays
        Their bounds, on their side of zero if ε > 0.
    """

    def __init__(self, K: Array, box: Box, a: Array, free: Array, side: Any = None):
        self._K, self._box, self._base = K, box, free
        self._side = np.sign(a) if side is None else side
        M = K[np.ix_(free, free)]
        M.flat[:: len(free) + 1] += box.d[free]
        self.factor, self._jitter = _factorise(M, np.min(box.d[free], initial=np.inf))
        self.V = np.empty((len(free), 0))
        self._D = np.empty((0, 0))
        # Entries that have a row or a border: to free them again needs a new factor.
        self._touched = free
        # Where the free entries are: a row of M, or past these a border.
        self._at = np.arange(len(free))
        self._set(free)
        if box.intercept:
            self._border(np.ones(len(free)), np.empty(0), 0.0)

    @property
    def intercept(self) -> bool:
        return self._box.intercept

    @property
    def borders(self) -> int:
        """How many entries were fixed or released since the factorisation."""
        return len(self._D) - self._box.intercept

    def _set(self, index: Array) -> None:
        box, side = self._box, self._side[index]
        self.index = index
        self.low, self.high = box.lower[index], box.upper[index]
        if box.epsilon > 0:
            self.low = np.where(side > 0, 0.0, self.low)
            self.high = np.where(side < 0, 0.0, self.high)

    def _border(self, column: Array, row: Array, corner: float) -> None:
        self.V = np.column_stack([self.V, solve_lower(self.factor, column)])
        self._D = np.block([[self._D, row[:, None]], [row[None], np.array([[corner]])]])

    def slope(self, f: Array, bias: float) -> Array:
        """t − f − b − ε sign(a) of the free entries: zero at their optimum."""
        box, i = self._box, self.index
        return box.t[i] - f[i] - bias - box.epsilon * self._side[i]

    def step(self, a: Array, f: Array, bias: float) -> tuple[Array, float]:
        """The way of the free entries to their optimum, and that of the bias.

        From the slopes at (a, b), so that steps correct what rounding, and the ridge of
        a singular M, did to the ones before.
        """
        return self._solve(self.slope(f, bias), self._box.total - float(a.sum()))

    def answer(self, right: Array) -> Array:
        """The free entries' part of W·right, W as in `BoxMaximum.hessian`."""
        return self._solve(right[self.index], 0.0)[0] if len(self.index) else right[:0]

    def answers(self, R: Array) -> Array | None:
        """WR of right-hand sides R (free entries, q), W as in `BoxMaximum.hessian`.

        None where there is no entry, or where Mx = R has no solution (see `form`).
        """
        if len(self.index) == 0:
            return None
        found = self._solve(R, 0.0)[0]
        if self._jitter * np.linalg.norm(found) > 1e-6 * np.linalg.norm(R):
            return None
        return found

    def _solve(self, slope: Array, missing: float) -> tuple[Array, Any]:
        m = len(self._base)
        right = np.zeros((m + len(self._D), *slope.shape[1:]))
        right[self._at] = slope
        if self._box.intercept:
            right[m] = missing
        u, z = solve_lower(self.factor, right[:m]), right[m:]
        if len(z):
            z = np.linalg.solve(self._D - self.V.T @ self.V, z - self.V.T @ u)
            u = u - self.V @ z
        x = dtrtrs(self.factor, u, lower=1, trans=1)[0]
        change = z[0] if self._box.intercept else 0.0
        return np.concatenate([x, z])[self._at], change

    def fix(self, blocked: Array) -> None:
        """Keep the free entries in the mask `blocked` where they are from now on."""
        m = len(self._base)
        places = self._at[blocked]
        self._at = self._at[~blocked]
        self._set(self.index[~blocked])
        for place in places:
            column, row = np.zeros(m), np.zeros(len(self._D))
            if place < m:
                column[place] = 1.0
            else:
                row[place - m] = 1.0
            self._border(column, row, 0.0)

    def release(self, new: Array, direction: Array, a: Array) -> Face:
        """A face where the entries `new` are free as well, to move in `direction`."""
        box, K, m = self._box, self._K, len(self._base)
        side = np.sign(a)
        side[new] = np.where(a[new] == 0, direction, side[new])
        many = self.borders + len(new) > 40
        if m == 0 or many or np.isin(new, self._touched).any():
            return Face(K, box, a, np.append(self.index, new), side)
        self._side = side
        self._touched = np.append(self._touched, new)
        for entry in new:
            row = np.zeros(len(self._D))
            if box.intercept:
                row[0] = 1.0
            added = self._at >= m
            row[self._at[added] - m] = K[entry, self.index[added]]
            corner = float(K[entry, entry] + box.d[entry] + self._jitter)
            self._at = np.append(self._at, m + len(self._D))
            self._border(K[entry, self._base], row, corner)
            self._set(np.append(self.index, entry))
        return self

    def form(self, R: Array) -> Array | None:
        """RᵀWR of right-hand sides R (free entries, q), W as in `BoxMaximum.hessian`.

        r̂ᵀ[[M, B], [Bᵀ, D]]⁻¹r̂ from the factor that is there, r̂ = R on the free entries
        and 0 elsewhere. None where entries depend on each other and R does not do so in
        the same way: Mx = R then has no solution, which a ridge δ on M shows by what it
        leaves, δM⁻¹R.
        """
        m = len(self._base)
        if m == 0 or len(self.index) == 0:
            return None
        right = np.zeros((m + len(self._D), R.shape[1]))
        right[self._at] = R
        X, Z = solve_lower(self.factor, right[:m]), right[m:]
        left = dtrtrs(self.factor, X, lower=1, trans=1)[0]
        if self._jitter * np.linalg.norm(left) > 1e-6 * np.linalg.norm(R):
            return None
        out = X.T @ X
        if len(Z):
            values, vectors = np.linalg.eigh(self._D - self.V.T @ self.V)
            rest = vectors.T @ (Z - self.V.T @ X)
            # Equal samples have borders without curvature, and R is equal there, too.
            flat = np.abs(values) <= 1e-8 * np.max(np.abs(values))
            if np.linalg.norm(rest[flat]) > 1e-6 * np.linalg.norm(R):
                return None
            values, rest = values[~flat], rest[~flat]
            out += (rest.T / values) @ rest
        return out

    def independent(self) -> tuple[Array, Array]:
        """A factor of K + diag(d) on free entries that do not depend on each other."""
        index = self.index
        if len(index) == 0:
            return np.empty((0, 0)), index
        M = self._K[np.ix_(index, index)]
        M.flat[:: len(index) + 1] += self._box.d[index]
        if self._box.intercept:
            # On Σa = 0 a constant changes nothing, and the bias frees one entry more.
            M += np.mean(np.diag(M))
        L, pivots, rank, _ = dpstrf(M.T, lower=1, tol=1e-10 * float(np.max(np.diag(M))))
        return L[:rank, :rank], index[pivots[:rank] - 1]

    def alone(self, a: Array) -> Face:
        """The same free entries without borders but the intercept's."""
        if self.borders == 0:
            return self
        return Face(self._K, self._box, a, self.index, self._side)


def solve_lower(L: Array, B: Array) -> Array:
    """L⁻¹B."""
    return dtrtrs(L, B, lower=1)[0] if len(L) else B


def _factorise(M: Array, least: float) -> tuple[Array, float]:
    """Lower Cholesky factor of M, and what had to be added to its diagonal.

    The factor takes the place of M; above its diagonal there is none of it.
    M is often singular: equal samples, kernels of low rank. Along a flat direction
    the step is then long, and a bound ends it. The relative error of a step is some
    ε·tr(M) over the smallest eigenvalue, of which `least` is there without a ridge.
    """
    if len(M) == 0:
        return M, 0.0
    diagonal = np.diag(M).copy()
    unit = np.finfo(float).eps * float(diagonal.sum()) or 1.0
    for ridge in (1e2 * unit, 1e4 * unit, 1e6 * unit):
        jitter = max(ridge - least, 0.0)
        M.flat[:: len(M) + 1] = diagonal + jitter
        # The factor takes the upper triangle of M; the lower one stays.
        L, info = dpotrf(M.T, lower=1, overwrite_a=1, clean=0)
        if info == 0:
            return L, jitter
        M = np.tril(M) + np.tril(M, -1).T
    raise ValueError(
        "the combined kernel is not positive semidefinite: check the base kernels "
        "with numpy.linalg.eigvalsh, or clip their negative eigenvalues"
    )
