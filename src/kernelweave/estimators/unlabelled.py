"""Labels of which some are missing."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import column_or_1d

from ..problem import Array

UNLABELLED = -1


def split_labels(y: Any) -> tuple[Array, Array]:
    """Labels as an array, and which rows have none."""
    y = np.asarray(y) if not _has_none(y) else np.array(list(y), dtype=object)
    y = column_or_1d(y, warn=True)
    if y.dtype == object:
        return y, np.array([v is None or v == UNLABELLED for v in y], dtype=bool)
    if y.dtype.kind == "f" and not np.all(np.isfinite(y)):
        raise ValueError("y contains NaN or infinity: mark unlabelled rows by -1")
    return y, y == UNLABELLED if y.dtype.kind in "iuf" else np.zeros(len(y), dtype=bool)


def _has_none(y: Any) -> bool:
    return hasattr(y, "__iter__") and any(v is None for v in y)


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
