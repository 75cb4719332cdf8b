"""Special cases that have another name: KernelRidge, discriminant analysis, LDA."""

import numpy as np
import pytest
from sklearn.kernel_ridge import KernelRidge
from sklearn.preprocessing import KernelCenterer

import naive
import problems
from kernelweave import KernelDiscriminantAnalysis, MKLDiscriminantAnalysis, MKLRidge
from kernelweave.kernels import RBF, Linear, Polynomial
from kernelweave.weights import Fixed

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
NEW = RNG.normal(size=(15, 3))
Y = np.sin(X[:, 0]) + 2 + 0.1 * RNG.normal(size=40)


@pytest.mark.parametrize("targets", [Y, np.column_stack([Y, X[:, 1] ** 2])])
@pytest.mark.parametrize("alpha", [1e-3, 1.0])
def test_one_kernel_is_kernel_ridge(alpha, targets):
    ours = MKLRidge([RBF(gamma=0.5)], alpha=alpha, normalize=None, center=False)
    theirs = KernelRidge(alpha=alpha, kernel="rbf", gamma=0.5)
    ours.fit(X, targets), theirs.fit(X, targets)
    # cond = n/α ≤ 4e4.
    assert ours.dual_coef_ == pytest.approx(theirs.dual_coef_, rel=1e-9, abs=1e-9)
    assert ours.predict(NEW) == pytest.approx(theirs.predict(NEW), rel=1e-9)
    assert ours.intercept_ == pytest.approx(0)
    assert np.array_equal(ours.weights_, [1.0])


@pytest.mark.parametrize("alpha", [1e-3, 1.0])
def test_one_centred_kernel_is_kernel_ridge_plus_mean(alpha):
    ours = MKLRidge([RBF(gamma=0.5)], alpha=alpha, normalize=None, center=True)
    kernel = RBF(gamma=0.5).fit(X)
    centerer = KernelCenterer().fit(kernel(X))
    theirs = KernelRidge(alpha=alpha, kernel="precomputed")
    theirs.fit(centerer.transform(kernel(X)), Y - Y.mean())
    expected = theirs.predict(centerer.transform(kernel(NEW, X))) + Y.mean()
    ours.fit(X, Y)
    assert ours.predict(NEW) == pytest.approx(expected, rel=1e-9)
    assert ours.intercept_ == pytest.approx(Y.mean(), rel=1e-12)


def test_fixed_weights_are_the_sum_of_kernels():
    model = MKLRidge(
        [RBF(gamma=0.5), Linear()],
        weights=Fixed([0.3, 2.0]),
        normalize=None,
        center=False,
    ).fit(X, Y)
    combined = 0.3 * RBF(gamma=0.5).fit(X)(X) + 2.0 * X @ X.T
    theirs = KernelRidge(alpha=1.0, kernel="precomputed").fit(combined, Y)
    assert model.dual_coef_ == pytest.approx(theirs.dual_coef_, rel=1e-9)


@pytest.mark.parametrize("normalize", ["variance", "trace", "spherical", None])
@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("scatter", ["total", "within"])
def test_one_kernel_is_discriminant_analysis(scatter, center, normalize):
    X, y = problems.blobs(50, 3, 2)
    settings = {
        "alpha": 1e-3,
        "scatter": scatter,
        "normalize": normalize,
        "center": center,
    }
    many = MKLDiscriminantAnalysis([Polynomial()], **settings).fit(X, y)
    one = KernelDiscriminantAnalysis(Polynomial(), **settings).fit(X, y)
    assert many.dual_coef_ == pytest.approx(one.dual_coef_, rel=1e-12)
    assert many.decision_function(NEW) == pytest.approx(one.decision_function(NEW))


def explicit_lda(X, y, alpha, scatter):
    """The regularised discriminant direction in the input space itself."""
    plus = y == 1
    difference = X[plus].mean(axis=0) - X[~plus].mean(axis=0)
    if scatter == "total":
        S = (X - X.mean(axis=0)).T @ (X - X.mean(axis=0))
    else:
        S = np.cov(X[plus].T, bias=True) + np.cov(X[~plus].T, bias=True)
    return np.linalg.solve(S + alpha * np.eye(X.shape[1]), difference)


