"""The combination against single views and the average, on the same splits."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine
from sklearn.model_selection import (
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
from kernelweave.evaluation import Evaluation, Row, corrected_interval, evaluate
from kernelweave.evaluation.contenders import equal_weights
from kernelweave.kernels import RBF, Linear, Precomputed
from kernelweave.weights import Fixed, LpBall, Simplex

X, y = load_wine(return_X_y=True)
X = scale(X)
KERNELS = [
    RBF(columns=[0, 1, 2], name="acid: rbf"),
    Linear(columns=[0, 1, 2], name="acid: linear"),
    RBF(columns=[9, 10], name="colour: rbf"),
]


def row(kind, name, scores, low=0.0, high=1.0):
    return Row(name, kind, tuple(scores), float(np.mean(scores)), low, high)


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
        interval = corrected_interval(scores, 4)
        assert r.mean == pytest.approx(interval.mean)
        assert r.low == pytest.approx(max(interval.low, 0))
        assert r.high == pytest.approx(min(interval.high, 1))
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
    ("gain", "words"),
    [
        (
            0.05,
            "is better than the best single view (rna) by 5.0 points, 95 % interval",
        ),
        (
            -0.05,
            "is worse than the best single view (rna) by 5.0 points, 95 % interval",
        ),
        (0.001, "cannot be told apart: the difference is 0.1 points, 95 % interval −"),
    ],
)
def test_verdict(gain, words):
    noise = np.array([0.001, -0.002, 0.003, -0.001, -0.001])
    base = np.array([0.8, 0.7, 0.75, 0.8, 0.7])
    rows = (
        row("learned", "combination", base + gain + noise),
        row("average", "average", base),
        row("view", "rna", base),
        row("view", "protein", base - 0.1),
    )
    evaluation = Evaluation(rows, "accuracy", 100, 5, 1)
    assert words in evaluation.verdict
    lines = str(evaluation).splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[3].startswith("rna alone")


def test_best_view_is_not_told_apart_from_itself():
    same = row("learned", "combination", [0.5, 0.75, 1.0])
    evaluation = Evaluation(
        (same, row("view", "a", same.scores), row("view", "b", [0, 0, 0])),
        "accuracy",
        12,
        3,
        1,
    )
    assert "cannot be told apart: the difference is 0.0 points" in evaluation.verdict


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"cv": 1}, "cv must be"),
        ({"cv": 2.5}, "cv must be"),
        ({"repeats": 0}, "repeats must be"),
        ({"cv": 49}, "class 2 has 48 labelled samples.*use cv=48"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        evaluate(MKLDiscriminantAnalysis(KERNELS), X, y, **arguments)


def test_what_cannot_be_evaluated():
    with pytest.raises(ValueError, match="classifier or a regressor"):
        evaluate(MKLOneClassSVM(KERNELS), X, y)
    with pytest.raises(ValueError, match="one class only"):
        evaluate(MKLDiscriminantAnalysis(KERNELS), X, np.ones(len(y)))
    with pytest.raises(ValueError, match="too few for cv=5"):
        evaluate(MKLSVR(KERNELS), X[:9], np.arange(9.0))


def test_error_names_the_view_and_the_split():
    empty = np.column_stack([X, np.zeros(len(X))])
    kernels = [*KERNELS, Linear(columns=[13], name="blank: linear")]
    with (
        pytest.warns(UserWarning, match="zero or constant"),
        pytest.raises(ValueError, match="blank, split 1 of 2: every kernel"),
    ):
        evaluate(MKLDiscriminantAnalysis(kernels), empty, y, cv=2)
