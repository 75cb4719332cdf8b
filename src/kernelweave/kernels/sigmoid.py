"""The hyperbolic tangent of a product, which is seldom a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sklearn.metrics import pairwise

from ..problem import Array
from .base import Kernel


@dataclass(eq=False, repr=False)
class Sigmoid(Kernel):
    """k(x, z) = tanh(γ xᵀz + c).

    It is positive semidefinite for few γ, c and tables only: small γ with c > 0 often
    is, nearly. The matrix of the training rows is checked like one of a user's own;
    negative eigenvalues beyond rounding are refused.

    Parameters
    ----------
    gamma : float, optional
        γ; the default is one over the number of columns.
    coef0 : float
        c.
    columns, name, scale, missing
        See `Kernel`.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelweave.kernels import Sigmoid
    >>> X = np.array([[0.0], [1.0]])
    >>> Sigmoid(gamma=0.5).fit(X)(X).round(3)
    array([[0.762, 0.762],
           [0.762, 0.905]])
    """

    gamma: float | None = None
    coef0: float = 1.0
    columns: Any = None
    name: Any = None
    scale: bool | str = False
    missing: str = "error"

    _unpacks = True

    def compare(self, X: Any, Y: Any) -> Array:
        return pairwise.sigmoid_kernel(X, Y, gamma=self.gamma, coef0=self.coef0)
