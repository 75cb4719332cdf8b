"""Choosing how sparse to be: what it costs, and what it is worth.

The first table: the whole 12 × 10 grid of norms and λ by leave-one-out, on 500 rows
and ten RBF kernels, against a five-fold cross-validation of one of its rows (one norm,
ten λ) by refitting, with GridSearchCV and the same tolerance.

The second: accuracy on test rows of

CV       MKLDiscriminantAnalysisCV: norm and λ chosen by leave-one-out
l1       the norm 1, λ chosen
uniform  the norm 1e6, which averages the kernels, λ chosen
single   one kernel, the kernel and λ chosen

each by the same criterion (R² of left-out projections; for CV the largest norm within
one standard error of the best), on the same five splits: at most 500 training and 1000
test rows, stratified, columns standardised by the training rows. Kernels: RBF of 1/8 to
8 times the median distance and linear for a table; RBF of ½, 1 and 2 times the median
distance for each view; exp(−D/mean D) for distances.

    python benchmarks/selection.py --write docs/selection.md

Data come from the folder KERNELWEAVE_DATA; sets that are not there are left out.
"""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.preprocessing import StandardScaler

from kernelweave import MKLDiscriminantAnalysis, MKLDiscriminantAnalysisCV
from kernelweave.datasets import load_distances, load_table, load_views
from kernelweave.kernels import Linear, Precomputed, rbf_grid
from kernelweave.weights import LpBall

TABLES = ["sonar", "ionosphere", "heart", "wine", "segment", "satimage"]
VIEWS = ["mfeat", "msrcv1", "breast-tcga", "leaves100"]
DISTANCES = ["flower17"]
METHODS = ("CV", "l1", "uniform", "single")
TRAIN, TEST, SPLITS = 500, 1000, 5
# What the choice may lose: to the best of the rivals on average, to uniform on a set.
SLACK, WORST = 0.2, 1.5


def load(name: str) -> tuple[np.ndarray, np.ndarray, list[Any]]:
    """X, labels and kernels; X holds row numbers where distances are given."""
    if name in DISTANCES:
        data = load_distances(name)
        # In the precision of the distances, by which they are judged.
        stack = [np.exp(-D / D.mean()).astype(np.float32) for D in data.D]
        pairs = zip(stack, data.names, strict=True)
        kernels = [Precomputed(K, name=label) for K, label in pairs]
        return np.arange(len(data.y))[:, None], data.y, kernels
    if name in VIEWS:
        views, y = load_views(name)
        ends = np.cumsum([view.shape[1] for view in views.values()])
        kernels = []
        for label, view, end in zip(views, views.values(), ends, strict=True):
            columns = slice(int(end) - view.shape[1], int(end))
            kernels += rbf_grid(factors=(0.5, 1, 2), columns=columns, prefix=label)
        return np.hstack(list(views.values())), y, kernels
    X, y = load_table(name)
    return X, y, [*rbf_grid(factors=2.0 ** np.arange(-3, 4)), Linear()]


def splits(X: np.ndarray, y: np.ndarray, scale: bool) -> Iterator[tuple]:
    size = min(TRAIN, int(0.7 * len(y)))
    for seed in range(SPLITS):
        rows, rest = train_test_split(
            np.arange(len(y)), train_size=size, stratify=y, random_state=seed
        )
        rest = rest[:TEST]
        scaler = StandardScaler().fit(X[rows])
        change = scaler.transform if scale else np.asarray
        yield change(X[rows]), y[rows], change(X[rest]), y[rest]


def compare(kernels: list[Any], X, y, X_new, y_new) -> tuple[list[float], float]:
    """Accuracies in the order of METHODS, and the norm that was chosen."""
    chosen = MKLDiscriminantAnalysisCV(kernels).fit(X, y)
    results = chosen.cv_results_
    accuracies = [chosen.score(X_new, y_new)]
    for norm in (1, 1e6):
        row = np.flatnonzero(results["param_norm"] == norm)
        best = row[np.argmax(results["mean_test_score"][row])]
        alpha = float(results["param_alpha"][best])
        model = MKLDiscriminantAnalysis(kernels, LpBall(norm), alpha).fit(X, y)
        accuracies.append(model.score(X_new, y_new))
    singles = [MKLDiscriminantAnalysisCV([k], norms=[1]).fit(X, y) for k in kernels]
    best = max(singles, key=lambda model: model.best_score_)
    return [*accuracies, best.score(X_new, y_new)], chosen.norm_


