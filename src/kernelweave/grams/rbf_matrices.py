"""Whole matrices of RBF kernels, by NumPy."""

from __future__ import annotations

import numpy as np

from .base import Array
from .tiles import spans

# A symmetric matrix is mirrored by blocks of this many rows.
BLOCK = 128


def negative_squares(Z: Array) -> Array:
    """−‖x − z‖² between the rows of Z, (n, n), exactly symmetric.

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
    # Rounding depends on the order of the two rows.
    for rows in spans(len(D), BLOCK):
        below, corner = slice(rows.stop, None), D[rows, rows]
        corner[...] = np.triu(corner) + np.triu(corner, 1).T
        D[below, rows] = D[rows, below].T
    return D


def gaussians(X: Array, Z: Array, gamma: float) -> Array:
    """exp(−γ‖x − z‖²) between the rows of X and Z, (m, n).

    If X is Z, the diagonal is one. Else the exponents are one product,
    (x, ‖x‖², 1)ᵀ(2γz, −γ, −γ‖z‖²).

    Examples
    --------
    >>> import numpy as np
    >>> gaussians(np.array([[0.0], [1.0]]), np.array([[0.0]]), np.log(2))
    array([[1. ],
           [0.5]])
    """
    if X is Z:
        K = negative_squares(X)
        K *= gamma
        return np.exp(K, out=K)
    x, z = (np.einsum("ij,ij->i", rows, rows) for rows in (X, Z))
    left = np.column_stack([X, x, np.ones_like(x)])
    right = np.column_stack([2 * gamma * Z, np.full_like(z, -gamma), -gamma * z])
    K = left @ right.T
    return np.exp(np.minimum(K, 0.0, out=K), out=K)


def symmetric_exponentials(D: Array, gamma: float, out: Array) -> None:
    """out = exp(γD) for a symmetric D (n, n): n²/2 exponentials, and their mirror."""
    for rows in spans(len(D), BLOCK):
        rest, below = slice(rows.start, None), slice(rows.stop, None)
        part = np.multiply(D[rows, rest], gamma)
        np.exp(part, out=out[rows, rest])
        out[below, rows] = out[rows, below].T
