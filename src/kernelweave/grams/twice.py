"""⟨A, KA⟩ of stored numbers, as if computed in twice the precision of float64."""

from __future__ import annotations

import math

import numpy as np

from ..compiled import compiled
from .base import Array

# 2²⁷ + 1: it splits a number into two halves of 26 bits, whose products are exact.
SPLIT = 134217729.0


@compiled(nogil=True)
def _product(a, b):
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


@compiled(nogil=True)
def _sum(a, b):
    """x + e = a + b without an error, x the rounded sum (Knuth 1969)."""
    x = a + b
    z = x - a
    return x, (a - (x - z)) + (b - z)


def _energy(rows: Array, B: Array, A: Array) -> float:
    """The same by NumPy, all entries of KA at a time."""
    f, rest = np.zeros_like(B), np.zeros_like(B)
    for column, a in zip(rows.T, A, strict=True):
        x, e = _product(column[:, None], a)
        f, g = _sum(f, x)
        rest += e + g
    x, e = _product(B, f)
    return math.fsum([*x.ravel(), *e.ravel(), *(B * rest).ravel()])


@compiled(_energy, nogil=True)
def energy(rows, B, A):
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
                f, g = _sum(f, x)
                f_rest += e + g
            x, e = _product(B[i, c], f)
            total, g = _sum(total, x)
            rest += e + g + B[i, c] * f_rest
    return total + rest
