"""The steps of `box_steps` by NumPy, row by row: for machines without numba."""

from __future__ import annotations

import numpy as np

from ..problem import Array

# Where K is zero the step is as long as the bounds allow.
TINY = 1e-100


def ascend_pairs(
    K: Array,
    d: Array,
    t: Array,
    eps: float,
    lower: Array,
    upper: Array,
    a: Array,
    f: Array,
    tol: float,
    steps: int,
) -> int:
    """Sequential minimal optimisation with the second-order choice of pairs."""
    diagonal = np.diagonal(K) + d
    for step in range(steps):
        g = t - f
        up = np.where(a < upper, g - np.where(a >= 0, eps, -eps), -np.inf)
        i = int(np.argmax(up))
        steepest = up[i]
        if steepest == -np.inf:
            return step
        down = np.where(a > lower, g - np.where(a > 0, eps, -eps), np.inf)
        rise = np.maximum(steepest - down, 0)
        bend = np.maximum(diagonal[i] + diagonal - 2 * K[i], 1e-12 * diagonal[i])
        bend = np.maximum(bend, TINY)
        gain = rise * rise / bend
        j = int(np.argmax(gain))
        if gain[j] <= 0 or steepest - np.min(down) <= tol:
            return step
        end_i = 0.0 if eps > 0 and a[i] < 0 else upper[i]
        end_j = 0.0 if eps > 0 and a[j] > 0 else lower[j]
        room_i, room_j = end_i - a[i], a[j] - end_j
        delta = min(rise[j] / bend[j], room_i, room_j)
        # A bound is hit exactly.
        a[i] = end_i if delta == room_i else a[i] + delta
        a[j] = end_j if delta == room_j else a[j] - delta
        f += delta * (K[i] - K[j])
        f[i] += delta * d[i]
        f[j] -= delta * d[j]
    return steps


def ascend_single(
    K: Array,
    d: Array,
    t: Array,
    eps: float,
    lower: Array,
    upper: Array,
    a: Array,
    f: Array,
    tol: float,
    steps: int,
) -> int:
    """The same without Σa = 0: one entry at a time, the one that gains most."""
    diagonal = np.maximum(np.diagonal(K) + d, TINY)
    for step in range(steps):
        g = t - f
        up = g - np.where(a >= 0, eps, -eps)
        down = g - np.where(a > 0, eps, -eps)
        falls = (down < 0) & (a > lower)
        slope = np.where((up > 0) & (a < upper), up, np.where(falls, down, 0))
        gain = slope * slope / diagonal
        i = int(np.argmax(gain))
        if gain[i] <= 0 or np.max(np.abs(slope)) <= tol:
            return step
        delta = slope[i] / diagonal[i]
        turns = eps > 0 and a[i] * slope[i] < 0
        end = 0.0 if turns else upper[i] if slope[i] > 0 else lower[i]
        if abs(delta) >= abs(end - a[i]):
            delta = end - a[i]
            a[i] = end
        else:
            a[i] += delta
        f += delta * K[i]
        f[i] += delta * d[i]
    return steps
