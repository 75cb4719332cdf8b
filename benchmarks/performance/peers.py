"""The same kernels, learned by others: every method at its defaults.

All get the ready-made Gram matrices, centred and scaled, but the default fit of this
library and the grid searches, which start from the table and compute their kernels.
"""

import contextlib
import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from common import Columns, OverTime, Row, against, busy, silence, time_limit
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC
from tasks import (
    ALPHA,
    dense_problem,
    gram_stack,
    negative_distances,
    rbf_kernels,
    waveform,
    widths,
)

from kernelweave import KernelDiscriminantAnalysis, MKLDiscriminantAnalysis
from kernelweave.losses.square import class_coding
from kernelweave.solvers import (
    QCQP,
    SDP,
    SILP,
    Alternating,
    Level,
    Newton,
    ReducedGradient,
)
from kernelweave.weights import LpBall

DEFAULT = "kernelweave, default, from the table"
# Seconds: a method that is expected to take longer is skipped, one that does, stopped.
PATIENCE = 120.0
ONCE_OVER = 40.0

COLUMNS: Columns = [
    ("n", "n", "d"),
    ("method", "method", ""),
    ("seconds", "seconds", ".3f"),
    ("ratio", "x default", ".2f"),
    ("gap", "gap", ".0e"),
    ("runs", "runs", "d"),
]


@dataclass
class Task:
    """X, y, γ_j, and K (p, n, n); `coding` is what regressions are fitted to."""

    n: int
    X: np.ndarray = field(init=False)
    y: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.X, y = waveform(self.n)
        self.y = np.unique(y, return_inverse=True)[1]
        self.gammas = widths(self.X)
        self.K = gram_stack(self.X, self.gammas)
        self.coding = class_coding(self.y, self.y.max() + 1)

    def gap(self, theta: np.ndarray, A: np.ndarray | None) -> float:
        """(F(θ) − D(A))/F(θ) of the square-loss problem, by the problem itself."""
        problem = dense_problem(self.K, self.y)
        point = problem.at(theta)
        return 1 - problem.dual(point.A if A is None else A).value / point.value


@dataclass(frozen=True)
class Method:
    """`fit(task, data)` is timed, `data = prepare(task)` is not."""

    fit: Callable[[Task, Any], Any]
    prepare: Callable[[Task], Any] = lambda task: None
    gap: Callable[[Task, Any], float] | None = None
    largest: float = np.inf


def default(task: Task, _: Any = None) -> Any:
    return MKLDiscriminantAnalysis(rbf_kernels(task.gammas)).fit(task.X, task.y)


def own(solver: Any, weights: Any = None, largest: float = np.inf) -> Method:
    """This library from the stack, which is centred and scaled already."""

    def fit(task: Task, _: Any) -> Any:
        model = MKLDiscriminantAnalysis(
            "precomputed", weights, solver=solver, normalize=None, center=False
        )
        return model.fit(task.K, task.y)

    def of_its_problem(_: Task, model: Any) -> float:
        return model.solution_.certificate.relative_gap

    return Method(fit, gap=of_its_problem if weights else at_weights, largest=largest)


def at_weights(task: Task, model: Any) -> float:
    return task.gap(model.weights_, model.solution_.dual_A)


def mklpy(name: str, raw: bool = False, **options: Any) -> Method:
    """Its radius (`raw`) takes k(x, x) = 1 for granted: the kernels untouched."""

    def prepare(task: Task) -> Any:
        D = negative_distances(task.X) if raw else None
        return [np.exp(g * D) for g in task.gammas] if raw else list(task.K)

    def fit(task: Task, matrices: Any) -> Any:
        import MKLpy.algorithms

        return getattr(MKLpy.algorithms, name)(**options).fit(matrices, task.y)

    return Method(fit, prepare)


def himalaya(solver: str, backend: str) -> Method:
    """With `random_state`, and without a bar of progress."""
    dtype = np.float64 if backend == "numpy" else np.float32

    def prepare(task: Task) -> Any:
        from himalaya.backend import set_backend

        library = set_backend(backend)
        arrays = task.K.astype(dtype, copy=False), task.coding.astype(dtype)
        return tuple(library.asarray(array) for array in arrays)

    def fit(_: Task, data: Any) -> Any:
        from himalaya.kernel_ridge import MultipleKernelRidgeCV

        options = {"solver_params": {"progress_bar": False}, "random_state": 0}
        return MultipleKernelRidgeCV("precomputed", solver=solver, **options).fit(*data)

    return Method(fit, prepare)


def average(task: Task) -> np.ndarray:
    return task.K.mean(axis=0)


def search(model: Any, name: str, values: Callable, target: Callable) -> Method:
    """5-fold grid search over the ten kernels, each by itself, from the table."""

    def fit(task: Task, _: Any) -> Any:
        grid = {name: values(task)}
        return GridSearchCV(model, grid, cv=5).fit(task.X, target(task))

    return Method(fit)


