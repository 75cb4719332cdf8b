"""Targets that are missing: None, NaN, pandas.NA, NaT."""

from __future__ import annotations

from typing import Any

import numpy as np

from .arrays import elsewhere, host
from .problem import Array


def missing_targets(y: Any) -> Array:
    """Which rows have no target, or lack one of several, (n,): a mask.

    Parameters
    ----------
    y : array-like (n,) or (n, n_outputs)
        A list, an array, or a Series of pandas or polars of any type.

    Examples
    --------
    >>> missing_targets(["a", None, "b", float("nan")]).tolist()
    [False, True, False, True]
    """
    y = host(y) if elsewhere(y) else y
    # NumPy makes the text "nan" of a NaN in a list of texts.
    values = np.asarray(y) if hasattr(y, "dtype") else np.asarray(y, dtype=object)
    if values.ndim == 0:
        return np.zeros(0, dtype=bool)
    if values.dtype.kind in "fc":
        missing = np.isnan(values)
    elif values.dtype.kind in "mM":
        missing = np.isnat(values)
    elif values.dtype == object:
        found = [_is_missing(value) for value in values.ravel()]
        missing = np.array(found, dtype=bool).reshape(values.shape)
    else:
        missing = np.zeros(values.shape, dtype=bool)
    return np.any(missing, axis=tuple(range(1, missing.ndim)))


def refuse_missing(y: Any, where: str = "", first: int = 0) -> None:
    """Raise a ValueError if some rows have no target.

    Examples
    --------
    >>> try:
    ...     refuse_missing(["a", None, "b", None])
    ... except ValueError as error:
    ...     print(str(error).partition(",")[0])
    y is missing (NaN or None) in 2 of 4 rows
    """
    rows = np.flatnonzero(missing := missing_targets(y))
    if len(rows):
        raise ValueError(
            f"{where}y is missing (NaN or None) in {len(rows)} of {len(missing)} "
            f"rows, the first of them row {first + rows[0]} (counted from 0): leave "
            "these rows out; with classes, LaplacianMKLSVC learns from them, too"
        )


def _is_missing(value: Any) -> bool:
    # A comparison with pandas.NA is neither true nor false; NaN and NaT differ from
    # themselves.
    if value is None or type(value).__name__ == "NAType":
        return True
    differs = value != value
    return isinstance(differs, bool | np.bool_) and bool(differs)
