"""Labels of which some are missing, and rows that are to have neighbours."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import column_or_1d

from ..inputs.mixed_table import MixedTable
from ..problem import Array
from ..targets import as_given, missing_targets, refuse_mixed

UNLABELLED = -1


def split_labels(y: Any) -> tuple[Array, Array]:
    """Labels as an array, and which rows have none: -1, or missing."""
    unlabelled = missing_targets(y)
    y = column_or_1d(as_given(y), warn=True)
    if y.dtype.kind == "f" and np.any(np.isinf(y)):
        raise ValueError("y contains infinity: mark unlabelled rows by -1 or NaN")
    if y.dtype == object:
        unlabelled |= [isinstance(v, Real) and v == UNLABELLED for v in y]
        refuse_mixed(y, ~unlabelled)
    elif y.dtype.kind in "iuf":
        unlabelled |= y == UNLABELLED
    return y, unlabelled


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


def refuse_no_points(X: Any, metric: Any) -> None:
    """Refuse rows between which distances mean nothing."""
    text = isinstance(X, MixedTable)
    if text or (not issparse(X) and np.isnan(X).any()):
        raise ValueError(
            "the table has text or missing values (NaN), so there are no distances "
            f"between its rows: instead of metric={metric!r} choose "
            "metric='kernels', the distance that the kernels make"
        )