METHODS = {
    DEFAULT: Method(default, gap=at_weights),
    "kernelweave, default, from the stack": own(None),
    "kernelweave Newton": own(Newton()),
    "kernelweave SILP": own(SILP()),
    "kernelweave Level": own(Level()),
    "kernelweave ReducedGradient": own(ReducedGradient()),
    "kernelweave QCQP": own(QCQP(), largest=int((QCQP().max_size / 10) ** 0.5)),
    "kernelweave SDP": own(SDP(), largest=SDP().max_size),
    "kernelweave Alternating, ℓ2 ball": own(Alternating(), LpBall(2)),
    "kernelweave Newton, ℓ2 ball": own(Newton(), LpBall(2)),
    "MKLpy EasyMKL": mklpy("EasyMKL"),
    # Without a learner these two know two classes only.
    "MKLpy GRAM, SVC": mklpy("GRAM", raw=True, learner=SVC()),
    "MKLpy MEMO, SVC": mklpy("MEMO", learner=SVC()),
    "himalaya hyper_gradient, numpy": himalaya("hyper_gradient", "numpy"),
    "himalaya hyper_gradient, torch 32": himalaya("hyper_gradient", "torch"),
    "himalaya random_search, numpy": himalaya("random_search", "numpy"),
    "himalaya random_search, torch 32": himalaya("random_search", "torch"),
    "KernelRidge, average kernel": Method(
        lambda task, K: KernelRidge(alpha=ALPHA, kernel="precomputed").fit(
            K, task.coding
        ),
        average,
        lambda task, model: task.gap(np.full(10, 0.1), None),
    ),
    "SVC, average kernel": Method(
        lambda task, K: SVC(kernel="precomputed").fit(K, task.y), average
    ),
    "grid search, KernelRidge": search(
        KernelRidge(alpha=ALPHA, kernel="rbf"),
        "gamma",
        lambda task: task.gammas,
        lambda task: task.coding,
    ),
    "grid search, KernelDiscriminant": search(
        KernelDiscriminantAnalysis(),
        "kernel",
        lambda task: rbf_kernels(task.gammas),
        lambda task: task.y,
    ),
}


def peers(quick: bool) -> Iterator[Row]:
    """n grows; the small sizes are for the conic programs, and to foretell the rest."""
    sizes = (100, 200, 500) if quick else (100, 200, 400, 1000, 2000, 4000)
    patience = 8.0 if quick else PATIENCE
    past: dict[str, list[Row]] = {name: [] for name in METHODS}
    for library in ("torch", "MKLpy.algorithms", "himalaya.kernel_ridge"):
        # Not while an alarm is set: torch does not survive half an import.
        with contextlib.suppress(ImportError):
            importlib.import_module(library)
    for method in METHODS.values():
        measure(method, Task(40), 2.0)  # compiled
    for n in sizes:
        task = Task(n)
        for name, method in METHODS.items():
            row: Row = {"n": n, "method": name}
            expected = foretold(past[name], n)
            if n > method.largest:
                row["note"] = f"skipped: n is over its limit of {method.largest}"
            elif expected > patience:
                row |= {"note": f"skipped: over {patience:g} s expected", "slow": True}
            else:
                row |= measure(method, task, patience)
            past[name].append(row)
            yield row


def foretold(past: list[Row], n: int) -> float:
    """Seconds at n, by the growth of the last two sizes; n^2.5 if there is one."""
    done = [row for row in past if "seconds" in row]
    if any(row.get("slow") for row in past):
        return np.inf
    if not done:
        return 0.0
    power = 2.5
    if len(done) > 1:
        (a, s), (b, t) = [(row["n"], row["seconds"]) for row in done[-2:]]
        power = float(np.clip(np.log(t / s) / np.log(b / a), 2, 3.5))
    return done[-1]["seconds"] * (n / done[-1]["n"]) ** power


def measure(method: Method, task: Task, patience: float) -> Row:
    """One row; an exception becomes its note."""
    try:
        data = method.prepare(task)

        def run() -> Any:
            with silence(), time_limit(patience):
                return method.fit(task, data)

        times, references, model = against(lambda: default(task), run, 3, ONCE_OVER)
        seconds = float(np.median(times))
        row: Row = {"seconds": seconds, "runs": len(times), "times": times}
        row["note"] = busy()
        row["ratio"] = seconds / float(np.median(references))
        if method.fit is default:
            row["ratio"] = 1.0
        if method.gap:
            row["gap"] = float(method.gap(task, model))
        return row
    except OverTime as error:
        return {"note": f"stopped: {error}", "slow": True}
    except Exception as error:  # a method that cannot run is reported, not hidden
        return {"note": f"{type(error).__name__}: {error}".split(". ")[0][:200]}
