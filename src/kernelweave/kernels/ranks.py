"""Columns turned to ranks among the training rows, in [0, 1]."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from array_api_compat import device
from scipy.sparse import csc_array, csr_array, issparse

from ..arrays import host, is_foreign, like, namespace
from ..problem import Array

if TYPE_CHECKING:
    from .base import Kernel

# Distinct values of a column that are kept; of more, as many at equal steps.
KNOTS = 2000


def check_scale(kernel: Kernel) -> None:
    """Refuse a `scale` that no kernel knows."""
    if isinstance(kernel.scale, str) and kernel.scale != "rank":
        raise ValueError(
            f"kernel {kernel.label!r}: scale must be True, False or 'rank', got "
            f"{kernel.scale!r}"
        )


class Ranks:
    """The share of training rows below a value, those equal to it counted half.

    A column with the distinct values v_1 < v_2 < … that n_1, n_2, … rows have becomes

        q(v_l) = (n_1 + … + n_{l−1} + n_l/2)/n,

    linear between them and constant beyond. Any increasing function of a column gives
    the same ranks for the training rows, and no outlier is farther than 1 away. In a
    sparse table they are q(v) − q(0), so that zeros stay zeros: distances, and centred
    products, are the same.

    Attributes
    ----------
    values, quantiles : lists of ndarrays
        v and q of every column.

    Examples
    --------
    >>> import numpy as np
    >>> ranks = Ranks(np.array([[1.0], [1.0], [4.0], [1000.0]]))
    >>> ranks.transform(np.array([[0.0], [1.0], [2.5], [5000.0]])).ravel()
    array([0.25  , 0.25  , 0.4375, 0.875 ])
    """

    def __init__(self, Z: Any):
        sparse = issparse(Z)
        columns = csc_array(Z) if sparse else Z
        # As in StandardScaler: whether zeros are moved.
        self.with_mean = not sparse
        self.values: list[Array] = []
        self.quantiles: list[Array] = []
        for c in range(Z.shape[1]):
            values, quantiles = _mid_ranks(_entries(columns, c))
            if sparse:
                quantiles = quantiles - np.interp(0.0, values, quantiles)
            self.values.append(values)
            self.quantiles.append(quantiles)

    def transform(self, Z: Any) -> Any:
        """Ranks of the entries of Z (m, d); NaN stays NaN."""
        columns = enumerate(zip(self.values, self.quantiles, strict=True))
        if issparse(Z):
            ranks = csc_array(Z, copy=True)
            for c, (v, q) in columns:
                own = slice(ranks.indptr[c], ranks.indptr[c + 1])
                ranks.data[own] = np.interp(ranks.data[own], v, q)
            return csr_array(ranks)
        if not is_foreign(Z):
            parts = [np.interp(Z[:, c], v, q) for c, (v, q) in columns]
            return np.column_stack(parts)
        parts = [_interpolated(Z[:, c], v, q) for c, (v, q) in columns]
        return namespace(Z).stack(parts, axis=1)


def _entries(Z: Any, c: int) -> Array:
    """Column c on the host, zeros of a sparse table included."""
    if not issparse(Z):
        return host(Z[:, c])
    held = Z.data[Z.indptr[c] : Z.indptr[c + 1]]
    return np.concatenate([held, np.zeros(Z.shape[0] - len(held))])


def _mid_ranks(column: Array) -> tuple[Array, Array]:
    """v and q of a column; its NaN do not count."""
    column = column[~np.isnan(column)]
    values, counts = np.unique(column, return_counts=True)
    quantiles = (np.cumsum(counts) - counts / 2) / len(column)
    if len(values) > KNOTS:
        kept = np.linspace(0, len(values) - 1, KNOTS).astype(int)
        values, quantiles = values[kept], quantiles[kept]
    return values, quantiles


def _interpolated(z: Array, values: Array, quantiles: Array) -> Array:
    """`numpy.interp` for arrays of other kinds."""
    xp = namespace(z)
    if len(values) == 1:
        return xp.full_like(z, float(quantiles[0]))
    v, q = like(values, z), like(quantiles, z)
    z = xp.clip(z, min=float(values[0]), max=float(values[-1]))
    places = xp.searchsorted(v, z)
    last = xp.asarray(len(values) - 1, dtype=places.dtype, device=device(z))
    first = xp.asarray(1, dtype=places.dtype, device=device(z))
    right = xp.minimum(xp.maximum(places, first), last)
    low, high = xp.take(v, right - 1), xp.take(v, right)
    below, above = xp.take(q, right - 1), xp.take(q, right)
    return below + (above - below) * ((z - low) / (high - low))
