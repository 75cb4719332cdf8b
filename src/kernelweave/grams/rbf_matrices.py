"""Whole matrices of RBF kernels on the same rows, by NumPy."""

from __future__ import annotations

import numpy as np

from .base import Array
from .tiles import spans


def negative_squares(Z: Array) -> Array:
    """−‖x − z‖² between the rows of Z, (n, n).

    Examples
    --------
    >>> import numpy as np
    >>> -negative_squares(np.array([[0.0], [2.0]]))
    array([[-0.,  4.],
           [ 4., -0.]])
    """
    squares = np.sum(Z * Z, axis=1)
    D = Z @ Z.T
    D *= 2
    D -= squares
    D -= squares[:, None]
    np.minimum(D, 0.0, out=D)
    D.flat[:: len(D) + 1] = 0.0
    return D


def symmetric_exponentials(D: Array, gamma: float, out: Array) -> None:
    """out = exp(γD) for a symmetric D (n, n): n²/2 exponentials, and their mirror."""
    for rows in spans(len(D), 128):
        rest, below = slice(rows.start, None), slice(rows.stop, None)
        part = np.multiply(D[rows, rest], gamma)
        np.exp(part, out=part)
        # Rounding of D depends on the order of the two rows.
        corner = part[:, : len(part)]
        corner[...] = np.triu(corner) + np.triu(corner, 1).T
        out[rows, rest] = part
        out[below, rows] = out[rows, below].T
