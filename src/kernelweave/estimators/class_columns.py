"""Columns within the classes: their means and their covariance."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..inputs.rows import Rows
from ..problem import Array
from .projections import check_priors


def describe_columns(model: Any, rows: Rows, labels: Array) -> None:
    """Set means_ and, if the model stores it, covariance_, of an array of numbers."""
    k, X = len(model.classes_), rows.X
    if rows.table is None or not isinstance(X, np.ndarray):
        if model.store_covariance:
            raise ValueError(
                "store_covariance=True is for arrays of numbers, not for sparse "
                "tables, columns of text or Gram matrices"
            )
        return
    weights = np.ones(rows.n) if rows.weights is None else rows.weights
    share = weights[weights > 0] / weights.sum()
    Y = share[:, None] * (labels[:, None] == np.arange(k))
    shares = Y.sum(axis=0)
    model.means_ = Y.T @ X / shares[:, None]
    if model.store_covariance:
        priors = shares if model.priors is None else check_priors(model.priors, k)
        Z = X - model.means_[labels]
        model.covariance_ = (Z * (share * (priors / shares)[labels])[:, None]).T @ Z
