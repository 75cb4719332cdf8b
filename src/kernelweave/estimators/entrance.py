"""Where tables and kernels enter an estimator: validated, texts as numbers."""

from __future__ import annotations

from functools import wraps
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import indexable, validate_data

from ..arrays import elsewhere, namespace
from ..entries import plain_table, without_duplicates
from ..frames import is_frame
from ..kernels.labels import LabelCodes
from ..scale.distributed import is_dask
from ..views import aligned, as_trained, is_views, kernels_for
from .elsewhere import (
    check_new_array,
    check_place,
    check_training_array,
    refuse_elsewhere,
)
from .given import is_given, new_stack

# A kernel refuses or takes the missing values of its own columns.
_OPTIONS: dict[str, Any] = {
    "accept_sparse": "csr",
    "dtype": [np.float64, np.float32],
    "ensure_all_finite": "allow-nan",
}


def with_views(fit: Any) -> Any:
    """`fit` that takes several tables as one, with kernels for each by default."""

    @wraps(fit)
    def fit_views(self: Any, X: Any, y: Any = None, *rest: Any, **options: Any) -> Any:
        if not is_views(X):
            return fit(self, X, y, *rest, **options)
        views, y = aligned(X, y)
        self._view_kernels = kernels_for(views) if self.kernels is None else None
        try:
            return fit(self, views.frame, y, *rest, **options)
        finally:
            del self._view_kernels

    return fit_views


def scoring_views(score: Any) -> Any:
    """`score` that joins the targets of several tables by index."""

    @wraps(score)
    def score_views(
        self: Any, X: Any, y: Any = None, *rest: Any, **options: Any
    ) -> Any:
        return score(self, *aligned(X, y), *rest, **options)

    score_views.takes_views = True  # type: ignore[attr-defined]
    return score_views


def check_training_table(
    estimator: Any, X: Any, y: Any = "no_validation", **options: Any
) -> Any:
    """X as an array or sparse matrix of numbers, and y if it is given.

    Text becomes codes, which `estimator._codes` keeps.
    """
    if is_dask(X, y):
        raise ValueError(
            f"{type(estimator).__name__} learns from rows in memory: pass X.compute(); "
            "Dask collections go with MKLDiscriminantAnalysis, MKLRidge, and with "
            "MKLSVC(loss='squared_hinge')"
        )
    if elsewhere(X):
        return check_training_array(estimator, X, y, **options)
    estimator._codes = LabelCodes.of(X)
    X = estimator._codes.encode(X)
    return _validated(estimator, X, y, ensure_min_samples=2, **options)


def check_chunk_of_rows(
    estimator: Any, X: Any, y: Any, first: bool, **options: Any
) -> tuple[Any, Any]:
    """X and y of one call of `partial_fit`: columns of numbers, as in the first."""
    if first:
        names = list(X.columns) if is_frame(X) else []
        estimator._codes = LabelCodes(names, {})
    X = estimator._codes.encode(X)
    options |= {"reset": first, "dtype": np.float64}
    return _validated(estimator, X, y, **options)


def check_divisible(estimator: Any, X: Any, y: Any) -> tuple[Any, Any]:
    """X and y as `fit` takes them, of which rows can be taken.

    A table stays what it is otherwise: its names and types choose columns, and every
    training part makes numbers of it anew.
    """
    refuse_elsewhere(estimator, X)
    y = estimator._check_train(X, y)[1]
    return (X if estimator._given() else indexable(X)[0]), y


def check_new(estimator: Any, X: Any) -> Any:
    """New rows as the kernels of a fitted estimator take them.

    A table is an array or a sparse matrix of the numbers that it was fitted with; Gram
    matrices with the training rows are one array (p, m, n).

    Examples
    --------
    >>> from kernelweave import MKLRidge
    >>> model = MKLRidge().fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    >>> check_new(model, [[3], [4]])
    array([[3.],
           [4.]])
    """
    if not is_given(estimator):
        return check_new_table(estimator, X)
    X = new_stack(X, len(estimator.kernel_names_), estimator.n_samples_fit_)
    check_place(estimator, X)
    return X


def check_new_table(estimator: Any, X: Any) -> Any:
    """New rows, in the same numbers."""
    if is_dask(X):
        raise ValueError(
            f"{type(estimator).__name__} takes new rows in memory: use X.map_blocks or "
            "X.map_partitions with its method"
        )
    if is_views(X):
        X = as_trained(X, getattr(estimator, "feature_names_in_", []))
    check_place(estimator, X)
    if elsewhere(X):
        return check_new_array(estimator, X)
    return _validated(estimator, estimator._codes.encode(X), reset=False)


def _validated(estimator: Any, X: Any, y: Any = "no_validation", **options: Any) -> Any:
    """X, or X and y, of which nothing was lost on the way to numbers."""
    found = validate_data(estimator, plain_table(X), y, **(_OPTIONS | options))
    if isinstance(found, tuple):
        return without_duplicates(found[0]), found[1]
    return without_duplicates(found)


def own(X: Any, given: Any) -> Any:
    """The validated table X as an array that the user's `given` does not share.

    What was converted is a copy already. Memory-mapped arrays stay in their files: they
    must not be changed as long as the model is used.
    """
    if elsewhere(X):
        return namespace(X).asarray(X, copy=True) if X.dtype == given.dtype else X
    if issparse(X):
        same = issparse(given) and given.format == X.format
        return X.copy() if same and np.may_share_memory(X.data, given.data) else X
    if isinstance(given, np.memmap) or (X is not given and X.flags.owndata):
        return X
    return X.copy(order="K")


def check_points(estimator: Any, X: Any) -> None:
    """Refuse rows between which distances mean nothing: with text or missing values."""
    if estimator._codes.codes or (not issparse(X) and np.isnan(X).any()):
        raise ValueError(
            "the table has text or missing values (NaN), so there are no distances "
            f"between its rows: instead of metric={estimator.metric!r} choose "
            "metric='kernels', the distance that the kernels make"
        )


def takes_missing(kernels: Any) -> bool:
    """Whether one of these kernels takes a table with missing values."""
    listed = kernels if isinstance(kernels, list | tuple) else [kernels]
    return any(getattr(kernel, "missing", "error") != "error" for kernel in listed)
