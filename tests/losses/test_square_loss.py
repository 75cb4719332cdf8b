"""The square loss: values, derivatives, targets."""

import numpy as np
import pytest
from sklearn.base import clone

import naive
import problems
import verify
from kernelweave import Problem
from kernelweave.grams import DenseStack, WithIdentity
from kernelweave.losses import Square, discriminant_targets
from kernelweave.losses.square import class_coding
from kernelweave.problem import Loss
from kernelweave.weights import Simplex

RNG = np.random.default_rng(0)
K = problems.random_psd(RNG, 4, 20, rank=6)
H = RNG.normal(size=(20, 3))
THETA = np.array([0.4, 0.1, 0.3, 0.2])


def test_is_a_loss():
    assert isinstance(Square(H, 1.0), Loss)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("lam", [1e-8, 1e-2, 1e3])
def test_inner_maximum(lam, intercept):
    combined = np.tensordot(THETA, K, 1)
    inner = Square(H, lam, intercept).inner(combined)
    oracle = verify.Square(K, H, lam, intercept)
    A, b = oracle.coefficients(THETA)
    # Values are exact to second order, coefficients to cond·ε; here cond ≤ 1e9 and
    # one step of refinement was made.
    assert inner.value == pytest.approx(float(oracle.primal(THETA)), rel=1e-13)
    scale = float(np.max(np.abs(A)))
    np.testing.assert_allclose(
        inner.A, np.asarray(A, float), rtol=0, atol=1e-10 * scale
    )
    assert inner.bias == pytest.approx(np.asarray(b, float), abs=1e-8)
    assert inner.A.shape == H.shape and inner.bias.shape == (3,)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("lam", [1e-2, 1.0])
def test_gradient_and_hessian(lam, intercept):
    problem = Problem(DenseStack(K), Square(H, lam, intercept), Simplex())
    point = problem.at(THETA)
    # Central differences: truncation h², rounding ε/h; h = 1e-4 balances them to 1e-7.
    slope = naive.gradient(lambda t: problem.at(t).value, THETA, 1e-4)
    assert point.gradient == pytest.approx(slope, rel=1e-5)
    assert point.gradient == pytest.approx(-0.5 * problem.gram.quadratic(point.A))
    curvature = naive.hessian(lambda t: problem.at(t).gradient, THETA, 1e-4)
    scale = np.max(np.abs(curvature))
    assert point.hessian() == pytest.approx(curvature, abs=1e-5 * scale)


def test_gradient_and_hessian_with_lambda_learned():
    gram = WithIdentity(DenseStack(K), 0.05)
    theta = np.append(0.3, 0.7 * THETA)
    problem = Problem(gram, Square(H, 0.0, True), Simplex())
    point = problem.at(theta)
    slope = naive.gradient(lambda t: problem.at(t).value, theta, 1e-5)
    assert point.gradient == pytest.approx(slope, rel=1e-5)
    curvature = naive.hessian(lambda t: problem.at(t).gradient, theta, 1e-5)
    scale = np.max(np.abs(curvature))
    assert point.hessian() == pytest.approx(curvature, abs=1e-5 * scale)


def test_hessian_is_positive_semidefinite():
    problem = Problem(DenseStack(K), Square(H, 1e-6, True), Simplex())
    values = np.linalg.eigvalsh(problem.at(THETA).hessian())
    assert values[0] >= -1e-14 * values[-1]


def test_best_scale_is_the_maximiser():
    loss = Square(H, 0.3)
    A = np.random.default_rng(1).normal(size=H.shape)
    sigma = 5.0

    def bound(t):
        return loss.value(t * A) - 0.5 * t * t * sigma

    t = loss.best_scale(A, sigma)
    assert bound(t) >= max(bound(t * (1 + h)) for h in (-1e-3, 1e-3))
    # ⟨A, H⟩²/(2(λ‖A‖² + σ)), METHODS §1.
    expected = np.sum(A * H) ** 2 / (2 * (0.3 * np.sum(A * A) + sigma))
    assert bound(t) == pytest.approx(expected, rel=1e-12)


def test_centred_kernel_with_centred_targets_needs_no_intercept():
    combined = naive.centre(np.tensordot(THETA, K, 1))
    centred = H - H.mean(axis=0)
    with_border = Square(centred, 0.1, True).inner(combined)
    without = Square(centred, 0.1, False).inner(combined)
    np.testing.assert_allclose(with_border.A, without.A, rtol=0, atol=1e-12)
    assert with_border.value == pytest.approx(without.value, rel=1e-12)


@pytest.mark.parametrize("k", [2, 3, 6])
def test_discriminant_targets(k):
    y = problems.labels(np.random.default_rng(k), 40, k)
    T = discriminant_targets(y, k)
    # The coding as it is printed, (24): √(n/n_k) − √(n_k/n) or −√(n_k/n).
    coded = np.empty((40, k))
    for i in range(40):
        for j in range(k):
            size = np.sum(y == j)
            coded[i, j] = -np.sqrt(size / 40)
            if y[i] == j:
                coded[i, j] += np.sqrt(40 / size)
    assert class_coding(y, k) == pytest.approx(coded, abs=1e-13)
    assert T.shape == (40, k - 1)
    np.testing.assert_allclose(T @ T.T, coded @ coded.T, rtol=0, atol=1e-11)
    np.testing.assert_allclose(T.T @ T, 40 * np.eye(k - 1), rtol=0, atol=1e-11)
    assert T.sum(axis=0) == pytest.approx(np.zeros(k - 1), abs=1e-11)
    # One row a class.
    assert len(np.unique(T.round(9), axis=0)) == k


def test_two_classes_put_class_one_on_the_positive_side():
    T = discriminant_targets(np.array([0, 1, 1, 1, 0]), 2)
    assert np.array_equal(T[:, 0] > 0, [False, True, True, True, False])


def test_rotated_targets_change_nothing():
    y = problems.labels(np.random.default_rng(0), 20, 3)
    combined = np.tensordot(THETA, K, 1)
    full = Square(class_coding(y, 3), 0.1, True).inner(combined)
    rotated = Square(discriminant_targets(y, 3), 0.1, True).inner(combined)
    assert full.value == pytest.approx(rotated.value, rel=1e-12)
    np.testing.assert_allclose(
        full.A @ full.A.T, rotated.A @ rotated.A.T, rtol=0, atol=1e-10
    )


def test_papers_value_is_two_lambda_f():
    # aᵀ(I + G/λ)⁻¹a for two classes, Ye et al. (8).
    y = problems.labels(np.random.default_rng(0), 20, 2)
    a = np.where(y == 1, 1 / np.sum(y == 1), -1 / np.sum(y == 0))[:, None]
    G = np.tensordot(THETA, K, 1)
    printed = (a.T @ np.linalg.solve(np.eye(20) + G / 0.2, a)).item()
    assert 2 * 0.2 * Square(a, 0.2).inner(G).value == pytest.approx(printed, rel=1e-12)


def test_parameters_can_be_set_after_use():
    # Components follow scikit-learn: set_params must not leave stale values behind.
    combined = np.tensordot(THETA, K, 1)
    loss = Square(H, 0.1)
    loss.inner(combined)
    loss.set_params(intercept=True)
    used, fresh = loss.inner(combined).value, clone(loss).inner(combined).value
    assert used == fresh
