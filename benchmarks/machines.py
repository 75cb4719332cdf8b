"""Support vector machines: the inner solver against libsvm, and MKL against one fit.

The first table: one kernel matrix, n = 1500, ours (exact: no slope points into the box
by more than rounding) against scikit-learn's SVC (libsvm, which stops at 1e-3), and
ours again from its own answer after the kernel changed by a tenth.

The second: the time to a relative duality gap of 1e-3, as a multiple of one SVC fit on
the average kernel, measured around each method in the same run (medians of three).
"average" forms the average of the stack and fits that SVC: what uniform weights cost.
Rivals are given 20 seconds; one that did not get there is marked with >. The memory is
the peak beyond the stack, in n² doubles.

    python benchmarks/machines.py

Data come from the folder KERNELWEAVE_DATA; sets that are not there are left out.
"""

import argparse
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.preprocessing import scale
from sklearn.svm import SVC

from kernelweave import Problem, solve
from kernelweave.datasets import load_table
from kernelweave.grams import DenseStack
from kernelweave.losses import Hinge
from kernelweave.losses.box import Box, maximise
from kernelweave.solvers import SILP, Alternating, Level, Newton, ReducedGradient
from kernelweave.threads import blas_threads
from kernelweave.weights import ElasticNet, LpBall, Simplex
from kernelweave_papers.yang2011.tasks import base_kernels

GAP, LIMIT = 1e-3, 20.0
WIDTHS = 2.0 ** np.arange(-3, 7)


def median_time(run: Callable[[], Any], repeats: int = 3) -> tuple[float, Any]:
    times, answer = [], None
    for _ in range(repeats):
        began = time.perf_counter()
        answer = run()
        times.append(time.perf_counter() - began)
    return float(np.median(times)), answer


def variance_one(K: np.ndarray) -> np.ndarray:
    n = K.shape[1]
    spread = (np.trace(K, axis1=1, axis2=2) - K.sum(axis=(1, 2)) / n) / n
    return K / spread[:, None, None]


def spambase(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Ten Gaussians of widths 2⁻³..2⁶ on n rows."""
    X, y = load_table("spambase")
    rows = np.random.default_rng(0).permutation(len(X))[:n]
    X, y = scale(X[rows]), y[rows]
    squares = np.sum(X * X, axis=1)
    D = np.maximum(squares[:, None] + squares - 2 * X @ X.T, 0)
    return variance_one(np.stack([np.exp(-D / (2 * w * w)) for w in WIDTHS])), y


def sonar() -> tuple[np.ndarray, np.ndarray]:
    """793 kernels on half of the rows: Yang et al. 2011, Table V."""
    X, y = load_table("sonar")
    X = scale(X)[::2]
    K = np.stack([kernel.fit(X, X)(X) for kernel in base_kernels(X.shape[1])])
    return variance_one(K), y[::2]


def inner_table(n: int) -> None:
    K, y = spambase(n)
    t = np.where(y == y.max(), 1.0, -1.0)
    zero = np.zeros(n)
    print(f"one kernel, spambase, n = {n}; milliseconds")
    print(f"{'kernel':<10}{'C':>6}{'SVC':>8}{'ours':>8}{'warm':>8}{'free':>6}{'SV':>6}")
    kernels = {"average": K.mean(axis=0)}
    kernels |= {"width 1": K[3].copy(), "width 16": K[7].copy()}
    for name, Kb in kernels.items():
        moved = 0.9 * Kb + 0.1 * K[4]
        for C in (0.1, 1.0, 10.0, 100.0, 1000.0):
            box = Box(t, 0.0, np.where(t > 0, 0, -C), np.where(t > 0, C, 0), zero, True)
            with blas_threads(n):
                theirs, _ = median_time(
                    lambda Kb=Kb, C=C: SVC(kernel="precomputed", C=C).fit(Kb, y)
                )
                cold, best = median_time(lambda Kb=Kb, box=box: maximise(Kb, box))
                warm, _ = median_time(
                    lambda moved=moved, box=box, best=best: maximise(moved, box, best.a)
                )
            print(
                f"{name:<10}{C:6g}{1e3 * theirs:8.1f}{1e3 * cold:8.1f}"
                f"{1e3 * warm:8.1f}{len(best.face.index):6d}"
                f"{np.count_nonzero(best.a):6d}",
                flush=True,
            )


def peak(run: Callable[[], Any]) -> int:
    """Bytes allocated at most while it runs."""
    tracemalloc.start()
    run()
    size = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return size


def problem_rows(name: str, K: np.ndarray, y: np.ndarray, C: float) -> None:
    Y = np.where(y == y.max(), 1.0, -1.0)[:, None]
    gram, n = DenseStack(K), len(y)
    average = K.mean(axis=0)

    def fit() -> Any:
        return SVC(kernel="precomputed", C=C).fit(average, y)

    def uniform() -> Any:
        return SVC(kernel="precomputed", C=C).fit(K.mean(axis=0), y)

    print(f"\n{name}: n = {n}, {len(K)} kernels, C = {C:g}")
    print(f"{'weights':<12}{'method':<18}{'ms':>9}{'x SVC':>9}{'solves':>7}{'gap':>9}")
    one, _ = median_time(fit, 9)
    both, _ = median_time(uniform)
    print(f"{'':<12}{'SVC':<18}{1e3 * one:9.1f}{1.0:9.1f}")
    print(f"{'':<12}{'average, SVC':<18}{1e3 * both:9.1f}{both / one:9.1f}")
    for weights in (Simplex(), ElasticNet(0.5), LpBall(2)):
        problem = Problem(gram, Hinge(Y, C), weights)
        solvers: list[Any] = [Newton(), SILP(), Level()]
        solvers += [ReducedGradient()] if isinstance(weights, Simplex) else []
        solvers += [] if isinstance(weights, Simplex) else [Alternating()]
        for solver in solvers:
            quick = isinstance(solver, Newton)

            def run(problem=problem, solver=solver) -> Any:
                return solve(problem, solver, GAP, max_iter=10**6, time_limit=LIMIT)

            run() if quick else None  # compiled, and warm as the rivals then are
            one, _ = median_time(fit, 5)
            seconds, found = median_time(run, 3 if quick else 1)
            label = {"Simplex": "simplex", "ElasticNet": "net 0.5"}.get(
                type(weights).__name__, "ℓ2"
            )
            mark = " " if found.converged else ">"
            print(
                f"{label:<12}{type(solver).__name__:<18}{1e3 * seconds:9.1f}{mark}"
                f"{seconds / one:8.1f}{found.n_iter:7d}"
                f"{found.certificate.relative_gap:9.0e}",
                flush=True,
            )
            if quick:
                extra = peak(run) / (8 * n * n)
                print(f"{'':<12}{'  memory':<18}{extra:9.1f} n² doubles")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=1500, help="of spambase")
    parser.add_argument("--C", type=float, nargs="+", default=[1.0, 10.0])
    options = parser.parse_args()
    for table in (
        lambda: inner_table(options.rows),
        *(
            lambda C=C: problem_rows("spambase", *spambase(options.rows), C)
            for C in options.C
        ),
        *(lambda C=C: problem_rows("sonar", *sonar(), C) for C in options.C),
    ):
        try:
            table()
        except FileNotFoundError as error:
            print(error)
