"""f(x) = xᵀw + b in the units of X, where every kernel is linear."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arrays import is_foreign
from ..fitted.expansion import KernelExpansion
from ..kernels import Linear
from ..problem import Array


def linear_coef(expansion: Any, width: int) -> tuple[Array, Array] | None:
    """w (k, d) and b (k,), or None if f is not known to be linear in the d columns.

    f(x) = c + Σ_j (x_j − o_j)ᵀZ_jᵀC_j with Z_j the training rows, seen from the origin
    o_j, and x_j the columns of kernel j, divided by their spread if it does so.
    """
    if not isinstance(expansion, KernelExpansion) or not expansion.terms:
        return None
    terms = expansion.terms
    for term in terms:
        kernel = term.kernel
        plain = type(kernel) is Linear and not term.spherical and kernel.scale != "rank"
        if not plain or kernel.missing != "error":
            return None
    w = np.zeros((width, expansion.constant.shape[0]))
    for term in terms:
        kernel: Any = term.kernel
        if is_foreign(term.C):
            return None
        columns = np.arange(width) if kernel.columns_ is None else kernel.columns_
        np.add.at(w, columns, kernel.slopes(term.rows, term.C))
    b = expansion(np.zeros((1, width)))[0]
    return w.T, np.asarray(b)
