"""Roots of increasing functions, all coordinates at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..problem import Array


def increasing_root(f: Callable[[Array], Array], goal: Array, top: float) -> Array:
    """x in [0, top] with f(x_j) = goal_j for an increasing f.

    An end of the interval where the root lies outside; exactly zero at the lower one.
    """
    low, high = np.zeros(len(goal)), np.full(len(goal), top)
    for _ in range(60):
        middle = 0.5 * (low + high)
        above = f(middle) > goal
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return np.where(high < 1e-17, 0.0, 0.5 * (low + high))
