"""Gram matrices of samples that have weights.

A weight of two is a sample twice. So the scale of a kernel is that of the weighted
samples: with V = Σv and the weighted mean μ,

    normalize="variance":  Σ_i v_i‖φ(x_i) − μ‖² = V,      "trace":  the same sum is 1,

where the mean is not taken off if kernels are not centred and the trace is asked for.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..arrays import host, like, namespace
from ..grams import DenseStack, LazyStack
from ..grams.scaled import ScaledStack
from ..problem import Array
from .grams import GramData


def weigh(data: GramData, weights: Array | None, normalize: str | None) -> GramData:
    """The same rows with weights, of which (N,) those that are zero have no row."""
    if weights is None:
        return data
    if not isinstance(data.stack, DenseStack | LazyStack):
        raise ValueError(
            "sample_weight and class_weight need Gram matrices that fit into memory: "
            "these are in files that do not"
        )
    kept = np.flatnonzero(weights)
    v, n = weights[kept], len(weights)
    data = replace(data, n=n, kept=None if len(kept) == n else kept)
    if np.all(v == 1):
        # Zeros and ones: the samples that are there are like any others.
        return data
    data = replace(data, v=v)
    if normalize not in ("variance", "trace"):
        return data
    centred = data.center or normalize == "variance"
    total = _diagonals(data) @ v
    if centred:
        total = total - data.stack.quadratic(data.home(v)[:, None]) / np.sum(v)
    alive = data.alive & (total > 0)
    wanted = _present(data, v) if normalize == "variance" else np.ones(len(total))
    c = np.where(alive, wanted / np.where(alive, total, 1.0), 0.0)
    pairs = zip(data.statistics, c.tolist(), strict=True)
    statistics = [replace(one, scale=one.scale * factor) for one, factor in pairs]
    stack = _scaled(data.stack, c)
    return replace(data, stack=stack, statistics=statistics, alive=c > 0)


def _scaled(stack: Any, c: Array) -> Any:
    if isinstance(stack, LazyStack):
        return ScaledStack(stack, c)
    matrices = stack.matrices
    return DenseStack(like(c, matrices)[:, None, None] * matrices)


def _diagonals(data: GramData) -> Array:
    """K_j(x_i, x_i), centred and scaled as the stack is, (p, n)."""
    stack = data.stack
    if isinstance(stack, DenseStack):
        return host(namespace(stack.matrices).linalg.diagonal(stack.matrices))
    kernels: Any = data.kernels
    out = np.empty((stack.p, stack.n))
    for j, (kernel, s) in enumerate(zip(kernels, data.statistics, strict=True)):
        diagonal = host(kernel.diagonal(data.X))
        if s.row_means is not None:
            diagonal = diagonal - 2 * host(s.row_means) + s.mean
        out[j] = s.scale * diagonal
    return out


def _present(data: GramData, v: Array) -> Array:
    """The weight of the rows that each kernel describes, (p,)."""
    out = np.full(len(data.statistics), np.sum(v))
    for j, kernel in enumerate(data.kernels or []):
        if kernel.missing == "mean":
            out[j] -= np.sum(v[kernel.absent(data.X)])
    return out
