"""Is a given matrix a Gram matrix?"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import eigvalsh
from scipy.linalg.lapack import dpotrf

from ..arrays import host, like, namespace, take
from .base import Array
from .tiles import spans

# Rows up to which a matrix is checked as a whole: the check costs a factorisation.
LARGE = 500

# Sums of such entries over all pairs of samples are finite.
LARGEST = 1e280


def refuse_large(K: Array, what: str) -> None:
    """Raise a ValueError if there is a number in K whose sums overflow."""
    if 0 in K.shape:
        return
    xp = namespace(K)
    largest = max(float(xp.max(K)), -float(xp.min(K)))
    if largest > LARGEST:
        raise ValueError(
            f"entries as large as {largest:.2g} in {what}, whose sums overflow (the "
            f"limit is {LARGEST:.0e}): divide the kernel by a constant"
        )


def check_gram(K: Array, label: str, dtype: Any = None) -> None:
    """Raise a ValueError that names the kernel unless K is symmetric and PSD.

    `dtype` is the precision in which K was computed, if it is not that of K.
    """
    xp, n = namespace(K), K.shape[0]
    if not bool(xp.all(xp.isfinite(K))):
        raise ValueError(
            f"kernel {label} contains NaN or infinity: compute it again or impute the "
            "data it was made from"
        )
    refuse_large(K, f"kernel {label}")
    # What rounding in the precision of K can do to a sum of n products.
    dtype = np.dtype(host(K[:1, :1]).dtype if dtype is None else dtype)
    precision = float(np.finfo(dtype if dtype.kind == "f" else float).eps)
    K = like(K, K)
    diagonal = xp.linalg.diagonal(K)
    slack = 100 * n * precision * max(float(xp.max(xp.abs(diagonal))), 0.0)
    # By blocks of rows, which the cache holds: K − Kᵀ at once is many times slower.
    asymmetry = max(
        float(xp.max(xp.abs(K[rows, :] - K[:, rows].T))) for rows in spans(n, 128)
    )
    if asymmetry > slack + 1e-12 * max(float(xp.max(K)), -float(xp.min(K))):
        raise ValueError(
            f"kernel {label} is not symmetric: K and its transpose differ by "
            f"{asymmetry:.2g}; pass (K + K.T) / 2 if that is rounding, or check that "
            "rows and columns are the same samples in the same order"
        )
    if n > LARGE:
        # Principal parts of a Gram matrix are Gram matrices. What is indefinite and
        # passes cannot give a false certificate: both bounds hold for any symmetric
        # matrices, as long as λI + K(θ) can be factorised.
        rows = np.linspace(0, n - 1, LARGE - 1).astype(int)
        rows = np.append(rows, np.argmin(host(diagonal)))
        K, n = take(take(K, rows), rows, 1), LARGE
    K = host(K)
    shifted = K.copy()
    shifted.flat[:: n + 1] += slack + np.finfo(float).tiny
    _, info = dpotrf(shifted.T, lower=1, overwrite_a=1, clean=0)
    if info:
        smallest = eigvalsh(K, subset_by_index=[0, 0])[0]
        if smallest < -slack:
            raise ValueError(
                f"kernel {label} is not positive semidefinite: its smallest eigenvalue "
                f"is {smallest:.3g}; clip the negative eigenvalues, add "
                f"{-smallest:.3g} to the diagonal, or check how it was made"
            )
