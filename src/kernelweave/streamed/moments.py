"""Sums that add up over chunks and machines: n, Σu, Σuuᵀ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg.blas import dsyrk

from ..problem import Array


@dataclass
class Moments:
    """n, Σ_i u_i and Σ_i u_iu_iᵀ of rows u_i = (z_i, t_i) − origin.

    The rows are features and targets side by side. The origin is near the mean, so
    that the centred Σ(u − ū)(u − ū)ᵀ = Σuuᵀ − nūūᵀ loses no digits.

    Parameters
    ----------
    origin : ndarray (m,)
    count : float
        n, or the sum of the weights of the rows.
    sum : ndarray (m,)
    second : ndarray (m, m)
        Only its lower triangle is filled.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.array([[1.0, 2.0], [3.0, 5.0], [4.0, 4.0]])
    >>> whole, part = Moments.empty(rows[0]), Moments.empty(rows[0])
    >>> whole.add(rows[:2])
    >>> part.add(rows[2:])
    >>> whole.merge(part)
    >>> whole.mean.round(3)
    array([2.667, 3.667])
    """

    origin: Array
    count: float
    sum: Array
    second: Array

    @classmethod
    def empty(cls, origin: Array) -> Moments:
        m = len(origin)
        return cls(
            np.asarray(origin, float), 0, np.zeros(m), np.zeros((m, m), order="F")
        )

    def add(self, rows: Array, v: Array | None = None) -> None:
        """Count these rows (b, m), each as its weight v, by 2bm²/2 operations."""
        if not len(rows):
            return
        u = np.ascontiguousarray(rows - self.origin)
        if v is None:
            self.count += len(u)
            self.sum += u.sum(axis=0)
        else:
            self.count += float(v.sum())
            self.sum += v @ u
            u *= np.sqrt(v)[:, None]
        self.second = dsyrk(
            1.0, u.T, beta=1.0, c=self.second, overwrite_c=True, lower=True
        )

    def merge(self, other: Moments) -> None:
        """Count the rows of another, about the same origin."""
        if not np.array_equal(self.origin, other.origin):
            raise ValueError("moments about different origins do not add up")
        self.count += other.count
        self.sum += other.sum
        self.second += other.second

    def less(self, other: Moments) -> Moments:
        """The moments of the rows that are not in `other`."""
        return Moments(
            self.origin,
            self.count - other.count,
            self.sum - other.sum,
            self.second - other.second,
        )

    @property
    def mean(self) -> Array:
        """(z̄, t̄), (m,)."""
        return self.origin + self.sum / (self.count or 1)

    def scatter(self, about: Array | None = None) -> Array:
        """Σ(v − a)(v − a)ᵀ of the rows v, (m, m), about the mean or about a point."""
        a = (self.mean if about is None else about) - self.origin
        lower = np.tril(self.second, -1)
        S = lower + lower.T
        S.flat[:: len(S) + 1] = np.diag(self.second)
        # Σ(u − a)(u − a)ᵀ = Σuuᵀ − sa' − as' + naa'
        S -= np.outer(self.sum, a)
        S -= np.outer(a, self.sum)
        S += self.count * np.outer(a, a)
        return S

    def sizes(self, about: Array) -> Array:
        """√(Σu² + na²), (m,): the sums in `scatter` are rounded relative to these."""
        a = about - self.origin
        return np.sqrt(np.diag(self.second) + self.count * a**2)
