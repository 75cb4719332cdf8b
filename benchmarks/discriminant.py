"""Discriminant analysis with ten kernels: kernelweave's solvers and the peers.

Every method gets the same Gram matrices: ten RBF kernels, 0.1 to 10 times the median
distance wide, centred and scaled to implied variance one by the training rows. What
is timed is `fit` from the training stack (p, n, n), after a run on a small problem;
computing the kernels and predicting are not. The columns:

seconds   median of the runs: three, more if they are short, one if it takes over 5 s
x Newton  the ratio to Newton's `fit`; above 1 is slower. Newton is run again after
          every run of every method, so that what else the machine does hits both:
          the ratio is to the median of these, not to the seconds of Newton's own row
gap       relative duality gap of the square-loss problem on the simplex, computed by
          the problem at the weights (and the dual point) that the method found;
          '-' where the method solves another problem, or has other weights a class
accuracy  on up to 1000 test rows

The rows: kernelweave's solvers through MKLDiscriminantAnalysis, to a gap of 1e-6, and
`solve` alone, without the estimator's checks of the input and leave-one-out
projections. scikit-learn's KernelRidge on the average kernel, which learns no weights.
MKLpy's EasyMKL with its default learner, and with an SVC as in its manual, one-vs-all
and one-vs-one. himalaya's MultipleKernelRidgeCV, whose weights minimise the
cross-validated error: random search at the same α, and hypergradients started at α
and equal weights; else its defaults. These and KernelRidge are fitted to the class
coding, and the largest estimate of P(class | x) wins.

Data come from the folder KERNELWEAVE_DATA, else from scikit-learn.
"""

import argparse
import contextlib
import io
import json
import os
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import KernelCenterer, StandardScaler
from sklearn.svm import SVC
from threadpoolctl import threadpool_info, threadpool_limits

from kernelweave import MKLDiscriminantAnalysis, Problem, solve
from kernelweave.datasets import load_table
from kernelweave.grams import DenseStack
from kernelweave.losses import Square, discriminant_targets
from kernelweave.solvers import QCQP, SDP, SILP, Newton
from kernelweave.weights import Simplex

ALPHA = 0.1
SIZES = [("wine", 120), ("sonar", 145), ("satimage", 500), ("satimage", 1000)]
SIZES += [("segment", 1000), ("satimage", 2000)]
SIZES_WITHOUT_DATA = [("wine", 120), ("digits", 500), ("digits", 1000)]
# A method is skipped if its last time, grown by the square of n, is over this.
PATIENCE = 60.0
SLOW = "skipped (slow)"


@dataclass(frozen=True)
class Task:
    """Gram matrices K (p, n, n) and Kt (p, m, n), labels 0..k−1, class shares."""

    K: np.ndarray
    y: np.ndarray
    Kt: np.ndarray
    yt: np.ndarray
    share: np.ndarray

    def coding(self) -> np.ndarray:
        """h_ik = (1{y_i = k} − share_k) / √share_k, (n, k)."""
        return (np.eye(len(self.share))[self.y] - self.share) / np.sqrt(self.share)

    def classify(self, f: np.ndarray) -> np.ndarray:
        """The class of the largest P(class | x), from estimates f of the coding."""
        return np.argmax(f * np.sqrt(self.share) + self.share, axis=1)

    def problem(self) -> Problem:
        H = discriminant_targets(self.y, len(self.share))
        return Problem(DenseStack(self.K), Square(H, ALPHA), Simplex())


def make_task(name: str, n: int) -> Task:
    X, y = load_digits(return_X_y=True) if name == "digits" else load_table(name)
    y = np.unique(y, return_inverse=True)[1]
    X, Xt, y, yt = train_test_split(X, y, train_size=n, stratify=y, random_state=0)
    scaler = StandardScaler().fit(X)
    X, Xt, yt = scaler.transform(X), scaler.transform(Xt[:1000]), yt[:1000]
    D = euclidean_distances(X, squared=True)
    Dt = euclidean_distances(Xt, X, squared=True)
    K, Kt = np.empty((10, n, n)), np.empty((10, len(Xt), n))
    median = np.median(D[np.triu_indices(n, 1)])
    for j, factor in enumerate(np.logspace(-1, 1, 10)):
        raw = np.exp(-D / (factor**2 * median))
        centre = KernelCenterer().fit(raw)
        K[j] = centre.transform(raw)
        Kt[j] = centre.transform(np.exp(-Dt / (factor**2 * median)))
        scale = n / np.trace(K[j])
        K[j], Kt[j] = scale * (K[j] + K[j].T) / 2, scale * Kt[j]
    return Task(K, y, Kt, yt, np.bincount(y) / n)


