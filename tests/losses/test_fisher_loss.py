"""Fisher's ratio with the within-class scatter (Kim et al. 2006)."""

import numpy as np
import pytest
from sklearn.base import clone

import naive
import problems
import verify
from kernelweave import Problem
from kernelweave.grams import DenseStack
from kernelweave.losses import FisherRatio
from kernelweave.problem import Loss
from kernelweave.weights import Simplex

RNG = np.random.default_rng(0)
K = problems.random_psd(RNG, 4, 24, rank=6)
Y = np.where(problems.labels(RNG, 24, 2) == 1, 1.0, -1.0)
THETA = np.array([0.4, 0.1, 0.3, 0.2])


def test_is_a_loss():
    assert isinstance(FisherRatio(Y, 1.0), Loss)


@pytest.mark.parametrize("lam", [1e-8, 1e-3, 1.0, 100.0])
def test_value_is_the_largest_ratio(lam):
    inner = FisherRatio(Y, lam).inner(np.tensordot(THETA, K, 1))
    oracle = verify.Fisher(K, Y, lam)
    assert inner.value == pytest.approx(float(oracle.primal(THETA)), rel=1e-12)


@pytest.mark.parametrize("lam", [1e-3, 1.0])
def test_coefficients_are_those_of_equation_5(lam):
    # α* = (1/λ)[I − J(λI + JGJ)⁻¹JG]a, and A = λα*.
    G = np.tensordot(THETA, K, 1)
    plus = Y > 0
    a = np.where(plus, 1 / plus.sum(), -1 / (~plus).sum())
    J = np.zeros((24, 24))
    for mask in (plus, ~plus):
        m = mask.sum()
        J[np.ix_(mask, mask)] = naive.centring(m) / np.sqrt(m)
    u = np.linalg.solve(lam * np.eye(24) + J @ G @ J, J @ G @ a)
    alpha = (a - J @ u) / lam
    A = FisherRatio(Y, lam).inner(G).A[:, 0]
    np.testing.assert_allclose(A, lam * alpha, rtol=0, atol=1e-11 * np.abs(A).max())


def test_domain_and_value_of_the_maximiser():
    loss = FisherRatio(Y, 0.1)
    G = np.tensordot(THETA, K, 1)
    inner = loss.inner(G)
    assert inner.A[Y > 0].sum() == pytest.approx(1, abs=1e-13)
    assert inner.A[Y < 0].sum() == pytest.approx(-1, abs=1e-13)
    attained = loss.value(inner.A) - 0.5 * np.sum(inner.A * (G @ inner.A))
    assert inner.value == pytest.approx(attained, rel=1e-12)


def test_threshold_is_half_way_between_the_class_means():
    # f + b at the two class means differs by sign only, up to the ridge's share:
    # MA + Eν = da gives mean_c(f) = −ν_c ± λ(1 − 1) = −ν_c, so b = (ν₊ + ν₋)/2.
    loss = FisherRatio(Y, 0.1)
    G = np.tensordot(THETA, K, 1)
    inner = loss.inner(G)
    f = (G @ inner.A + inner.bias)[:, 0]
    assert f[Y > 0].mean() == pytest.approx(-f[Y < 0].mean(), abs=1e-12)


@pytest.mark.parametrize("lam", [1e-3, 1.0])
def test_gradient_and_hessian(lam):
    problem = Problem(DenseStack(K), FisherRatio(Y, lam), Simplex())
    point = problem.at(THETA)
    # Truncation h² against rounding ε/h, as for the square loss.
    slope = naive.gradient(lambda t: problem.at(t).value, THETA, 1e-5)
    assert point.gradient == pytest.approx(slope, rel=1e-5)
    curvature = naive.hessian(lambda t: problem.at(t).gradient, THETA, 1e-5)
    scale = np.max(np.abs(curvature))
    assert point.hessian() == pytest.approx(curvature, abs=1e-5 * scale)


def test_labels_may_be_swapped():
    G = np.tensordot(THETA, K, 1)
    one, other = FisherRatio(Y, 0.1).inner(G), FisherRatio(-Y, 0.1).inner(G)
    assert one.value == pytest.approx(other.value, rel=1e-12)
    np.testing.assert_allclose(one.A, -other.A, rtol=0, atol=1e-12)


def test_parameters_can_be_set_after_use():
    G = np.tensordot(THETA, K, 1)
    loss = FisherRatio(Y, 0.1)
    loss.inner(G)
    other = Y.copy()
    other[:3] *= -1
    loss.set_params(y=other)
    used, fresh = loss.inner(G).value, clone(loss).inner(G).value
    assert used == fresh
