"""⟨A, KA⟩ of stored numbers, as if computed in twice the precision of float64."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..compiled import compiled
from .base import Array

# 2²⁷ + 1: it splits a number into two halves of 26 bits, whose products are exact.
SPLIT = 134217729.0


def product(a: Any, b: Any) -> tuple[Any, Any]:
    """x + e = ab without an error, x the rounded product (Dekker 1971)."""
    x = a * b
    c = SPLIT * a
    high_a = c - (c - a)
    low_a = a - high_a
    c = SPLIT * b
    high_b = c - (c - b)
    low_b = b - high_b
    e = ((high_a * high_b - x) + high_a * low_b + low_a * high_b) + low_a * low_b
    return x, e


def add(a: Any, b: Any) -> tuple[Any, Any]:
    """x + e = a + b without an error, x the rounded sum (Knuth 1969)."""
    x = a + b
    z = x - a
    return x, (a - (x - z)) + (b - z)


_product = compiled(nogil=True)(product)
_add = compiled(nogil=True)(add)


def energy_by_numpy(rows: Array, B: Array, A: Array) -> float:
    """`energy` for machines without numba: a sum is halved again and again."""
    total, rest = 0.0, 0.0
    for row, b in zip(rows, B, strict=True):
        x, e = product(row[:, None], A)
        f_rest = e.sum(axis=0)
        while len(x) > 1:
            half = len(x) // 2
            sums, g = add(x[:half], x[half : 2 * half])
            f_rest += g.sum(axis=0)
            x = np.concatenate([sums, x[2 * half :]])
        x, e = product(b, x[0])
        rest += float(np.sum(e) + b @ f_rest)
        for part in x:
            total, g = add(total, float(part))
            rest += g
    return total + rest


@compiled(energy_by_numpy, nogil=True)
def energy(rows: Array, B: Array, A: Array) -> float:
    """Σ_ic B_ic (K_iA_c) for the rows K_i (b, n), with B (b, k) and A (n, k).

    Sums carry their rounding along (Ogita, Rump and Oishi 2005, `Dot2`): the result is
    off by the square of ε beside Σ|B||K||A|, where a plain product is off by ε.
    """
    total, rest = 0.0, 0.0
    for i in range(rows.shape[0]):
        for c in range(A.shape[1]):
            f, f_rest = 0.0, 0.0
            for j in range(rows.shape[1]):
                x, e = _product(rows[i, j], A[j, c])
                f, g = _add(f, x)
                f_rest += e + g
            x, e = _product(B[i, c], f)
            total, g = _add(total, x)
            rest += e + g + B[i, c] * f_rest
    return total + rest
