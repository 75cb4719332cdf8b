"""Targets that cannot be learned from: missing ones, and labels of two kinds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..arrays import elsewhere
from ..problem import Array


def as_given(y: Any) -> Array:
    """y as an array that keeps the numbers of a list that has text as well.

    Examples
    --------
    >>> as_given(["a", 1])
    array(['a', 1], dtype=object)
    """
    array = np.asarray(y)
    if array.dtype.kind in "US" and isinstance(y, list | tuple):
        return np.array(y, dtype=object)
    return array


def check_targets(y: Any, classes: bool) -> None:
    """Refuse targets with missing values, and labels of several kinds."""
    if y is None or elsewhere(y):
        return
    y = as_given(y).ravel()
    if y.dtype != object:
        return
    remedy = "leave these rows out"
    if classes:
        remedy += ", or use LaplacianMKLSVC, which learns from unlabelled rows too"
        check_labels(y, np.ones(len(y), dtype=bool), remedy)
    else:
        _check_missing(y, np.asarray(pd.isna(y)), remedy)


def check_labels(y: Array, some: Array, remedy: str) -> None:
    """Refuse missing values and a mix of text and numbers among some labels (n,)."""
    _check_missing(y, some & np.asarray(pd.isna(y)), remedy)
    text = np.array([isinstance(label, str) for label in y], dtype=bool)
    if (some & text).any() and (some & ~text).any():
        first, other = np.argmax(some & text), np.argmax(some & ~text)
        raise ValueError(
            f"y has labels of text and of other kinds: {y[first]!r} in row {first} and "
            f"{y[other]!r} in row {other}. Make them all text: [str(c) for c in y]"
        )


def _check_missing(y: Array, missing: Array, remedy: str) -> None:
    if missing.any():
        row = int(np.argmax(missing))
        raise ValueError(
            f"y has {int(missing.sum())} missing values (NaN, NA or None), the first, "
            f"{y[row]!r}, in row {row}: {remedy}"
        )
