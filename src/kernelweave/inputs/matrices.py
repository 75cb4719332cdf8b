"""Ready-made Gram matrices in the place of a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import validate_data

from ..arrays import is_foreign, namespace, place
from ..entries import refuse_masked
from ..grams.check import refuse_large
from ..problem import Array
from .table import other_place


def is_given(estimator: Any) -> bool:
    """Whether the estimator takes ready-made Gram matrices in the place of a table.

    Examples
    --------
    >>> from kernelweave import MKLRidge
    >>> is_given(MKLRidge("precomputed")), is_given(MKLRidge())
    (True, False)
    """
    kernels = estimator.kernels
    return isinstance(kernels, str) and kernels == "precomputed"


@dataclass(frozen=True)
class MatrixReader:
    """Gram matrices (p, m, n) of new rows with the n training rows.

    `where` says in words whose arrays those of the training rows were.
    """

    p: int
    n: int
    where: str

    def __call__(self, model: Any, X: Any) -> Array:
        X = new_stack(X, self.p, self.n)
        if place(X) != self.where:
            raise other_place(self.where, X)
        return X

    def on_host(self) -> MatrixReader:
        """The reader of the same matrices in arrays of NumPy."""
        return self if self.where == "NumPy" else MatrixReader(self.p, self.n, "NumPy")


def read_matrices(model: Any, X: Any) -> tuple[Any, MatrixReader]:
    """Gram matrices as one array (p, n, n), and the reader of those of new rows."""
    X = square_stack(X)
    p, n = X.shape[0], X.shape[1]
    # What scikit-learn keeps of columns: these have no names.
    validate_data(model, np.zeros((n, 1)), reset=True)
    model.n_features_in_ = n
    return X, MatrixReader(p, n, place(X))


def square_stack(X: Any) -> Array:
    """Training Gram matrices as one array (p, n, n)."""
    X = stack_of(X)
    if X.shape[1] != X.shape[2]:
        raise ValueError(
            "training Gram matrices must be square, got an array of shape "
            f"{tuple(X.shape)}"
        )
    return X


def new_stack(X: Any, p: int, n: int) -> Array:
    """Gram matrices of new rows with the n training rows, as one array (p, m, n)."""
    X = stack_of(X)
    if X.shape[0] != p or X.shape[2] != n:
        raise ValueError(
            f"the model was fitted with {p} kernels on {n} samples, so new rows "
            f"need an array ({p}, m, {n}); got shape {tuple(X.shape)}"
        )
    xp = namespace(X)
    if not bool(xp.all(xp.isfinite(X))):
        raise ValueError("the Gram matrices of the new rows contain NaN or infinity")
    refuse_large(X, "the Gram matrices of the new rows")
    return X


def stack_of(X: Any) -> Array:
    """A list or an array of Gram matrices as one array (p, m, n)."""
    X = X.toarray() if issparse(X) else X
    listed = isinstance(X, list | tuple)
    if listed and len(X) == 0:
        raise ValueError(
            "kernels='precomputed' takes Gram matrices, and got an empty list: pass an "
            "array (p, n, n), or a list of p matrices"
        )
    for K in X if listed else [X]:
        refuse_masked("X", K)
    numbers = True
    if is_foreign(X[0] if listed else X):
        X = namespace(*X).stack(list(X)) if listed else X
    else:
        X = _stack_of_the_host(X)
        numbers = X.dtype.kind in "fiub"
    if X.ndim == 2:
        X = X[None, ...]
    if X.ndim != 3 or X.shape[0] == 0 or not numbers:
        raise ValueError(
            "kernels='precomputed' takes Gram matrices: an array (p, n, n) of numbers "
            f"or a list of p matrices; got shape {tuple(X.shape)} of {X.dtype}"
        )
    return X


def _stack_of_the_host(X: Any) -> Array:
    try:
        return np.stack(X) if isinstance(X, list | tuple) else np.asarray(X)
    except ValueError as error:
        shapes = [np.shape(K) for K in X]
        raise ValueError(
            f"the Gram matrices must all have the same shape, got {shapes}"
        ) from error
