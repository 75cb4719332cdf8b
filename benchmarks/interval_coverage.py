"""How often the 95 % intervals of `kernelweave.evaluation` hold the truth.

Many tables of n samples are drawn. Each is cross-validated as `evaluate` does, and it
is counted how many of the intervals hold the true score, and the true difference of two
contenders' scores: that which models learned from (cv − 1)/cv·n samples have on average
on 4000 others.

both − A   a linear model of both views against one of view A
alone      the same where view A tells nearly everything, so that few samples differ
A − B      the views against each other
chosen     the view that does better on half of the training samples against view B:
           models vary a lot with the training samples, as where weights are learned
MKL − A    MKLDiscriminantAnalysis or MKLRidge against view A, through `evaluate`

"folds" is the interval of Nadeau and Bengio for the scores of folds,
`corrected_interval`; "rows" that of the samples without an allowance for the training
samples in common; "ours" what `evaluate` gives. Each with its mean width.

    python benchmarks/interval_coverage.py

It takes about two minutes.
"""

import argparse
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold

from kernelweave import MKLDiscriminantAnalysis, MKLRidge
from kernelweave.evaluation import Interval, corrected_interval, evaluate
from kernelweave.evaluation.measures import Accuracy, RSquared
from kernelweave.kernels import Linear

Array = np.ndarray
Model = Callable[[Array], Array]
Fit = Callable[[Array, Array], Model]
VIEW_A, VIEW_B = np.arange(5), np.arange(5, 10)
BOTH = np.arange(10)
# How much views A and B tell, and the two contenders.
CONTENDERS = {
    "both − A": (1.0, 0.8, "both", "A"),
    "alone": (2.2, 0.6, "both", "A"),
    "A − B": (1.0, 1.0, "A", "B"),
    "chosen": (0.6, 0.5, "chosen", "B"),
}


def draw(n: int, task: str, a: float, b: float, rng: Any) -> tuple[Array, Array]:
    """A table of two views, of which one column each tells about the target."""
    X = rng.normal(size=(n, 10))
    if task == "classes":
        y = rng.permutation(np.arange(n) % 2)
        X[:, 0] += a * (2 * y - 1)
        X[:, 5] += b * (2 * y - 1)
        return X, y
    return X, a * X[:, 0] + b * X[:, 5] + rng.normal(size=n)


def linear(X: Array, y: Array, task: str) -> Model:
    """Ridge regression; for classes, of the targets ±1."""
    t = 2.0 * y - 1 if task == "classes" else y
    mean, offset = X.mean(axis=0), t.mean()
    Z = X - mean
    w = np.linalg.solve(Z.T @ Z + np.eye(Z.shape[1]), Z.T @ (t - offset))

    def predict(T: Array) -> Array:
        f = (T - mean) @ w + offset
        return (f > 0).astype(int) if task == "classes" else f

    return predict


def contender(name: str, task: str) -> Fit:
    views = {"both": BOTH, "A": VIEW_A, "B": VIEW_B}

    def fit(X: Array, y: Array) -> Model:
        if name != "chosen":
            part = views[name]
        else:
            half = np.arange(len(X)) % 2 == 0
            losses = []
            for part in (VIEW_A, VIEW_B):
                model = linear(X[half][:, part], y[half], task)
                losses.append(np.mean((model(X[~half][:, part]) - y[~half]) ** 2))
            part = (VIEW_A, VIEW_B)[int(np.argmin(losses))]
        model = linear(X[:, part], y, task)
        return lambda T: model(T[:, part])

    return fit


