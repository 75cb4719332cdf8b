"""What a user passes to `fit`, as rows: the only switch on the kind of input."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from ..arrays import is_foreign, place, take
from ..frames import from_arrow, is_dask, is_frame, some_rows
from ..kernels import Kernel
from ..problem import Array
from ..targets import read_targets
from ..views import aligned, is_views, kernels_for
from .arrays import read_array
from .matrices import read_matrices
from .mixed_table import MixedTable
from .table import read_table


class Reader(Protocol):
    """From new rows, as the user has them, to rows that the kernels of a model take."""

    def __call__(self, model: Any, X: Any) -> Any: ...

    def on_host(self) -> Reader:
        """The reader of the same rows in arrays of NumPy."""
        ...


@dataclass(frozen=True)
class Rows:
    """Training rows.

    Attributes
    ----------
    X : array, sparse matrix or MixedTable (n, d); or Gram matrices (p, n, n)
    y : ndarray, or None
    table : Any
        What was passed, whose names and types choose columns; None for Gram matrices.
    reader : callable(model, X)
        What makes such rows of new ones.
    n : int
        Number of samples.
    kernels : list of Kernel, optional
        Those that suit several tables, or one with text, where the model has none of
        its own.
    weights : ndarray (N,), optional
        Of the samples that were passed; those of weight zero are not among the rows.
    """

    X: Any
    y: Any
    table: Any
    reader: Reader
    n: int
    kernels: list[Kernel] | None = None
    weights: Array | None = None

    def weighed(self, weights: Array) -> Rows:
        """The rows with weights (n,), without those whose weight is zero."""
        if weights.all():
            return replace(self, weights=weights)
        kept = np.flatnonzero(weights)
        if self.table is None:
            X = take(take(self.X, kept, 1), kept, 2)
        else:
            X = take(self.X, kept)
        return replace(
            self,
            X=X,
            y=None if self.y is None else self.y[kept],
            table=some_rows(self.table, kept) if is_frame(self.table) else self.table,
            n=len(kept),
            weights=weights,
        )


def as_rows(
    model: Any,
    X: Any,
    y: Any = "no_validation",
    *,
    classes: bool | None = None,
    labels: bool = False,
    anywhere: bool = False,
) -> Rows:
    """The training rows of a model, validated.

    Parameters
    ----------
    model : estimator
        Its parameter `kernels` tells tables from Gram matrices. What scikit-learn
        wants to be known of the columns (`n_features_in_`, ...) becomes its attribute,
        and so does the number of rows, `n_samples_fit_`.
    X, y
        As `fit` has them; y="no_validation" where there are no targets.
    classes : bool, optional
        Whether y are classes (true), numbers (false), or anything (None).
    labels : bool
        Whether y may hold several labels, (n, q).
    anywhere : bool
        Whether the model learns from arrays of PyTorch, CuPy and others.
    """
    X = from_arrow(X)
    table, kernels = X, None
    if isinstance(model.kernels, str) and model.kernels == "precomputed":
        table, (read, reader) = None, read_matrices(model, X)
        n = read.shape[1]
    else:
        if is_dask(X, y):
            raise ValueError(
                f"{type(model).__name__} learns from rows in memory: pass X.compute(); "
                "Dask collections go with MKLDiscriminantAnalysis, MKLRidge, and with "
                "MKLSVC(loss='squared_hinge')"
            )
        if not is_frame(X) and not isinstance(X, np.ndarray) and is_views(X):
            views, targets = aligned(X, None if isinstance(y, str) else y)
            y = y if targets is None else targets
            kernels = kernels_for(views) if model.kernels is None else None
            table = views.frame
        if not is_foreign(table):
            read, reader = read_table(model, table)
            if model.kernels is None and isinstance(read, MixedTable):
                kernels = kernels_for(table) if kernels is None else kernels
        elif anywhere:
            read, reader = read_array(model, table)
        else:
            raise TypeError(
                f"{type(model).__name__} learns from arrays of NumPy, not from those "
                f"of {place(X)}: pass numpy.asarray(X), or use "
                "MKLDiscriminantAnalysis, MKLRidge, MKLSVC(loss='squared_hinge') or "
                "KernelDiscriminantAnalysis"
            )
        n = getattr(read, "numbers", read).shape[0]
    model.n_samples_fit_ = n
    y = None if isinstance(y, str) else read_targets(model, y, n, classes, labels)
    return Rows(read, y, table, reader, n, kernels)
