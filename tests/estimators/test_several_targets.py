"""Several labels, and weights of every target alone."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.datasets import load_diabetes, make_multilabel_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import scale

from kernelweave import (
    MKLDiscriminantAnalysis,
    MKLDiscriminantAnalysisCV,
    MKLLogisticRegression,
    MKLLogisticRegressionCV,
    MKLRidge,
    Problem,
    solve,
)
from kernelweave.evaluation import evaluate
from kernelweave.grams import DenseStack
from kernelweave.importance import view_importance
from kernelweave.kernels import RBF, Linear, Nystroem
from kernelweave.losses import Logistic
from kernelweave.persist import load, save
from kernelweave.report import write_report
from kernelweave.weights import Simplex

X, LABELS = make_multilabel_classification(80, 6, n_classes=3, random_state=0)
X = scale(X)
KERNELS = [RBF(columns=[0, 1, 2]), RBF(columns=[3, 4, 5]), Linear()]


def test_one_linear_kernel_is_one_logistic_regression_a_label():
    options = {"kernels": [Linear()], "normalize": None, "tol": 1e-8}
    for apart in (False, True):
        ours = MKLLogisticRegression(weights_per_target=apart, **options)
        ours.fit(X, LABELS)
        theirs = OneVsRestClassifier(LogisticRegression(tol=1e-10)).fit(X, LABELS)
        p, q = ours.predict_proba(X), theirs.predict_proba(X)
        assert p.shape == (80, 3)
        np.testing.assert_allclose(p, q, atol=1e-5)
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
        np.testing.assert_allclose(np.exp(ours.predict_log_proba(X)), p)
        np.testing.assert_allclose(expit(ours.decision_function(X)), p)
        np.testing.assert_array_equal(ours.classes_, theirs.classes_)
        assert ours.score(X, LABELS) == theirs.score(X, LABELS)


def test_shared_weights_are_those_of_the_sum_of_the_losses():
    model = MKLLogisticRegression(KERNELS, C=0.5).fit(X, LABELS)
    matrices = []
    for kernel in KERNELS:
        K = kernel.fit(X)(X)
        K = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
        matrices.append(K * (len(K) / np.trace(K)))
    loss = Logistic(2.0 * LABELS - 1, 0.5)
    whole = solve(Problem(DenseStack(np.stack(matrices)), loss, Simplex()), tol=1e-6)
    np.testing.assert_allclose(model.weights_, whole.weights, atol=1e-3)
    primal = model.solution_.certificate.primal
    assert primal == pytest.approx(whole.certificate.primal, rel=1e-5)


def test_weights_of_every_label():
    model = MKLLogisticRegression(KERNELS, weights_per_target=True).fit(X, LABELS)
    assert model.weights_.shape == (3, 3) and len(model.solution_) == 3
    for c in range(3):
        alone = MKLLogisticRegression(KERNELS).fit(X, LABELS[:, c])
        np.testing.assert_allclose(model.weights_[c], alone.weights_, atol=1e-8)
        f = model.decision_function(X)[:, c]
        np.testing.assert_allclose(f, alone.decision_function(X), atol=1e-6)


@pytest.mark.parametrize("cv", (None, 3))
def test_chosen(cv):
    model = MKLLogisticRegressionCV(KERNELS, norms=[1, 2], Cs=[0.1, 1.0], cv=cv)
    model.fit(X, LABELS)
    assert model.predict(X).shape == (80, 3)
    # Three labels of which nothing is known cost 3 log 2.
    assert -3 * np.log(2) < model.best_score_ < 0
    if cv is None:
        assert model.left_out_.shape == (80, 3)
        found = np.sum(np.logaddexp(0, -(2 * LABELS - 1) * model.left_out_)) / 80
        assert -model.best_score_ == pytest.approx(found)


@pytest.mark.parametrize("apart", (False, True))
def test_saved_weighed_and_split(apart, tmp_path):
    model = MKLLogisticRegression(KERNELS, weights_per_target=apart)
    scores = cross_val_score(model, X, LABELS, cv=3, scoring="f1_macro")
    assert scores.mean() > 0.5
    weight = np.random.default_rng(0).integers(0, 3, 80)
    rows = np.repeat(np.arange(80), weight)
    linear = MKLLogisticRegression(
        [Linear()], normalize=None, center=False, weights_per_target=apart
    )
    one = linear.fit(X, LABELS, weight).predict_proba(X)
    other = linear.fit(X[rows], LABELS[rows]).predict_proba(X)
    np.testing.assert_allclose(one, other, atol=1e-4)
    save(model.fit(X, LABELS), tmp_path / "m.skops")
    again = load(tmp_path / "m.skops")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_what_cannot_be():
    model = MKLLogisticRegression(KERNELS)
    with pytest.raises(ValueError, match=r"label 1 .*every sample has it"):
        model.fit(X, np.column_stack([LABELS[:, 0], np.ones(80, dtype=int)]))
    with pytest.raises(ValueError, match="several labels are zeros and ones"):
        model.fit(X, LABELS + LABELS[:, :1])
    with pytest.raises(ValueError, match="class_weight is for classes"):
        MKLLogisticRegression(KERNELS, class_weight="balanced").fit(X, LABELS)
    with pytest.raises(ValueError, match="is for several labels"):
        MKLLogisticRegression(weights_per_target=True).fit(X, LABELS[:, 0])
    with pytest.raises(ValueError, match="weights_per_target"):
        MKLLogisticRegression(weights_per_target="yes").fit(X, LABELS)
    few = [Nystroem(RBF(), n_components=5)]
    with pytest.raises(ValueError, match="weights_per_target=True compares all pairs"):
        MKLRidge(few, weights_per_target=True).partial_fit(X, LABELS.astype(float))


def test_a_discriminant_of_one_label_is_that_of_two_classes():
    """Weights of their own: every label as its own model. Shared: those of the sum."""
    model = MKLDiscriminantAnalysis(KERNELS, weights_per_target=True).fit(X, LABELS)
    assert model.weights_.shape == (3, 3) and len(model.solution_) == 3
    weight = np.random.default_rng(0).integers(0, 3, 80)
    weighed = MKLDiscriminantAnalysis(KERNELS, weights_per_target=True)
    weighed.fit(X, LABELS, weight)
    for c in range(3):
        alone = MKLDiscriminantAnalysis(KERNELS).fit(X, LABELS[:, c])
        np.testing.assert_allclose(model.weights_[c], alone.weights_, atol=1e-10)
        f, p = model.decision_function(X)[:, c], model.predict_proba(X)[:, c]
        np.testing.assert_allclose(f, alone.decision_function(X), atol=1e-10)
        np.testing.assert_allclose(p, alone.predict_proba(X)[:, 1], atol=1e-10)
        log = model.predict_log_proba(X)[:, c]
        np.testing.assert_allclose(log, np.log(p), atol=1e-10)
        np.testing.assert_array_equal(model.predict(X)[:, c], alone.predict(X))
        z = model.transform(X)[:, c]
        np.testing.assert_allclose(z, alone.transform(X)[:, 0], atol=1e-10)
        assert model.priors_[c] == pytest.approx(alone.priors_[1])
        one = MKLDiscriminantAnalysis(KERNELS).fit(X, LABELS[:, c], weight)
        f = weighed.decision_function(X)[:, c]
        np.testing.assert_allclose(f, one.decision_function(X), atol=1e-10)


@pytest.mark.parametrize("alpha", (1.0, "learn"))
def test_labels_of_a_discriminant_share_weights(alpha):
    model = MKLDiscriminantAnalysis(KERNELS, alpha=alpha).fit(X, LABELS)
    assert model.weights_.shape == (3,) and model.predict(X).shape == (80, 3)
    coded = scale(LABELS.astype(float))
    ridge = MKLRidge(KERNELS, alpha=alpha).fit(X, coded)
    np.testing.assert_allclose(model.weights_, ridge.weights_, atol=1e-4)
    assert model.alpha_ == pytest.approx(ridge.alpha_, rel=1e-3)
    assert np.mean(model.predict(X) == LABELS) > 0.8


@pytest.mark.parametrize(
    "options",
    (
        {},
        {"norms": [1, 2]},
        {"cv": 3},
        {"norms": [2], "scoring": "f1_macro"},
        {"cv": 3, "scoring": "f1_macro"},
    ),
)
def test_discriminant_chosen(options, tmp_path):
    model = MKLDiscriminantAnalysisCV(KERNELS, alphas=[0.1, 1.0, 10.0], **options)
    model.fit(X, LABELS)
    assert model.predict(X).shape == (80, 3)
    # R² of left-out codings, or f1: what is known of the labels is more than nothing.
    assert (0.7 if "scoring" in options else 0.2) < model.best_score_ < 1
    save(model, tmp_path / "m.skops")
    again = load(tmp_path / "m.skops")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_left_out_scores_of_labels():
    """The default score of a grid: R² of left-out codings, as by refits."""
    model = MKLDiscriminantAnalysisCV(
        [Linear()], norms=[1], alphas=[1.0], normalize=None
    )
    model.fit(X, LABELS)
    H, f = scale(LABELS.astype(float)), np.zeros((80, 3))
    for i in range(80):
        rest = np.delete(np.arange(80), i)
        ridge = MKLRidge([Linear()], alpha=1.0, normalize=None)
        f[i] = ridge.fit(X[rest], H[rest]).predict(X[i : i + 1])
    expected = 1 - np.sum((H - f) ** 2) / np.sum(H**2)
    assert model.best_score_ == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("model", (MKLLogisticRegression, MKLDiscriminantAnalysis))
def test_who_looks_at_one_label_at_a_time(model, tmp_path):
    fitted = model(KERNELS).fit(X, LABELS)
    for look in (
        lambda: evaluate(fitted, X, LABELS),
        lambda: view_importance(fitted, X, LABELS),
        lambda: write_report(fitted, X, LABELS, tmp_path / "page.html"),
    ):
        with pytest.raises(ValueError, match=r"y holds 3 labels.*one at a time"):
            look()


@pytest.mark.parametrize("model", (MKLLogisticRegression, MKLDiscriminantAnalysis))
def test_signs_are_not_taken_for_zeros_and_ones(model):
    with pytest.raises(ValueError, match=r"zeros and ones, .*got \[-1, 1\]: pass \(y"):
        model(KERNELS).fit(X, 2 * LABELS - 1)
    p = model(KERNELS).fit(X, LABELS > 0).predict_proba(X)
    np.testing.assert_array_equal(p, model(KERNELS).fit(X, LABELS).predict_proba(X))


def test_what_a_discriminant_of_labels_refuses():
    for options in (
        {"class_weight": "balanced"},
        {"priors": [0.5, 0.5]},
        {"n_components": 1},
        {"scatter": "within"},
        {"multiclass_sdp": "approximate"},
    ):
        (name,) = options
        with pytest.raises(ValueError, match=f"{name}.* is for classes"):
            MKLDiscriminantAnalysis(KERNELS, **options).fit(X, LABELS)
    model = MKLDiscriminantAnalysis(KERNELS)
    with pytest.raises(ValueError, match=r"label 1 .*every sample has it"):
        model.fit(X, np.column_stack([LABELS[:, 0], np.ones(80, dtype=int)]))
    with pytest.raises(ValueError, match="several labels are zeros and ones"):
        model.fit(X, LABELS + LABELS[:, :1])
    with pytest.raises(ValueError, match="is for several labels"):
        MKLDiscriminantAnalysis(weights_per_target=True).fit(X, LABELS[:, 0])


@pytest.mark.parametrize("alpha", (1.0, "learn"))
def test_ridge_with_weights_of_every_target(alpha, tmp_path):
    Z, y = load_diabetes(return_X_y=True)
    Z, y = Z[:90], np.column_stack([y[:90], Z[:90, 2] ** 2, Z[:90, 0]])
    kernels = [RBF(columns=[0, 1]), RBF(columns=[2, 3]), Linear(columns=[4, 5, 6])]
    model = MKLRidge(kernels, alpha=alpha, weights_per_target=True).fit(Z, y)
    assert model.weights_.shape == (3, 3) and model.predict(Z).shape == (90, 3)
    for c in range(3):
        alone = MKLRidge(kernels, alpha=alpha).fit(Z, y[:, c])
        np.testing.assert_allclose(model.weights_[c], alone.weights_, atol=1e-10)
        f = model.predict(Z)[:, c]
        np.testing.assert_allclose(f, alone.predict(Z), atol=1e-8 * np.ptp(y[:, c]))
    shared = MKLRidge(kernels, alpha=alpha).fit(Z, y)
    assert np.abs(shared.weights_ - model.weights_).max() > 0.05
    save(model, tmp_path / "m.skops")
    again = load(tmp_path / "m.skops")
    np.testing.assert_array_equal(again.predict(Z), model.predict(Z))
    parts = model.contributions(Z[:4])
    assert parts.shape == (4, 3, 3)
