"""What the samples weigh: `sample_weight`, times `class_weight` of their classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.validation import _check_sample_weight

from ..arrays import host, is_foreign
from ..checks import finite_squares
from ..entries import refuse_masked
from ..inputs.rows import Rows
from ..problem import Array


def sample_weights(sample_weight: Any, X: Any, n: int) -> Array:
    """What every sample weighs, (n,)."""
    if sample_weight is None:
        return np.ones(n)
    sample_weight = host(sample_weight) if is_foreign(X) else sample_weight
    refuse_masked("sample_weight", sample_weight)
    if np.all(np.asarray(sample_weight) <= 0):
        raise ValueError(
            "Invalid input - all samples have zero or negative weights: sample_weight "
            "must have numbers above zero"
        )
    weight = _check_sample_weight(
        sample_weight, np.zeros((n, 1)), dtype=np.float64, ensure_non_negative=True
    )
    finite_squares("sample_weight", weight)
    return weight


def keep_sample_weights(model: Any, weight: Array) -> None:
    """Note what the samples weigh, if not all weigh one: later fits must know."""
    if not np.all(weight == 1):
        model.row_weights_ = weight


def row_weights(rows: Rows, sample_weight: Any, class_weight: Any) -> Array:
    """sample_weight times class_weight, (n,)."""
    weight = sample_weights(sample_weight, rows.X, rows.n)
    return weighed_classes(weight, rows.y, class_weight)


def weighed_classes(weight: Array, y: Array, class_weight: Any) -> Array:
    """The weights of samples times those of their classes, (n,).

    "balanced" gives every class the same sum of weights, as scikit-learn's
    LogisticRegression does: a class c of weight n_c = Σ w_i is multiplied by
    Σw/(k n_c), which without weights of samples is n/(k n_c).
    """
    if class_weight is None:
        return weight
    if not (isinstance(class_weight, str) and class_weight == "balanced"):
        return weight * compute_sample_weight(class_weight, y)
    _, labels = np.unique(y, return_inverse=True)
    counts = np.bincount(labels, weight)
    seen = counts > 0
    factor = np.where(seen, weight.sum() / np.sum(seen), 0.0)
    return weight * (factor / np.where(seen, counts, 1.0))[labels]


def weigh_rows(
    model: Any, rows: Rows, sample_weight: Any, class_weight: Any = None
) -> Rows:
    """The rows of a model with the square loss, with what they weigh: row_weights_.

    They come back as they are where all weigh one.
    """
    weight = row_weights(rows, sample_weight, class_weight)
    if np.all(weight == 1):
        return rows
    if np.sum(weight > 0) < 2:
        raise ValueError(
            "sample_weight and class_weight leave less than two samples with a weight "
            "above zero: there is nothing to learn from"
        )
    if isinstance(vars(model).get("alpha"), str) or not model._sums_do():
        raise ValueError(
            "sample_weight and class_weight are for the square loss with a given "
            "alpha: not for alpha='learn', scatter='within' or "
            "multiclass_sdp='approximate'"
        )
    model.row_weights_ = weight
    return rows.weighed(weight)
