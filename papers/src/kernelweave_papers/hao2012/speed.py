"""What the paper measured of time: Figures 1, 2 and 3."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np

from kernelweave.grams import DenseStack
from kernelweave.losses import SquaredHinge
from kernelweave.problem import Array, Problem, Solver
from kernelweave.solve import solve
from kernelweave.solvers import Newton, Primal
from kernelweave.solvers.truncated_newton import Pieces, minimise
from kernelweave.weights import Simplex

from .alternation import Alternation, Counted, nonlinear_pcg
from .protocol import LAMBDAS, Progress, Rows, selected
from .tasks import UCI, WIDTHS, gaussians, split, table

FIGURE1 = ("ringnorm", "splice", "twonorm", "waveform", "spambase", "banana")


def _problem(X: Array, y: Array, widths: Sequence[float], lam: float) -> Problem:
    loss = SquaredHinge(y[:, None].astype(float), 1 / lam)
    return Problem(DenseStack(gaussians(X, tuple(widths))), loss, Simplex())


@cache
def _warm_up() -> None:
    """Compile what is compiled at its first use, so that no measurement has it."""
    X, y = table("twonorm")
    problem = _problem(X[:40], y[:40], WIDTHS[:3], 1.0)
    for solver in (Alternation(), Alternation("pcg"), Primal(), Newton()):
        solve(problem, solver, 1e-6, max_iter=5)


def directions(
    names: Iterable[str] = FIGURE1,
    sizes: Iterable[tuple[int, int]] = ((1000, 11), (1000, 22), (1000, 33)),
    lam: float = 1.0,
    tol: float = 1e-2,
    max_iter: int = 1000,
    time_limit: float = 60.0,
    seed: int = 0,
    progress: Progress | None = None,
) -> Rows:
    """Figure 1: the time of truncated Newton and of nonlinear PCG, in Algorithm 1.

    Both end by the paper's rule, or at the relative duality gap tol, which the paper
    did not have. `Primal` is our own way to that gap. λ and which 11 and 22 kernels
    are not printed: the first ones, that is the widths 1.1^i, then 1.5^i.

    Returns
    -------
    rows of data, n, kernels, method, seconds, iterations, products (with K(d), one
    column each), gap
    """
    _warm_up()
    sizes = list(sizes)
    out: Rows = []
    for name in names:
        X, y = table(name)
        for n, count in sizes:
            rows = np.random.default_rng(seed).permutation(len(y))[:n]
            problem = _problem(X[rows], y[rows], WIDTHS[:count], lam)
            contenders: dict[str, Solver] = {
                "truncated Newton": Alternation("newton"),
                "PCG": Alternation("pcg"),
                "Primal": Primal(),
            }
            for method, solver in contenders.items():
                if progress is not None:
                    progress(f"{name}, n = {n}, {count} kernels, {method}")
                solution = solve(
                    problem, solver, tol, max_iter=max_iter, time_limit=time_limit
                )
                out.append(
                    {"data": name, "n": len(rows), "kernels": count, "method": method}
                    | {"seconds": solution.trace[-1].seconds}
                    | {"iterations": solution.n_iter}
                    | {"products": getattr(solver, "products_", None)}
                    | {"gap": solution.certificate.relative_gap}
                )
    return out


def machines(
    names: Iterable[str] = FIGURE1,
    n: int = 1000,
    lams: Iterable[float] = (1.0, 0.1, 0.01, 0.001),
    tol: float = 1e-4,
    max_iter: int = 5000,
    seed: int = 0,
    progress: Progress | None = None,
) -> Rows:
    """The directions of Figure 1 at given weights: one machine on the average kernel.

    Each ends when the duality gap is tol of the objective at zero. "Newton" solves
    every step to 1e-8.

    Returns
    -------
    rows of data, lam, method, products (with K), seconds, gap (relative)
    """
    lams = list(lams)
    out: Rows = []
    for name in names:
        if progress is not None:
            progress(name)
        X, y = table(name)
        rows = np.random.default_rng(seed).permutation(len(y))[:n]
        average = gaussians(X[rows]).mean(axis=0)
        Y = y[rows][:, None].astype(float)
        for lam in lams:
            pieces = Pieces(*SquaredHinge(Y, 1 / lam).box, True)
            zero, b = np.zeros_like(Y), np.zeros(1)
            unit = pieces.value(zero, zero, pieces.answer(zero, b))
            for method in ("truncated Newton", "Newton", "PCG"):
                K: Any = Counted(average)
                began = time.perf_counter()
                if method == "PCG":
                    gap = nonlinear_pcg(K, pieces, tol * unit, max_iter)
                else:
                    truncated = method != "Newton"
                    gap = minimise(K, pieces, zero, b, tol * unit, truncated).gap
                out.append(
                    {"data": name, "lam": lam, "method": method}
                    | {"products": K.products}
                    | {"seconds": time.perf_counter() - began, "gap": gap / unit}
                )
    return out


def evolution(
    names: Iterable[str] = UCI, lam: float = 1.0, largest: int = 5, seed: int = 0
) -> Rows:
    """Figure 2: the largest weights after every iteration of `Primal`.

    Returns
    -------
    rows of data, iteration, kernel, width, weight, gap
    """
    out: Rows = []
    for name in names:
        X, y = table(name)
        train, _ = split(y, 0.7, np.random.default_rng(seed))
        seen: list[tuple[Array, float]] = []

        def keep(_, row, point, seen=seen):
            seen.append((point.theta.copy(), row.certificate.relative_gap))

        problem = _problem(X[train], y[train], WIDTHS, lam)
        solution = solve(problem, Primal(), 1e-4, callback=keep)
        if len(seen) < solution.n_iter:
            # The last one ends the loop before the callback.
            seen.append((solution.weights, solution.certificate.relative_gap))
        for j in np.argsort(-solution.weights, kind="stable")[:largest]:
            out += [
                {"data": name, "iteration": i + 1, "kernel": int(j)}
                | {"width": WIDTHS[j], "weight": float(theta[j]), "gap": gap}
                for i, (theta, gap) in enumerate(seen)
            ]
    return out


def kernel_counts(
    names: Iterable[str] = ("waveform", "spambase"),
    counts: Iterable[int] = (1, 3, 6, 11, 17, 22, 28, 33),
    n: int = 1000,
    runs: int = 5,
    lam: float = 1.0,
    tol: float = 1e-3,
    seed: int = 0,
    progress: Progress | None = None,
    first: int = 0,
) -> Rows:
    """Figure 3 (a): seconds to learn the weights against the number of kernels.

    Each run, from number `first` on, has other rows and another choice of the 33
    kernels.

    Returns
    -------
    rows of data, run, kernels, solver, seconds, iterations, gap, selected
    """
    _warm_up()
    counts = list(counts)
    out: Rows = []
    for name in names:
        X, y = table(name)
        for run in range(first, first + runs):
            if progress is not None:
                progress(f"{name}, run {run + 1}")
            rng = np.random.default_rng((seed, run))
            rows = rng.permutation(len(y))[:n]
            order = rng.permutation(len(WIDTHS))
            for count in counts:
                widths = [WIDTHS[j] for j in order[:count]]
                problem = _problem(X[rows], y[rows], widths, lam)
                for solver in (Primal(), Newton()):
                    row = {"data": name, "run": run, "kernels": count}
                    row |= {"solver": type(solver).__name__}
                    out.append(row | _timed(problem, solver, tol))
    return out


def penalty_times(
    names: Iterable[str] = UCI,
    lams: Iterable[float] = LAMBDAS,
    tol: float = 1e-3,
    seed: int = 0,
) -> Rows:
    """Figure 3 (b): seconds to learn the weights of 33 kernels against λ.

    70 % of the rows to learn from; every λ from equal weights.

    Returns
    -------
    rows of data, lam, solver, seconds, iterations, gap, selected
    """
    _warm_up()
    lams = list(lams)
    out: Rows = []
    for name in names:
        X, y = table(name)
        train, _ = split(y, 0.7, np.random.default_rng(seed))
        for lam in lams:
            problem = _problem(X[train], y[train], WIDTHS, lam)
            for solver in (Primal(), Newton()):
                row = {"data": name, "lam": lam, "solver": type(solver).__name__}
                out.append(row | _timed(problem, solver, tol))
    return out


def _timed(problem: Problem, solver: Solver, tol: float) -> dict[str, Any]:
    began = time.perf_counter()
    solution = solve(problem, solver, tol)
    return {
        "seconds": time.perf_counter() - began,
        "iterations": solution.n_iter,
        "gap": solution.certificate.relative_gap,
        "selected": selected(solution.weights),
    }
