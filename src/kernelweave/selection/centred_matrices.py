"""Gram matrices centred and scaled to trace n, as `normalize="variance"` does."""

from __future__ import annotations

import numpy as np

from ..grams.base import Array


def centred(K: Array) -> tuple[Array, float]:
    """(n/t)PKP and t = tr PKP of a matrix (n, n), P = I − 11ᵀ/n."""
    n = len(K)
    means = K.mean(axis=0)
    trace = float(np.trace(K) - n * means.mean())
    out = K - means
    out -= means[:, None]
    out += means.mean()
    out *= n / trace
    return out, trace
