"""(K_jQ)_ii of kernels that are computed tile by tile."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..arrays import filled, like, namespace
from .base import Array
from .tiles import spans

if TYPE_CHECKING:
    from .lazy import LazyStack


def lazy_pair_products(stack: LazyStack, Q: Array) -> Array:
    """(K_jQ)_ii for every kernel and sample, (p, n), Q (n, n) symmetric.

    K_j = s(k − 1mᵀ − m1ᵀ + μ11ᵀ) with m the row means of k and μ their mean, so

        (K_jQ)_ii = s[(kQ)_ii − (Qm)_i + (μ − m_i)(Q1)_i],

    and the tile k(I, L), times Q[I, L] number by number, gives its row sums to
    (kQ)_ii, i in I, and its column sums to those in L: pn²/2 exponentials.
    """
    xp, p, n = namespace(Q), stack.p, stack.n
    pieces = spans(n, stack._tile)

    def work(queue: Iterator[int]) -> Array:
        out = filled((p, n), Q)
        for a in queue:
            I = pieces[a]
            for L in pieces[a:]:
                part = Q[I, L]
                for j, tile in stack._tiles(I, L):
                    pairs = tile * part
                    out[j, I] += xp.sum(pairs, axis=1)
                    if L != I:
                        out[j, L] += xp.sum(pairs, axis=0)
        return out

    limit = max(1, stack.memory // (8 * p * n))
    first, *others = stack._run(work, len(pieces), limit)
    for other in others:
        first += other
    if stack._center:
        m, sums = stack._row_means, xp.sum(Q, axis=0)
        first -= m @ Q
        first += (like(stack._means, m)[:, None] - m) * sums
    return like(stack._scales, first)[:, None] * first
