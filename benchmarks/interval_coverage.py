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
groups     both − A where each of n/4 patients has four samples, of one target, that
           are alike: by `groups=`; "folds" forgets the groups
balanced   both − A by balanced accuracy, one class having a fifth of the samples
area       the same by the area under the ROC curve, a score without a formula
error      both − A by the mean absolute error

"folds" is the interval of Nadeau and Bengio for the scores of folds,
`corrected_interval`; "rows" that of the samples without an allowance for the training
samples in common; "ours" what `evaluate` gives. Each with its mean width.

    python benchmarks/interval_coverage.py

It takes about two minutes.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    StratifiedKFold,
)

from kernelweave import MKLDiscriminantAnalysis, MKLRidge
from kernelweave.evaluation import Interval, LeftOut, corrected_interval, evaluate
from kernelweave.evaluation.measures import (
    Accuracy,
    BalancedAccuracy,
    Measure,
    RSquared,
)
from kernelweave.evaluation.scorers import measures
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


def together(y: Array, found: Array, decision: Any = None) -> LeftOut:
    """Predictions (repeats, n) as `evaluate` keeps them."""
    repeats, n = found.shape
    return LeftOut(
        y,
        np.arange(n),
        np.arange(n),
        np.unique(y) if y.dtype.kind == "i" else None,
        np.tile(np.arange(n), repeats),
        np.repeat(np.arange(repeats), n),
        found.ravel(),
        decision=decision,
    )


