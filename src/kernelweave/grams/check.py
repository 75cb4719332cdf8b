"""Is a given matrix a Gram matrix?"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cholesky, eigvalsh

from .base import Array


def check_gram(K: Array, label: str, dtype: Any = None) -> None:
    """Raise a ValueError that names the kernel unless K is symmetric and PSD.

    `dtype` is the precision in which K was computed, if it is not that of K.
    """
    n = len(K)
    if not np.all(np.isfinite(K)):
        raise ValueError(
            f"kernel {label} contains NaN or infinity: compute it again or impute the "
            "data it was made from"
        )
    # What rounding in the precision of K can do to a sum of n products.
    dtype = np.dtype(K.dtype if dtype is None else dtype)
    precision = np.finfo(dtype if dtype.kind == "f" else float).eps
    K = np.asarray(K, dtype=float)
    slack = 100 * n * precision * max(float(np.max(np.abs(np.diag(K)))), 0.0)
    asymmetry = float(np.max(np.abs(K - K.T)))
    if asymmetry > slack + 1e-12 * float(np.max(np.abs(K))):
        raise ValueError(
            f"kernel {label} is not symmetric: K and its transpose differ by "
            f"{asymmetry:.2g}; pass (K + K.T) / 2 if that is rounding, or check that "
            "rows and columns are the same samples in the same order"
        )
    try:
        cholesky(K + slack * np.eye(n) + np.finfo(float).tiny, check_finite=False)
    except LinAlgError:
        smallest = eigvalsh(K, subset_by_index=[0, 0])[0]
        if smallest < -slack:
            raise ValueError(
                f"kernel {label} is not positive semidefinite: its smallest eigenvalue "
                f"is {smallest:.3g}; clip the negative eigenvalues, add "
                f"{-smallest:.3g} to the diagonal, or check how it was made"
            ) from None
