"""R² of every target, and the part that each kernel has in it."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import r2_score

from ..arrays import host
from ..problem import Array


def r2_by_target(y: Any, f: Any, sample_weight: Any = None) -> Array:
    """R² of every column of the predictions f (m, k), (k,).

    Examples
    --------
    >>> r2_by_target([[1.0, 0.0], [2.0, 1.0]], [[1.0, 1.0], [2.0, 1.0]]).tolist()
    [1.0, -1.0]
    """
    y = np.asarray(y, dtype=float).reshape(len(y), -1)
    f = np.asarray(host(f)).reshape(y.shape)
    return np.atleast_1d(
        r2_score(y, f, sample_weight=sample_weight, multioutput="raw_values")
    )


def r2_by_kernel(y: Any, f: Any, parts: Any, sample_weight: Any = None) -> Array:
    """What each kernel has in R², (p, k).

        R²_j = ⟨c_j − c̄_j, 2(y − ȳ) − (f − f̄)⟩/‖y − ȳ‖²

    with f = Σ_j c_j + constant, and with means ȳ, f̄, c̄_j over these samples. Because
    ⟨f, 2y − f⟩ = ‖y‖² − ‖y − f‖², the parts add up to R² + m(f̄ − ȳ)²/‖y − ȳ‖²: to R²
    but for what predictions lose that are too high or too low on average. A kernel that
    makes predictions worse has a negative part.

    Parameters
    ----------
    y, f : array-like (m,) or (m, k)
    parts : array-like (m, p) or (m, p, k)
        c_j of every sample: `contributions` of an estimator.
    sample_weight : array-like (m,), optional

    Examples
    --------
    >>> y = np.array([1.0, 2.0, 3.0])
    >>> r2_by_kernel(y, y, np.column_stack([y, np.zeros(3)])).ravel().tolist()
    [1.0, 0.0]
    """
    y = np.asarray(y, dtype=float).reshape(len(y), -1)
    f = np.asarray(host(f)).reshape(y.shape)
    parts = np.asarray(host(parts)).reshape(len(y), -1, y.shape[1])
    v = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, float)
    v = v / v.sum()
    y, f = y - v @ y, f - v @ f
    parts = parts - np.einsum("i,ijk->jk", v, parts)
    total = v @ y**2
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.einsum("i,ijk,ik->jk", v, parts, 2 * y - f) / total