def accuracy_table() -> str:
    lines = [
        f"| set | rows | classes | kernels | {' | '.join(METHODS)} | norms chosen |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    means = []
    for name in TABLES + VIEWS[:1] + DISTANCES + VIEWS[1:]:
        try:
            X, y, kernels = load(name)
        except FileNotFoundError as error:
            print(f"left out: {error}")
            continue
        began = time.perf_counter()
        parts = list(splits(X, y, name not in DISTANCES))
        runs = [compare(kernels, *part) for part in parts]
        mean = 100 * np.mean([accuracies for accuracies, _ in runs], axis=0)
        means.append(mean)
        norms = ", ".join(f"{norm:.3g}" for norm in sorted(n for _, n in runs))
        cells = " | ".join(f"{value:.1f}" for value in mean)
        lines.append(
            f"| {name} | {len(parts[0][1])} | {len(np.unique(y))} | {len(kernels)} "
            f"| {cells} | {norms} |"
        )
        print(lines[-1], f"{time.perf_counter() - began:.0f} s", flush=True)
    table = np.array(means)
    cells = " | ".join(f"{value:.2f}" for value in table.mean(axis=0))
    lines.append(f"| mean | | | | {cells} | |")
    to_best = table[:, 0] - table[:, 1:].max(axis=1)
    to_uniform = table[:, 0] - table[:, 2]
    rival = table.mean(axis=0)[1:].max()
    verdict = to_best.mean() >= -SLACK and to_uniform.min() >= -WORST
    lines += [
        "",
        f"CV less the best of the three on each set (chosen by the test rows): "
        f"{to_best.mean():+.2f} points on average, {to_best.min():+.2f} at worst; "
        f"less the rival of the best mean: {table[:, 0].mean() - rival:+.2f}; less "
        f"uniform: {to_uniform.min():+.2f} at worst. Wanted: at least −{SLACK} on "
        f"average and −{WORST} to uniform: {'met' if verdict else 'NOT MET'}.",
    ]
    return "\n".join(lines)


def cost_table() -> str:
    try:
        source, (X, y) = "satimage", load_table("satimage")
    except FileNotFoundError:
        source, (X, y) = "digits", load_digits(return_X_y=True)
    rows = np.random.default_rng(0).permutation(len(y))[:500]
    X, y = StandardScaler().fit_transform(X[rows]), y[rows]
    kernels = rbf_grid(factors=np.logspace(-1, 1, 10))
    MKLDiscriminantAnalysisCV(kernels, norms=[2]).fit(X[:100], y[:100])
    began = time.perf_counter()
    model = MKLDiscriminantAnalysisCV(kernels).fit(X, y)
    whole = time.perf_counter() - began
    solves = model.cv_results_["inner_solves"]
    lines = [
        f"{source}, 500 rows, ten kernels, {len(np.unique(y))} classes:",
        "",
        "| | fits | seconds | ratio |",
        "|---|---|---|---|",
        f"| leave-one-out, all 12 norms × 10 λ | {len(solves)} | {whole:.1f} | 1.00 |",
    ]
    for norm in (1, 1.25, 2):
        plain = MKLDiscriminantAnalysis(kernels, LpBall(norm), tol=1e-4)
        search = GridSearchCV(
            plain, {"alpha": model.alphas}, cv=5, n_jobs=1, refit=False
        )
        began = time.perf_counter()
        search.fit(X, y)
        seconds = time.perf_counter() - began
        lines.append(
            f"| five folds, norm {norm:g}, 10 λ | 50 | {seconds:.1f} "
            f"| {seconds / whole:.2f} |"
        )
    lines += [
        "",
        f"Factorisations a point of the grid: {solves.mean():.2f} on average, "
        f"{solves.max()} at most. Leave-one-out adds none: it inverts the last "
        "triangular factor.",
    ]
    return "\n".join(lines)


HEAD = """# Choosing how sparse to be

`MKLDiscriminantAnalysisCV` and `MKLRidgeCV` choose the norm of the weights and the
regularisation. This page is made by

    python benchmarks/selection.py --write docs/selection.md

## What it costs

{cost}

## What it is worth

Accuracy on test rows, mean of five splits; rows are training rows. CV chooses norm and
λ by leave-one-out, l1 and uniform λ, single the kernel and λ, all by R² of left-out
projections: the squared error that the projections minimise. CV takes the largest norm
that has a point within one standard error of the best.

{accuracy}

Leave-one-out is exact for the projections at the weights that all samples chose. The
weights, and the centring and scaling of the kernels, saw the left-out sample: the score
compares points of the grid, and flatters, the more the sparser the weights and the more
kernels there are. For an honest figure keep rows apart, or cross-validate the whole
estimator. That is also why one standard error is given away for a larger norm. The rule
was chosen on other splits and on ten further sets, against the plain best R², accuracy,
log-loss and mixtures of them; none of these differed from it by more than noise in the
mean, but they lost more to uniform where they lost. On the splits of this table, which
were looked at with both, the plain best R² gave −0.31, +0.16 and −0.89 for the first,
third and last figure above.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", type=Path, help="the page to write")
    arguments = parser.parse_args()
    cost = cost_table()
    print(cost, flush=True)
    accuracy = accuracy_table()
    print(accuracy)
    if arguments.write:
        arguments.write.write_text(HEAD.format(cost=cost, accuracy=accuracy))


if __name__ == "__main__":
    main()
