"""Support vector machines: MKLSVC from the table in fits of one SVC."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from common import Columns, Row, against, busy, median_time, peak
from fits import certified, doubles
from sklearn.svm import SVC
from tasks import WIDTHS, gram_stack, rbf_kernels, spambase

from kernelweave import MKLSVC, Problem, solve
from kernelweave.grams import DenseStack
from kernelweave.losses import Hinge
from kernelweave.weights import Simplex

C, GAP = 10.0, 1e-3
COLUMNS: Columns = [
    ("n", "n", "d"),
    ("p", "p", "d"),
    ("seconds", "fit s", ".3f"),
    ("svc", "SVC s", ".3f"),
    ("ratio", "SVC fits", ".2f"),
    ("gap", "gap", ".0e"),
    ("iterations", "steps", "d"),
    ("memory", "n² doubles", ".2f"),
    ("solve", "solve s", ".3f"),
    ("solve_ratio", "solve, SVC fits", ".2f"),
    ("solve_gap", "solve gap", ".0e"),
]


def hinge(quick: bool) -> Iterator[Row]:
    """n grows, ten kernels, two classes, C = 10, gap 1e-3."""
    measure(200)  # compiled, and everything is warm
    for n in (500, 1000) if quick else (1000, 2000, 4000):
        yield measure(n)


def measure(n: int) -> Row:
    X, y = spambase(n)
    gammas = [float(1 / (2 * w * w)) for w in WIDTHS]
    K = gram_stack(X, gammas, center=False)
    average = K.mean(axis=0)

    def fit() -> Any:
        return MKLSVC(rbf_kernels(gammas), C=C, tol=GAP).fit(X, y)

    def svc() -> Any:
        return SVC(kernel="precomputed", C=C).fit(average, y)

    times, references, model = against(svc, fit)
    Y = np.where(y == y.max(), 1.0, -1.0)[:, None]
    problem = Problem(DenseStack(K), Hinge(Y, C), Simplex())
    alone, solution = median_time(lambda: solve(problem, tol=GAP))
    seconds, one = float(np.median(times)), float(np.median(references))
    return {
        "n": n,
        "p": len(gammas),
        "seconds": seconds,
        "svc": one,
        "ratio": seconds / one,
        **certified(model.solution_),
        "memory": doubles(peak(fit), n),
        "solve": alone,
        "solve_ratio": alone / one,
        "solve_gap": solution.certificate.relative_gap,
        "note": busy(),
        "times": times,
    }
