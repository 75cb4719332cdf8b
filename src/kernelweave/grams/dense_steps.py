"""Products of stored symmetric matrices with a vector that is zero at most samples.

Only the rows where the vector is not zero are read: they are the columns, too.
"""

from __future__ import annotations

from ..compiled import compiled
from .base import Array


def _apply_support(K: Array, support: Array, a: Array, out: Array) -> None:
    for j in range(len(K)):
        out[j] = a[support] @ K[j, support]


@compiled(_apply_support, nogil=True, fastmath={"contract"})
def apply_support(K: Array, support: Array, a: Array, out: Array) -> None:
    """out_j = Σ_i a_i K_j[i, :] over the samples i in `support`, (p, n)."""
    for j in range(len(K)):
        product = out[j]
        product[:] = 0.0
        pairs = len(support) // 2 * 2
        # Two rows at a time: the sum is read and written half as often.
        for r in range(0, pairs, 2):
            first, second = K[j, support[r]], K[j, support[r + 1]]
            x, y = a[support[r]], a[support[r + 1]]
            for l in range(len(product)):
                product[l] += x * first[l] + y * second[l]
        for r in range(pairs, len(support)):
            row, x = K[j, support[r]], a[support[r]]
            for l in range(len(product)):
                product[l] += x * row[l]
