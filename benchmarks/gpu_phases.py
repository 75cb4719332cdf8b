"""Where the time of tasks on a GPU goes: the part of gpu.py that takes them apart.

While a task runs, some functions of the library are replaced by ones that record a
CUDA event when they begin and when they end. The time between two events belongs to the
innermost function that is open. Work that the GPU has not finished when a function
returns is counted where it is waited for in the stream, so every number is the GPU's.

`busy` is what the kernels of the GPU take, added up by PyTorch's profiler in one more
run: what is missing to the whole is time in which the GPU waits for the host.
"""

import contextlib
import gc
import importlib
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from kernelweave import Problem, solve
from kernelweave.grams import LazyStack
from kernelweave.kernels import RBF
from kernelweave.losses import Square, SquaredHinge, discriminant_targets
from kernelweave.selection import inner_products, leave_out
from kernelweave.weights import Simplex

COARSE = "coarse start"
# Phases that are whole fits of their own kind: nothing in them counts elsewhere.
WHOLE = (COARSE, "small problems")
# (phase, module, what in it)
WATCHED = [
    ("kernels: first pass", "grams.lazy", "LazyStack.__init__"),
    ("kernels: combine", "grams.lazy", "LazyStack.combine"),
    ("kernels: apply", "grams.lazy", "LazyStack.apply"),
    ("kernels: ⟨K_j, Q⟩", "grams.lazy", "LazyStack.pair_products"),
    ("factor", "losses.separate_factor", "SeparateFactor.factorise"),
    ("factor", "selection.left_out", "cholesky"),
    ("inverse", "losses.triangle", "Triangle.inverse"),
    ("inverses of diagonal blocks", "losses.triangle", "Triangle.__init__"),
    ("solves with the factor", "losses.square", "maximise"),
    ("solves with the factor", "losses.quadratic", "QuadraticMaximum.respond"),
    ("solves with the factor", "losses.quadratic", "QuadraticMaximum.hessian"),
    ("sensitivity Q", "selection.left_out", "LeftOut.sensitivity"),
    (COARSE, "solvers.newton", "coarse"),
    (COARSE, "solvers.primal", "coarse"),
    ("small problems", "solvers.galerkin", "solve"),
    ("subspace", "solvers.subspace", "Subspace.add"),
    ("subspace", "solvers.subspace", "Subspace.expand"),
    ("bounds", "problem", "Problem.bound"),
    ("bounds", "solvers.galerkin", "_bound"),
    ("conjugate gradients: α", "solvers.primal", "minimise"),
    ("conjugate gradients: answer of α", "solvers.primal", "_response"),
]


class Stopwatch:
    """Marks in time: events of the GPU's stream, or the host's clock on a CPU."""

    def __init__(self, on_gpu: bool):
        self.on_gpu = on_gpu

    def mark(self) -> Any:
        if not self.on_gpu:
            return time.perf_counter()
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def between(self, first: Any, second: Any) -> float:
        """Seconds; the stream must have come to an end."""
        if self.on_gpu:
            return first.elapsed_time(second) / 1e3
        return second - first


class Clock:
    """Which phase was open between which marks."""

    def __init__(self, watch: Stopwatch):
        self.watch = watch
        self.calls: dict[str, int] = defaultdict(int)
        self._open = ["other"]
        self._marks: list[tuple[str, Any]] = [("", watch.mark())]

    def _turn(self) -> None:
        self._marks.append((self._open[-1], self.watch.mark()))

    def timed(self, original: Callable, phase: str) -> Callable:
        def run(*args: Any, **options: Any) -> Any:
            if self._open[-1] in WHOLE:
                return original(*args, **options)
            self._turn()
            self._open.append(phase)
            self.calls[phase] += 1
            try:
                return original(*args, **options)
            finally:
                self._turn()
                self._open.pop()

        return run

    def seconds(self) -> dict[str, float]:
        self._turn()
        finish()
        found: dict[str, float] = defaultdict(float)
        pairs = zip(self._marks[:-1], self._marks[1:], strict=True)
        for (_, before), (phase, after) in pairs:
            found[phase] += self.watch.between(before, after)
        return dict(sorted(found.items(), key=lambda item: -item[1]))


@contextlib.contextmanager
def watched(on_gpu: bool) -> Iterator[Clock]:
    clock, undo = Clock(Stopwatch(on_gpu)), []
    for phase, module, path in WATCHED:
        owner = importlib.import_module(f"kernelweave.{module}")
        *parents, name = path.split(".")
        for parent in parents:
            owner = getattr(owner, parent)
        original = vars(owner)[name]
        undo.append((owner, name, original))
        setattr(owner, name, clock.timed(original, phase))
    try:
        yield clock
    finally:
        for owner, name, original in undo:
            setattr(owner, name, original)


