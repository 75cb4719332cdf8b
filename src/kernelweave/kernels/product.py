"""Kernels of a scalar product: linear, polynomial."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.metrics import pairwise

from ..arrays import elsewhere, namespace
from ..problem import Array
from .base import Kernel


@dataclass(eq=False, repr=False)
class Linear(Kernel):
    """k(x, z) = xᵀz; also for sparse tables.

    Parameters
    ----------
    columns, name, scale, missing
        See `Kernel`.
    """

    columns: Any = None
    name: Any = None
    scale: bool = False
    missing: str = "error"

    _anywhere = True

    def _gram(self, X: Any, Y: Any) -> Array:
        if elsewhere(X):
            return X @ Y.T
        return pairwise.linear_kernel(X, Y, dense_output=True)

    def _diagonal(self, X: Any) -> Array:
        if elsewhere(X):
            return namespace(X).sum(X * X, axis=1)
        return np.asarray((X.multiply(X) if issparse(X) else X * X).sum(axis=1)).ravel()

    @property
    def n_features_(self) -> int:
        """The number of columns: they are the features."""
        return self._width

    def _fit(self, X: Any) -> None:
        self._width = X.shape[1]

    def features(self, X: Any) -> Array:
        """The columns themselves, (m, D); an absent row has their training mean."""
        Z = self.select(X)
        Z = Z.toarray() if issparse(Z) else Z
        present = self._present(Z)
        if not present.all():
            Z[~present] = self.select(self._X_fit)[self._is_present].mean(axis=0)
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
    scale: bool = False
    missing: str = "error"

    _anywhere = True

    def _fit(self, X: Any) -> None:
        negative = self.coef0 < 0 or (self.gamma is not None and self.gamma < 0)
        if self.degree < 1 or self.degree != int(self.degree) or negative:
            raise ValueError(
                f"kernel {self.label!r} is positive semidefinite only for a whole "
                "degree of at least 1, gamma >= 0 and coef0 >= 0"
            )

    def _gram(self, X: Any, Y: Any) -> Array:
        if elsewhere(X):
            return self._power(X @ Y.T, X.shape[1])
        return pairwise.polynomial_kernel(
            X, Y, degree=int(self.degree), gamma=self.gamma, coef0=self.coef0
        )

    def _diagonal(self, X: Any) -> Array:
        if elsewhere(X):
            return self._power(namespace(X).sum(X * X, axis=1), X.shape[1])
        return super()._diagonal(X)

    def _power(self, products: Array, columns: int) -> Array:
        gamma = 1 / columns if self.gamma is None else self.gamma
        return (gamma * products + self.coef0) ** int(self.degree)
