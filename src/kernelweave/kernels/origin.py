"""Where the rows of a kernel are seen from, and how large their numbers may be.

‖x − z‖² = ‖x‖² + ‖z‖² − 2xᵀz loses as many digits as ‖x‖² is larger than the distance.
Distances do not depend on the origin, and neither does the centred Gram matrix of xᵀz.
So if the mean of the training rows is far away, it becomes the origin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.sparsefuncs import mean_variance_axis

from ..arrays import host, is_foreign, namespace
from ..problem import Array

if TYPE_CHECKING:
    from .base import Kernel

# Squares of such numbers, their sums over many rows, and products with the widths of
# kernels, are finite.
LARGEST = 1e70

# ‖mean‖²/variance from which on rows are seen from their mean. Below, four digits of
# sixteen are lost at most.
FAR = 1e4

# The same from which on sparse rows, which have to stay where they are, are refused.
TOO_FAR = 1e10

# Entries that differ by less than this share are the same number, rounded.
ROUNDING = 8 * np.finfo(float).eps


def find_origin(kernel: Kernel, Z: Any) -> tuple[Any, Array] | None:
    """The mean of the rows and the columns that are constant; None: stay at zero."""
    if issparse(Z):
        if not kernel._direct:
            _refuse_far(kernel, *mean_variance_axis(Z, axis=0))
        return None
    xp = namespace(Z)
    mean = xp.mean(Z, axis=0)
    if type(Z) is np.ndarray and 2 * len(Z) * (mean @ mean) <= np.vdot(Z, Z):
        # ‖mean‖² ≤ variance: most tables, told without the variance.
        return None
    if float(xp.sum(mean * mean)) <= FAR * float(xp.sum(xp.var(Z, axis=0))):
        return None
    width = host(xp.max(Z, axis=0) - xp.min(Z, axis=0))
    return mean, np.flatnonzero(width <= ROUNDING * np.abs(host(mean)))


def moved(kernel: Kernel, Z: Any) -> Any:
    """Z − origin; zero where a constant column is its constant up to rounding."""
    if issparse(Z):
        raise ValueError(
            f"kernel {kernel.label!r} was fitted to a dense table, and sees rows from "
            "their mean, where a sparse table has no zeros: pass X.toarray()"
        )
    mean, flat = kernel._origin
    xp = namespace(Z)
    D = Z - mean
    for c in flat.tolist():
        tiny = xp.abs(D[:, c]) <= ROUNDING * xp.abs(mean[c])
        D[:, c] = xp.where(tiny, xp.zeros_like(D[:, c]), D[:, c])
    return D


def no_huge_numbers(kernel: Kernel, Z: Any) -> bool:
    """Raise a ValueError if a number is so large that its square is not finite.

    Returns whether it was seen on the way that there is no NaN either.
    """
    if is_foreign(Z):
        xp = namespace(Z)
        largest = max(float(xp.max(Z)), -float(xp.min(Z)))
    else:
        z = Z.data if issparse(Z) else Z.ravel(order="K")
        with np.errstate(over="ignore", invalid="ignore"):
            if z.dot(z) <= LARGEST**2:
                return True
        largest = float(max(np.fmax.reduce(z), -np.fmin.reduce(z)))
    if largest > LARGEST:
        raise ValueError(
            f"kernel {kernel.label!r}: the table has numbers as large as "
            f"{largest:.2g}, whose squares overflow (the limit is {LARGEST:.0e}): "
            "divide the columns by a constant, or check them for errors"
        )
    return False


def _refuse_far(kernel: Kernel, mean: Array, variance: Array) -> None:
    """Raise a ValueError if the mean of sparse rows hides their differences."""
    size, spread = float(mean @ mean), float(np.sum(variance))
    if size > TOO_FAR * spread > TOO_FAR * ROUNDING**2 * size:
        raise ValueError(
            f"kernel {kernel.label!r}: the mean of the rows is "
            f"{np.sqrt(size / spread):.1g} times as large as their spread, so that "
            "their differences are lost in rounding, and a sparse table is not moved: "
            "subtract a constant from the columns that have no zeros, or pass "
            "X.toarray()"
        )
