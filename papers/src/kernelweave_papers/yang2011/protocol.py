"""What the paper measured: accuracy, kernels selected and seconds (§VI-A to §VI-C).

C is that of (5), Σ_i C(1 − y_i f(x_i))₊, for kernels of trace one: some n times the C
of kernels with k(x, x) = 1. The weights have vΣθ + (1 − v)Σθ² = 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from kernelweave.grams import DenseStack
from kernelweave.losses import Hinge
from kernelweave.problem import Array, Problem, Solver, WeightSet
from kernelweave.solve import Solution, solve
from kernelweave.solvers import Alternating
from kernelweave.weights import ElasticNet, Fixed

from ..comparison import read_toml
from .tasks import TABLES, Task, tasks

Rows = list[dict[str, Any]]
Progress = Callable[[str], object]

TOYS = ("toy 1", "toy 2")
SETS = tuple(TABLES)
METHODS: Mapping[str, WeightSet] = {
    "GMKL": ElasticNet(0.5),
    "ℓ1": ElasticNet(1.0),
    "ℓ2": ElasticNet(0.0),
    "uniform": Fixed(),
}
# The grid is not printed.
PENALTIES = tuple(10.0 ** (i / 2) for i in range(9))
VALUES = tuple(i / 10 for i in range(11))
TOL = 1e-3
# How many the printed figures are means of.
RUNS = 20
# A kernel is selected if its weight is above this share of the largest one. Newton's
# zeros are exact; the weights of ℓ2 are positive, and can be as small as they like.
SELECTED = 1e-8


def fit(
    K: Array,
    y: Array,
    weights: WeightSet,
    C: float,
    tol: float = TOL,
    solver: Solver | None = None,
    start: Solution | None = None,
) -> Solution:
    """Learn weights from Gram matrices (p, n, n) and labels −1 and 1."""
    if solver is None and isinstance(weights, ElasticNet) and weights.v == 0:
        # Every weight is positive, and the step in closed form is the cheaper one.
        solver = Alternating()
    loss = Hinge(y[:, None].astype(float), C)
    problem = Problem(DenseStack(K), loss, weights)
    return solve(problem, solver, tol, max_iter=500, start=start)


def choose_penalty(
    task: Task,
    weights: WeightSet,
    penalties: Sequence[float] = PENALTIES,
    folds: int = 5,
    tol: float = TOL,
) -> float:
    """The C of the best accuracy in cross validation on the training rows.

    The smallest, if several are best.
    """
    if len(penalties) == 1:
        return float(penalties[0])
    right = np.zeros(len(penalties))
    splitter = StratifiedKFold(folds, shuffle=True, random_state=0)
    for train, rest in splitter.split(task.X, task.y):
        K, last = task.K[:, train[:, None], train], None
        for i, C in enumerate(penalties):
            last = fit(K, task.y[train], weights, C, tol, start=last)
            f = DenseStack(task.K).combine(last.weights)[np.ix_(rest, train)] @ last.A
            f = np.where(f[:, 0] + last.bias[0] > 0, 1, -1)
            right[i] += np.sum(f == task.y[rest])
    return float(penalties[int(np.argmax(right))])


def selected(theta: Array) -> int:
    """How many kernels have a weight."""
    return int(np.sum(theta > SELECTED * np.max(theta)))


def compare(
    names: Iterable[str] = (*TOYS, *SETS),
    splits: int = RUNS,
    methods: Mapping[str, WeightSet] = METHODS,
    penalties: Sequence[float] = PENALTIES,
    tol: float = TOL,
    seed: int = 0,
    progress: Progress | None = None,
) -> Rows:
    """Tables IV and V: GMKL (v = 0.5), ℓ1 (v = 1), ℓ2 (v = 0) and uniform weights.

    Each method has its own C, chosen by cross validation on the training rows of the
    first run, and the same runs.

    Returns
    -------
    rows of data, run, method, C, accuracy, kernels, seconds (to learn the weights),
    iterations, gap
    """
    out: Rows = []
    for name in names:
        if progress is not None:
            progress(f"{name}, {splits} runs of {', '.join(methods)}")
        out += measure(name, tasks(name, splits, seed), methods, penalties, tol)
    return out


def measure(
    name: str,
    runs: Iterable[Task],
    methods: Mapping[str, WeightSet] = METHODS,
    penalties: Sequence[float] = PENALTIES,
    tol: float = TOL,
) -> Rows:
    """The rows of `compare` for any tasks."""
    out: Rows = []
    chosen: dict[str, float] = {}
    for run, task in enumerate(runs):
        for method, weights in methods.items():
            if run == 0:
                chosen[method] = choose_penalty(task, weights, penalties, tol=tol)
            C = chosen[method]
            solution = fit(task.K, task.y, weights, C, tol)
            row = {"data": name, "run": run, "method": method, "C": C}
            out.append(row | measured(task, solution))
    return out


def measured(task: Task, solution: Solution) -> dict[str, Any]:
    """What Tables IV and V report of one run."""
    f = task.scores(solution.weights, solution.A, solution.bias)
    return {
        "accuracy": float(np.mean(np.where(f > 0, 1, -1) == task.y_test)),
        "kernels": selected(solution.weights),
        "seconds": solution.trace[-1].seconds,
        "iterations": solution.n_iter,
        "gap": solution.certificate.relative_gap,
    }


def sweep(
    names: Iterable[str] = TOYS,
    values: Sequence[float] = VALUES,
    splits: int = RUNS,
    penalties: Sequence[float] = PENALTIES,
    tol: float = TOL,
    seed: int = 0,
    progress: Progress | None = None,
) -> Rows:
    """Figure 2: accuracy and number of kernels as v goes from 0 to 1.

    Returns
    -------
    rows as in `compare`, with v in place of method
    """
    methods = {f"{v:g}": ElasticNet(float(v)) for v in values}
    rows = compare(names, splits, methods, penalties, tol, seed, progress)
    return [{"v": float(row.pop("method"))} | row for row in rows]


def average_weights(
    names: Iterable[str] = TOYS,
    values: Sequence[float] = (1.0, 0.5, 0.0),
    splits: int = RUNS,
    penalties: Sequence[float] = PENALTIES,
    tol: float = TOL,
    seed: int = 0,
) -> Rows:
    """Figure 1: the weights, averaged over the runs.

    Returns
    -------
    rows of data, v, kernel, name, weight, share (of runs that selected the kernel)
    """
    out: Rows = []
    for name in names:
        total: dict[float, Array] = {}
        count: dict[float, Array] = {}
        chosen: dict[float, float] = {}
        labels: list[str] = []
        for run, task in enumerate(tasks(name, splits, seed)):
            labels = [kernel.label for kernel in task.kernels]
            for v in values:
                weights = ElasticNet(float(v))
                if run == 0:
                    chosen[v] = choose_penalty(task, weights, penalties, tol=tol)
                theta = fit(task.K, task.y, weights, chosen[v], tol).weights
                on = theta > SELECTED * np.max(theta)
                total[v] = total.get(v, np.zeros(len(theta))) + theta / splits
                count[v] = count.get(v, np.zeros(len(theta))) + on / splits
        out += [
            {
                "data": name,
                "v": float(v),
                "kernel": j,
                "name": labels[j],
                "weight": float(total[v][j]),
                "share": float(count[v][j]),
            }
            for v in values
            for j in range(len(labels))
        ]
    return out


def printed() -> dict[str, Any]:
    """The paper's figures: [data][method][quantity] → (mean, deviation)."""
    known = read_toml("yang2011", "printed.toml")
    out: dict[str, Any] = {"table II": known["table II"]}
    for name, columns in (known["table4"]["cells"] | known["table5"]["cells"]).items():
        for column, cell in columns.items():
            method, _, quantity = column.partition(" ")
            of = out.setdefault(name, {}).setdefault(method, {})
            of[quantity or "accuracy"] = (cell["mean"], cell["sd"])
    return out
