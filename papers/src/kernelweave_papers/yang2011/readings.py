"""What the print leaves open, tried out: C, the stopping rules, the data.

These tables look at the accuracy on the test rows for every choice. They explain; they
choose nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from kernelweave.grams import DenseStack
from kernelweave.losses import Hinge
from kernelweave.problem import Array, Problem
from kernelweave.solve import Solution, solve
from kernelweave.solvers import Level, ReducedGradient

from .protocol import (
    METHODS,
    PENALTIES,
    RUNS,
    SETS,
    TOYS,
    Progress,
    Rows,
    fit,
    measure,
    measured,
)
from .tasks import WIDTHS, Task, split, table, tasks

RULES = ("1e-3", "1e-6", "paper's")


def by_penalty(
    names: Iterable[str] = (*TOYS, *SETS),
    splits: int = RUNS,
    penalties: Sequence[float] = PENALTIES,
    progress: Progress | None = None,
) -> Rows:
    """The rows of `compare` for every C, in place of the one that was chosen."""
    out: Rows = []
    for name in names:
        if progress is not None:
            progress(f"{name}, every C")
        for run, task in enumerate(tasks(name, splits)):
            for method, weights in METHODS.items():
                last = None
                for C in penalties:
                    last = fit(task.K, task.y, weights, C, start=last)
                    row = {"data": name, "run": run, "method": method, "C": C}
                    out.append(row | measured(task, last))
    return out


def by_stopping_rule(
    names: Iterable[str] = (*TOYS, *SETS),
    splits: int = RUNS,
    C: float = 100.0,
    progress: Progress | None = None,
) -> Rows:
    """GMKL and ℓ1 to a relative gap of 1e-3 and 1e-6, and as the paper stopped.

    §VI-A: the level method until no weight moves by 0.001 (the norm is not printed:
    here the largest change), SimpleMKL until the duality gap is 0.01.

    Returns
    -------
    rows as in `compare`, with rule
    """
    out: Rows = []
    for name in names:
        if progress is not None:
            progress(f"{name}, stopping rules")
        for run, task in enumerate(tasks(name, splits)):
            for method in ("GMKL", "ℓ1"):
                for rule in RULES:
                    solution = _stopped(task, method, rule, C)
                    row = {"data": name, "run": run, "method": method, "rule": rule}
                    out.append(row | measured(task, solution))
    return out


def _stopped(task: Task, method: str, rule: str, C: float) -> Solution:
    weights = METHODS[method]
    if rule != "paper's":
        return fit(task.K, task.y, weights, C, float(rule))
    loss = Hinge(task.y[:, None].astype(float), C)
    problem = Problem(DenseStack(task.K), loss, weights)
    if method == "ℓ1":
        return solve(problem, ReducedGradient(), 0.01, max_iter=5000)
    last = np.full(len(task.K), np.inf)

    def still(_iteration, _row, point) -> bool:
        moved = float(np.max(np.abs(point.theta - last)))
        last[:] = point.theta
        return moved < 0.001

    return solve(problem, Level(), 0.0, max_iter=500, callback=still)


def by_reading(
    names: Sequence[str] = (*TOYS, *SETS),
    splits: int = RUNS,
    penalties: Sequence[float] = PENALTIES,
    progress: Progress | None = None,
) -> Rows:
    """Other data and kernels that the print allows, each with C chosen anew.

    Returns
    -------
    rows as in `compare`, with reading
    """
    out: Rows = []
    for name, reading, runs in _readings(names, splits):
        if progress is not None:
            progress(f"{name}, {reading}")
        rows = measure(name, runs, penalties=penalties)
        out += [row | {"reading": reading} for row in rows]
    return out


def _readings(
    names: Sequence[str], splits: int
) -> Iterator[tuple[str, str, Iterable[Task]]]:
    narrow = tuple(width / np.sqrt(2) for width in WIDTHS)
    for name in names:
        if name in TOYS:
            yield name, "as drawn", tasks(name, splits, standardise=False)
        if name in (*TOYS, "sonar", "wdbc"):
            runs = (replace(task, widths=narrow) for task in tasks(name, splits))
            yield name, "exp(−d²/σ²)", runs
        if name == "wpbc":
            X, y = table(name)
            yield name, "without the time", _draws(X[:, 1:], y, splits)
        if name == "breast":
            X, y = table(name)
            # In place of the sample number, which the printed 10th feature may be.
            number = np.random.default_rng(0).permutation(len(y))[:, None]
            yield name, "a random number", _draws(np.hstack([number, X]), y, splits)
            rows = np.unique(np.column_stack([X, y]), axis=0)
            yield name, "distinct rows", _draws(rows[:, :-1], rows[:, -1], splits)


def _draws(X: Array, y: Array, splits: int) -> Iterator[Task]:
    for run in range(splits):
        yield split(X, y, np.random.default_rng((0, run)))
