"""Labels of which some are missing."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils.validation import column_or_1d

from ..problem import Array
from .target_values import as_given, check_labels

UNLABELLED = -1


def split_labels(y: Any) -> tuple[Array, Array]:
    """Labels as an array, and which rows have none."""
    y = column_or_1d(as_given(y), warn=True)
    if y.dtype == object:
        unlabelled = np.array([_is_mark(v) for v in y], dtype=bool)
        check_labels(y, ~unlabelled, "mark unlabelled rows by -1 or None")
        return y, unlabelled
    if y.dtype.kind == "f" and not np.all(np.isfinite(y)):
        raise ValueError("y contains NaN or infinity: mark unlabelled rows by -1")
    return y, y == UNLABELLED if y.dtype.kind in "iuf" else np.zeros(len(y), dtype=bool)


def _is_mark(label: Any) -> bool:
    return label is None or (isinstance(label, Real) and label == UNLABELLED)


def share_thresholds(f: Array, labels: Array, k: int) -> Array:
    """What to take off the scores f (m, 1) or (m, k) of unlabelled rows.

    Each class then has the share of positive scores that it has of the labelled rows,
    whose class numbers are `labels`.
    """
    shares = np.bincount(labels, minlength=k) / len(labels)
    shares = shares[1:] if f.shape[1] == 1 else shares
    return np.array(
        [np.quantile(g, 1 - share) for g, share in zip(f.T, shares, strict=True)]
    )
