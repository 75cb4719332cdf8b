"""C = ∞: machines that allow no errors.

Without errors, 0 ≤ y_i a_i has no upper bound C. A C that no coefficient reaches gives
the same solution, and the same proof of it. Where coefficients reach any C, there is no
function without errors, and no solution.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays import host
from ..problem import Array
from ..solution import Solution

# Bounds to try, in units of (spread of y)/(mean of k(x, x)), the size of coefficients.
# A bound is no larger than it must be: the proof loses digits, ε times the bound.
BOUNDS = (1e3, 1e5, 1e7, 1e9)


def without_errors(
    learn: Callable[[Array], Solution], data: Any, weight: Array, spread: float = 1.0
) -> Solution:
    """The solution of C = ∞, or a ValueError that there is none.

    Parameters
    ----------
    learn : callable
        From the bounds of the coefficients, (n,), to a solution.
    data : GramData
    weight : ndarray (n,)
        Of the samples; those of weight zero may have errors.
    spread : float
        Of y.
    """
    traces = np.asarray(host(data.stack.traces))
    unit = (spread or 1.0) * data.n / float(np.mean(traces[traces > 0]))
    reached = np.zeros(data.n, dtype=bool)
    for size in BOUNDS:
        bound = size * unit * weight
        solution = learn(bound)
        most = np.max(np.abs(host(solution.A)), axis=1)
        reached = (most > 0) & (most >= (1 - 1e-6) * bound)
        if not reached.any():
            return solution
    raise ValueError(
        "C=inf allows no errors, but there is no function of these kernels without: "
        f"{int(np.sum(reached))} of {data.n} samples have one, whatever C is; give a "
        "finite C, such as C=100, or kernels that tell more, such as RBF()"
    )