@dataclass(frozen=True)
class Method:
    """`fit(task)` is timed; `predict(model, task)` gives the classes of the test rows;
    `found(model)` the weights, and A where it is better than the maximiser there."""

    fit: Callable[[Task], Any]
    predict: Callable[[Any, Task], Any] | None = None
    found: Callable[[Any], tuple[Any, Any]] | None = None
    rival: bool = True  # learns weights, by another way than Newton's
    largest: float = np.inf  # n


def estimator(solver: Any, **options: Any) -> Method:
    def fit(task: Task) -> Any:
        return MKLDiscriminantAnalysis(
            "precomputed", alpha=ALPHA, solver=solver, normalize=None, center=False
        ).fit(task.K, task.y)

    return Method(
        fit,
        lambda model, task: model.predict(task.Kt),
        lambda model: (model.weights_, model.solution_.dual_A),
        **options,
    )


def easymkl(**options: Any) -> Method:
    def fit(task: Task) -> Any:
        from MKLpy.algorithms import EasyMKL

        return EasyMKL(**options).fit(list(task.K), task.y)

    def predict(model: Any, task: Task) -> np.ndarray:
        # One-vs-one prints the shape of its votes.
        with contextlib.redirect_stdout(io.StringIO()):
            return np.asarray(model.predict(list(task.Kt)))

    return Method(fit, predict)


def himalaya(solver: str, **options: Any) -> Method:
    def fit(task: Task) -> Any:
        from himalaya.backend import set_backend
        from himalaya.kernel_ridge import MultipleKernelRidgeCV

        set_backend("numpy")
        params = {"progress_bar": False} | options
        return MultipleKernelRidgeCV(
            "precomputed", solver=solver, solver_params=params, random_state=0
        ).fit(task.K, task.coding())

    return Method(fit, lambda model, task: task.classify(model.predict(task.Kt)))


NEWTON = estimator(Newton(), rival=False)
METHODS = {
    "kernelweave Newton": NEWTON,
    "kernelweave Newton, solve()": Method(
        lambda task: solve(task.problem(), Newton()),
        found=lambda solution: (solution.weights, solution.dual_A),
        rival=False,
    ),
    "kernelweave SILP": estimator(SILP()),
    "kernelweave QCQP": estimator(QCQP(), largest=int((QCQP().max_size / 10) ** 0.5)),
    "kernelweave SDP": estimator(SDP(), largest=SDP().max_size),
    "KernelRidge, average kernel": Method(
        lambda task: KernelRidge(alpha=ALPHA, kernel="precomputed").fit(
            task.K.mean(axis=0), task.coding()
        ),
        lambda model, task: task.classify(model.predict(task.Kt.mean(axis=0))),
        lambda model: (np.full(10, 0.1), None),
        rival=False,
    ),
    "MKLpy EasyMKL": easymkl(),
    "MKLpy EasyMKL, SVC": easymkl(learner=SVC()),
    "MKLpy EasyMKL, SVC, 1-vs-1": easymkl(learner=SVC(), multiclass_strategy="ovo"),
    # Its weights are e^δ = θ/α.
    "himalaya hyper_gradient": himalaya(
        "hyper_gradient", initial_deltas=-np.log(10 * ALPHA)
    ),
    "himalaya random_search": himalaya("random_search", alphas=ALPHA),
}


def seconds(method: Method, task: Task) -> tuple[float, Any]:
    began = time.perf_counter()
    model = method.fit(task)
    return time.perf_counter() - began, model


def relative_gap(problem: Problem, theta: np.ndarray, A: np.ndarray | None) -> float:
    """(F(θ) − D(A)) / F(θ), with A the inner maximiser at θ if there is no better."""
    point = problem.at(theta)
    return 1 - problem.dual(point.A if A is None else A).value / point.value


