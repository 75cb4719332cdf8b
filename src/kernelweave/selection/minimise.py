"""A smooth function of logarithms, minimised from zero."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from ..grams.base import Array

# Logarithms go no farther than this from the start, so that e^x stays a number.
FARTHEST = 8.0


@dataclass(frozen=True)
class Minimum:
    """Where the search ended, and how often the function was evaluated."""

    x: Array
    evaluations: int


def minimise(
    function: Callable[[Array], tuple[float, Array]],
    size: int,
    *,
    small: float,
    max_evaluations: int,
) -> Minimum:
    """A local minimum of a function of logarithms x (size,), by L-BFGS from x = 0.

    The first step of L-BFGS is −∇f, whatever that is. Where slopes are small it is tiny
    and looks like the end. So f is divided by its largest slope: the first step then
    changes the steepest logarithm by 1, a factor of e.

    Parameters
    ----------
    function : callable
        From x to f(x) and ∇f(x).
    size : int
    small : float
        The search ends when an iteration lowers f by less than this.
    max_evaluations : int

    Examples
    --------
    >>> import numpy as np
    >>> from kernelweave.selection.minimise import minimise
    >>> def flat(x):
    ...     return 1e-3 * np.sum((x - 2) ** 2), 2e-3 * (x - 2)
    >>> minimise(flat, 2, small=1e-8, max_evaluations=20).x.round(3)
    array([2., 2.])
    """
    start = np.zeros(size)
    value, slopes = function(start)
    unit = float(np.max(np.abs(slopes)))
    if not unit > 0:
        return Minimum(start, 1)

    def scaled(x: Array) -> tuple[float, Array]:
        at, rise = function(x) if np.any(x) else (value, slopes)
        return (at - value) / unit, rise / unit

    found = minimize(
        scaled,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=[(-FARTHEST, FARTHEST)] * size,
        options={"maxfun": max_evaluations, "ftol": small / unit, "maxcor": 20},
    )
    return Minimum(found.x, int(found.nfev))