def finish() -> None:
    """Wait for the GPU, if there is one."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def profiled(run: Callable[[], Any], on_gpu: bool) -> list[tuple[str, int, float]]:
    """(name, launches, seconds) of every kernel of the GPU in one run, slowest first.

    On a CPU: of every operation of PyTorch.
    """
    from torch.profiler import ProfilerActivity, profile

    kinds = [ProfilerActivity.CUDA if on_gpu else ProfilerActivity.CPU]
    with profile(activities=kinds) as profiler:
        run()
        finish()
    kind = "self_device_time_total" if on_gpu else "self_cpu_time_total"
    found = [
        (event.key, int(event.count), getattr(event, kind) / 1e6)
        for event in profiler.key_averages()
    ]
    return sorted((one for one in found if one[2] > 0), key=lambda one: -one[2])


def breakdown(name: str, run: Callable[[], Any], floor: float, on_gpu: bool) -> str:
    """One task by phase: a first run, the middle of three, and one that is profiled."""
    answer, runs = run(), []
    for _ in range(3):
        answer = None
        gc.collect()
        finish()
        began = time.perf_counter()
        with watched(on_gpu) as clock:
            answer = run()
        phases = clock.seconds()
        runs.append((time.perf_counter() - began, phases, dict(clock.calls)))
    wall, phases, calls = sorted(runs, key=lambda one: one[0])[1]
    kernels = profiled(run, on_gpu)
    busy, launches = sum(k[2] for k in kernels), sum(k[1] for k in kernels)
    lines = [
        f"### {name}",
        "",
        f"{wall:.3f} s = {wall / floor:.2f} floors{describe(answer)}. Kernels of the "
        f"GPU take {busy:.3f} s of it, in {launches} launches.",
        "",
        "| phase | seconds | share | calls |",
        "|---|---|---|---|",
    ]
    lines += [
        f"| {phase} | {seconds:.4f} | {seconds / wall:.0%} | {calls.get(phase, '-')} |"
        for phase, seconds in phases.items()
    ]
    lines += ["", "| kernel of the GPU | seconds | launches |", "|---|---|---|"]
    lines += [f"| `{key[:70]}` | {s:.4f} | {count} |" for key, count, s in kernels[:12]]
    return "\n".join([*lines, ""])


def describe(answer: Any) -> str:
    if not hasattr(answer, "certificate"):
        return ""
    gap = answer.certificate.relative_gap
    return f", {answer.n_iter} steps, gap {gap:.0e}"


def tasks(
    Z: Any, y: np.ndarray, kernels: list[RBF], tol: float
) -> dict[str, Callable[[], Any]]:
    """The square loss, its leave-one-out gradient, and the squared hinge.

    The loss of both solves is of two classes, the first against the rest, so that
    they can be compared.
    """

    def stack() -> LazyStack:
        return LazyStack([kernel.fit(Z) for kernel in kernels], Z, memory=2**50)

    two = (y == 0).astype(int)
    H, T = (
        torch.asarray(discriminant_targets(labels, int(labels.max()) + 1)).to(Z)
        for labels in (y, two)
    )
    signs = torch.asarray(np.where(two, 1.0, -1.0)[:, None]).to(Z)
    gram = stack()
    theta = np.full(gram.p, 1 / gram.p)

    def gradient() -> Any:
        at = leave_out(gram.combine(theta), 1.0, H)
        return inner_products(gram, at.sensitivity())

    def solved(loss: Any) -> Any:
        return solve(Problem(stack(), loss, Simplex()), tol=tol)

    return {
        "solve, square loss": lambda: solved(Square(H, 1.0, True)),
        "solve, square loss, two classes": lambda: solved(Square(T, 1.0, True)),
        "solve, squared hinge, two classes, C = 1": lambda: solved(
            SquaredHinge(signs, 1.0, True)
        ),
        "leave-one-out gradient": gradient,
    }


def report(
    X: np.ndarray, y: np.ndarray, kernels: list[RBF], floor: float, tol: float
) -> Iterator[str]:
    """The tasks one after the other, as sections of a page."""
    on_gpu = torch.cuda.is_available()
    Z = torch.asarray(X, dtype=torch.float64, device="cuda" if on_gpu else "cpu")
    yield (
        f"## By phase, n = {len(X)}, p = {len(kernels)}\n\n"
        f"{' '.join((__doc__ or '').split(chr(10) * 2, 1)[1].split())}\n"
        f"A floor is {floor:.4f} s.\n"
    )
    for name, run in tasks(Z, y, kernels, tol).items():
        yield breakdown(name, run, floor, on_gpu)
        gc.collect()
        if on_gpu:
            torch.cuda.empty_cache()