def measure(method: Method, task: Task) -> dict[str, Any]:
    """The columns of one row; an exception becomes its note."""
    times, newton = [], []
    try:
        while len(times) < 3 or (sum(times) < 1 and len(times) < 15):
            elapsed, model = seconds(method, task)
            times.append(elapsed)
            # Against one long run, more than one of Newton.
            for _ in range(0 if method is NEWTON else 3 if elapsed > 5 else 1):
                newton.append(seconds(NEWTON, task)[0])
            if elapsed > 5:
                break
        median = np.median(times)
        row = {"seconds": median, "ratio": median / np.median(newton or times)}
        if method.found:
            row["gap"] = relative_gap(task.problem(), *method.found(model))
        if method.predict:
            row["accuracy"] = np.mean(method.predict(model, task) == task.yt)
        return {key: float(value) for key, value in row.items()}
    except Exception as error:  # a method that cannot run is reported, not hidden
        return {"note": f"{type(error).__name__}: {error}".split(". ")[0]}


def show(row: dict[str, Any]) -> None:
    columns = {"seconds": ".3f", "ratio": ".2f", "gap": ".0e", "accuracy": ".3f"}
    cells = [format(row[key], f) if key in row else "-" for key, f in columns.items()]
    text = row.get("note") or "".join(f"{cell:>9} " for cell in cells)
    print(f"{row['data']:9}{row['n']:5}  {row['method']:28} {text}", flush=True)


def run(sizes: list[tuple[str, int]]) -> list[dict[str, Any]]:
    names = ("data", "n", "method", "seconds", "x Newton", "gap", "accuracy")
    print("{:9}{:>5}  {:28} {:>9} {:>9} {:>9} {:>9}".format(*names))
    rows: list[dict[str, Any]] = []
    for data, n in sizes:
        task = make_task(data, n)
        for name, method in METHODS.items():
            if name.endswith("1-vs-1") and len(task.share) == 2:
                continue
            row: dict[str, Any] = {"data": data, "n": n, "method": name}
            last = next((r for r in reversed(rows) if r["method"] == name), row)
            expected = last.get("seconds", 0) * (n / last["n"]) ** 2
            if n > method.largest:
                row["note"] = f"skipped (n is over its limit of {method.largest})"
            elif last.get("note") == SLOW or expected > PATIENCE:
                row["note"] = SLOW
            else:
                row |= measure(method, task)
            show(row)
            rows.append(row)
    ahead = [r for r in rows if METHODS[r["method"]].rival and r.get("ratio", 1) < 1]
    print("\nFaster than Newton, of those that learn weights:", "" if ahead else "none")
    for row in ahead:
        show(row)
    return rows


def environment() -> dict[str, str]:
    found = {}
    for package in ("numpy", "scipy", "scikit-learn", "MKLpy", "himalaya"):
        with contextlib.suppress(PackageNotFoundError):
            found[package] = version(package)
    threads = sorted({pool["num_threads"] for pool in threadpool_info()})
    return found | {"threads": "/".join(map(str, threads))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="only n up to 500")
    parser.add_argument("--threads", type=int, help="of BLAS; the default is its own")
    parser.add_argument("--json", metavar="FILE", help="write the rows there too")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    sizes = SIZES
    if not os.environ.get("KERNELWEAVE_DATA"):
        print("KERNELWEAVE_DATA is not set: scikit-learn's wine and digits instead")
        sizes = SIZES_WITHOUT_DATA
    with threadpool_limits(args.threads):
        small = make_task("wine", 60)
        for method in METHODS.values():
            with contextlib.suppress(Exception):
                method.fit(small)
    # Again, for the libraries that were loaded in the meantime.
    with threadpool_limits(args.threads):
        print(", ".join(" ".join(item) for item in environment().items()))
        rows = run([(d, n) for d, n in sizes if n <= 500 or not args.quick])
        if args.json:
            with open(args.json, "w") as file:
                json.dump({"environment": environment(), "rows": rows}, file, indent=1)


if __name__ == "__main__":
    main()
