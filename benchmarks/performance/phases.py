"""Where the time of the default fit goes: the library's functions, timed from outside.

Nothing in the library changes: while a fit runs, some of its functions are replaced by
ones that keep the time. What a timed function spends in another one counts there, but
for the coarse start and the small problems, which are whole fits of their own kind.
"""

import contextlib
import importlib
import time
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
from common import Columns, Row, busy
from fits import certified, fit_small, shape
from tasks import floor, rbf_kernels, waveform, widths

from kernelweave import MKLDiscriminantAnalysis

COARSE, SMALL = "coarse start", "small problems"
# (phase, module, what in it); what a later version does not have is left out.
WATCHED = [
    ("kernels: first pass", "kernelweave.grams.lazy", "LazyStack.__init__"),
    ("kernels: first pass", "kernelweave.grams.stored", "stored_stack"),
    ("kernels: combine", "kernelweave.grams.lazy", "LazyStack.combine"),
    ("kernels: combine", "kernelweave.grams.dense", "DenseStack.combine"),
    ("kernels: apply", "kernelweave.grams.lazy", "LazyStack.apply"),
    ("kernels: apply", "kernelweave.grams.lazy", "LazyStack.apply_some"),
    ("kernels: apply", "kernelweave.grams.lazy", "LazyStack.quadratic"),
    ("kernels: apply", "kernelweave.grams.dense", "DenseStack.apply"),
    ("kernels: apply", "kernelweave.grams.dense", "DenseStack.apply_some"),
    ("kernels: apply", "kernelweave.grams.dense", "DenseStack.quadratic"),
    ("factorisation", "kernelweave.losses.quadratic", "_Shared.factorise"),
    ("solves with the factor", "kernelweave.losses.quadratic", "maximise"),
    (
        "solves with the factor",
        "kernelweave.losses.quadratic",
        "QuadraticMaximum.respond",
    ),
    (
        "solves with the factor",
        "kernelweave.losses.quadratic",
        "QuadraticMaximum.hessian",
    ),
    ("leave-one-out", "kernelweave.losses.quadratic", "_left_out"),
    ("leave-one-out", "kernelweave.losses.quadratic", "single_factor"),
    ("leave-one-out", "kernelweave.losses.quadratic", "estimated_diagonal"),
    (COARSE, "kernelweave.solvers.newton", "coarse"),
    (SMALL, "kernelweave.solvers.galerkin", "solve"),
    (SMALL, "kernelweave.solvers.subspace", "Subspace.add"),
    (SMALL, "kernelweave.solvers.subspace", "Subspace.expand"),
]
PHASES = [*dict.fromkeys(phase for phase, _, _ in WATCHED), "other"]

COLUMNS: Columns = [
    ("n", "n", "d"),
    ("p", "p", "d"),
    ("k", "k", "d"),
    ("phase", "phase", ""),
    ("seconds", "seconds", ".3f"),
    ("ratio", "floors", ".2f"),
    ("share", "share", ".0%"),
    ("calls", "calls", "d"),
    ("gap", "gap", ".0e"),
]


class Clock:
    """Seconds and calls of every phase."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self.calls: dict[str, int] = defaultdict(int)
        self._open: list[str] = []
        self._since = 0.0

    def _turn(self) -> None:
        """The time since the last turn belongs to the innermost open phase."""
        now = time.perf_counter()
        if self._open:
            self.seconds[self._open[-1]] += now - self._since
        self._since = now

    def watch(self, owner: Any, name: str, phase: str) -> Any:
        """Replace a function by one that keeps the time; returns the original."""
        original = owner.__dict__[name]

        def timed(*args: Any, **options: Any) -> Any:
            if self._open and self._open[-1] in (COARSE, SMALL):
                return original(*args, **options)
            self._turn()
            self._open.append(phase)
            self.calls[phase] += 1
            try:
                return original(*args, **options)
            finally:
                self._turn()
                self._open.pop()

        setattr(owner, name, timed)
        return original


@contextlib.contextmanager
def watched() -> Iterator[Clock]:
    clock = Clock()
    undo = []
    for phase, module, path in WATCHED:
        with contextlib.suppress(ImportError, AttributeError, KeyError):
            owner = importlib.import_module(module)
            *parents, name = path.split(".")
            for parent in parents:
                owner = getattr(owner, parent)
            undo.append((owner, name, clock.watch(owner, name, phase)))
    _also_imported(undo)
    try:
        yield clock
    finally:
        for owner, name, original in reversed(undo):
            setattr(owner, name, original)


def _also_imported(undo: list) -> None:
    """`maximise` is imported by name: replace it where it is used, too."""
    square = importlib.import_module("kernelweave.losses.square")
    quadratic = importlib.import_module("kernelweave.losses.quadratic")
    if "maximise" in square.__dict__:
        undo.append((square, "maximise", square.maximise))
        square.maximise = quadratic.maximise


def profile(quick: bool) -> Iterator[Row]:
    """The default fit, the middle one of three, by phase."""
    sizes = [(500, 10), (1000, 40)]
    if not quick:
        sizes = [(1000, 10), (2000, 10), (4000, 10), (8000, 10)]
    for n, p in sizes:
        X, y = waveform(n)
        gammas = widths(X, p)
        fit_small(X, y, gammas)
        runs, floors = [], [sum(floor(X, gammas))]
        for _ in range(3):
            with watched() as clock:
                began = time.perf_counter()
                model = MKLDiscriminantAnalysis(rbf_kernels(gammas)).fit(X, y)
                runs.append((time.perf_counter() - began, clock))
            floors.append(sum(floor(X, gammas)))
        total, clock = sorted(runs, key=lambda run: run[0])[1]
        clock.seconds["other"] = total - sum(clock.seconds.values())
        head = shape(X, y, gammas) | {"gap": certified(model.solution_)["gap"]}
        below = float(np.median(floors))
        for phase in PHASES:
            seconds = clock.seconds.get(phase, 0.0)
            yield head | {
                "phase": phase,
                "seconds": seconds,
                "ratio": seconds / below,
                "share": seconds / total,
                "calls": clock.calls.get(phase),
            }
        yield head | {
            "phase": "all",
            "seconds": total,
            "ratio": total / below,
            "note": busy(),
        }
