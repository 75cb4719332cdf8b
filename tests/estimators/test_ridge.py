"""Ridge regression with several kernels."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import verify
from kernelweave import MKLRidge
from kernelweave.kernels import RBF, Linear, Polynomial

RNG = np.random.default_rng(0)
X = RNG.normal(size=(50, 3))
Y = np.sin(2 * X[:, 0]) + X[:, 1] + 3
NEW = RNG.normal(size=(20, 3))
KERNELS = [RBF(gamma=0.1), RBF(gamma=1.0), Linear(), Polynomial(degree=3)]


def raw_grams():
    D = np.sum((X[:, None] - X) ** 2, axis=2)
    inner = X @ X.T
    return np.stack([np.exp(-0.1 * D), np.exp(-D), inner, (inner / 3 + 1) ** 3])


@pytest.mark.parametrize("center", [True, False])
def test_solution_is_verified(center):
    model = MKLRidge(KERNELS, alpha=0.1, normalize=None, center=center).fit(X, Y)
    K = raw_grams()
    if center:
        P = np.eye(50) - 1 / 50
        K = P @ K @ P
    oracle = verify.Square(K, Y[:, None], 0.1, center)
    verify.check(oracle, model.solution_)


def test_prediction_by_the_formula():
    # f(x) = Σθ_j k_j(x)ᵀA + b on raw kernels.
    model = MKLRidge(KERNELS, alpha=0.1, normalize=None, center=False).fit(X, Y)
    cross = sum(
        t * kernel.fit(X)(NEW, X)
        for t, kernel in zip(model.weights_, KERNELS, strict=True)
    )
    assert model.predict(NEW) == pytest.approx(cross @ model.dual_coef_, rel=1e-10)


def test_several_outputs_share_the_weights():
    both = np.column_stack([Y, X[:, 2] ** 2])
    model = MKLRidge(KERNELS).fit(X, both)
    assert model.weights_.shape == (4,)
    assert model.dual_coef_.shape == (50, 2)
    assert model.intercept_.shape == (2,)
    assert model.predict(NEW).shape == (20, 2)
    one = MKLRidge(KERNELS).fit(X, Y[:, None])
    assert one.predict(NEW).shape == (20, 1)
    flat = MKLRidge(KERNELS).fit(X, Y)
    assert flat.predict(NEW) == pytest.approx(one.predict(NEW)[:, 0])
    assert isinstance(flat.intercept_, float)


def test_shifting_the_targets_shifts_the_prediction():
    # With an intercept; the weights cannot depend on it.
    plain, shifted = MKLRidge(KERNELS).fit(X, Y), MKLRidge(KERNELS).fit(X, Y + 1000)
    assert shifted.weights_ == pytest.approx(plain.weights_, abs=1e-8)
    assert shifted.predict(NEW) == pytest.approx(plain.predict(NEW) + 1000, abs=1e-7)


@pytest.mark.parametrize("value", [1.0, 7.0, 0.1])
def test_constant_targets(value):
    # F = 0: nothing is left to explain, and the gap is 0/0 up to rounding.
    model = MKLRidge(KERNELS).fit(X, np.full(50, value))
    assert model.solution_.converged
    assert model.predict(NEW) == pytest.approx(np.full(20, value), rel=1e-12)


def test_lambda_learned():
    model = MKLRidge(KERNELS, alpha="learn").fit(X, Y)
    assert model.solution_.converged
    assert 0 < model.alpha_ < 1
    assert model.alpha_ + model.weights_.sum() == pytest.approx(1, abs=1e-12)
    # It is the regularisation of the prediction, too.
    again = MKLRidge(KERNELS, alpha=model.alpha_).fit(X, Y)
    assert np.corrcoef(again.predict(NEW), model.predict(NEW))[0, 1] > 0.99


def test_it_learns():
    model = MKLRidge(KERNELS, alpha=0.01).fit(X, X[:, 0] ** 2 + X[:, 1])
    assert model.score(NEW, NEW[:, 0] ** 2 + NEW[:, 1]) > 0.9


def test_bounds_that_contradict_each_other_are_called_that():
    # Seconds since 1970, neither centred nor scaled: rounding of K is far above alpha.
    rng = np.random.default_rng(0)
    X = 1.7e9 + rng.uniform(0, 1e6, (40, 1))
    model = MKLRidge([Linear()], center=False, normalize=None)
    with pytest.warns(ConvergenceWarning, match="contradict each other") as found:
        model.fit(X, rng.normal(size=40))
    assert model.solution_.status.name == "CONTRADICTED"
    assert not any("gap of -" in str(warning.message) for warning in found)
