"""Chi-squared distances between rows of counts."""

from __future__ import annotations

import numpy as np

from ..compiled import compiled
from ..problem import Array

# Sums in any order, so that they run four at a time.
_ANY_ORDER = {"reassoc", "nsz", "contract"}


def _by_columns(X: Array, Y: Array) -> Array:
    out = np.zeros((X.shape[0], Y.shape[0]))
    for x, y in zip(X.T, Y.T, strict=True):
        both, apart = np.add.outer(x, y), np.subtract.outer(x, y)
        out += apart * apart / np.where(both > 0, both, 1)
    return out


@compiled(_by_columns, nogil=True, fastmath=_ANY_ORDER)
def chi_squared_distances(X: Array, Y: Array) -> Array:
    """Σ_c (x_c − z_c)²/(x_c + z_c) for rows x of X and z of Y, 0/0 being 0."""
    out = np.empty((X.shape[0], Y.shape[0]))
    for i in range(X.shape[0]):
        for j in range(Y.shape[0]):
            total = 0.0
            for c in range(X.shape[1]):
                both = X[i, c] + Y[j, c]
                apart = X[i, c] - Y[j, c]
                total += apart * apart / (both if both > 0 else 1.0)
            out[i, j] = total
    return out
