"""Entries of tables that NumPy would turn into wrong numbers without a word."""

from __future__ import annotations

from datetime import date, time, timedelta
from typing import Any

import numpy as np
from scipy.sparse import issparse

from .arrays import is_foreign
from .frames import is_frame, without_na

_TIMES = (date, time, timedelta, np.datetime64, np.timedelta64)


def finite_numbers(X: Any) -> bool:
    """Whether X is a table that needs no preparation: doubles, all of them finite.

    False also where squares of the numbers overflow; others look closer then.
    """
    if type(X) is not np.ndarray or X.dtype != np.float64 or X.ndim != 2 or not X.size:
        return False
    x = X.ravel(order="K")
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(x.dot(x)))


def plain_table(X: Any, name: str = "X") -> Any:
    """X with NaN in the place of pandas.NA, of which numbers can be made.

    Dates, text and masked entries are refused. Arrays of Python objects become arrays
    of numbers. The columns of a DataFrame keep their types, and text in them is seen by
    others; what makes no array at all comes back as it is, for `check_array` to refuse.

    Examples
    --------
    >>> import pandas as pd
    >>> plain_table([[1, pd.NA], [3, None]])
    array([[ 1., nan],
           [ 3., nan]])
    """
    if is_frame(X):
        return without_na(X)
    if issparse(X) or is_foreign(X):
        return X
    refuse_masked(name, X)
    if isinstance(X, list | tuple):
        try:
            X = np.asarray(X)
        except ValueError:
            return X
    if not isinstance(X, np.ndarray):
        return X
    if X.dtype.kind in "mM":
        _refuse_times(X.dtype, name)
    if X.dtype.kind in "US":
        return _from_text(X, name)
    return _from_objects(X, name) if X.dtype == object else X


def refuse_masked(name: str, values: Any) -> None:
    """Raise a ValueError if entries are masked: NumPy would drop the mask."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        advice = "fill them with numbers, or leave their rows out"
        if name != "y" and np.ndim(values) > 1:
            advice = (
                "pass X.filled(np.nan), for floats, and kernels with missing='mean' or "
                "missing='impute'"
            )
        raise ValueError(
            f"{name} has {np.ma.count_masked(values)} masked entries, whose masks "
            f"would be lost: {advice}"
        )


def without_duplicates(X: Any) -> Any:
    """A sparse X that holds every entry once: entries of one place are added."""
    if not issparse(X) or X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X


def few_zeros(X: Any) -> bool:
    """Whether X is sparse, and half of it is stored: dense, it is hardly larger.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> few_zeros(csr_array([[1.0, 2.0], [3.0, 0.0]]))
    True
    """
    return issparse(X) and 2 * X.nnz >= X.shape[0] * X.shape[1]


def _from_objects(X: Any, name: str) -> Any:
    types = {type(value) for value in X.ravel()}
    for kind in types:
        if issubclass(kind, _TIMES) or kind.__name__ == "NaTType":
            _refuse_times(kind.__name__, name)
    if any(kind.__name__ == "NAType" for kind in types):
        missing = [type(value).__name__ == "NAType" for value in X.ravel()]
        X = np.where(np.reshape(missing, X.shape), np.nan, X)
    if any(issubclass(kind, str | bytes) for kind in types):
        return _from_text(X, name)
    try:
        return X.astype(float)
    except (TypeError, ValueError):
        return X


def _from_text(X: Any, name: str) -> Any:
    try:
        return X.astype(float)
    except ValueError as error:
        example = next(str(v) for v in X.ravel() if not _is_number(v))
        raise ValueError(
            f"{name} is an array with text in it, such as {example!r}: pass a "
            "DataFrame, such as pandas.DataFrame(X), whose columns of text Overlap "
            "compares, and whose kernels kernelweave.views.kernels_for chooses"
        ) from error


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return value is None
    return True


def _refuse_times(kind: Any, name: str) -> None:
    raise ValueError(
        f"{name} holds dates or times ({kind}): turn them into numbers, such as days "
        "since the first of them, or leave them out"
    )
