"""What learning by leave-one-out costs, beside one plain fit and one factorisation.

1000 rows of three views of ten columns, six kernels a view, three classes; times are
the best of three, in one run, on one thread.

    python benchmarks/learning.py
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from scipy.linalg import cholesky

from kernelweave import MKLDiscriminantAnalysis, MKLDiscriminantAnalysisCV
from kernelweave.grams.stored import stored_stack
from kernelweave.kernels import number_kernels
from kernelweave.losses import Square, discriminant_targets
from kernelweave.problem import Problem
from kernelweave.selection import ALPHAS, inner_products, learn, leave_out
from kernelweave.solve import solve
from kernelweave.threads import blas_threads
from kernelweave.weights import LpBall, Simplex

ROWS, VIEWS, COLUMNS = 1000, 3, 10


def seconds(work: Callable[[], object]) -> float:
    """The best of three."""
    found = []
    for _ in range(3):
        began = time.perf_counter()
        work()
        found.append(time.perf_counter() - began)
    return min(found)


def main() -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((ROWS, VIEWS * COLUMNS))
    score = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 10] + 0.5 * rng.standard_normal(ROWS)
    labels = np.digitize(score, np.quantile(score, [1 / 3, 2 / 3]))
    kernels = []
    for view in range(VIEWS):
        columns = slice(view * COLUMNS, (view + 1) * COLUMNS)
        kernels += number_kernels(columns, f"view {view}: ")
    fitted = [kernel.fit(X) for kernel in kernels]
    gram, _ = stored_stack(fitted, X, "variance", True)
    H = discriminant_targets(labels, 3)
    theta = np.full(gram.p, 1 / gram.p)

    def gradient() -> None:
        at = leave_out(gram.combine(theta), 0.1, H)
        inner_products(gram, at.sensitivity())

    def factorise() -> None:
        cholesky(K, lower=True, check_finite=False)

    K = gram.combine(theta) + 0.1 * np.eye(ROWS)
    with blas_threads(ROWS):
        times = {
            "factorisation": seconds(factorise),
            "gradient": seconds(gradient),
            "weights, given the matrices (l1)": seconds(
                lambda: solve(Problem(gram, Square(H, 1.0, True), Simplex()))
            ),
            "weights, given the matrices (l2)": seconds(
                lambda: solve(Problem(gram, Square(H, 1.0, True), LpBall(2)))
            ),
            "learning, given the matrices": seconds(lambda: learn(gram, H, ALPHAS)),
            "plain fit": seconds(
                lambda: MKLDiscriminantAnalysis(kernels).fit(X, labels)
            ),
            "automatic fit": seconds(
                lambda: MKLDiscriminantAnalysisCV(kernels).fit(X, labels)
            ),
        }
    for what, took in times.items():
        print(f"{what:36}{took:8.3f} s")
    ratio = times["gradient"] / times["factorisation"]
    print(f"\none gradient: {ratio:.1f} factorisations (goal: at most 15)")
    ratio = times["automatic fit"] / times["plain fit"]
    print(f"the automatic fit, all included: {ratio:.1f} plain fits (goal: at most 15)")
    evaluations = learn(gram, H, ALPHAS).descent.evaluations
    print(f"{evaluations} gradients, {gram.p} kernels, {gram.n} rows")


if __name__ == "__main__":
    main()
