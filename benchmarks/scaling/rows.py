"""A million rows: the fit against one plain pass of the products that it needs."""

import os
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
from performance.common import Columns, Row, busy, timed
from scaling import memory

from kernelweave import MKLDiscriminantAnalysis, MKLDiscriminantAnalysisCV
from kernelweave.cli.task import NORMS as FEW_NORMS
from kernelweave.kernels import RBF, Nystroem
from kernelweave.selection import NORMS
from kernelweave.streamed.measure import measure
from kernelweave.streamed.plan import Node, Plan, Work

COLUMNS, COMPONENTS, CLASSES = 20, 200, 3
# Rows of ready features, 131 MB of them: more than any cache holds.
CHUNK = 8192

TITLE = "A million rows"
TEXT = """Rows of 20 columns, three classes, ten Nyström kernels of 200 components: five
groups of columns, two widths each. **plain** is one pass of ZᵀZ, chunk by chunk, on
features that are there already (numpy's `Z.T @ Z`, D = 2000), mean of one before and
one after the fit. **fit** is `MKLDiscriminantAnalysis(kernels).fit(X, y)` at its
defaults: both passes, the weights, and the held-out folds. **above** is the peak of the
process's memory less what it held before the fit, the table in it. **planned** is what
`kernelweave plan` says of the passes by the speed of a core measured in the same
process, without reading. The **grid** is what `MKLDiscriminantAnalysisCV` adds with the
grid of `kernelweave fit`, five norms × ten λ, and a fit where the best is; the
**default grid** of the estimator has 120 points."""
TABLE: Columns = [
    ("n", "rows", ",d"),
    ("plain", "plain s", ".1f"),
    ("seconds", "fit s", ".1f"),
    ("ratio", "plain passes", ".2f"),
    ("passes", "passes s", ".1f"),
    ("solving", "solving s", ".1f"),
    ("gap", "gap", ".0e"),
    ("memory", "above, MB", ".0f"),
    ("planned", "planned s", ".1f"),
    ("grid", "grid s", ".1f"),
    ("grid_ratio", "grid / its passes", ".2f"),
    ("default", "default grid s", ".1f"),
    ("default_ratio", "default grid / its passes", ".2f"),
]


def rows(quick: bool) -> Iterator[Row]:
    sizes = [20_000] if quick else [1_000_000]
    for n in sizes:
        yield _alone(n, 20 if quick else COMPONENTS, n == sizes[-1])


def _alone(n: int, components: int, grid: bool) -> Row:
    """Measured in a new process, whose memory nothing else has touched."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(measured, n, components, grid).result()


def table(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Three classes, apart in the first eight columns; curved in the last of these."""
    rng = np.random.default_rng(0)
    y = rng.integers(CLASSES, size=n)
    X = rng.standard_normal((n, COLUMNS))
    X[:, :4] += 0.5 * np.eye(CLASSES, 4)[y]
    X[:, 4:8] *= (1 + 0.3 * y)[:, None]
    return X, y


def kernels(components: int) -> list[Any]:
    groups = [slice(0, 4), slice(4, 8), slice(8, 12), slice(12, 20), None]
    return [
        Nystroem(RBF(factor=f, columns=c, name=f"{j}: {f:g}×median"), components)
        for j, c in enumerate(groups)
        for f in (0.5, 1)
    ]


class _Timed:
    """How long the passes and the small problem took."""

    def _begin(self, *args: Any) -> Any:
        self.passes, begun = timed(lambda: super(_Timed, self)._begin(*args))
        return begun

    def _fit_data(self, *args: Any) -> Any:
        self.solving, model = timed(lambda: super(_Timed, self)._fit_data(*args))
        return model


class Discriminant(_Timed, MKLDiscriminantAnalysis):
    pass


class DiscriminantCV(_Timed, MKLDiscriminantAnalysisCV):
    pass


def measured(n: int, components: int, grid: bool) -> Row:
    X, y = table(n)
    model = Discriminant(kernels(components))
    # Numba and BLAS are loaded, and their threads started.
    Discriminant(kernels(20)).fit(X[:4000], y[:4000])
    D = 10 * components
    plain = plain_pass(n, D) / 2
    memory.forget_peak()
    before = memory.held()
    seconds, _ = timed(lambda: model.fit(X, y))
    above = (memory.peak() - before) / 1e6
    plain += plain_pass(n, D) / 2
    row: Row = {
        "n": n,
        "plain": plain,
        "seconds": seconds,
        "ratio": seconds / plain,
        "passes": model.passes,
        "solving": model.solving,
        "gap": model.solution_.certificate.relative_gap,
        "memory": above,
        "planned": planned(n, components),
        "error": float(model.approximation_error_.max()),
        "note": busy(),
    }
    if grid:
        for name, norms in (("grid", FEW_NORMS), ("default", NORMS)):
            chosen = DiscriminantCV(kernels(components), norms=norms).fit(X, y)
            row[name] = chosen.solving
            row[f"{name}_ratio"] = chosen.solving / chosen.passes
            row[f"{name}_chosen"] = chosen.norm_, chosen.alpha_
    return row


def plain_pass(n: int, D: int) -> float:
    """Seconds of ZᵀZ over n rows of features that are there."""
    Z = np.random.default_rng(0).standard_normal((CHUNK, D))
    S = np.zeros((D, D))
    began = time.perf_counter()
    for first in range(0, n, CHUNK):
        part = Z[: min(CHUNK, n - first)]
        S += part.T @ part
    return time.perf_counter() - began


def planned(n: int, components: int) -> float:
    """Seconds of features and products, if the cores share them evenly."""
    cores = os.cpu_count() or 1
    work = Work(n, COLUMNS, 10, components, CLASSES, block=n / cores)
    plan = Plan(work, 1, Node(cores, *measure(COLUMNS, components)))
    return plan.mapping + plan.products