def linear_trials(
    name: str, task: str, n: int, cv: int, repeats: int, trials: int
) -> Iterator[tuple[dict[str, Interval], float, float]]:
    """Of each trial the intervals, and the true score and difference in it."""
    a, b, first, second = CONTENDERS[name]
    fits = [contender(first, task), contender(second, task)]
    rng = np.random.default_rng(n)
    T, truth = draw(4000, task, a, b, rng)
    folds = RepeatedStratifiedKFold if task == "classes" else RepeatedKFold
    scale = np.var(truth) if task == "numbers" else 1.0
    for trial in range(trials):
        X, y = draw(n, task, a, b, rng)
        measure = Accuracy() if task == "classes" else RSquared(y)
        losses = np.empty((2, repeats, n, 1))
        scores, true = np.empty((2, cv * repeats)), np.zeros(2)
        splitter = folds(n_splits=cv, n_repeats=repeats, random_state=trial)
        for s, (train, test) in enumerate(splitter.split(X, y)):
            for c, fit in enumerate(fits):
                model = fit(X[train], y[train])
                predicted = model(X[test])
                losses[c, s // cv, test] = measure.loss(y[test], predicted)
                scores[c, s] = measure.fold_score(y[test], predicted)
                if s < cv:
                    true[c] += 1 - np.mean(measure.loss(truth, model(T))) / scale
        true /= cv
        gain = measure.gain(losses[0], losses[1], cv)
        intervals = {
            "folds": corrected_interval(scores[0] - scores[1], cv),
            "rows": without_allowance(gain, losses, cv),
            "ours": gain,
            "score": measure.score(losses[0], cv),
        }
        yield intervals, true[0], true[0] - true[1]


def without_allowance(gain: Interval, losses: Array, cv: int) -> Interval:
    """The interval as wide as the samples alone would have it."""
    d = losses[1, ..., 0] - losses[0, ..., 0]
    single, between = np.mean(np.var(d, axis=1)), np.var(np.mean(d, axis=0))
    whole = between + cv / (cv - 1) * single
    share = np.sqrt(between / whole) if whole > 0 else 1.0
    ends = (gain.mean + share * (end - gain.mean) for end in (gain.low, gain.high))
    return Interval(gain.mean, *ends)


def learned_trials(
    task: str, n: int, cv: int, trials: int
) -> Iterator[tuple[dict[str, Interval], float, float]]:
    """The same for kernelweave's own estimators."""
    kernels = [Linear(columns=VIEW_A, name="A"), Linear(columns=VIEW_B, name="B")]
    estimator = MKLDiscriminantAnalysis if task == "classes" else MKLRidge
    rng = np.random.default_rng(n)
    T, truth = draw(4000, task, 1.0, 0.6, rng)
    for trial in range(trials):
        X, y = draw(n, task, 1.0, 0.6, rng)
        answer = evaluate(estimator(kernels), X, y, cv=cv, random_state=trial)
        view = answer.rows[2]
        train = rng.permutation(n)[: n - n // cv]
        true = [
            estimator(part).fit(X[train], y[train]).score(T, truth)
            for part in (kernels, kernels[:1])
        ]
        gain = answer.difference(view)
        scores = np.subtract(answer.learned.scores, view.scores)
        row = answer.learned
        intervals = {
            "folds": corrected_interval(scores, cv),
            "ours": gain,
            "score": Interval(row.mean, row.low, row.high),
        }
        yield intervals, true[0], true[0] - true[1]


def line(trials: Iterator[tuple[dict[str, Interval], float, float]]) -> str:
    """Coverage and mean width of every kind of interval."""
    intervals, scores, gains = zip(*trials, strict=True)
    cells = [f"{np.mean(gains):8.3f}"]
    for kind in ("folds", "rows", "ours", "score"):
        if kind not in intervals[0]:
            cells.append(" " * 14)
            continue
        true = np.mean(scores if kind == "score" else gains)
        ends = np.array([(i[kind].low, i[kind].high) for i in intervals])
        held = np.mean((ends[:, 0] <= true) & (true <= ends[:, 1]))
        cells.append(f"{100 * held:7.1f} {np.mean(np.ptp(ends, axis=1)):6.3f}")
    return " ".join(cells)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--trials", type=int, default=300)
    trials = parser.parse_args().trials
    heads = (f"{kind + ', %':>14}" for kind in ("folds", "rows", "ours", "score"))
    print(f"{'':22}n  cv    true {' '.join(heads)}")
    for task in ("classes", "numbers"):
        for name in CONTENDERS:
            for n, cv, repeats in (
                (50, 5, 1),
                (100, 5, 1),
                (200, 5, 1),
                (50, 10, 1),
                (100, 5, 4),
            ):
                found = line(linear_trials(name, task, n, cv, repeats, trials))
                folds = f"{cv}×{repeats}"
                print(f"{task:8} {name:10}{n:4} {folds:>4}{found}", flush=True)
        found = line(learned_trials(task, 60, 5, trials // 2))
        print(f"{task:8} {'MKL − A':10}{60:4} {'5×1':>4}{found}", flush=True)


if __name__ == "__main__":
    main()
