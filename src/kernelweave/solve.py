"""The one loop: it certifies, keeps the best, times, reports and stops."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, cast

import numpy as np

from .checks import count, instance, not_negative
from .problem import Array, DualPoint, Point, Problem, Solver
from .reporting import reporter
from .solution import Certificate, Solution, Status, TraceRow
from .threads import blas_threads

Callback = Callable[[int, TraceRow, Point], bool | None]


def solve(
    problem: Problem,
    solver: Solver | None = None,
    tol: float = 1e-6,
    *,
    max_iter: int = 200,
    time_limit: float | None = None,
    start: Array | Solution | None = None,
    callback: Callback | None = None,
    verbose: int = 0,
) -> Solution:
    """Solve the problem to a relative duality gap of tol.

    Parameters
    ----------
    problem : Problem
    solver : Solver, optional
        By default what `kernelweave.solvers.default.default_solver` chooses.
    tol : float
        The relative duality gap `(F − D)/max(|F|, |D|)` at which to stop. It means
        the same for every solver. Bounds that contradict each other by more, F < D,
        prove nothing: the status is then CONTRADICTED.
    max_iter : int
        Iterations of the solver.
    time_limit : float, optional
        Seconds. It is looked at between iterations.
    start : ndarray (p,) or Solution, optional
        Weights to start from.
    callback : callable(iteration, row, point), optional
        Called after every iteration; a true answer stops.
    verbose : int
        1 prints a line an iteration to standard error.

    Returns
    -------
    Solution
        Also when it did not converge, or was interrupted from the keyboard: the
        best point so far, with the gap that it has. Before the first point, as in a
        start from fewer samples, there is none: the KeyboardInterrupt goes on.

    Examples
    --------
    Two kernels of numbers x, of which the second is the right one for y = x²:

    >>> import numpy as np
    >>> from kernelweave import Problem, solve
    >>> from kernelweave.grams import DenseStack
    >>> from kernelweave.losses import Square
    >>> from kernelweave.weights import LpBall
    >>> x = np.linspace(-1, 1, 8)[:, None]
    >>> gram = DenseStack(np.stack([x @ x.T, (x @ x.T) ** 2]))
    >>> solution = solve(Problem(gram, Square(x**2, lam=0.1), LpBall(2)), tol=1e-8)
    >>> solution.weights.round(3), solution.certificate.relative_gap <= 1e-8
    (array([0., 1.]), True)
    """
    if solver is None:
        from .solvers.default import default_solver

        solver = default_solver(problem)
    not_negative("tol", tol)
    count("max_iter", max_iter)
    one = "one of kernelweave.solvers such as Newton()"
    instance("solver", solver, method="iterates", allowed=one)
    theta = start
    if isinstance(start, Solution):
        # Where no weight is zero, the best answer to its A is nearer than its weights,
        # which may come from another set.
        theta = start.weights
        if problem.weights.interior and len(start.A) == problem.gram.n:
            theta = problem.weights.maximiser(problem.quadratic(start.A))
    if theta is not None:
        theta = np.asarray(theta, dtype=float)
        if theta.shape != (problem.gram.p,) or not np.all(np.isfinite(theta)):
            raise ValueError(
                f"start must hold {problem.gram.p} finite weights, one for each "
                f"kernel, got shape {theta.shape}"
            )
        theta = problem.weights.project(theta)
    began = time.perf_counter()
    best: Point | None = None
    dual: DualPoint | None = None
    trace: list[TraceRow] = []
    status = Status.STALLED
    lost = 0
    try:
        with blas_threads(problem.gram.n), reporter() as report:
            for iterate in solver.iterates(problem, tol, theta):
                point = iterate.point
                # A value that is NaN or infinite is no bound.
                lost = 0 if np.isfinite(point.value) else lost + 1
                if not lost and (best is None or point.value < best.value):
                    best = point
                dual = _better_dual(problem, dual, point.A, point.s)
                if iterate.A is not None:
                    dual = _better_dual(problem, dual, iterate.A)
                certificate = _certificate(best, dual)
                row = TraceRow(time.perf_counter() - began, certificate)
                trace.append(row)
                gap = certificate.relative_gap
                report(0, 0, f"iteration {len(trace)}, gap {gap:.1e}")
                if verbose:
                    _print(len(trace), row)
                if abs(certificate.relative_gap) <= tol:
                    status = Status.OPTIMAL
                    break
                if lost == 2:
                    status = Status.NOT_FINITE
                    break
                if callback is not None and callback(len(trace), row, point):
                    status = Status.STOPPED
                    break
                if len(trace) >= max_iter:
                    status = Status.MAX_ITER
                    break
                if time_limit is not None and row.seconds >= time_limit:
                    status = Status.TIME_LIMIT
                    break
    except KeyboardInterrupt:
        if best is None:
            raise
        status = Status.INTERRUPTED
    except FloatingPointError:
        if best is None:
            raise
        status = Status.NOT_FINITE
    if best is None:
        if not trace:
            raise RuntimeError(f"{solver!r} ended before its first iterate")
        raise RuntimeError(
            f"{solver!r} found no weights with a finite value: check that kernels and "
            "targets are finite, and of a sensible scale"
        )
    certificate = _certificate(best, dual)
    # The upper bound falls and the lower one rises: no later step makes it good.
    if certificate.relative_gap < -tol and status is not Status.INTERRUPTED:
        status = Status.CONTRADICTED
    return Solution(
        weights=best.theta,
        A=best.A,
        bias=best.bias,
        dual_A=best.A if dual is None else dual.A,
        certificate=certificate,
        status=status,
        trace=tuple(trace),
    )


def path(
    problem: Problem,
    values: Iterable[float],
    solver: Solver | None = None,
    tol: float = 1e-6,
    *,
    parameter: str = "lam",
    **options,
) -> list[Solution]:
    """Solve the problem for every λ, or C, each started at the last one's weights.

    λ appears only in the loss, so the weights of one λ are feasible, and near the
    optimum, for the next (Kim et al. 2006, §6). Give the values in order.

    Parameters
    ----------
    problem : Problem
    values : iterable of float
    solver, tol, **options
        As in `solve`.
    parameter : str
        The field of the loss that is replaced: "lam", or "C".

    Returns
    -------
    list of Solution, one for each value

    Examples
    --------
    >>> import numpy as np
    >>> from kernelweave import Problem, path
    >>> from kernelweave.grams import DenseStack
    >>> from kernelweave.losses import Square
    >>> from kernelweave.weights import Simplex
    >>> x = np.linspace(-1, 1, 8)[:, None]
    >>> gram = DenseStack(np.stack([x @ x.T, (x @ x.T) ** 2]))
    >>> problem = Problem(gram, Square(x + x**2, lam=1.0), Simplex())
    >>> [s.weights.round(2).tolist() for s in path(problem, [10, 1, 0.1])]
    [[0.97, 0.03], [0.55, 0.45], [0.5, 0.5]]
    """
    solutions: list[Solution] = []
    start = options.pop("start", None)
    if not hasattr(problem.loss, parameter):
        raise ValueError(
            f"{type(problem.loss).__name__} has no {parameter!r}; name the parameter "
            "of the loss that the values are for"
        )
    for value in values:
        loss = replace(cast(Any, problem.loss), **{parameter: float(value)})
        solution = solve(
            replace(problem, loss=loss), solver, tol, start=start, **options
        )
        solutions.append(solution)
        start = solution
        if solution.status is Status.INTERRUPTED:
            break
    return solutions


def _better_dual(
    problem: Problem, dual: DualPoint | None, A: Array, s: Array | None = None
) -> DualPoint | None:
    """The better of a lower bound and the one that A proves, if it is a number."""
    s = problem.quadratic(A) if s is None else s
    if not np.all(np.isfinite(s)):
        return dual
    new = problem.dual(A, s)
    if not np.isfinite(new.value) or (dual is not None and new.value <= dual.value):
        return dual
    return new


def _certificate(best: Point | None, dual: DualPoint | None) -> Certificate:
    return Certificate(
        np.inf if best is None else best.value, -np.inf if dual is None else dual.value
    )


def _print(iteration: int, row: TraceRow) -> None:
    if iteration == 1:
        print(" iter      primal        dual         gap   seconds", file=sys.stderr)
    c = row.certificate
    print(
        f"{iteration:5d}  {c.primal:.6e}  {c.dual:.6e}  {c.relative_gap:8.1e}"
        f"  {row.seconds:8.2f}",
        file=sys.stderr,
        flush=True,
    )
