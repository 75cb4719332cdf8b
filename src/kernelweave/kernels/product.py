"""Kernels of a scalar product: linear, polynomial."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.metrics import pairwise

from ..arrays import is_foreign, namespace
from ..problem import Array
from .base import Kernel

# Squares of 10 to this power, and sums of many, are finite.
LARGEST_POWER = 140


@dataclass(eq=False, repr=False)
class Linear(Kernel):
    """k(x, z) = xᵀz; also for sparse tables.

    A model that centres its Gram matrices, or whose dual coefficients add up to zero,
    sees rows with a mean of 100 times their spread from that mean: see `Kernel.fit`.

    Parameters
    ----------
    columns, name, scale, missing
        See `Kernel`.
    """

    columns: Any = None
    name: Any = None
    scale: bool | str = False
    missing: str = "error"

    _anywhere = True
    _unpacks = True
    _moving = "centred"

    def _gram(self, X: Any, Y: Any) -> Array:
        X, Y = self._from_origin(X), self._from_origin(Y)
        if is_foreign(X):
            return X @ Y.T
        return pairwise.linear_kernel(X, Y, dense_output=True)

    def _diagonal(self, X: Any) -> Array:
        return squared_norms(self._from_origin(X))

    def slopes(self, rows: Any, C: Array) -> Array:
        """The derivative of k(x, rows)C in the kernel's columns of x, (columns, k).

        `rows` (n, columns) are what `select` returned; `scale="rank"` has none.
        """
        slopes = np.asarray(self._from_origin(rows).T @ C)
        return slopes / self._scaler.scale_[:, None] if self.scale else slopes

    @property
    def n_features_(self) -> int:
        """The number of columns: they are the features."""
        return self._width

    def _fit(self, X: Any) -> None:
        self._width = X.shape[1]

    def features(self, X: Any) -> Array:
        """The columns themselves, (m, D); an absent row has their training mean.

        ZZᵀ and the Gram matrix are the same after centring, and if no origin is moved.
        """
        Z = self.select(X)
        Z = Z.toarray() if issparse(Z) else Z
        present = self._present(Z)
        if not present.all():
            mean = self.select(self._X_fit)[self._is_present].mean(axis=0)
            Z = np.where(present[:, None], Z, mean)
        return Z


@dataclass(eq=False, repr=False)
class Polynomial(Kernel):
    """k(x, z) = (γ xᵀz + c)^degree.

    Parameters
    ----------
    degree : int
    gamma : float, optional
        γ; the default is one over the number of columns.
    coef0 : float
        c ≥ 0.
    columns, name, scale, missing
        See `Kernel`.
    """

    degree: int = 2
    gamma: float | None = None
    coef0: float = 1.0
    columns: Any = None
    name: Any = None
    scale: bool | str = False
    missing: str = "error"

    _anywhere = True
    _unpacks = True

    def _fit(self, X: Any) -> None:
        negative = self.coef0 < 0 or (self.gamma is not None and self.gamma < 0)
        if self.degree < 1 or self.degree != int(self.degree) or negative:
            raise ValueError(
                f"kernel {self.label!r} is positive semidefinite only for a whole "
                "degree of at least 1, gamma >= 0 and coef0 >= 0"
            )

    def _gram(self, X: Any, Y: Any) -> Array:
        for rows in (X, Y):
            self._refuse_overflow(rows)
        if is_foreign(X):
            return self._power(X @ Y.T, X.shape[1])
        return pairwise.polynomial_kernel(
            X, Y, degree=int(self.degree), gamma=self.gamma, coef0=self.coef0
        )

    def _diagonal(self, X: Any) -> Array:
        self._refuse_overflow(X)
        return self._power(squared_norms(X), X.shape[1])

    def _power(self, products: Array, columns: int) -> Array:
        return (self._factor(columns) * products + self.coef0) ** int(self.degree)

    def _factor(self, columns: int) -> float:
        """γ."""
        return 1 / columns if self.gamma is None else self.gamma

    def _refuse_overflow(self, X: Any) -> None:
        """Raise a ValueError if k(x, x) is too large; k(x, z)² ≤ k(x, x)k(z, z)."""
        squares = squared_norms(X)
        largest = float(namespace(squares).max(squares))
        base = abs(self._factor(X.shape[1])) * largest + self.coef0
        power = self.degree * np.log10(max(base, 1.0))
        if power > LARGEST_POWER:
            raise ValueError(
                f"kernel {self.label!r}: k(x, x) is about 1e{power:.0f}, over the "
                f"limit of 1e{LARGEST_POWER}: scale the columns (scale=True), take a "
                "smaller gamma or degree, or check the table for errors"
            )


def squared_norms(X: Any) -> Array:
    """‖x‖² of the rows."""
    if issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return namespace(X).sum(X * X, axis=1)
