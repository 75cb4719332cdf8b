"""A ready-made Gram matrix as a kernel."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone

from ..grams.mapped_pages import give_back
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
        Also a memory-mapped one, `np.load(file, mmap_mode="r")`. If such matrices are
        larger than a quarter of the memory they are read in parts, whenever they are
        needed (`kernelweave.grams.MappedStack`).
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
    _computes = False
    _text_advice = "put the numbers there that the samples have as rows of K, from 0 on"

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
        rows, n = X[:, 0], len(self.K)
        if np.any((rows != np.rint(rows)) | (rows < 0) | (rows >= n)):
            raise ValueError(
                f"kernel {self.label!r} is a {n} × {n} Gram matrix, so X must hold row "
                f"numbers from 0 to {n - 1}: X = np.arange({n})[:, None]"
            )
        return rows.astype(int)

    def _gram(self, X: Any, Y: Any) -> Array:
        # Only these rows of a file are read.
        part = np.asarray(self.K)[self._rows(X)][:, self._rows(Y)]
        give_back(self.K)
        # The square matrix of the training rows is checked as a whole.
        if X is not Y and not np.all(np.isfinite(part)):
            raise ValueError(
                f"kernel {self.label!r} contains NaN or infinity in the rows of new "
                "samples: compute it again or impute the data it was made from"
            )
        return part.astype(float, copy=False)

    def _diagonal(self, X: Any) -> Array:
        rows = self._rows(X)
        return np.asarray(self.K)[rows, rows].astype(float, copy=False)

    def __sklearn_clone__(self) -> Precomputed:
        # A copy of a memory-mapped array would load the file.
        K = self.K if isinstance(self.K, np.memmap) else copy.deepcopy(self.K)
        return Precomputed(K, clone(self.columns, safe=False), self.name, self.missing)
