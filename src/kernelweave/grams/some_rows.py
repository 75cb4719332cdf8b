"""Kernels of some rows, tile by tile, as all rows centre and scale them.

K_j[B, C] = s(k_BC − m_B1ᵀ − 1m_Cᵀ + μ11ᵀ), m the row means of k over all rows, μ their
mean.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from .base import Array
from .tiles import spans

if TYPE_CHECKING:
    from .lazy import LazyStack


def lazy_cross(stack: LazyStack, theta: Array, index: Array, others: Array) -> Array:
    """K(θ)[B, C], (b, c)."""
    weights = theta * stack._scales
    means, mean = weights @ stack._row_means, float(weights @ stack._means)
    out = (mean - means[index])[:, None] - means[others]
    pieces = spans(len(others), stack._tile)

    def work(queue: Iterator[int]) -> None:
        for a in queue:
            for I in spans(len(index), stack._tile):
                tile = out[I, pieces[a]].copy()
                stack._add(index[I], others[pieces[a]], weights, tile)
                out[I, pieces[a]] = tile

    stack._run(work, len(pieces))
    return out


def lazy_within(stack: LazyStack, index: Array, A: Array) -> Array:
    """K_j[B, B]A, (p, b, k): each tile serves its rows and its columns."""
    pieces = spans(len(index), stack._tile)

    def work(queue: Iterator[int]) -> Array:
        out = np.zeros((stack.p, *A.shape))
        for a in queue:
            I = pieces[a]
            for J in pieces[a:]:
                for j, tile in stack._tiles(index[I], index[J]):
                    out[j, I] += tile @ A[J]
                    if J != I:
                        out[j, J] += tile.T @ A[I]
        return out

    parts = stack._run(work, len(pieces))
    out = sum(parts, start=np.zeros((stack.p, *A.shape)))
    if stack._center:
        means, t = stack._row_means[:, index], A.sum(axis=0)
        out -= means[:, :, None] * t
        out += (stack._means[:, None] * t - means @ A)[:, None, :]
    return stack._scales[:, None, None] * out
