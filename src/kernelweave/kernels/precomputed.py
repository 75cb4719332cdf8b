"""A ready-made Gram matrix as a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse

from ..problem import Array
from .base import Kernel


@dataclass(eq=False, repr=False)
class Precomputed(Kernel):
    """A ready-made Gram matrix of all samples; the table holds row numbers.

    With `X = np.arange(n)[:, None]` any splitter and any search of scikit-learn works:
    a row of X is the number of a sample.

    Parameters
    ----------
    K : ndarray (n, n)
    columns : optional
        The column of X that holds the row numbers; the default is the first.
    name : optional
    missing : {"error", "mean"}
        NaN in the place of a row number is a sample that K does not hold, so that
        matrices of some of the samples can be used. See `Kernel`.
    """

    K: Any = None
    columns: Any = None
    name: Any = None
    missing: str = "error"

    _choices = ("error", "mean")

    def _fit(self, X: Any) -> None:
        K = np.asarray(self.K)
        if K.ndim != 2 or K.shape[0] != K.shape[1]:
            raise ValueError(
                f"kernel {self.label!r} must be a square matrix, got shape {K.shape}"
            )

    @property
    def label(self) -> str:
        return "Precomputed" if self.name is None else str(self.name)

    def _numbers(self, X: Any) -> Any:
        return super()._numbers(X)[:, :1]

    def _rows(self, X: Any) -> Array:
        X = X.toarray() if issparse(X) else X
        rows = X[:, 0].astype(int)
        n = len(self.K)
        if np.any(rows != X[:, 0]) or np.any(rows < 0) or np.any(rows >= n):
            raise ValueError(
                f"kernel {self.label!r} is a {n} × {n} Gram matrix, so X must hold row "
                f"numbers from 0 to {n - 1}: X = np.arange({n})[:, None]"
            )
        return rows

    def _gram(self, X: Any, Y: Any) -> Array:
        return np.asarray(self.K, dtype=float)[np.ix_(self._rows(X), self._rows(Y))]

    def _diagonal(self, X: Any) -> Array:
        return np.diag(np.asarray(self.K, dtype=float))[self._rows(X)]
