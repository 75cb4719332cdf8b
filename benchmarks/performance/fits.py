"""Discriminant analysis in floors: growth in samples, kernels and classes."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from common import Columns, Row, busy, median_time, peak, timed
from tasks import floor, lazy_problem, letters, rbf_kernels, waveform, widths

from kernelweave import MKLDiscriminantAnalysis, solve

COLUMNS: Columns = [
    ("n", "n", "d"),
    ("p", "p", "d"),
    ("k", "k", "d"),
    ("seconds", "fit s", ".3f"),
    ("floor", "floor s", ".3f"),
    ("ratio", "floors", ".2f"),
    ("gap", "gap", ".0e"),
    ("iterations", "steps", "d"),
    ("memory", "n² doubles", ".2f"),
    ("solve", "solve s", ".3f"),
    ("solve_ratio", "solve floors", ".2f"),
    ("solve_gap", "solve gap", ".0e"),
]


def floors(quick: bool) -> Iterator[Row]:
    """n grows, ten kernels, three classes."""
    for n in (250, 500, 1000) if quick else (500, 1000, 2000, 4000, 8000):
        X, y = waveform(n)
        yield measure(X, y, widths(X))


def kernels(quick: bool) -> Iterator[Row]:
    """p grows."""
    sizes = [(500, 10), (500, 50), (500, 200)]
    if not quick:
        sizes = [(1000, 10), (1000, 50), (1000, 200), (1000, 800)]
        sizes += [(4000, 10), (4000, 20), (4000, 50)]
    for n, p in sizes:
        X, y = waveform(n)
        yield measure(X, y, widths(X, p))
    X, y = waveform(600 if quick else 8000)
    yield once(X, y, widths(X, 50))


def classes(quick: bool) -> Iterator[Row]:
    """k grows."""
    for k in (2, 5) if quick else (2, 5, 10, 20):
        X, y = letters(k, 500 if quick else 2000)
        yield measure(X, y, widths(X))


def measure(X: np.ndarray, y: np.ndarray, gammas: list[float]) -> Row:
    """One row: three fits, a floor before and after each; then memory, and solve."""

    def fit() -> Any:
        return MKLDiscriminantAnalysis(rbf_kernels(gammas)).fit(X, y)

    fit_small(X, y, gammas)
    parts, times, model = [floor(X, gammas)], [], None
    for _ in range(3):
        model = None
        seconds, model = timed(fit)
        times.append(seconds)
        parts.append(floor(X, gammas))
    row = shape(X, y, gammas) | certified(model.solution_)
    row["memory"] = doubles(peak(fit), len(X))
    del model
    alone, solution = median_time(lambda: solve(lazy_problem(X, y, gammas)))
    # The sums, not the sum of medians: what a floor took each time.
    below = float(np.median(np.sum(parts, axis=1)))
    middle = np.median(parts, axis=0)
    return row | {
        "note": notes(busy(), unsteady(np.sum(parts, axis=1))),
        "seconds": float(np.median(times)),
        "floor": below,
        "ratio": float(np.median(times)) / below,
        "solve": alone,
        "solve_ratio": alone / below,
        "solve_gap": solution.certificate.relative_gap,
        "times": times,
        "floors": np.sum(parts, axis=1).tolist(),
        "product": float(middle[0]),
        "exponentials": float(middle[1]),
        "factorisation": float(middle[2]),
    }


def once(X: np.ndarray, y: np.ndarray, gammas: list[float]) -> Row:
    """One traced fit, for its memory."""
    fit_small(X, y, gammas)
    model = MKLDiscriminantAnalysis(rbf_kernels(gammas))
    before = sum(floor(X, gammas))
    seconds = 0.0

    def fit() -> None:
        nonlocal seconds
        seconds, _ = timed(lambda: model.fit(X, y))

    memory = doubles(peak(fit), len(X))
    below = (before + sum(floor(X, gammas))) / 2
    row = shape(X, y, gammas) | certified(model.solution_)
    row |= {"seconds": seconds, "floor": below, "ratio": seconds / below}
    return row | {
        "memory": memory,
        "note": notes("one run, traced", busy()),
    }


def unsteady(floors: np.ndarray) -> str:
    """A floor that was slowed down flatters the ratio: say so."""
    low, high = floors.min(), floors.max()
    return f"floors of {low:.3f} to {high:.3f} s" if high > 1.5 * low else ""


def notes(*texts: str) -> str:
    return "; ".join(filter(None, texts))


def fit_small(X: np.ndarray, y: np.ndarray, gammas: list[float]) -> None:
    """So that nothing is loaded or compiled while it is timed."""
    rows = np.sort(np.argsort(y, kind="stable")[:: max(1, len(y) // 450)])
    MKLDiscriminantAnalysis(rbf_kernels(gammas[:3])).fit(X[rows], y[rows])
    solve(lazy_problem(X[rows], y[rows], gammas[:3]))


def shape(X: np.ndarray, y: np.ndarray, gammas: list[float]) -> Row:
    return {"n": len(X), "p": len(gammas), "k": len(np.unique(y))}


def certified(solution: Any) -> Row:
    gap = float(solution.certificate.relative_gap)
    return {"gap": gap, "iterations": solution.n_iter}


def doubles(size: int, n: int) -> float:
    """Bytes in matrices of n² doubles."""
    return size / (8 * n * n)
