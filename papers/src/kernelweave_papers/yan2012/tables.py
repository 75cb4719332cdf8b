"""Table 2 and the figures, a split at a time.

The sets of most figures (VOC, Caltech101) are not available. Their experiments are run
on others, which the titles name.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from kernelweave.analysis import alignment

from ..data import not_at_hand
from ..table import Cell, Table
from .protocol import LAMBDAS, NORMS, flower_methods, mixtures, simulation
from .speed import time_accuracy, training_time
from .tasks import Task, flowers, handwritten, simulated

FOUR = (1.0, 1.25, 2.0, np.inf)


def _norm(p: float) -> str:
    if p == np.inf:
        return "p = ∞"
    step = p - 1
    return f"p = 1 + 2^{np.log2(step):.0f}" if 0 < step < 1 else f"p = {p:g}"


def _table2(
    per_class: int | None, norms: Sequence[float], lams: Sequence[float], split: int
) -> list[Cell]:
    rows = flower_methods([flowers(split, per_class)], norms, lams)
    return [Cell(row["method"], "accuracy", 100 * row["accuracy"]) for row in rows]


def _figure1(counts: Sequence[int], run: int) -> list[Cell]:
    out = []
    for row in simulation(counts, 1, first=run):
        norm, count = f"ℓ{row['p']:g}", str(row["kernels"])
        out += [
            Cell(f"error: {norm}", count, row["error"]),
            Cell(f"effective number of kernels: {norm}", count, row["effective"]),
        ]
    return out


def _figure2(informative: Sequence[int], lams: Sequence[float], run: int) -> list[Cell]:
    task = handwritten(np.random.default_rng(run))
    counts = [(count, 30 - count) for count in informative]
    rows = mixtures([task], counts, FOUR, lams, seed=run)
    return [
        Cell(_norm(row["p"]), str(row["informative"]), 100 * row["accuracy"])
        for row in rows
    ]


def _figure5(_split: int) -> list[Cell]:
    task = flowers(0)
    K = task.K.astype(float)
    return [
        Cell(f"{form}: {a}", b, float(value))
        for form, center in (("spherical", False), ("spherical, centred", True))
        for a, line in zip(task.names, alignment(K, center=center), strict=True)
        for b, value in zip(task.names, line, strict=True)
    ]


def _figure6(
    per_class: int, random: Sequence[int], lams: Sequence[float], split: int
) -> list[Cell]:
    task = flowers(split, per_class)
    counts = [(len(task.K), count) for count in random]
    rows = mixtures([task], counts, FOUR, lams, seed=split)
    return [
        Cell(_norm(row["p"]), str(row["random"]), 100 * row["accuracy"]) for row in rows
    ]


def _times(panel: str, by: str, tasks: Sequence[Task]) -> list[Cell]:
    return [
        Cell(
            f"{panel}, {_norm(row['p'])}: {row['solver']}", str(row[by]), row["seconds"]
        )
        for row in training_time(tasks, repeats=1)
    ]


def _figure7(
    kernels: Sequence[int], n: int, samples: Sequence[int], p: int, run: int
) -> list[Cell]:
    rng = np.random.default_rng(run)
    return [
        *_times("kernels", "kernels", [simulated(j, rng, n, 2) for j in kernels]),
        *_times("samples", "n", [simulated(p, rng, m, 2) for m in samples]),
    ]


def _figure8(samples: Sequence[int], run: int) -> list[Cell]:
    rng = np.random.default_rng(run)
    tasks = [handwritten(rng, n, 10, 10, (0.5, 1.0)) for n in samples]
    return _times("samples", "n", tasks)


def _figure9(n: int, run: int) -> list[Cell]:
    task = handwritten(np.random.default_rng(run), n, 10)
    out = []
    for row in time_accuracy(task):
        norm, tol = _norm(row["p"]), f"{row['tol']:.2g}"
        out += [
            Cell(f"accuracy, {norm}: {row['solver']}", tol, 100 * row["accuracy"]),
            Cell(f"seconds, {norm}: {row['solver']}", tol, row["seconds"]),
        ]
    return out


TABLES = {
    "table1": Table(
        "VOC2007: six methods, 20 classes", "accuracy", 1, ("voc2007",), not_at_hand
    ),
    "table2": Table(
        "ways to combine kernels, on flowers",
        "accuracy",
        3,
        ("flower17", "flower17-published"),
        partial(_table2, None, NORMS, LAMBDAS),
        partial(_table2, 5, (1.0, 2.0, np.inf), LAMBDAS[2::4]),
    ),
    "table3": Table(
        "protein subcellular localisation",
        "accuracy",
        30,
        ("plant", "nonpl", "psortPos", "psortNeg"),
        not_at_hand,
    ),
    "figure1": Table(
        "more and more kernels, a little each",
        "curve",
        100,
        (),
        partial(_figure1, (1, *range(5, 51, 5))),
        partial(_figure1, (1, 5, 20)),
    ),
    "figure2": Table(
        "informative and random, on mfeat",
        "curve",
        5,
        ("mfeat", "voc2008"),
        partial(_figure2, (0, 1, 2, 4, 8, 12, 16, 20, 25, 30), LAMBDAS[::2]),
        partial(_figure2, (1, 30), LAMBDAS[::4]),
    ),
    "figure5": Table(
        "alignment of the kernels, on flowers",
        "curve",
        1,
        ("flower17", "voc2007"),
        _figure5,
    ),
    "figure6": Table(
        "random kernels added, on flowers",
        "curve",
        3,
        ("flower17", "caltech101"),
        partial(_figure6, 15, (0, 3, 10, 20), LAMBDAS[::2]),
        partial(_figure6, 5, (0, 3), LAMBDAS[::4]),
    ),
    "figure7": Table(
        "seconds, two classes, simulated",
        "curve",
        3,
        (),
        partial(_figure7, (3, 6, 12, 24, 48, 96), 400, (75, 150, 300, 600, 1200), 14),
        partial(_figure7, (3, 6), 50, (50, 75), 6),
        timed=True,
    ),
    "figure8": Table(
        "seconds, ten classes, on mfeat",
        "curve",
        3,
        ("mfeat", "caltech101"),
        partial(_figure8, (100, 200, 400, 800, 1600)),
        partial(_figure8, (50, 100)),
        timed=True,
    ),
    "figure9": Table(
        "accuracy by tolerance, on mfeat",
        "curve",
        3,
        ("mfeat", "caltech101"),
        partial(_figure9, 500),
        partial(_figure9, 50),
        timed=True,
    ),
}
