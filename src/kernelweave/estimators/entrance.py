"""Where tables enter an estimator: validated, with numbers in the place of text."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import validate_data

from ..arrays import elsewhere
from ..kernels.labels import LabelCodes
from ..scale.distributed import is_dask
from ..targets import refuse_missing
from .elsewhere import check_new_array, check_place, check_training_array

# A kernel refuses or takes the missing values of its own columns.
_OPTIONS: dict[str, Any] = {
    "accept_sparse": "csr",
    "dtype": [np.float64, np.float32],
    "ensure_all_finite": "allow-nan",
}


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
    refuse_missing(y)
    if elsewhere(X):
        return check_training_array(estimator, X, y, **options)
    estimator._codes = LabelCodes.of(X)
    X = estimator._codes.encode(X)
    return validate_data(estimator, X, y, ensure_min_samples=2, **_OPTIONS, **options)


def check_new_table(estimator: Any, X: Any) -> Any:
    """New rows, in the same numbers."""
    if is_dask(X):
        raise ValueError(
            f"{type(estimator).__name__} takes new rows in memory: use X.map_blocks or "
            "X.map_partitions with its method"
        )
    check_place(estimator, X)
    if elsewhere(X):
        return check_new_array(estimator, X)
    return validate_data(estimator, estimator._codes.encode(X), reset=False, **_OPTIONS)


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
