"""Does the default solver end below its tolerance, whatever it is given?

Every data set (450 rows; its views, or its columns in three of about equal size) with
the kernels of `kernels_for`, or exp(−D/mean D) of distances, times four sets of
weights, times alpha from 1e-6 to 1e2: more than 500 problems of the square loss, each
of them solved from nothing to the default tolerance.

    python benchmarks/stalls.py

prints how many ended how, and those that did not end OPTIMAL, with their gap and the
gap of Newton(). Data come from the folder KERNELWEAVE_DATA; sets that are not there
are left out.
"""

import argparse
import itertools
import time
from collections import Counter
from collections.abc import Iterator

import numpy as np

from kernelweave import Problem, solve
from kernelweave.datasets import load_distances, load_table, load_views
from kernelweave.grams import DenseStack
from kernelweave.grams.normalise import normalise
from kernelweave.losses import Square, discriminant_targets
from kernelweave.solution import Status
from kernelweave.solvers import Newton
from kernelweave.views import kernels_for
from kernelweave.weights import ElasticNet, LpBall, Simplex

VIEWS = ["mfeat", "leaves100", "proteinfold-pca27"]
TABLES = ["australian", "german-numeric", "pima", "wdbc", "segment", "satimage"]
TABLES += ["letter", "usps", "waveform", "spambase", "splice"]
NUMBERS = ["reg-concrete", "reg-wine-quality", "reg-power-plant"]
DISTANCES = ["flower17"]
WEIGHTS = [Simplex(), LpBall(2), LpBall(1.1), ElasticNet(0.5)]
ALPHAS = np.logspace(-6, 2, 9)
ROWS = 450


def matrices(name: str, rows: int = ROWS) -> tuple[np.ndarray, np.ndarray]:
    """K (p, n, n), centred, of implied variance one, and targets (n, k)."""
    rng = np.random.default_rng(0)
    if name in DISTANCES:
        data = load_distances(name)
        some = np.sort(rng.permutation(len(data.y))[:rows])
        y = data.y[some]
        K = np.stack([np.exp(-D / D.mean())[np.ix_(some, some)] for D in data.D])
    else:
        parts, y = _parts(name, rng)
        some = np.sort(rng.permutation(len(y))[:rows])
        y = y[some]
        X = np.column_stack([part[some] for part in parts])
        ends = np.cumsum([part.shape[1] for part in parts])[:-1]
        columns = np.split(np.arange(X.shape[1]), ends)
        views = {f"view {i}": part.tolist() for i, part in enumerate(columns)}
        K = np.stack([kernel.fit(X)(X) for kernel in kernels_for(X, views)])
    for matrix in K:
        normalise(matrix, "variance", True)
    if name in NUMBERS:
        return K, ((y - y.mean()) / y.std())[:, None]
    labels = np.unique(y, return_inverse=True)[1]
    return K, discriminant_targets(labels, labels.max() + 1)


def _parts(name: str, rng: np.random.Generator) -> tuple[list[np.ndarray], np.ndarray]:
    """The views of a set, or a third of its columns each; and y."""
    if name in VIEWS:
        views, y = load_views(name)
        return list(views.values()), y
    X, y = load_table(name)
    return [X[:, some] for some in np.array_split(rng.permutation(X.shape[1]), 3)], y


def cases(names: list[str]) -> Iterator[tuple[str, Problem]]:
    for name in names:
        try:
            K, H = matrices(name)
        except FileNotFoundError as error:
            print(f"{name} is left out: {error}", flush=True)
            continue
        for weights, alpha in itertools.product(WEIGHTS, ALPHAS):
            loss = Square(H, alpha, True)
            label = f"{name:18s} p={len(K):3d} k={H.shape[1]:2d} {weights} {alpha:.0e}"
            yield label, Problem(DenseStack(K), loss, weights)


def main() -> None:
    everything = VIEWS + TABLES + NUMBERS + DISTANCES
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", nargs="*", metavar="NAME", choices=everything)
    parser.add_argument("--verbose", action="store_true", help="a line a problem")
    args = parser.parse_args()
    counts: Counter[str] = Counter()
    began = time.perf_counter()
    iterations = 0
    for label, problem in cases(args.only or everything):
        solution = solve(problem)
        counts[solution.status.name] += 1
        iterations += solution.n_iter
        bad = solution.status is not Status.OPTIMAL
        if bad or args.verbose:
            gap = solution.certificate.relative_gap
            text = (
                f"{label:58s} {solution.status.name:8s} {solution.n_iter:3d} {gap:.1e}"
            )
            if bad:
                exact = solve(problem, Newton())
                gap = exact.certificate.relative_gap
                text += f"   Newton() {exact.status.name} {exact.n_iter} {gap:.1e}"
            print(text, flush=True)
    seconds = time.perf_counter() - began
    print(f"{sum(counts.values())} problems, {iterations} iterations, {seconds:.0f} s")
    for status, count in counts.most_common():
        print(f"{status:10s} {count}")


if __name__ == "__main__":
    main()