@pytest.mark.parametrize("scatter", ["total", "within"])
@pytest.mark.parametrize("alpha", [1e-2, 1.0, 10.0])
def test_linear_kernel_is_regularised_lda(alpha, scatter):
    X, y = problems.blobs(60, 4, 2)
    new = RNG.normal(size=(20, 4))
    model = KernelDiscriminantAnalysis(
        Linear(), alpha=alpha, scatter=scatter, normalize=None
    ).fit(X, y)
    expected = new @ explicit_lda(X, y, alpha, scatter)
    f = model.transform(new)[:, 0]
    # Proportional, and class 1 on the positive side.
    f, expected = f - f.mean(), expected - expected.mean()
    factor = (f @ expected) / (expected @ expected)
    assert factor > 0
    assert f == pytest.approx(factor * expected, abs=1e-9 * np.abs(f).max())


@pytest.mark.parametrize("k", [3, 5])
def test_linear_kernel_of_several_classes(k):
    # The projections span (S + αI)⁻¹(class means), S the total scatter.
    X, y = problems.blobs(80, 6, k)
    model = KernelDiscriminantAnalysis(Linear(), alpha=0.5, normalize=None).fit(X, y)
    Z = X - X.mean(axis=0)
    means = np.stack([Z[y == c].mean(axis=0) for c in range(k)])
    W = np.linalg.solve(Z.T @ Z + 0.5 * np.eye(6), means.T)
    basis = np.linalg.svd(Z @ W)[0][:, : k - 1]
    f = model.transform(X)
    f = f - f.mean(axis=0)
    outside = f - basis @ (basis.T @ f)
    assert f.shape == (80, k - 1)
    assert np.abs(outside).max() <= 1e-9 * np.abs(f).max()


def test_duplicated_kernels_change_nothing():
    X, y = problems.blobs(50, 3, 3)
    kernels = [RBF(gamma=0.2), RBF(gamma=2.0), Linear()]
    once = MKLDiscriminantAnalysis(kernels).fit(X, y)
    twice = MKLDiscriminantAnalysis(kernels + kernels).fit(X, y)
    value = once.solution_.certificate.primal
    # Both are within 1e-6 of one optimum; weights are exact to the root of that.
    assert twice.solution_.certificate.primal == pytest.approx(value, rel=1e-6)
    joined = twice.weights_[:3] + twice.weights_[3:]
    assert joined == pytest.approx(once.weights_, abs=5e-3)


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("scatter", ["total", "within"])
def test_classes_are_fitted_to_left_out_projections(scatter, center, monkeypatch):
    # Exact leave-one-out at the learned weights, against refits without each sample.
    import kernelweave.estimators.gaussian as module

    seen = {}
    fit_gaussians = module.fit_gaussians

    def spy(f, H, labels, n_classes, v):
        seen["left out"], seen["targets"] = f.copy(), H
        return fit_gaussians(f, H, labels, n_classes, v)

    monkeypatch.setattr(module, "fit_gaussians", spy)
    X, y = problems.blobs(30, 3, 2)
    alpha = 0.05
    model = KernelDiscriminantAnalysis(
        RBF(gamma=0.3), alpha, scatter, normalize=None, center=center
    ).fit(X, y)
    K = RBF(gamma=0.3).fit(X)(X)
    K = naive.centre(K) if center else K
    d = np.full(30, alpha)
    if scatter == "within":
        d = alpha * np.bincount(y)[y]
    A, b = model.dual_coef_, model.intercept_
    # The targets that A and b fit: H = KA + dA + b, for either scatter.
    H = K @ A + d[:, None] * A + b
    if scatter == "within":
        # ±c and the constraint 1ᵀA = 0: a regression with an intercept, centred or not.
        assert np.abs(H) == pytest.approx(np.abs(H[0, 0]), rel=1e-9)
        assert A.sum() == pytest.approx(0, abs=1e-12)
    intercept = center or scatter == "within"
    assert naive.ridge(K, d, H, intercept)[0] == pytest.approx(A, abs=1e-9)
    expected = H - naive.leave_one_out(K, d, H, intercept)
    if intercept:
        # Less how far the mean target, samples weighing 1/d, moves without the sample.
        others = (1 - np.eye(30)) / d
        expected += (H / d[:, None]).sum(axis=0) / (1 / d).sum()
        expected -= others @ H / others.sum(axis=1, keepdims=True)
    assert seen["left out"] == pytest.approx(expected, abs=1e-8)
    assert seen["targets"] == pytest.approx(H, abs=1e-12)
