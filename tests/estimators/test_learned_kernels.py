"""Widths and relevances that estimators learn, and those who refuse to."""

import numpy as np
import pytest
from sklearn.preprocessing import scale

from kernelweave import (
    MKLSVC,
    MKLDiscriminantAnalysis,
    MKLDiscriminantAnalysisCV,
    MKLRidge,
    MKLRidgeCV,
)
from kernelweave.estimators.access import kernels_of
from kernelweave.estimators.prediction import _preferred
from kernelweave.kernels import (
    RBF,
    AnisotropicLaplacian,
    AnisotropicRBF,
    Laplacian,
    Linear,
    Nystroem,
)
from kernelweave.persist import load, save

RNG = np.random.default_rng(0)
X = RNG.standard_normal((160, 8))
WAVES = np.sin(6 * X[:, 0]) + 0.1 * RNG.standard_normal(160)
STEPS = (X[:, 0] > 0.3) ^ (X[:, 1] > -0.2)


def test_gamma_of_an_own_kernel_is_learned():
    kernels = [Linear(), RBF(gamma="learn", columns=[0], name="wave")]
    model = MKLRidgeCV(kernels).fit(X[:100], WAVES[:100])
    start = RBF(columns=[0]).fit(X[:100]).gamma_
    assert model.descent_.accepted
    assert model.kernels_[1].gamma_ > 2 * start
    assert model.kernels_[1].gamma == model.kernels_[1].gamma_
    assert model.kernel_names_.tolist() == ["Linear()", "wave"]
    fixed = MKLRidgeCV([Linear(), RBF(columns=[0])]).fit(X[:100], WAVES[:100])
    assert model.score(X[100:], WAVES[100:]) > fixed.score(X[100:], WAVES[100:])
    # The weights, λ and matrices of the fit are those of the learned kernel.
    again = MKLRidge([Linear(), model.kernels_[1]], alpha=model.alpha_)
    data, y = again._begin(X[:100], WAVES[:100])
    K = data.stack.combine(model.weights_)
    found = np.sum((WAVES[:100] - model.predict(X[:100])) ** 2)
    A = np.linalg.solve(K + model.alpha_ * np.eye(100), y - y.mean())
    assert found == pytest.approx(np.sum((model.alpha_ * A) ** 2), rel=1e-4)


def test_all_kernels_may_ask():
    kernels = [RBF(gamma="learn"), Laplacian(gamma="learn", scale="rank")]
    model = MKLDiscriminantAnalysisCV(kernels).fit(X, STEPS)
    assert all(isinstance(kernel.gamma, float) for kernel in model.kernels_)
    assert model.score(X, STEPS) > 0.8


def test_lengthscales_of_an_own_kernel_are_learned():
    model = MKLRidgeCV([AnisotropicRBF()]).fit(X[:, :3], np.sin(3 * X[:, 0]))
    lengths = model.kernels_[0].lengthscales_
    assert lengths[0] < 0.3 * min(lengths[1:])


def test_where_nothing_is_gained_the_start_is_kept():
    noise = RNG.standard_normal(60)
    noise[3] = 60.0
    kernels = [Linear(), RBF(gamma="learn")]
    model = MKLRidgeCV(kernels).fit(X[:60], noise)
    assert not model.descent_.accepted
    start = RBF().fit(X[:60]).gamma_
    assert model.kernels_[1].gamma_ == pytest.approx(start)


@pytest.mark.parametrize(
    "model",
    [
        MKLRidge([RBF(gamma="learn")]),
        MKLDiscriminantAnalysis([AnisotropicRBF(), Linear()]),
        MKLSVC([RBF(), Laplacian(gamma="learn")]),
        MKLDiscriminantAnalysisCV([RBF(gamma="learn")], norms=[1, 2]),
        MKLRidgeCV([RBF(gamma="learn")], cv=3),
        MKLRidgeCV([Nystroem(RBF(gamma="learn"), n_components=20)]),
    ],
    ids=["ridge", "discriminant", "machine", "norms", "folds", "features"],
)
def test_those_who_do_not_learn_widths_refuse(model):
    with pytest.raises(ValueError, match="'learn' is for MKLDiscriminantAnalysisCV"):
        model.fit(X, STEPS.astype(int))


@pytest.mark.parametrize("how", [{"center": False}, {"normalize": "trace"}])
def test_widths_need_centred_matrices_of_trace_n(how):
    with pytest.raises(ValueError, match="center=True and normalize='variance'"):
        MKLRidgeCV([RBF(gamma="learn"), Linear()], **how).fit(X, WAVES)


