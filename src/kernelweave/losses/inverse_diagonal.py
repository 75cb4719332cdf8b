"""The diagonal of an inverse from a Cholesky factor, in double or single precision."""

from __future__ import annotations

import numpy as np
from scipy.linalg import get_lapack_funcs

from ..grams.tiles import spans
from ..problem import Array
from .cholesky import factorise_lower

# Rows above which the factor may be of single precision.
LARGE = 2000

# ε‖M‖/λ bounds the relative error of the diagonal of M⁻¹, ε = 6e-8, and is pessimistic:
# with tr M for ‖M‖ it was 1e-4 where the error was 1e-6. A standard error of a mean of
# left-out values is above 1/√n.
RELATIVE = 1e-2


def inverse_diagonal(L: Array, border: bool, overwrite: bool) -> Array:
    """The diagonal of (LLᵀ)⁻¹, or of the upper left block of [[LLᵀ, 1], [1ᵀ, 0]]⁻¹.

    Parameters
    ----------
    L : ndarray (n, n), in Fortran's order
        What stands above its diagonal is none of it.
    border : bool
    overwrite : bool
        Whether L⁻¹ may take the place of L.
    """
    (trtri,) = get_lapack_funcs(("trtri",), (L,))
    Linv, _ = trtri(L, lower=1, overwrite_c=overwrite)
    n = len(Linv)
    diagonal = np.empty(n)
    columns = Linv.T  # the same memory, by rows
    for rows in spans(n, 256):
        # Above the diagonal there is no number of the inverse.
        part = np.triu(columns[rows], rows.start)
        diagonal[rows] = np.einsum("ij,ij->i", part, part, dtype=float)
        columns[rows] = part
    if border:
        M1 = columns @ columns.sum(axis=0, dtype=float).astype(L.dtype)
        diagonal = diagonal - M1.astype(float) ** 2 / M1.sum(dtype=float)
    return diagonal


def single_factor(K: Array, d: Array, border: bool) -> Array | None:
    """L in single precision with LLᵀ = diag(d) + K, plus a shift along 11ᵀ if `border`.

    None where single precision does not suffice. It takes half the time of a factor in
    double precision. Whatever is proved, is proved in double precision.
    """
    n = len(K)
    if not single_suffices(K, d):
        return None
    unit = float(np.trace(K)) / n + float(np.max(d))
    M = K.astype(np.float32)
    if border:
        M += np.float32(unit / n)
    M.flat[:: n + 1] += d.astype(np.float32)
    # Symmetric: its transpose is what LAPACK calls it, without a copy.
    return M.T if factorise_lower(M.T) == 0 else None


def single_suffices(K: Array, d: Array | float) -> bool:
    """Whether rows are many, and single precision leaves four digits of the diagonal.

    It does not for d far below the trace of K.
    """
    size = float(np.trace(K)) + len(K) * float(np.max(d))
    error = float(np.finfo(np.float32).eps) * size
    return len(K) > LARGE and error <= RELATIVE * float(np.min(d))
