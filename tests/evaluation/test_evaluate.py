"""The combination against single views and the average, on the same splits."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine
from sklearn.metrics import r2_score
from sklearn.model_selection import (
    KFold,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale

from kernelweave import (
    MKLSVC,
    MKLSVCCV,
    MKLSVR,
    LaplacianMKLSVC,
    MKLDiscriminantAnalysis,
    MKLDiscriminantAnalysisCV,
    MKLOneClassSVM,
    MKLRidge,
)
from kernelweave.evaluation import (
    Comparison,
    Evaluation,
    Gain,
    LeftOut,
    Row,
    corrected_interval,
    evaluate,
    sample_interval,
)
from kernelweave.evaluation.contenders import equal_weights
from kernelweave.evaluation.measures import Accuracy, RSquared, refuse_hiding
from kernelweave.kernels import RBF, Linear, Precomputed
from kernelweave.weights import Fixed, LpBall, Simplex

X, y = load_wine(return_X_y=True)
X = scale(X)
KERNELS = [
    RBF(columns=[0, 1, 2], name="acid: rbf"),
    Linear(columns=[0, 1, 2], name="acid: linear"),
    RBF(columns=[9, 10], name="colour: rbf"),
]


def row(kind, name, mean, gain=None):
    return Row(name, kind, (mean,), mean, 0.0, 1.0, gain)


def test_interval_by_hand():
    # t(0.975, 4) = 2.776; the variance of the mean is (1/5 + 1/4)·s², s² = 0.025.
    interval = corrected_interval([0.5, 0.6, 0.7, 0.8, 0.9], cv=5)
    half = 2.7764451 * np.sqrt(0.45 * 0.025)
    np.testing.assert_allclose(
        [interval.mean, interval.low, interval.high], [0.7, 0.7 - half, 0.7 + half]
    )


def test_interval_covers():
    """Of many experiments whose training sets overlap about 95 % hold the truth."""
    rng = np.random.default_rng(0)
    held = plain = 0
    for _ in range(400):
        # Scores of 5 folds that have the correlation 1/5 of Nadeau and Bengio.
        z = np.sqrt(0.2) * rng.normal() + np.sqrt(0.8) * rng.normal(size=5)
        interval = corrected_interval(z, cv=5)
        held += interval.low <= 0 <= interval.high
        half = 2.776 * np.std(z, ddof=1) / np.sqrt(5)
        plain += abs(np.mean(z)) <= half
    assert 0.92 <= held / 400 <= 0.98
    assert plain / 400 < 0.9


def test_interval_of_samples_by_hand():
    # Five samples, one imagined: means over repetitions 1, 0, 1, 0, ½ and 0.
    values = [[1, 0, 1, 0, 1], [1, 0, 1, 0, 0]]
    interval = sample_interval(values, [0.0], cv=5)
    between, single = 9 / 24 - (5 / 12) ** 2, (1 / 4 + 2 / 9) / 2
    half = 2.7764451 * np.sqrt((between + 1.25 * single) / 6)
    centre = 5 / 12
    np.testing.assert_allclose(
        [interval.mean, interval.low, interval.high],
        [0.5, centre - half, centre + half],
    )


def answers(truth, predicted, units=None):
    """Left-out predictions (repeats, n) as they come from folds."""
    truth, predicted = np.asarray(truth), np.asarray(predicted)
    repeats, n = predicted.shape[:2]
    return LeftOut(
        truth,
        np.arange(n),
        np.arange(n) if units is None else units,
        np.unique(truth) if truth.dtype.kind != "f" else None,
        np.tile(np.arange(n), repeats),
        np.repeat(np.arange(repeats), n),
        predicted.reshape(-1, *predicted.shape[2:]),
    )


def test_folds_that_agree_prove_nothing():
    """One sample more is right in each of five folds: five against none, p = 0.06."""
    truth = np.arange(178) % 2
    other = truth.copy()
    other[[0, 36, 72, 108, 144]] += 1
    right = answers(truth, [truth])
    gain = Accuracy().gain(right, answers(truth, [other]), 5)
    assert gain.mean == pytest.approx(5 / 178)
    assert (gain.better, gain.worse) == (5, 0)
    assert gain.low < 0
    # With twenty against none there is no doubt.
    other[:20] = truth[:20] + 1
    assert Accuracy().gain(right, answers(truth, [other]), 5).low > 0


@pytest.mark.parametrize("n", [10, 100])
def test_no_difference_leaves_a_doubt(n):
    truth = np.arange(n) % 2
    same = answers(truth, [truth, 1 - truth])
    gain = Accuracy().gain(same, same, 5)
    assert gain.low < gain.mean == 0 < gain.high
    score = Accuracy().score(answers(truth, [truth]), 5)
    assert score.low < score.mean == score.high == 1
    target = np.arange(float(n))
    off = answers(target, [target + 1, target - 1])
    gain = RSquared().gain(off, off, 5)
    assert gain.low < gain.mean == 0 < gain.high
    assert RSquared().score(answers(target, [target]), 5).low < 1


def test_r_squared_is_that_of_all_samples():
    rng = np.random.default_rng(0)
    target = rng.normal(size=(40, 2))
    one, other = target + rng.normal(size=(2, 40, 2)) / 2
    measure = RSquared()
    both = [answers(target, [f]) for f in (one, other)]
    scores = [r2_score(target, f) for f in (one, other)]
    assert measure.score(both[0], 5).mean == pytest.approx(scores[0])
    assert measure.plain(both[0]) == pytest.approx(scores[0])
    # The jackknife by leaving out.
    kept = [np.arange(40) != i for i in range(40)]
    left_out = np.array([r2_score(target[k], one[k]) for k in kept])
    expected = scores[0] + 39 * (left_out.mean() - left_out)
    np.testing.assert_allclose(measure.values(both[0]), expected)


def nearest_mean(X, y):
    means = np.array([X[y == c].mean(axis=0) for c in (0, 1)])
    return lambda T: np.argmin(((T[:, None] - means) ** 2).sum(axis=2), axis=1)


def least_squares(X, y):
    w = np.linalg.lstsq(X, y, rcond=None)[0]
    return lambda T: T @ w


@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_intervals_hold_the_truth(task):
    """Both views against one, which tells nearly all: in 150 tables of 50 samples.

    For classes the intervals of the folds' scores hold it in about half of them: few
    samples differ, so the folds agree by accident. `benchmarks/interval_coverage.py`
    has more.
    """
    rng = np.random.default_rng(0)
    fit = nearest_mean if task == "classes" else least_squares

    def draw(n):
        table = rng.normal(size=(n, 4))
        if task == "numbers":
            return table, table @ [1.0, 0.0, 0.5, 0.0] + rng.normal(size=n)
        target = np.arange(n) % 2
        table[:, [0, 2]] += np.outer(2 * target - 1, [2.2, 0.5])
        return table, target

    new, truth = draw(5000)
    gains, fold_gains, true = [], [], []
    for trial in range(150):
        table, target = draw(50)
        measure = Accuracy() if task == "classes" else RSquared()
        found, scores = np.empty((2, 50), target.dtype), np.empty((2, 5))
        folds = KFold(5, shuffle=True, random_state=trial).split(table)
        for s, (train, test) in enumerate(folds):
            for c, d in enumerate((4, 2)):
                model = fit(table[train, :d], target[train])
                predicted = model(table[test, :d])
                found[c, test] = predicted
                scores[c, s] = measure.plain(answers(target[test], predicted[None]))
                whole = measure.plain(answers(truth, model(new[:, :d])[None]))
                true.append((-1) ** c * whole)
        one, other = (answers(target, f[None]) for f in found)
        gains.append(measure.gain(one, other, 5))
        fold_gains.append(corrected_interval(scores[0] - scores[1], 5))
    difference = 2 * np.mean(true)
    held, held_by_folds = (
        np.mean([gain.low <= difference <= gain.high for gain in intervals])
        for intervals in (gains, fold_gains)
    )
    assert held >= 0.92
    if task == "classes":
        assert held_by_folds < 0.8
    # A doubt, not a shrug: no wider than the folds would have it, but for the accident.
    width = np.mean([gain.high - gain.low for gain in gains])
    assert width < (0.2 if task == "classes" else 0.6)


def test_rows_are_those_of_cross_val_score():
    evaluation = evaluate(MKLDiscriminantAnalysis(KERNELS), X, y, cv=4, repeats=2)
    cv = RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=0)
    expected = {
        "combination": MKLDiscriminantAnalysis(KERNELS),
        "average": MKLDiscriminantAnalysis(KERNELS, weights=Fixed()),
        "acid": MKLDiscriminantAnalysis(KERNELS[:2]),
        "colour": MKLDiscriminantAnalysis(KERNELS[2:]),
    }
    assert [r.name for r in evaluation.rows] == list(expected)
    assert [r.kind for r in evaluation.rows] == ["learned", "average", "view", "view"]
    for r in evaluation.rows:
        scores = cross_val_score(expected[r.name], X, y, cv=cv)
        np.testing.assert_allclose(r.scores, scores)
        # Pooled: the folds have 44 or 45 samples.
        assert r.mean == pytest.approx(np.mean(scores), abs=1e-3)
        assert 178 * 2 * r.mean == pytest.approx(round(178 * 2 * r.mean))
        assert r.low < r.mean < r.high
    for r in evaluation.rows[1:]:
        gain = evaluation.difference(r)
        assert gain.mean == pytest.approx(evaluation.learned.mean - r.mean)
    with pytest.raises(ValueError, match="was not compared"):
        evaluation.difference(evaluation.learned)
    assert evaluation.metric == "accuracy"
    assert evaluation.n_samples == len(y)


def test_regression_scores_r_squared():
    table, target = load_diabetes(return_X_y=True, as_frame=True)
    model = MKLRidge(
        [RBF(columns=["bmi", "bp"], name="body"), RBF(columns=["age"], name="age")]
    )
    evaluation = evaluate(model, table, target, cv=3, random_state=1)
    cv = RepeatedKFold(n_splits=3, n_repeats=1, random_state=1)
    scores = cross_val_score(model, table, target, cv=cv)
    np.testing.assert_allclose(evaluation.learned.scores, scores)
    assert evaluation.metric == "R²"
    assert evaluation.best_view is not None
    assert evaluation.best_view.name == "body"
    assert "in R²" in evaluation.verdict


def test_fitted_estimator_is_left_as_it_is():
    model = MKLDiscriminantAnalysis(KERNELS).fit(X, y)
    before = model.weights_.copy()
    evaluation = evaluate(model, X, y, cv=2)
    np.testing.assert_array_equal(model.weights_, before)
    assert len(model.kernels) == 3
    unfitted = evaluate(MKLDiscriminantAnalysis(KERNELS), X, y, cv=2)
    assert evaluation == unfitted


def test_given_gram_matrices_are_cut_on_both_sides():
    parts = (X[:, :3], X[:, 3:6], X[:, 9:11])
    stack = np.stack([part @ part.T for part in parts])
    given = evaluate(MKLDiscriminantAnalysis("precomputed"), stack, y, cv=3)
    kernels = [Precomputed(K, name=f"kernel {j}") for j, K in enumerate(stack)]
    rows = np.arange(len(y))[:, None]
    wrapped = evaluate(MKLDiscriminantAnalysis(kernels), rows, y, cv=3)
    assert [r.name for r in given.rows[2:]] == ["kernel 0", "kernel 1", "kernel 2"]
    for one, other in zip(given.rows, wrapped.rows, strict=True):
        np.testing.assert_allclose(one.scores, other.scores)
    alone = evaluate(MKLDiscriminantAnalysis("precomputed"), stack[1], y, cv=3)
    assert len(alone.rows) == 1
    assert alone.learned.scores == given.rows[3].scores


@pytest.mark.parametrize("text", [False, True])
def test_unlabelled_rows_train_and_are_not_scored(text):
    hidden = np.arange(len(y)) % 3 > 0
    labels = np.where(hidden, -1, y)
    if text:
        labels = np.array([None if c < 0 else f"wine {c}" for c in labels])
    model = LaplacianMKLSVC(KERNELS)
    evaluation = evaluate(model, X, labels, cv=3)
    assert evaluation.n_samples == np.sum(~hidden)
    rows = np.flatnonzero(~hidden)
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=1, random_state=0)
    expected = []
    for train, test in cv.split(rows, y[rows]):
        part = np.concatenate([rows[train], np.flatnonzero(hidden)])
        fitted = LaplacianMKLSVC(KERNELS).fit(X[part], np.where(hidden, -1, y)[part])
        expected.append(np.mean(fitted.predict(X[rows[test]]) == y[rows[test]]))
    np.testing.assert_allclose(evaluation.learned.scores, expected)


def test_one_view_has_no_other():
    evaluation = evaluate(MKLDiscriminantAnalysis(KERNELS[:2]), X, y, cv=2)
    assert [r.kind for r in evaluation.rows] == ["learned", "average"]
    assert evaluation.best_view is None
    assert "one view only" in evaluation.verdict


def test_pipeline():
    pipeline = make_pipeline(StandardScaler(), MKLSVC(KERNELS))
    evaluation = evaluate(pipeline, X, y, cv=3)
    cv = RepeatedStratifiedKFold(n_splits=3, n_repeats=1, random_state=0)
    alone = make_pipeline(StandardScaler(), MKLSVC(KERNELS[2:]))
    scores = cross_val_score(alone, X, y, cv=cv)
    np.testing.assert_allclose(evaluation.rows[-1].scores, scores)


@pytest.mark.parametrize(
    "model",
    [
        MKLDiscriminantAnalysis(KERNELS),
        MKLDiscriminantAnalysis(KERNELS, weights=LpBall(2)),
        MKLDiscriminantAnalysis(KERNELS, weights=Fixed([0.2, 0.3, 0.5])),
        MKLDiscriminantAnalysis(KERNELS, alpha="learn"),
        MKLDiscriminantAnalysisCV(KERNELS, norms=[1, 2], alphas=[1, 10]),
        MKLSVC(KERNELS, loss="squared_hinge", C="learn"),
        MKLSVC(KERNELS, multiclass="per_class"),
        MKLSVCCV(KERNELS, vs=[0, 1], Cs=[1, 10], cv=2),
    ],
    ids=repr,
)
def test_average_has_equal_weights(model):
    learned = model.fit(X, y)
    average = equal_weights(model.__class__(**model.get_params(False)), learned, 3)
    weights = average.fit(X, y).weights_
    assert np.ptp(weights) < 1e-9 * np.max(weights)
    assert np.ptp(learned.weights_) > 0.01


def test_average_is_as_heavy_as_the_set_allows():
    model = MKLDiscriminantAnalysis(KERNELS, weights=LpBall(2))
    average = equal_weights(model, model.fit(X, y), 3)
    assert np.linalg.norm(average.fit(X, y).weights_) == pytest.approx(1)


def test_view_has_its_part_of_the_set():
    model = MKLDiscriminantAnalysis(KERNELS, weights=Simplex(r=[1, 2, 3]))
    assert len(evaluate(model, X, y, cv=2).rows) == 4


def test_progress_counts_every_fit():
    calls = []
    model = MKLDiscriminantAnalysis(KERNELS)
    evaluate(model, X, y, cv=2, progress=lambda *call: calls.append(call))
    assert [done for done, _, _ in calls] == list(range(9))
    assert {total for _, total, _ in calls} == {8}
    assert calls[3][2] == "split 1 of 2: colour"


@pytest.mark.parametrize(
    ("gain", "repeats", "words"),
    [
        (
            Gain(0.05, 0.01, 0.09, 12, 2),
            1,
            "is better than the best single view (rna) by 5.0 points, 95 % interval "
            "1.0 to 9.0.",
        ),
        (
            Gain(-0.05, -0.09, -0.01, 2, 12),
            1,
            "is worse than the best single view (rna) by 5.0 points, 95 % interval "
            "1.0 to 9.0.",
        ),
        (
            Gain(0.028, -0.012, 0.068, 5, 0),
            1,
            "cannot be told apart: the difference is 2.8 points, 95 % interval −1.2 to "
            "6.8. Of 178 samples 5 are right with the former only, 0 with the latter "
            "only.",
        ),
        (
            Gain(0.01, -0.012, 0.032, 7, 3),
            4,
            "Of 178 samples 7 are right more often with the former, 3 with the latter.",
        ),
    ],
)
def test_verdict(gain, repeats, words):
    rows = (
        row("learned", "combination", 0.75 + gain.mean),
        row("average", "average", 0.75, gain),
        row("view", "rna", 0.75, gain),
        row("view", "protein", 0.65, gain),
    )
    comparison = Comparison(rows, "accuracy", -1, False, 178, repeats)
    evaluation = Evaluation((comparison,), 178, 5, repeats)
    assert words in evaluation.verdict
    lines = str(evaluation).splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[3].startswith("rna alone")


def test_verdict_of_r_squared_counts_no_samples():
    rows = (
        row("learned", "combination", 0.5),
        row("view", "rna", 0.45, Gain(0.05, -0.01, 0.11, 60, 40)),
    )
    verdict = Comparison(rows, "R²", -1, n_samples=100).verdict
    assert verdict.endswith("is 0.050 in R², 95 % interval −0.010 to 0.110.")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"cv": 1}, "cv must be"),
        ({"cv": 2.5}, "cv must be"),
        ({"repeats": 0}, "repeats must be"),
        ({"cv": 49}, "class 2 has 48 labelled samples, .* 49 folds: use at most 48"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        evaluate(MKLDiscriminantAnalysis(KERNELS), X, y, **arguments)


def test_what_cannot_be_evaluated():
    with pytest.raises(ValueError, match="classifier, a regressor or a Cox"):
        evaluate(MKLOneClassSVM(KERNELS), X, y)
    with pytest.raises(ValueError, match="one class only"):
        evaluate(MKLDiscriminantAnalysis(KERNELS), X, np.ones(len(y)))
    with pytest.raises(
        ValueError, match=r"9 samples are too few for 5 folds.*use fewer folds"
    ):
        evaluate(MKLSVR(KERNELS), X[:9], np.arange(9.0))
    for target in (np.ones(len(y)), np.arange(len(y)) == 3.0):
        with pytest.raises(ValueError, match="same value in all rows, or in all but"):
            evaluate(MKLRidge(KERNELS), X, target.astype(float))


def test_error_names_the_view_and_the_split():
    empty = np.column_stack([X, np.zeros(len(X))])
    kernels = [*KERNELS, Linear(columns=[13], name="blank: linear")]
    with (
        pytest.warns(UserWarning, match="zero or constant"),
        pytest.raises(ValueError, match="blank, split 1 of 2: every kernel"),
    ):
        evaluate(MKLDiscriminantAnalysis(kernels), empty, y, cv=2)


def test_a_target_of_one_row_that_hides_the_others():
    y = np.random.default_rng(0).normal(size=20)
    y[3] = 1e12
    with pytest.raises(ValueError, match=r"1e\+12 in one row, and between .* others"):
        refuse_hiding(y)
    for others in (0.0, 2.5):
        with pytest.raises(ValueError, match="same value in all rows, or in all but"):
            refuse_hiding(np.where(np.arange(20) == 3, 1e12, others))
        with pytest.raises(ValueError, match="same value in all rows, or in all but"):
            refuse_hiding(np.full(20, others))
