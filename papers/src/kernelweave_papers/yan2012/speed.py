"""How long the weights take to learn (§3.7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from sklearn.base import clone

from kernelweave.grams import DenseStack
from kernelweave.grams.normalise import normalise
from kernelweave.losses import Square, discriminant_targets
from kernelweave.problem import Problem, Solver
from kernelweave.solve import solve
from kernelweave.solvers import SILP, Newton
from kernelweave.weights import LpBall

from .protocol import TOL, Progress, Rows, accuracy, fit
from .tasks import Task

# The paper's wrapper is the last; its p = 1 + 2^-6 stands for sparse norms above 1.
SOLVERS: Mapping[str, Solver] = {
    "Newton": Newton(),
    "SIP": SILP(),
    "SIP, expansion (11)": SILP(expansion=True),
}
NORMS = (1.0, 1 + 2.0**-6, 2.0)
TOLERANCES = (*(2.0**-i for i in range(7)), 1e-2, 1e-3, 1e-4, 1e-5)


def training_time(
    tasks: Iterable[Task],
    norms: Sequence[float] = NORMS,
    solvers: Mapping[str, Solver] = SOLVERS,
    lam: float = 1.0,
    tol: float = TOL,
    max_iter: int = 200,
    repeats: int = 3,
    progress: Progress | None = None,
) -> Rows:
    """Figures 7 and 8: seconds to learn the weights from the training rows.

    All solvers stop at the same relative duality gap. They take turns, so that what
    else the machine does hits all of them.

    Returns
    -------
    rows of n, kernels, p, solver, seconds (the median), iterations, gap
    """
    out: Rows = []
    for task in tasks:
        rows = task.train
        K = task.K[:, rows[:, None], rows].astype(float)
        for k in K:
            normalise(k, None, True)
        classes, labels = np.unique(task.y[rows], return_inverse=True)
        loss = Square(discriminant_targets(labels, len(classes)), lam, True)
        for p in norms:
            if progress is not None:
                progress(f"{len(rows)} samples, {len(K)} kernels, p = {p:g}")
            problem = Problem(DenseStack(K), loss, LpBall(p))
            if not out:
                # What is compiled at its first use is not measured.
                for solver in solvers.values():
                    solve(problem, clone(solver), tol, max_iter=3)
            runs = {name: [] for name in solvers}
            for _ in range(repeats):
                for name, solver in solvers.items():
                    runs[name].append(
                        solve(problem, clone(solver), tol, max_iter=max_iter)
                    )
            out += [
                {
                    "n": len(rows),
                    "kernels": len(K),
                    "p": p,
                    "solver": name,
                    "seconds": float(np.median([s.trace[-1].seconds for s in found])),
                    "iterations": found[0].n_iter,
                    "gap": found[0].certificate.relative_gap,
                }
                for name, found in runs.items()
            ]
    return out


def time_accuracy(
    task: Task,
    norms: Sequence[float] = NORMS[1:],
    solvers: Mapping[str, Solver] = SOLVERS,
    tolerances: Sequence[float] = TOLERANCES,
    lam: float = 1.0,
    progress: Progress | None = None,
) -> Rows:
    """Figure 9: accuracy on the test rows against seconds, over the tolerance.

    Returns
    -------
    rows of p, solver, tol, seconds (to learn the weights), iterations, gap, accuracy
    """
    out: Rows = []
    for p in norms:
        for name, solver in solvers.items():
            if progress is not None:
                progress(f"p = {p:g}, {name}")
            # What is compiled at its first use is not measured.
            fit(task, task.train, LpBall(p), lam, clone(solver), tolerances[0])
            for tol in tolerances:
                model = fit(task, task.train, LpBall(p), lam, clone(solver), tol)
                out.append(
                    {
                        "p": p,
                        "solver": name,
                        "tol": tol,
                        "seconds": model.solution_.trace[-1].seconds,
                        "iterations": model.n_iter_,
                        "gap": model.solution_.certificate.relative_gap,
                        "accuracy": accuracy(task, model, task.train, task.test),
                    }
                )
    return out
