"""The weights at every (norm, λ) of a grid, for a loss that is not the square."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from ..grams.base import GramStack
from ..problem import Loss, Problem, Solver
from ..reporting import reporter
from ..solution import uninterrupted
from ..solve import solve
from ..weights import LpBall
from .grid import GRID_TOL, GridPoint, Look, Report
from .warm_start import WarmStart, way_through

# From few kernels to all, fewer norms than for the square loss: a fit costs more.
LIKELIHOOD_NORMS = (1, 4 / 3, 2, 1e6)


def likelihood_grid(
    gram: GramStack,
    make_loss: Callable[[float], Loss],
    norms: Sequence[float],
    lams: Sequence[float],
    *,
    solver: Solver | None = None,
    tol: float = GRID_TOL,
    max_iter: int = 200,
    look: Look | None = None,
    report: Report | None = None,
) -> list[GridPoint]:
    """Solve the problem at every (norm, λ), each from its neighbours on the grid.

    Parameters
    ----------
    gram : GramStack
        K_1..K_p on n samples, centred and scaled.
    make_loss : callable(float) -> Loss
        From C = 1/λ to the loss.
    norms, lams, solver, tol, max_iter
        As in `leave_one_out_grid`.
    look : callable, optional
        From a point to its score and errors.
    report : callable, optional
        Hears of norm, λ, score and seconds of every point when it is there.

    Returns
    -------
    list of GridPoint
        Whose `inner_solves` are iterations: a loss of this kind factorises a few times
        in each.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelweave.grams import DenseStack
    >>> from kernelweave.losses import Logistic
    >>> x = np.linspace(-2, 2, 12)[:, None]
    >>> gram = DenseStack(np.stack([x @ x.T, (x @ x.T) ** 2]))
    >>> Y = np.where(x**2 > 1, 1.0, -1.0)
    >>> points = likelihood_grid(gram, lambda C: Logistic(Y, C), [1, 2], [0.1, 1.0])
    >>> [bool(point.solution.weights[1] > 0.99) for point in points]
    [True, True, True, True]
    """
    warm, points = WarmStart(solver), []
    for at, (i, norm), (j, lam) in way_through(norms, lams):
        began = time.perf_counter()
        warm.at = at
        problem = Problem(gram, make_loss(1 / lam), LpBall(norm))
        with reporter() as tell:
            solution = uninterrupted(solve(problem, warm, tol, max_iter=max_iter))
        done = at[0] * len(lams) + at[1] + 1
        tell(done, len(norms) * len(lams), "choosing norm and alpha")
        seconds = time.perf_counter() - began
        point = GridPoint((i, j), norm, lam, solution, solution.n_iter, seconds)
        if look is not None:
            score, errors = look(point)
            point = replace(point, score=score, errors=errors)
        if report is not None:
            report(norm, lam, point.score, seconds)
        points.append(point)
    return points