def test_relevant_columns_are_found_by_the_automatic_kernels(tmp_path):
    model = MKLDiscriminantAnalysisCV().fit(X, STEPS)
    assert model.descent_.accepted
    laplacians = [k for k in model.kernels_ if isinstance(k, AnisotropicLaplacian)]
    assert len(laplacians) == 3
    for kernel in laplacians:
        lengths = kernel.lengthscales_
        assert max(lengths[:2]) < min(lengths[2:])
    new = RNG.standard_normal((400, 8))
    truth = (new[:, 0] > 0.3) ^ (new[:, 1] > -0.2)
    given = MKLDiscriminantAnalysisCV(kernels_of(model)).fit(X, STEPS)
    assert model.score(new, truth) > given.score(new, truth) + 0.02
    save(model, tmp_path / "model.skops")
    same = load(tmp_path / "model.skops")
    np.testing.assert_allclose(same.predict_proba(new), model.predict_proba(new))


def test_contributions_add_up_with_relevances():
    model = MKLDiscriminantAnalysisCV().fit(X, STEPS)
    f = model._scores(X[:5])
    rest = f[:, 0] - model.contributions(X[:5]).sum(axis=1)
    np.testing.assert_allclose(rest, rest[0], atol=1e-8)


def test_noise_gets_no_relevances():
    labels = RNG.integers(2, size=160)
    model = MKLDiscriminantAnalysisCV().fit(X, labels)
    assert not any(isinstance(k, AnisotropicLaplacian) for k in model.kernels_)


def test_kernels_of_a_list_keep_their_columns_alike():
    """Relevances are for automatic kernels: those of a list are what they say."""
    kernels = [Laplacian(scale="rank"), Linear()]
    model = MKLDiscriminantAnalysisCV(kernels).fit(X, STEPS)
    assert type(model.kernels_[0]) is Laplacian


@pytest.mark.parametrize("columns", [slice(None), slice(0, 2)], ids=["many", "two"])
def test_error_that_is_reported_is_that_of_the_kernels_that_are_kept(columns):
    """By the matrices of the fitted kernels, and a bordered system written out."""
    Z = X[:, columns]
    model = MKLDiscriminantAnalysisCV().fit(Z, STEPS)
    assert model.descent_.accepted
    assert len(model.weights_) == len(model.kernels_) == 9
    np.testing.assert_allclose(model.weights_, model.descent_.theta, rtol=1e-12)
    error = left_out_error(model, Z, STEPS, model.alpha_)
    assert model.descent_.value == pytest.approx(error, rel=1e-6)


def left_out_error(model, Z, labels, alpha):
    """P of the fitted kernels and weights, by a bordered system written out."""
    n = len(Z)
    P, B = np.eye(n) - 1 / n, np.ones((n + 1, n + 1))
    B[n, n], B[:n, :n] = 0, alpha * np.eye(n)
    for kernel, weight in zip(model.kernels_, model.weights_, strict=True):
        K = P @ kernel(Z) @ P
        B[:n, :n] += weight * n / np.trace(K) * K
    G = np.linalg.inv(B)[:n, :n]
    h = scale(1.0 * labels)
    return np.sum((G @ h / np.diag(G)) ** 2)


@pytest.mark.parametrize("labels", [STEPS, X[:, 0] + X[:, 1] > 0], ids=["steps", "sum"])
def test_classes_take_the_largest_ridge_that_costs_at_most_a_hundredth(labels):
    model = MKLDiscriminantAnalysisCV([RBF(), Linear()]).fit(X, labels)
    alphas = model.alpha_ * 2.0 ** np.arange(-8, 4.5, 0.5)
    errors = np.array([left_out_error(model, X, labels, a) for a in alphas])
    least = errors.min()
    assert errors[16] == pytest.approx(model.descent_.value, rel=1e-6)
    assert errors[16] <= 1.01 * least
    # The next is too large, or loses to equal weights what was learned.
    start = model.descent_.start_value if model.descent_.accepted else np.inf
    assert errors[17] > min(1.01 * least, max(start, least))


def test_one_alpha_is_taken_at_its_word():
    model = MKLDiscriminantAnalysisCV([RBF(), Linear()], alphas=[0.7]).fit(X, STEPS)
    assert model.alpha_ == 0.7


def test_the_more_daring_way_needs_the_better_proof():
    rng = np.random.default_rng(0)
    base = 1 + rng.random(400)
    # Two standard errors, and fifty.
    little, much = rng.normal(0, 0.2, (2, 400))
    little += 0.02 - little.mean()
    much += 0.5 - much.mean()
    assert _preferred(np.array([base, base, base])) == 0
    assert _preferred(np.array([base, base - little])) == 1
    assert _preferred(np.array([base, base - little, base])) == 1
    # A gain of two standard errors is enough for the average, and not for relevances.
    assert _preferred(np.array([base, base, base - little])) == 0
    assert _preferred(np.array([base, base - little, base - much])) == 2
    assert _preferred(np.array([base, base - much, base - little])) == 1


@pytest.mark.parametrize("seed", range(5))
def test_five_rows_of_which_one_is_of_a_class(seed):
    """Two thirds of them may be of one class, with nothing to learn, and no warning."""
    Z = np.random.default_rng(seed).standard_normal((5, 3))
    model = MKLDiscriminantAnalysisCV([RBF(), Linear()]).fit(Z, np.arange(5) == 0)
    assert np.isfinite(model.predict_proba(Z)).all()
