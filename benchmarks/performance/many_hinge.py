"""Hundreds of kernels of few samples, hinge loss: `solve` in fits of one SVC."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from common import Columns, Row, against, busy
from fits import certified
from sklearn.preprocessing import scale
from sklearn.svm import SVC

from kernelweave import Problem, solve
from kernelweave.datasets import load_table
from kernelweave.grams import DenseStack
from kernelweave.losses import Hinge
from kernelweave.solvers import SILP, Alternating, Level
from kernelweave.weights import ElasticNet, LpBall, Simplex
from kernelweave_papers.yang2011.tasks import base_kernels

GAP, LIMIT = 1e-3, 20.0
COLUMNS: Columns = [
    ("weights", "weights", ""),
    ("solver", "solver", ""),
    ("n", "n", "d"),
    ("p", "p", "d"),
    ("C", "C", "g"),
    ("seconds", "solve s", ".4f"),
    ("svc", "SVC s", ".5f"),
    ("ratio", "SVC fits", ".1f"),
    ("gap", "gap", ".0e"),
    ("iterations", "steps", "d"),
]


def many_hinge(quick: bool) -> Iterator[Row]:
    """793 kernels on half of the rows of sonar: Yang et al. 2011, Table V."""
    X, y = load_table("sonar")
    X, y = scale(X)[::2], y[::2]
    kernels = base_kernels(X.shape[1])[:: 8 if quick else 1]
    K = np.stack([kernel.fit(X, X)(X) for kernel in kernels])
    n = len(y)
    spread = (np.trace(K, axis1=1, axis2=2) - K.sum(axis=(1, 2)) / n) / n
    K /= spread[:, None, None]
    for C in (1.0, 10.0):
        for weights in (Simplex(), ElasticNet(0.5), LpBall(2)):
            yield measure(K, y, C, weights, None)
        for solver in (Alternating(), SILP(), Level()):
            yield measure(K, y, C, LpBall(2), solver)


def measure(K: np.ndarray, y: np.ndarray, C: float, weights: Any, solver: Any) -> Row:
    """One solver, or the default; one that takes over 20 seconds is stopped."""
    average = K.mean(axis=0)
    Y = np.where(y == y.max(), 1.0, -1.0)[:, None]
    problem = Problem(DenseStack(K), Hinge(Y, C), weights)

    def run() -> Any:
        return solve(problem, solver, GAP, max_iter=10**6, time_limit=LIMIT)

    def svc() -> Any:
        for _ in range(10):  # one takes a millisecond
            SVC(kernel="precomputed", C=C).fit(average, y)

    run()  # compiled, and everything is warm
    times, references, solution = against(svc, run)
    seconds, one = float(np.median(times)), float(np.median(references)) / 10
    return {
        "weights": repr(weights),
        "solver": "default" if solver is None else type(solver).__name__,
        "n": len(y),
        "p": len(K),
        "C": C,
        "seconds": seconds,
        "svc": one,
        "ratio": seconds / one,
        **certified(solution),
        "note": busy(),
    }
