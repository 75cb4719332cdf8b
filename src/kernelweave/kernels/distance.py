"""Kernels of a distance: RBF, Laplacian, chi-squared."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from functools import lru_cache
from numbers import Real
from typing import Any

import numpy as np
from scipy.sparse import issparse
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.metrics import pairwise

from ..arrays import host, is_foreign, namespace, take
from ..grams.rbf_matrices import gaussians
from ..problem import Array
from .foreign_arrays import absolute_distances, squared_distances
from .unit_diagonal import UnitDiagonalKernel

# γ below this, times the largest squared distance, is finite.
_NARROWEST = 1e160


class _OneWidth(UnitDiagonalKernel):
    """k = exp(−γd) with a γ that can be learned: ∂k/∂log γ = k log k."""

    gamma_: float

    @property
    def widths(self) -> Array:
        """(γ,), which `learn_widths` changes."""
        return np.array([self.gamma_])

    def at_widths(self, Z: Array, widths: Array) -> Array:
        """The Gram matrix of rows that `select` returned, for another γ."""
        other = copy(self)
        other.gamma_ = float(widths[0])
        return other._gram(Z, Z)

    def width_slopes(self, Z: Array, widths: Array, W: Array) -> Array:
        """∂⟨Q, K⟩/∂log γ, (1,), with W = Q∘K."""
        K = self.at_widths(Z, widths)
        return np.array([np.sum(W * np.log(np.maximum(K, np.finfo(float).tiny)))])

    def learned(self, widths: Array) -> Any:
        """The same kernel with this γ, not fitted."""
        return clone(self).set_params(gamma=float(widths[0]), factor=1.0)


@dataclass(eq=False, repr=False)
class RBF(_OneWidth):
    """k(x, z) = exp(−γ‖x − z‖²).

    Parameters
    ----------
    gamma : float, "median" or "learn"
        γ, or γ = 1/(2m²) with m the median distance between training rows. "learn":
        `MKLDiscriminantAnalysisCV` and `MKLRidgeCV` learn it from there by exact
        leave-one-out, all other estimators refuse it. See
        `kernelweave.selection.learn_widths`.
    factor : float
        Multiplies the width: γ is divided by factor².
    columns, name, scale, missing
        See `Kernel`.
    """

    gamma: Any = "median"
    factor: float = 1.0
    columns: Any = None
    name: Any = None
    scale: bool | str = False
    missing: str = "error"

    _anywhere = True
    _unpacks = True
    _moving = "itself"

    def _fit(self, X: Any) -> None:
        self.gamma_ = _width(self, X, "sqeuclidean")

    def _gram(self, X: Any, Y: Any) -> Array:
        same, X = X is Y, self._from_origin(X)
        Y = X if same else self._from_origin(Y)
        if is_foreign(X):
            return namespace(X).exp(-self.gamma_ * squared_distances(X, Y))
        if issparse(X) or issparse(Y):
            return pairwise.rbf_kernel(X, Y, gamma=self.gamma_)
        return gaussians(X, Y, self.gamma_)


@dataclass(eq=False, repr=False)
class Laplacian(_OneWidth):
    """k(x, z) = exp(−γ‖x − z‖₁).

    Parameters
    ----------
    gamma : float, "median" or "learn"
        γ, or γ = 1/m with m the median ℓ1 distance between training rows. "learn" as
        in `RBF`.
    factor : float
        Multiplies the width: γ is divided by factor.
    columns, name, scale, missing
        See `Kernel`.
    """

    gamma: Any = "median"
    factor: float = 1.0
    columns: Any = None
    name: Any = None
    scale: bool | str = False
    missing: str = "error"

    _anywhere = True
    _unpacks = True
    _moving = "itself"
    _direct = True

    def _fit(self, X: Any) -> None:
        self.gamma_ = _width(self, X, "manhattan")

    def _gram(self, X: Any, Y: Any) -> Array:
        if is_foreign(X):
            return namespace(X).exp(-self.gamma_ * absolute_distances(X, Y))
        if issparse(X) or issparse(Y):
            pair = _small_indices(X), _small_indices(Y)
            return pairwise.laplacian_kernel(*pair, gamma=self.gamma_)
        K = cdist(X, Y, "cityblock")
        K *= -self.gamma_
        return np.exp(K, out=K)


@dataclass(eq=False, repr=False)
class ChiSquared(UnitDiagonalKernel):
    """k(x, z) = exp(−γ Σ_i (x_i − z_i)²/(x_i + z_i)), for counts and histograms.

    Parameters
    ----------
    gamma : float or "median"
        γ, or γ = 1/m with m the median of that sum between training rows.
    columns, name, missing
        See `Kernel`.
    """

    gamma: Any = 1.0
    columns: Any = None
    name: Any = None
    missing: str = "error"

    def _fit(self, X: Any) -> None:
        self._check(X)
        self.gamma_ = _width(self, X, "chi2")

    def _gram(self, X: Any, Y: Any) -> Array:
        self._check(X)
        self._check(Y)
        return np.exp(-self.gamma_ * _distances(X, Y, "chi2"))

    def _check(self, X: Any) -> None:
        if issparse(X):
            raise ValueError(
                f"kernel {self.label!r} needs a dense table: pass X.toarray()"
            )
        if np.min(X, initial=0) < 0:
            raise ValueError(
                f"kernel {self.label!r} is for counts and histograms, but the table "
                "has negative values: use RBF, or other columns"
            )


def _width(kernel: Any, X: Any, metric: str) -> float:
    """γ as given, or from the median distance of (at most 1000) training rows."""
    gamma, factor = kernel.gamma, getattr(kernel, "factor", 1.0)
    gamma = "median" if gamma == "learn" and hasattr(kernel, "learned") else gamma
    power = 2 if metric == "sqeuclidean" else 1
    if not 0 < factor < np.inf:
        raise ValueError(
            f"kernel {kernel.label!r}: factor must be a positive number, got {factor!r}"
        )
    if isinstance(gamma, str):
        if gamma != "median":
            raise ValueError(
                f"kernel {kernel.label!r}: gamma must be a positive number or "
                f"'median', got {gamma!r}"
            )
        median = median_distance(X, metric)
        with np.errstate(over="ignore", divide="ignore"):
            gamma = np.float64(1 / power) / median**power
    elif not (isinstance(gamma, Real) and 0 < float(gamma) < np.inf):
        raise ValueError(
            f"kernel {kernel.label!r}: gamma must be a positive number or 'median', "
            f"got {gamma!r}"
        )
    with np.errstate(over="ignore", divide="ignore"):
        width = float(np.float64(gamma) / np.float64(factor) ** power)
    if not 0 < width < _NARROWEST:
        raise ValueError(
            f"kernel {kernel.label!r}: its width γ of {width:.2g} is out of range: "
            "scale the columns (scale=True), or give another gamma"
        )
    return width


def median_distance(X: Any, metric: str = "sqeuclidean") -> float:
    """The median distance of (at most 1000) rows; squares are taken the root of."""
    n = X.shape[0]
    rows = np.linspace(0, n - 1, min(n, 1000)).astype(int)
    X = host(take(X, rows)) if is_foreign(X) else X[rows]
    if issparse(X):
        return _median(_distances(X, X, metric))
    return _known_median(X.tobytes(), X.shape, metric)


@lru_cache(maxsize=4)
def _known_median(numbers: bytes, shape: tuple[int, int], metric: str) -> float:
    """The median distance of these rows: kernels of many widths ask for the same."""
    X = np.frombuffer(numbers).reshape(shape)
    return _median(_distances(X, X, metric))


def _median(D: Array) -> float:
    D = np.triu(D, 1)
    positive = D[D > 0]
    # All rows equal: any width gives the same constant kernel.
    return float(np.median(positive)) if len(positive) else 1.0


def _distances(X: Any, Y: Any, metric: str) -> Array:
    if metric == "chi2":
        from .chi_squared import chi_squared_distances  # numba is slow to import

        return chi_squared_distances(np.ascontiguousarray(X), np.ascontiguousarray(Y))
    name = "euclidean" if metric == "sqeuclidean" else metric
    return pairwise.pairwise_distances(
        _small_indices(X), _small_indices(Y), metric=name
    )


def _small_indices(X: Any) -> Any:
    """A sparse X whose places are numbers of 32 bits, as scikit-learn wants them here.

    A table of which that is not true is refused there.
    """
    if not issparse(X) or X.indices.dtype == np.int32:
        return X
    if max(X.nnz, *X.shape) > np.iinfo(np.int32).max:
        return X
    indices, indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return type(X)((X.data, indices, indptr), shape=X.shape)
