"""Base kernels on chosen columns of a table.

A kernel is a small estimator: `fit(X)` resolves its columns and its width on the
training rows, and calling it gives Gram matrices.

>>> import numpy as np
>>> X = np.array([[0.0, 1.0], [1.0, 1.0], [2.0, 0.0]])
>>> RBF(gamma=0.5, columns=[0]).fit(X)(X).round(3)
array([[1.   , 0.607, 0.135],
       [0.607, 1.   , 0.607],
       [0.135, 0.607, 1.   ]])
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator
from sklearn.metrics import pairwise
from sklearn.utils import check_array

from .columns import resolve_columns
from .problem import Array


class Kernel(BaseEstimator):
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

    def _gram(self, X: Any, Y: Any) -> Array:
        raise NotImplementedError

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


class _UnitDiagonal(Kernel):
    """Kernels with k(x, x) = 1."""

    def diagonal(self, X: Any) -> Array:
        return np.ones(X.shape[0])


@dataclass(eq=False, repr=False)
class RBF(_UnitDiagonal):
    """k(x, z) = exp(−γ‖x − z‖²).

    Parameters
    ----------
    gamma : float or "median"
        γ, or γ = 1/(2m²) with m the median distance between training rows.
    factor : float
        Multiplies the width: γ is divided by factor².
    columns, name
        See `Kernel`.
    """

    gamma: Any = "median"
    factor: float = 1.0
    columns: Any = None
    name: Any = None

    def _fit(self, X: Any) -> None:
        self.gamma_ = _width(self, X, "sqeuclidean") / self.factor**2

    def _gram(self, X: Any, Y: Any) -> Array:
        return pairwise.rbf_kernel(X, Y, gamma=self.gamma_)


@dataclass(eq=False, repr=False)
class Laplacian(_UnitDiagonal):
    """k(x, z) = exp(−γ‖x − z‖₁).

    Parameters
    ----------
    gamma : float or "median"
        γ, or γ = 1/m with m the median ℓ1 distance between training rows.
    columns, name
        See `Kernel`.
    """

    gamma: Any = "median"
    columns: Any = None
    name: Any = None

    def _fit(self, X: Any) -> None:
        self.gamma_ = _width(self, X, "manhattan")

    def _gram(self, X: Any, Y: Any) -> Array:
        return pairwise.laplacian_kernel(X, Y, gamma=self.gamma_)


@dataclass(eq=False, repr=False)
class ChiSquared(_UnitDiagonal):
    """k(x, z) = exp(−γ Σ_i (x_i − z_i)²/(x_i + z_i)), for counts and histograms.

    Parameters
    ----------
    gamma : float
    columns, name
        See `Kernel`.
    """

    gamma: float = 1.0
    columns: Any = None
    name: Any = None

    def _gram(self, X: Any, Y: Any) -> Array:
        if issparse(X) or issparse(Y):
            raise ValueError(
                f"kernel {self.label!r} needs a dense table: pass X.toarray()"
            )
        if np.min(X, initial=0) < 0 or np.min(Y, initial=0) < 0:
            raise ValueError(
                f"kernel {self.label!r} is for counts and histograms, but the table "
                "has negative values: use RBF, or other columns"
            )
        return pairwise.chi2_kernel(X, Y, gamma=self.gamma)


@dataclass(eq=False, repr=False)
class Linear(Kernel):
    """k(x, z) = xᵀz; also for sparse tables.

    Parameters
    ----------
    columns, name
        See `Kernel`.
    """

    columns: Any = None
    name: Any = None

    def _gram(self, X: Any, Y: Any) -> Array:
        return pairwise.linear_kernel(X, Y, dense_output=True)

    def diagonal(self, X: Any) -> Array:
        X = self.select(X)
        return np.asarray((X.multiply(X) if issparse(X) else X * X).sum(axis=1)).ravel()


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
    columns, name
        See `Kernel`.
    """

    degree: int = 2
    gamma: float | None = None
    coef0: float = 1.0
    columns: Any = None
    name: Any = None

    def _fit(self, X: Any) -> None:
        if self.degree < 1 or self.degree != int(self.degree) or self.coef0 < 0:
            raise ValueError(
                f"kernel {self.label!r} is positive semidefinite only for a whole "
                "degree of at least 1 and coef0 >= 0"
            )

    def _gram(self, X: Any, Y: Any) -> Array:
        return pairwise.polynomial_kernel(
            X, Y, degree=int(self.degree), gamma=self.gamma, coef0=self.coef0
        )


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
    """

    K: Any = None
    columns: Any = None
    name: Any = None

    def _fit(self, X: Any) -> None:
        K = np.asarray(self.K)
        if K.ndim != 2 or K.shape[0] != K.shape[1]:
            raise ValueError(
                f"kernel {self.label!r} must be a square matrix, got shape {K.shape}"
            )

    @property
    def label(self) -> str:
        return "Precomputed" if self.name is None else str(self.name)

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

    def diagonal(self, X: Any) -> Array:
        return np.diag(np.asarray(self.K, dtype=float))[self._rows(self.select(X))]


def rbf_grid(
    gammas: Iterable[float] | None = None,
    *,
    sigmas: Iterable[float] | None = None,
    factors: Iterable[float] = (0.25, 0.5, 1, 2, 4),
    columns: Any = None,
    prefix: str = "",
) -> list[RBF]:
    """A family of RBF kernels of several widths on the same columns.

    Parameters
    ----------
    gammas : iterable of float, optional
        k(x, z) = exp(−γ‖x − z‖²).
    sigmas : iterable of float, optional
        Widths, γ = 1/σ², as in Kim et al. 2006 and Ye et al. 2008, whose grid is
        np.logspace(-1, 2, 10).
    factors : iterable of float
        Without gammas and sigmas: multiples of the median distance of the training
        rows.
    columns
        See `Kernel`.
    prefix : str
        Goes before the names of the kernels, such as the name of a view.

    Examples
    --------
    >>> [kernel.label for kernel in rbf_grid(sigmas=[0.1, 1, 10])]
    ['rbf σ=0.1', 'rbf σ=1', 'rbf σ=10']
    """
    if gammas is not None and sigmas is not None:
        raise ValueError("give gammas or sigmas, not both")
    if gammas is not None:
        return [
            RBF(gamma=float(g), columns=columns, name=f"{prefix}rbf γ={g:.3g}")
            for g in gammas
        ]
    if sigmas is not None:
        return [
            RBF(gamma=1 / float(s) ** 2, columns=columns, name=f"{prefix}rbf σ={s:.3g}")
            for s in sigmas
        ]
    return [
        RBF(factor=float(f), columns=columns, name=f"{prefix}rbf {f:g}×median")
        for f in factors
    ]


def default_kernels() -> list[Kernel]:
    """For newcomers: RBF widths around the median distance, and linear."""
    return [*rbf_grid(), Linear(name="linear")]


def _width(kernel: Any, X: Any, metric: str) -> float:
    """γ as given, or from the median distance of (at most 1000) training rows."""
    gamma = kernel.gamma
    if isinstance(gamma, str):
        if gamma != "median":
            raise ValueError(
                f"kernel {kernel.label!r}: gamma must be a positive number or "
                f"'median', got {gamma!r}"
            )
        n = X.shape[0]
        rows = np.linspace(0, n - 1, min(n, 1000)).astype(int)
        D = pairwise.pairwise_distances(
            X[rows], metric="euclidean" if metric == "sqeuclidean" else metric
        )
        distances = D[np.triu_indices(len(rows), 1)]
        positive = distances[distances > 0]
        # All rows equal: any width gives the same constant kernel.
        median = float(np.median(positive)) if len(positive) else 1.0
        return 1 / (2 * median**2) if metric == "sqeuclidean" else 1 / median
    if not (np.isscalar(gamma) and np.isfinite(gamma) and gamma > 0):
        raise ValueError(
            f"kernel {kernel.label!r}: gamma must be a positive number or 'median', "
            f"got {gamma!r}"
        )
    return float(gamma)
