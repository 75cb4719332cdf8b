"""VᵀK_jV of kernels that are computed tile by tile."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from .base import Array
from .few_widths import spread
from .tiles import spans

if TYPE_CHECKING:
    from .lazy import LazyStack


def lazy_reduced(stack: LazyStack, V: Array, kernels: Array) -> Array:
    """VᵀK_jV for the kernels j in `kernels`, (q, m, m), V (n, m) of NumPy.

    Only the r rows where V is not zero are looked at: qr²/2 exponentials. With m the
    row means of k, μ their mean and t = Vᵀ1,

        VᵀPkPV = VᵀkV − (Vᵀm)tᵀ − t(Vᵀm)ᵀ + μttᵀ.
    """
    rows = np.flatnonzero(V.any(axis=1))
    pieces = spans(len(rows), stack._tile)
    places, parts = [rows[a] for a in pieces], [V[rows[a]] for a in pieces]
    wanted = np.zeros(stack.p, dtype=bool)
    wanted[kernels] = True
    nodes = bool(wanted.all())

    def work(queue: Iterator[int]) -> Array:
        out = np.zeros((stack.p, V.shape[1], V.shape[1]))
        for a in queue:
            for b in range(a, len(places)):
                for j, tile in stack._tiles(places[a], places[b], wanted, nodes):
                    found = parts[a].T @ (tile @ parts[b])
                    out[j] += found if b == a else found + found.T
        return out

    shape = stack.p, V.shape[1], V.shape[1]
    S = sum(stack._run(work, len(places)), start=np.zeros(shape))
    S = (spread(stack._groups, S) if nodes else S)[kernels]
    if stack._center:
        t = V.sum(axis=0)
        U = (stack._row_means[kernels] @ V)[:, :, None] * t
        S = S - U - U.transpose(0, 2, 1)
        S += stack._means[kernels][:, None, None] * np.outer(t, t)
    return stack._scales[kernels][:, None, None] * S
