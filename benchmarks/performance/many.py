"""Thousands of small kernels: learning in units of reading them once."""

from collections.abc import Iterator

import numpy as np
from common import Columns, Row, against, busy, median_time, peak
from fits import certified
from sklearn.preprocessing import scale
from tasks import dense_problem, gram_stack, widths

from kernelweave import solve
from kernelweave.datasets import load_table

GAP = 1e-5
COLUMNS: Columns = [
    ("data", "data", ""),
    ("n", "n", "d"),
    ("p", "p", "d"),
    ("k", "k", "d"),
    ("seconds", "solve s", ".3f"),
    ("sum", "sum s", ".3f"),
    ("quadratic", "quadratic s", ".3f"),
    ("ratio", "x sum", ".1f"),
    ("ratio_quadratic", "x quadratic", ".1f"),
    ("gap", "gap", ".0e"),
    ("iterations", "steps", "d"),
    ("memory", "x stack", ".2f"),
]


def many(quick: bool) -> Iterator[Row]:
    """RBF kernels on random columns: `solve` against np.sum(K) and s(A)."""
    n, p = (150, 300) if quick else (300, 2000)
    for name in ("satimage", "usps"):
        try:
            X, y = load_table(name)
        except FileNotFoundError as error:
            yield {"data": name, "note": str(error)}
            continue
        rng = np.random.default_rng(0)
        rows = rng.permutation(len(X))[:n]
        X, y = scale(X[rows]), y[rows]
        yield {"data": name} | measure(stack(X, p, rng), y)


def stack(X: np.ndarray, p: int, rng: np.random.Generator) -> np.ndarray:
    """p kernels, each of a random width on a random tenth to half of the columns."""
    n, d = X.shape
    K = np.empty((p, n, n))
    for j in range(p):
        size = rng.integers(max(1, d // 10), max(2, d // 2))
        columns = rng.choice(d, size, replace=False)
        gamma = rng.choice(widths(X[:, columns])[2:8])
        K[j] = gram_stack(X[:, columns], [gamma])[0]
    return K


def measure(K: np.ndarray, y: np.ndarray) -> Row:
    problem = dense_problem(K, y)
    solution = solve(problem, tol=GAP)  # and everything is warm
    times, reads, solution = against(
        lambda: np.sum(K), lambda: solve(problem, tol=GAP), 3
    )
    quadratic, _ = median_time(lambda: problem.gram.quadratic(solution.A), 5)
    seconds, read = float(np.median(times)), float(np.median(reads))
    p, n, _ = K.shape
    return {
        "n": n,
        "p": p,
        "k": len(np.unique(y)),
        "seconds": seconds,
        "sum": read,
        "quadratic": quadratic,
        "ratio": seconds / read,
        "ratio_quadratic": seconds / quadratic,
        **certified(solution),
        "note": busy(),
        "memory": peak(lambda: solve(problem, tol=GAP)) / K.nbytes,
    }
