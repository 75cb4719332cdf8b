"""The Cholesky factor in place, a block of columns at a time."""

from __future__ import annotations

import numpy as np
from scipy.linalg import get_blas_funcs, get_lapack_funcs

from ..problem import Array

# LAPACK factorises as much at once. OpenBLAS's own parallel factorisation writes beyond
# its buffers for large matrices and few threads (its issues 352, 1413 and 2562; seen
# with version 0.3.30, 16,000 rows and two threads): a crash, or worse.
LARGEST = 8000
BLOCK = 2048


def factorise_lower(A: Array, largest: int = LARGEST, block: int = BLOCK) -> int:
    """Write L with LLᵀ = A over the lower triangle of A; 0, or > 0 if it has none.

    For the columns J, with the rows R below them and the columns P before,

        L_JJL_JJᵀ = A_JJ − L_JPL_JPᵀ,   L_RJ = (A_RJ − L_RPL_JPᵀ)L_JJ⁻ᵀ.

    Above the diagonal A stays as it is.

    Parameters
    ----------
    A : ndarray (n, n), in Fortran's order, of double or single precision
    """
    n = len(A)
    (potrf,), (trsm,) = get_lapack_funcs(["potrf"], [A]), get_blas_funcs(["trsm"], [A])
    if n <= largest:
        return potrf(A, lower=1, overwrite_a=1, clean=0)[1]
    for start in range(0, n, block):
        J, R = slice(start, start + block), slice(start + block, None)
        before = A[J, :start].T
        corner = np.asfortranarray(np.tril(A[J, J] - A[J, :start] @ before))
        L, info = potrf(corner, lower=1, overwrite_a=1, clean=0)
        if info:
            return start + info
        lower = np.tril_indices(len(L))
        A[J, J][lower] = L[lower]
        rest = np.asfortranarray(A[R, J] - A[R, :start] @ before)
        if len(rest):
            A[R, J] = trsm(1.0, L, rest, side=1, lower=1, trans_a=1, overwrite_b=1)
    return 0
