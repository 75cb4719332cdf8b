"""Any splitter, groups, several scores, unequal classes, and what was left out."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_diabetes, load_wine
from sklearn.metrics import (
    balanced_accuracy_score,
    confusion_matrix,
    f1_score,
    log_loss,
    mean_absolute_error,
    precision_score,
    r2_score,
    recall_score,
    roc_auc_score,
)
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
)
from sklearn.preprocessing import scale

from kernelweave import MKLSVC, MKLCoxRegression, MKLDiscriminantAnalysis, MKLRidge
from kernelweave.evaluation import LeftOut, evaluate
from kernelweave.evaluation.measures import Accuracy, BalancedAccuracy
from kernelweave.evaluation.scorers import Scorer, measures
from kernelweave.kernels import RBF, Linear, Precomputed
from kernelweave.survival import survival_array

X, y = load_wine(return_X_y=True)
X = scale(X)
KERNELS = [
    RBF(columns=[0, 1, 2], name="acid: rbf"),
    Linear(columns=[0, 1, 2], name="acid: linear"),
    RBF(columns=[9, 10], name="colour: rbf"),
]
MODEL = MKLDiscriminantAnalysis(KERNELS)


def test_any_splitter_gives_the_predictions_of_scikit_learn():
    cv = StratifiedKFold(4, shuffle=True, random_state=3)
    evaluation = evaluate(MODEL, X, y, cv=cv)
    left_out = evaluation.left_out
    expected = cross_val_predict(MODEL, X, y, cv=cv)
    np.testing.assert_array_equal(left_out.answer(), expected)
    chances = cross_val_predict(MODEL, X, y, cv=cv, method="predict_proba")
    np.testing.assert_allclose(left_out.probabilities(), chances)
    np.testing.assert_array_equal(
        evaluation.confusion().to_numpy(), confusion_matrix(y, expected)
    )
    recall = evaluation.recall()
    np.testing.assert_allclose(
        recall["recall"], recall_score(y, expected, average=None)
    )
    assert (recall["low"] < recall["recall"]).all()
    assert recall["samples"].tolist() == np.bincount(y).tolist()
    frame = left_out.to_frame()
    assert list(frame.columns) == ["true", "predicted", "P(0)", "P(1)", "P(2)"]
    # The same splits as pairs of rows.
    pairs = evaluate(MODEL, X, y, cv=list(cv.split(X, y)))
    assert pairs == evaluation


def test_leave_one_out_and_splits_that_overlap():
    rows = np.sort(np.random.default_rng(0).choice(len(y), 40, replace=False))
    once = evaluate(MODEL, X[rows], y[rows], cv=LeaveOneOut())
    assert once.n_samples == 40
    assert once.cv == 40
    shuffled = ShuffleSplit(6, test_size=0.3, random_state=0)
    options = {"cv": shuffled, "scoring": "accuracy"}
    evaluation = evaluate(MODEL, X[rows], y[rows], **options)
    tested = [test for _, test in shuffled.split(rows)]
    times = np.bincount(np.concatenate(tested), minlength=40)
    assert evaluation.n_samples == np.sum(times > 0)
    # The score is of all tests.
    assert evaluation.learned.mean == pytest.approx(np.mean(evaluation.learned.scores))
    assert evaluation.learned.low < evaluation.learned.mean < evaluation.learned.high


def ten_copies():
    rng = np.random.default_rng(1)
    table = rng.normal(size=(30, 5))
    labels = rng.permutation(np.arange(30) % 2)
    return np.repeat(table, 10, axis=0), np.repeat(labels, 10), np.repeat(range(30), 10)


def test_copies_fool_nobody():
    """Noise, ten times each: remembered without groups, and chance with them."""
    table, labels, group = ten_copies()
    kernels = [RBF(columns=[0, 1, 2], factor=0.2), RBF(columns=[3, 4], factor=0.2)]
    model = MKLDiscriminantAnalysis(kernels, alpha=0.01)
    with pytest.warns(UserWarning, match=r"100 % of the tested rows .* pass groups="):
        fooled = evaluate(model, table, labels, cv=3)
    assert fooled.learned.low > 0.9
    assert fooled.copied == 1.0
    honest = evaluate(model, table, labels, cv=3, groups=group)
    assert honest.learned.low < 0.5 < honest.learned.high
    # As wide as for thirty samples, not as for three hundred.
    row = honest.learned
    assert row.high - row.low > 0.3
    assert honest.n_groups == 30
    assert "3 folds of 30 groups" in str(honest)
    assert "cannot be told from chance" in honest.verdict


@pytest.mark.parametrize("kind", ["frame", "sparse", "given", "wrapped"])
def test_copies_are_found_in_tables_of_any_kind(kind):
    table, labels, _ = ten_copies()
    kernels, rows = [Linear(name="a"), RBF(name="b")], table
    if kind == "frame":
        rows = pd.DataFrame(table)
    elif kind == "sparse":
        rows, kernels = csr_array(table), [Linear()]
    elif kind == "given":
        kernels, rows = "precomputed", (table @ table.T)[None]
    elif kind == "wrapped":
        kernels, rows = [Precomputed(table @ table.T)], np.arange(300)[:, None]
    with pytest.warns(UserWarning, match="equal to rows that were learned from"):
        evaluate(MKLDiscriminantAnalysis(kernels), rows, labels, cv=2)


def test_copies_of_survival_times():
    table, labels, _ = ten_copies()
    target = survival_array(labels == 1, np.repeat(np.arange(1.0, 31.0), 10))
    with pytest.warns(UserWarning, match="equal to rows that were learned from"):
        evaluate(MKLCoxRegression([Linear()]), table, target, cv=2)


def test_rows_that_agree_by_accident_draw_no_warning():
    rng = np.random.default_rng(0)
    table = rng.integers(3, size=(200, 2)).astype(float)
    labels = rng.permutation(np.arange(200) % 2)
    evaluate(MKLDiscriminantAnalysis([Linear(), RBF()]), table, labels, cv=2)


def test_groups_with_splitters():
    group = np.arange(len(y)) % 7
    for cv in (LeaveOneGroupOut(), GroupKFold(3), 3):
        evaluation = evaluate(MODEL, X, y, cv=cv, groups=group)
        assert evaluation.n_groups == 7
    with pytest.raises(ValueError, match=r"split 1 has the group .* on both sides"):
        evaluate(MODEL, X, y, cv=KFold(3), groups=group)
    repeated = evaluate(MODEL, X, y, cv=3, repeats=2, groups=group)
    assert repeated.repeats == 2
    halves = [test for test in (repeated.left_out.split == s for s in range(6))]
    assert sum(map(np.sum, halves)) == 2 * len(y)


def test_groups_that_are_no_use():
    with pytest.raises(ValueError, match="one group for each of the 178 rows"):
        evaluate(MODEL, X, y, groups=np.arange(5))
    with pytest.raises(ValueError, match="class 2 has 1 group"):
        evaluate(MODEL, X, y, groups=np.where(y == 2, -1, np.arange(len(y))))
    target = np.arange(178.0)
    ridge = MKLRidge(KERNELS)
    with pytest.raises(ValueError, match="there are 3 groups, too few for 5 folds"):
        evaluate(ridge, X, target, groups=np.arange(178) % 3)
    with pytest.raises(ValueError, match="one group only"):
        evaluate(ridge, X, target, groups=np.zeros(178))
    with pytest.raises(ValueError, match="groups: it is missing"):
        evaluate(ridge, X, target, groups=[None, *range(177)])


def test_unequal_classes_are_balanced_and_told_of_chance():
    some = np.concatenate([np.flatnonzero(y == 1), np.flatnonzero(y == 2)[:12]])
    evaluation = evaluate(MODEL, X[some], y[some], cv=3)
    assert [c.metric for c in evaluation.comparisons] == [
        "balanced accuracy",
        "accuracy",
    ]
    found = evaluation.left_out.answer()
    expected = balanced_accuracy_score(y[some], found)
    assert evaluation.learned.mean == pytest.approx(expected)
    assert evaluation.chance == pytest.approx(0.5)
    assert evaluation.comparisons[1].chance == pytest.approx(71 / 83)
    assert "chance" in str(evaluation)


def test_balanced_accuracy_by_leaving_out():
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], [30, 12, 6])
    found = np.where(rng.uniform(size=48) < 0.7, truth, rng.integers(3, size=48))
    n = np.arange(48)
    answers = LeftOut(truth, n, n, np.arange(3), n, 0 * n, found)
    score = balanced_accuracy_score(truth, found)
    left = [balanced_accuracy_score(truth[n != i], found[n != i]) for i in n]
    values = BalancedAccuracy().values(answers)
    np.testing.assert_allclose(values, score + 47 * (np.mean(left) - left))
    # With classes of one size it is the accuracy.
    even = LeftOut(n % 3, n, n, np.arange(3), n, 0 * n, found)
    both = [m.score(even, 5) for m in (Accuracy(), BalancedAccuracy())]
    assert both[0].mean == pytest.approx(both[1].mean)
    assert both[0].low == pytest.approx(both[1].low, abs=0.01)


def test_several_scores():
    labels = (y == 1).astype(int)
    scoring = ["roc_auc", "neg_log_loss", "accuracy"]
    evaluation = evaluate(MODEL, X, labels, cv=3, scoring=scoring)
    chances = evaluation.left_out.probabilities()
    auc, loss, right = evaluation.comparisons
    assert auc.learned.mean == pytest.approx(roc_auc_score(labels, chances[:, 1]))
    assert auc.chance == pytest.approx(0.5)
    assert loss.metric == "log loss"
    assert loss.lower_is_better
    assert loss.learned.mean == pytest.approx(log_loss(labels, chances))
    assert loss.chance == pytest.approx(log_loss(labels, np.full(178, labels.mean())))
    assert loss.learned.low < loss.learned.mean < loss.learned.high
    assert loss.best_view.mean == min(r.mean for r in loss.rows if r.kind == "view")
    # Better is positive, whichever way the score goes.
    for comparison, sign in ((auc, 1), (loss, -1), (right, 1)):
        for row in comparison.rows[1:]:
            gain = sign * (comparison.learned.mean - row.mean)
            assert row.gain.mean == pytest.approx(gain)
    frame = evaluation.to_frame()
    assert len(frame) == 3 * 5
    assert frame.query("kind == 'chance'")["pooled"].notna().all()
    # Machines have no probabilities: their decision values are ranked.
    machine = evaluate(MKLSVC(KERNELS), X, labels, cv=3, scoring="roc_auc")
    assert machine.learned.mean > 0.9


def test_numbers_have_two_scores():
    table, target = load_diabetes(return_X_y=True)
    model = MKLRidge([RBF(columns=[2, 3], name="body"), RBF(columns=[0], name="age")])
    evaluation = evaluate(model, table, target, cv=3)
    r2, error = evaluation.comparisons
    assert r2.metric == "R²"
    assert r2.chance == pytest.approx(0, abs=1e-12)
    assert error.metric == "mean absolute error"
    found = evaluation.left_out.answer()
    assert error.learned.mean == pytest.approx(mean_absolute_error(target, found))
    assert error.chance == pytest.approx(np.mean(abs(target - target.mean())))
    assert evaluation.left_out.to_frame().shape == (442, 2)
    with pytest.raises(ValueError, match="no predicted classes"):
        evaluation.confusion()
    # Of all rows together, and called so.
    assert r2.learned.mean == pytest.approx(r2_score(target, found))
    assert "R², 3 folds                           pooled   95 %" in str(evaluation)


def test_a_scorer_without_a_formula_is_as_wide_as_one_with():
    rng = np.random.default_rng(0)
    truth = np.arange(300) % 2
    found = np.where(rng.uniform(size=300) < 0.8, truth, 1 - truth)
    n = np.arange(300)
    answers = LeftOut(truth, n, n, np.arange(2), n, 0 * n, found)
    exact = Accuracy().score(answers, 5)
    (general,) = measures({"share": "accuracy"}, MODEL, truth)
    general = Scorer("share", general.plain and _accuracy, False)
    interval = general.score(answers, 5)
    assert interval.mean == pytest.approx(exact.mean)
    width, other = interval.high - interval.low, exact.high - exact.low
    assert width == pytest.approx(other, rel=0.2)


NAMES = ["average_precision", "f1", "precision", "recall", "jaccard", "roc_auc"]


@pytest.mark.parametrize("positive", [None, "ill"])
@pytest.mark.parametrize("model", [MODEL, MKLSVC(KERNELS)])
def test_scores_of_one_class_with_classes_of_any_name(model, positive):
    health = np.where(y == 1, "ill", "well")
    evaluation = evaluate(model, X, health, cv=3, scoring=NAMES, positive=positive)
    first = evaluate(model, X, (health != "ill") ^ bool(positive), cv=3, scoring=NAMES)
    about = positive or "well"
    assert evaluation.metric == f"average precision of {about}"
    assert evaluation.comparisons[-1].metric == "roc auc"
    pairs = zip(evaluation.comparisons, first.comparisons, strict=True)
    for one, other in list(pairs):
        assert one.learned.mean == pytest.approx(other.learned.mean, abs=0.02)
        assert one.chance == pytest.approx(other.chance)
    found = evaluation.left_out.answer()
    for one, score in zip(
        evaluation.comparisons[1:4],
        (f1_score, precision_score, recall_score),
        strict=True,
    ):
        expected = score(health, found, pos_label=about)
        assert one.learned.mean == pytest.approx(expected)


@pytest.mark.parametrize("one", NAMES)
def test_classes_called_one_and_two(one):
    number = 1 + (y == 1)
    evaluation = evaluate(MODEL, X, number, cv=3, scoring=one)
    assert evaluation.learned.mean > 0.8
    assert evaluation.metric.removesuffix(" of 2") == one.replace("_", " ")


REGRESSION = MKLRidge(KERNELS)


@pytest.mark.parametrize(
    ("model", "scoring", "message"),
    [
        (MODEL, "r2", "'r2' is for numbers, and the target has classes: use .*'accura"),
        (MODEL, "neg_mean_absolute_error", "is for numbers"),
        (MODEL, "concordance", "is for events and times: use such as 'accuracy'"),
        (MODEL, "f1", "'f1' is for two classes, and the target has 3: use .*'f1_macro"),
        (MODEL, "roc_auc", "'roc_auc_ovr'"),
        (MODEL, "f1_samples", "several labels a sample"),
        (REGRESSION, "accuracy", "for classes, and the target has numbers: use .*'r2'"),
        (REGRESSION, "roc_auc", "is for classes"),
        (MKLSVC(KERNELS), "neg_log_loss", "does not predict: .* predict_proba"),
    ],
)
def test_scores_that_do_not_suit_the_target(model, scoring, message):
    with pytest.raises(ValueError, match=message):
        evaluate(model, X, y, cv=3, scoring=scoring)


@pytest.mark.parametrize(("model", "positive"), [(MODEL, 2), (REGRESSION, 1)])
def test_a_positive_class_that_is_not_one_of_two(model, positive):
    with pytest.raises(ValueError, match=rf"positive={positive}"):
        evaluate(model, X, y, positive=positive)


def _accuracy(estimator, X, y):
    return np.mean(estimator.predict(X) == y)


def test_scoring_may_be_callables():
    evaluation = evaluate(MODEL, X, y, cv=3, scoring={"my share": _accuracy})
    assert evaluation.metric == "my share"
    plain = evaluate(MODEL, X, y, cv=3)
    assert evaluation.learned.mean == pytest.approx(plain.learned.mean)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scoring": []}, "scoring is empty"),
        ({"scoring": [3]}, "names of scikit-learn"),
        ({"cv": "five"}, "cv must be"),
        ({"cv": []}, "no split"),
        ({"cv": [([0, 1], [1, 2])]}, "split 1 has 1 rows on both sides"),
        ({"cv": [(range(100), [500])]}, "rows beyond 0..177"),
        ({"cv": [(range(20), range(100, 120))]}, "one class only to learn from"),
        ({"cv": [(range(100), [])]}, "must hold numbers of rows"),
        ({"cv": RepeatedStratifiedKFold(), "repeats": 2}, "a splitter that repeats"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        evaluate(MODEL, X, y, **options)
