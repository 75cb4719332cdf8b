"""Steps in one or two entries of a, compiled: what `box.maximise` begins with.

max  tᵀa − ε‖a‖₁ − ½aᵀ(K + diag(d))a   on   lower ≤ a ≤ upper  (Σa = 0)

`f` is (K + diag(d))a throughout. With ε > 0 the slopes to both sides of a_i = 0
differ, and a step ends there at the latest.
"""

from __future__ import annotations

import numpy as np

from ..compiled import compiled
from . import box_steps_numpy

# Where K is zero the step is as long as the bounds allow.
TINY = 1e-100


@compiled(box_steps_numpy.ascend_pairs)
def ascend_pairs(K, d, t, eps, lower, upper, a, f, tol, steps):
    """Sequential minimal optimisation with the second-order choice of pairs.

    i has the steepest slope upwards, j gains most with it (Fan, Chen and Lin 2005).
    Returns the number of steps taken; it ends when no pair of slopes differs by more
    than tol.
    """
    n = len(a)
    diagonal = np.empty(n)
    for r in range(n):
        diagonal[r] = K[r, r] + d[r]
    for step in range(steps):
        i, steepest = -1, -np.inf
        for r in range(n):
            if a[r] < upper[r]:
                slope = t[r] - f[r] - (eps if a[r] >= 0.0 else -eps)
                if slope > steepest:
                    i, steepest = r, slope
        if i < 0:
            return step
        row = K[i]
        own = diagonal[i]
        j, gain, lowest = -1, 0.0, np.inf
        for r in range(n):
            if a[r] > lower[r]:
                slope = t[r] - f[r] - (eps if a[r] > 0.0 else -eps)
                lowest = min(lowest, slope)
                rise = steepest - slope
                if rise > 0.0:
                    bend = own + diagonal[r] - 2.0 * row[r]
                    here = rise * rise / max(bend, 1e-12 * own, TINY)
                    if here > gain:
                        j, gain = r, here
        if j < 0 or steepest - lowest <= tol:
            return step
        rise = steepest - (t[j] - f[j] - (eps if a[j] > 0.0 else -eps))
        bend = own + diagonal[j] - 2.0 * row[j]
        end_i = 0.0 if eps > 0.0 and a[i] < 0.0 else upper[i]
        end_j = 0.0 if eps > 0.0 and a[j] > 0.0 else lower[j]
        room_i, room_j = end_i - a[i], a[j] - end_j
        delta = rise / max(bend, 1e-12 * own, TINY)
        if delta >= room_i or delta >= room_j:
            delta = min(room_i, room_j)
        # A bound is hit exactly.
        a[i] = end_i if delta == room_i else a[i] + delta
        a[j] = end_j if delta == room_j else a[j] - delta
        other = K[j]
        for r in range(n):
            f[r] += delta * (row[r] - other[r])
        f[i] += delta * d[i]
        f[j] -= delta * d[j]
    return steps


@compiled(box_steps_numpy.ascend_single)
def ascend_single(K, d, t, eps, lower, upper, a, f, tol, steps):
    """The same without Σa = 0: one entry at a time, the one that gains most."""
    n = len(a)
    for step in range(steps):
        i, gain, best, worst = -1, 0.0, 0.0, 0.0
        for r in range(n):
            g = t[r] - f[r]
            slope = 0.0
            up = g - (eps if a[r] >= 0.0 else -eps)
            down = g - (eps if a[r] > 0.0 else -eps)
            if up > 0.0 and a[r] < upper[r]:
                slope = up
            elif down < 0.0 and a[r] > lower[r]:
                slope = down
            worst = max(worst, abs(slope))
            here = slope * slope / max(K[r, r] + d[r], TINY)
            if here > gain:
                i, gain, best = r, here, slope
        if i < 0 or worst <= tol:
            return step
        delta = best / max(K[i, i] + d[i], TINY)
        if best > 0.0:
            end = 0.0 if eps > 0.0 and a[i] < 0.0 else upper[i]
            stop = delta >= end - a[i]
        else:
            end = 0.0 if eps > 0.0 and a[i] > 0.0 else lower[i]
            stop = delta <= end - a[i]
        if stop:
            delta = end - a[i]
            a[i] = end
        else:
            a[i] += delta
        row = K[i]
        for r in range(n):
            f[r] += delta * row[r]
        f[i] += delta * d[i]
    return steps