def linear_trials(
    name: str, task: str, n: int, cv: int, repeats: int, trials: int
) -> Iterator[tuple[dict[str, Interval], float, float]]:
    """Of each trial the intervals, and the true score and difference in it."""
    a, b, first, second = CONTENDERS[name]
    fits = [contender(first, task), contender(second, task)]
    rng = np.random.default_rng(n)
    T, truth = draw(4000, task, a, b, rng)
    folds = RepeatedStratifiedKFold if task == "classes" else RepeatedKFold
    measure: Measure = Accuracy() if task == "classes" else RSquared()
    for trial in range(trials):
        X, y = draw(n, task, a, b, rng)
        found = np.empty((2, repeats, n), y.dtype)
        scores, true = np.empty((2, cv * repeats)), np.zeros(2)
        splitter = folds(n_splits=cv, n_repeats=repeats, random_state=trial)
        for s, (train, test) in enumerate(splitter.split(X, y)):
            for c, fit in enumerate(fits):
                model = fit(X[train], y[train])
                predicted = model(X[test])
                found[c, s // cv, test] = predicted
                scores[c, s] = measure.plain(together(y[test], predicted[None]))
                if s < cv:
                    true[c] += measure.plain(together(truth, model(T)[None]))
        true /= cv
        one, other = (together(y, f) for f in found)
        gain = measure.gain(one, other, cv)
        intervals = {
            "folds": corrected_interval(scores[0] - scores[1], cv),
            "rows": without_allowance(gain, measure, one, other, cv),
            "ours": gain,
            "score": measure.score(one, cv),
        }
        yield intervals, true[0], true[0] - true[1]


def without_allowance(
    gain: Interval, measure: Measure, one: LeftOut, other: LeftOut, cv: int
) -> Interval:
    """The interval as wide as the samples alone would have it."""
    parts = [
        [measure.values(side.part(side.repetition == t)) for t in range(side.times[0])]
        for side in (one, other)
    ]
    d = np.subtract(*parts)
    single, between = np.mean(np.var(d, axis=1)), np.var(np.mean(d, axis=0))
    whole = between + cv / (cv - 1) * single
    share = np.sqrt(between / whole) if whole > 0 else 1.0
    ends = (gain.mean + share * (end - gain.mean) for end in (gain.low, gain.high))
    return Interval(gain.mean, *ends)


def draw_patients(n: int, task: str, rng: Any) -> tuple[Array, Array, Array]:
    """Four samples of every patient, half of whose variation is between patients."""
    X, y = draw(n // 4, task, 1.0, 0.8, rng)
    patient = np.repeat(np.arange(n // 4), 4)
    target = y[patient]
    own = draw(n, task, 0.0, 0.0, rng)[0]
    if task == "numbers":
        target = target + rng.normal(size=n)
    return (X[patient] + own) / np.sqrt(2), target, patient


def grouped_trials(
    task: str, n: int, cv: int, trials: int
) -> Iterator[tuple[dict[str, Interval], float, float]]:
    """Patients with several samples each, which are drawn and left out together."""
    fits = [contender("both", task), contender("A", task)]
    rng = np.random.default_rng(n)
    T, truth, _ = draw_patients(8000, task, rng)
    measure: Measure = Accuracy() if task == "classes" else RSquared()
    for trial in range(trials):
        X, y, patient = draw_patients(n, task, rng)
        found, true = np.empty((2, n), y.dtype), np.zeros(2)
        splitter = GroupKFold(cv, shuffle=True, random_state=trial)
        for train, test in splitter.split(X, y, patient):
            for c, fit in enumerate(fits):
                model = fit(X[train], y[train])
                found[c, test] = model(X[test])
                true[c] += measure.plain(together(truth, model(T)[None])) / cv
        one, other = (together(y, f[None]) for f in found)
        rows = measure.gain(one, other, cv)
        one, other = (replace(side, units=patient) for side in (one, other))
        intervals = {
            "folds": rows,
            "ours": measure.gain(one, other, cv),
            "score": measure.score(one, cv),
        }
        yield intervals, true[0], true[0] - true[1]


def scored_trials(
    name: str, n: int, cv: int, trials: int
) -> Iterator[tuple[dict[str, Interval], float, float]]:
    """Both views against A, by another score."""
    task = "numbers" if name == "error" else "classes"
    views = [BOTH, VIEW_A]
    rng = np.random.default_rng(n)

    def unequal(n: int) -> tuple[Array, Array]:
        X, y = draw(n, task, 1.0, 0.8, rng)
        if task == "classes":
            X[:, [0, 5]] -= np.outer(2 * y - 1, [1.0, 0.8])
            y = rng.permutation((np.arange(n) % 5 == 0).astype(int))
            X[:, [0, 5]] += np.outer(2 * y - 1, [1.0, 0.8])
        return X, y

    T, truth = unequal(4000)
    scorers = {"error": "neg_mean_absolute_error", "area": "roc_auc"}
    measure: Measure = BalancedAccuracy()
    if name in scorers:
        kind = MKLRidge() if task == "numbers" else MKLDiscriminantAnalysis()
        (measure,) = measures(scorers[name], kind, truth)
    for trial in range(trials):
        X, y = unequal(n)
        f, true = np.empty((2, n)), np.zeros(2)
        folds = StratifiedKFold if task == "classes" else KFold
        for train, test in folds(cv, shuffle=True, random_state=trial).split(X, y):
            for c, part in enumerate(views):
                # Targets of equal classes put the threshold between them.
                v = np.where(y[train] == 1, 4, 1) if task == "classes" else None
                model = weighted(X[train][:, part], y[train], task, v)
                f[c, test] = model(X[test][:, part])
                new = model(T[:, part])
                true[c] += measure.plain(answer(truth, new, task)) / cv
        one, other = (answer(y, g, task) for g in f)
        intervals = {
            "ours": measure.gain(one, other, cv),
            "score": measure.score(one, cv),
        }
        yield intervals, true[0], true[0] - true[1]


def answer(y: Array, f: Array, task: str) -> LeftOut:
    if task == "numbers":
        return together(y, f[None])
    return together(y, (f > 0).astype(int)[None], f)


def weighted(X: Array, y: Array, task: str, v: Any) -> Model:
    """Ridge regression with weights of the rows; for classes, of the targets ±1."""
    t = 2.0 * y - 1 if task == "classes" else y
    v = np.ones(len(y)) if v is None else v
    mean, offset = np.average(X, axis=0, weights=v), np.average(t, weights=v)
    Z = X - mean
    w = np.linalg.solve((Z.T * v) @ Z + np.eye(Z.shape[1]), (Z.T * v) @ (t - offset))
    return lambda T: (T - mean) @ w + offset


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
        for n in (120, 400):
            found = line(grouped_trials(task, n, 5, trials))
            print(f"{task:8} {'groups':10}{n:4} {'5×1':>4}{found}", flush=True)
        for name in ("balanced", "area") if task == "classes" else ("error",):
            for n in (60, 200):
                found = line(scored_trials(name, n, 5, trials))
                print(f"{task:8} {name:10}{n:4} {'5×1':>4}{found}", flush=True)


if __name__ == "__main__":
    main()
