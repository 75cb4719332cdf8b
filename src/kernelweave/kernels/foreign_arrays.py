"""Kernels of arrays that are not NumPy's: their numbers, scales and distances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.preprocessing import StandardScaler

from ..arrays import host, is_foreign, like, namespace, take
from ..problem import Array

if TYPE_CHECKING:
    from .base import Kernel


def refuse_foreign(kernel: Kernel, X: Any) -> None:
    """Raise a TypeError if X is not NumPy's and the kernel takes only NumPy."""
    what = None
    if not is_foreign(X):
        return
    if not kernel._anywhere:
        what = "is computed by the host"
    elif kernel.missing != "error":
        what = f"fills missing values (missing={kernel.missing!r}) on the host"
    if what is not None:
        raise TypeError(
            f"kernel {kernel.label!r} {what}, so it takes a table of NumPy and not an "
            "array of another kind: pass numpy.asarray(X), or other kernels (RBF, "
            "Laplacian, Linear and Polynomial take any array)"
        )


def foreign_numbers(kernel: Kernel, X: Array) -> Array:
    """The kernel's columns of X in float64."""
    Z = like(X, X)
    return Z if kernel.columns_ is None else take(Z, kernel.columns_, 1)


def refuse_foreign_gaps(kernel: Kernel, Z: Array) -> None:
    """Raise a ValueError if there is NaN or infinity in Z, the kernel's columns."""
    xp = namespace(Z)
    # The sum is finite if all entries are, and needs no array of its own.
    if not bool(xp.isfinite(xp.sum(Z))) and not bool(xp.all(xp.isfinite(Z))):
        raise ValueError(
            f"kernel {kernel.label!r}: the table contains NaN or infinity. Leave such "
            "rows out; missing values can be filled in a table of NumPy, with a choice "
            "of missing=..."
        )


def fit_scaler(Z: Array) -> StandardScaler:
    """What `StandardScaler().fit(Z)` finds, without a copy of Z on the host."""
    xp = namespace(Z)
    scaler = StandardScaler()
    scaler.mean_ = host(xp.mean(Z, axis=0))
    scaler.var_ = host(xp.var(Z, axis=0))
    # A constant column has no scale, whatever rounding says.
    rounding = 10 * np.finfo(float).eps * np.maximum(np.abs(scaler.mean_), 1e-300)
    root = np.sqrt(scaler.var_)
    scaler.scale_ = np.where(root > rounding * np.sqrt(Z.shape[0]), root, 1.0)
    scaler.n_samples_seen_, scaler.n_features_in_ = Z.shape
    return scaler


def scale_foreign(scaler: StandardScaler, Z: Array) -> Array:
    """`scaler.transform(Z)`."""
    return (Z - like(scaler.mean_, Z)) / like(scaler.scale_, Z)


def squared_distances(X: Array, Y: Array) -> Array:
    """‖x − y‖², (m, n), of rows as seen from the kernel's origin."""
    xp = namespace(X)
    D = xp.sum(X * X, axis=1)[:, None] + xp.sum(Y * Y, axis=1)
    D -= 2.0 * (X @ Y.T)
    return xp.clip(D, min=0.0)


def absolute_distances(X: Array, Y: Array) -> Array:
    """‖x − y‖₁, (m, n), column by column."""
    xp = namespace(X)
    D = xp.abs(X[:, 0][:, None] - Y[:, 0])
    for c in range(1, X.shape[1]):
        D += xp.abs(X[:, c][:, None] - Y[:, c])
    return D
