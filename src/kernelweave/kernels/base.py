"""What every base kernel can do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_array

from ..problem import Array
from .columns import resolve_columns


class Kernel(BaseEstimator, ABC):
    """What the kernels share: columns, a name, and Gram matrices.

    `columns` is None (all), a slice, a list of numbers or of names, a boolean mask,
    or a callable that takes the table and returns one of these, such as
    `sklearn.compose.make_column_selector`.
    """

    columns: Any
    name: Any

    def fit(self, X: Any, table: Any = None) -> Kernel:
        """Resolve the columns, and what else depends on the training rows.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame (n, d)
        table : DataFrame, optional
            What X was before it became an array: its names and types resolve columns.
        """
        table = X if table is None else table
        self.columns_ = resolve_columns(self.columns, table, self.label)
        self._fit(self.select(X))
        return self

    def _fit(self, X: Any) -> None:
        """Learn widths and the like from the selected columns."""

    def select(self, X: Any) -> Any:
        """The kernel's columns of X, as an array or a sparse matrix of numbers."""
        if self.columns_ is not None:
            X = X.iloc[:, self.columns_] if hasattr(X, "iloc") else X[:, self.columns_]
        return check_array(X, accept_sparse="csr", dtype=float)

    def __call__(self, X: Any, Y: Any = None) -> Array:
        """The Gram matrix of the rows of X, or of X against Y."""
        X = self.select(X)
        return self._gram(X, X if Y is None else self.select(Y))

    @abstractmethod
    def _gram(self, X: Any, Y: Any) -> Array:
        """The Gram matrix of rows that `select` returned."""

    def diagonal(self, X: Any) -> Array:
        """k(x, x) for every row of X."""
        X = self.select(X)
        return np.array(
            [self._gram(X[i : i + 1], X[i : i + 1])[0, 0] for i in range(X.shape[0])]
        )

    @property
    def label(self) -> str:
        """The name in tables and messages: `name`, or the kernel as it was written."""
        if self.name is not None:
            return str(self.name)
        return " ".join(repr(self).split())


class UnitDiagonalKernel(Kernel):
    """Kernels with k(x, x) = 1."""

    def diagonal(self, X: Any) -> Array:
        return np.ones(X.shape[0])
