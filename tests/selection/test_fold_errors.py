"""Left-out folds of rows known by sums: refits, derivatives, and what is learned."""

import numpy as np
import pytest

from kernelweave import MKLDiscriminantAnalysisCV, MKLRidge, MKLRidgeCV
from kernelweave.kernels import RBF, Linear, Nystroem
from kernelweave.selection.left_out_error import FoldErrors

RNG = np.random.default_rng(0)
X = RNG.standard_normal((1500, 6))
Y = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] + 0.3 * RNG.standard_normal(1500)


def kernels():
    """A kernel of what matters, one of noise, and a linear one."""
    return [
        Nystroem(RBF(columns=[0, 1]), n_components=30, random_state=0),
        Nystroem(RBF(columns=[2, 3, 4, 5]), n_components=60, random_state=0),
        Linear(),
    ]


@pytest.fixture(params=[True, False], ids=["centred", "as they are"])
def error(request):
    model = MKLRidge(kernels(), center=request.param)
    data, _ = model._begin(X, Y)
    total = float(np.sum(data.reduced.H**2))
    return data, FoldErrors(data.held_out(), np.ones(3, bool), data.n, total)


def test_errors_are_those_of_fits_to_the_other_folds(error):
    data, errors = error
    theta, lam = np.array([0.5, 0.2, 0.3]), 0.7
    Z = data.sums.map(X)
    scaling = data.reduced.scaling
    Z = Z * scaling.by_feature(np.sqrt(theta * scaling.scales))
    for fold, found in enumerate(errors.errors(theta, lam)):
        out = np.arange(len(X)) % 5 == fold
        mean, level = (
            (Z[~out].mean(axis=0), Y[~out].mean()) if scaling.center else (0.0, 0.0)
        )
        A, b = Z[~out] - mean, Y[~out] - level
        c = np.linalg.solve(A.T @ A + lam * np.eye(A.shape[1]), A.T @ b)
        expected = np.sum((Y[out] - level - (Z[out] - mean) @ c) ** 2)
        assert found == pytest.approx(expected, rel=1e-8)


def test_slopes_are_derivatives(error):
    _, errors = error
    theta, lam, h = np.array([0.5, 0.2, 0.3]), 0.7, 1e-3
    value, slopes = errors.slopes(theta, lam)
    assert value == pytest.approx(np.sum(errors.errors(theta, lam)), rel=1e-10)
    for j, e in enumerate(np.eye(3)):

        def at(t, e=e):
            return np.sum(errors.errors(theta * np.exp(t * e), lam))

        expected = (8 * (at(h) - at(-h)) - at(2 * h) + at(-2 * h)) / 12 / h
        assert slopes[j] == pytest.approx(expected, rel=1e-6)


def test_kernels_of_weight_zero_have_no_part(error):
    _, errors = error
    keep = np.array([True, False, True])
    some = FoldErrors(errors.held_out, keep, errors.n, errors.total)
    value, slopes = some.slopes(np.array([0.5, 0.3]), 0.7)
    whole, all_slopes = errors.slopes(np.array([0.5, 0.0, 0.3]), 0.7)
    assert some.p == 2 and value == pytest.approx(whole)
    np.testing.assert_allclose(slopes, all_slopes[keep])
    assert all_slopes[1] == 0


def test_features_learn_to_predict():
    model = MKLRidgeCV(kernels()).fit(X, Y)
    assert hasattr(model, "coef_"), "rows were not summed up"
    assert model.descent_.accepted
    assert model.descent_.value < 0.98 * model.descent_.start_value
    np.testing.assert_allclose(model.weights_, model.descent_.theta)
    assert model.weights_[1] < 0.1
    assert model.best_score_ > 0.8
    again = MKLRidge(kernels(), alpha=model.alpha_)
    data, _ = again._begin(X, Y)
    found = np.sum(data.held_out()(model.weights_, model.alpha_).errors)
    assert found == pytest.approx(model.descent_.value, rel=1e-9)


def test_classes_of_features_and_chunks_learn_to_predict():
    labels = np.where(Y > 0, "high", "low")
    model = MKLDiscriminantAnalysisCV(kernels()).fit(X, labels)
    assert model.descent_.accepted and model.weights_[1] < 0.15
    assert model.score(X, labels) > 0.85
    part = MKLDiscriminantAnalysisCV(kernels())
    part.partial_fit(X[:1000], labels[:1000], classes=["high", "low"])
    part.partial_fit(X[1000:], labels[1000:])
    assert part.descent_.accepted and part.score(X, labels) > 0.85


def test_norms_bring_the_grid_back():
    model = MKLRidgeCV(kernels(), norms=[1, 2], alphas=[0.1, 1]).fit(X, Y)
    assert not hasattr(model, "descent_")
    assert len(model.cv_results_["params"]) == 4


def test_best_ridge_beyond_the_end_is_found():
    narrow = MKLRidgeCV(kernels(), alphas=[1e3, 1e4]).fit(X, Y)
    assert narrow.cv_results_["param_alpha"].min() < 1e3
    assert narrow.alpha_ < 1e3
