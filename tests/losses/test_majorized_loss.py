"""The approximate multi-class problem (32) of Ye et al. (2008)."""

import cvxpy as cp
import numpy as np
import pytest

import naive
import problems
import verify
from kernelweave import Problem
from kernelweave.grams import DenseStack
from kernelweave.losses import MajorizedSquare, Square
from kernelweave.losses.square import class_coding
from kernelweave.problem import Loss
from kernelweave.weights import Simplex

RNG = np.random.default_rng(0)
K = problems.random_psd(RNG, 4, 24, rank=6)
H = class_coding(problems.labels(RNG, 24, 4), 4)
THETA = np.array([0.4, 0.1, 0.3, 0.2])


def test_is_a_loss():
    assert isinstance(MajorizedSquare(H, 1.0), Loss)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("lam", [1e-6, 1e-2, 10.0])
def test_inner_maximum(lam, intercept):
    loss = MajorizedSquare(H, lam, intercept)
    combined = np.tensordot(THETA, K, 1)
    inner = loss.inner(combined)
    oracle = verify.Majorized(K, H, lam, intercept)
    # The oracle solves its k×k program to 1e-9 or so.
    assert inner.value == pytest.approx(float(oracle.primal(THETA)), rel=1e-9)
    attained = loss.value(inner.A) - 0.5 * np.sum(inner.A * (combined @ inner.A))
    # Rounding of λI + K(θ) alone changes both by its condition number times ε.
    M = lam * np.eye(24) + combined
    rounding = 24 * np.finfo(float).eps * np.linalg.cond(M)
    assert attained == pytest.approx(inner.value, rel=rounding)


def test_value_is_that_of_the_printed_program():
    # (32): min Σt subject to [[I + G/λ, H], [Hᵀ, diag(t)]] ⪰ 0, that is 2λF.
    lam, G = 0.5, np.tensordot(THETA, K, 1)
    T = H.T @ np.linalg.solve(np.eye(24) + G / lam, H)
    t = cp.Variable(4)
    program = cp.Problem(cp.Minimize(cp.sum(t)), [cp.diag(t) - (T + T.T) / 2 >> 0])
    program.solve(solver="CLARABEL")
    value = MajorizedSquare(H, lam).inner(G).value
    # The reference's own tolerance is 1e-8.
    assert 2 * lam * value == pytest.approx(program.value, rel=1e-7)


@pytest.mark.parametrize("intercept", [False, True])
def test_gradient(intercept):
    problem = Problem(DenseStack(K), MajorizedSquare(H, 0.1, intercept), Simplex())
    point = problem.at(THETA)
    slope = naive.gradient(lambda t: problem.at(t).value, THETA, 1e-5)
    assert point.gradient == pytest.approx(slope, rel=1e-7)


@pytest.mark.parametrize("k", [2, 3, 4, 6])
@pytest.mark.parametrize("lam", [1e-2, 1.0])
def test_hessian(k, lam):
    # Where Z and its slack are strictly complementary, F is twice differentiable.
    rng = np.random.default_rng(k)
    coding = class_coding(problems.labels(rng, 24, k), k)
    problem = Problem(DenseStack(K), MajorizedSquare(coding, lam, True), Simplex())
    hessian = problem.at(THETA).hessian()
    # A is exact to rounding, some 1e-14: over h that is 1e-9; h² is truncation.
    curvature = naive.hessian(lambda t: problem.at(t).gradient, THETA, 1e-5)
    scale = np.max(np.abs(curvature))
    assert hessian == pytest.approx(curvature, abs=1e-7 * scale)
    assert np.linalg.eigvalsh(hessian)[0] >= -1e-8 * scale


def test_is_above_the_exact_problem():
    # diag(t) ⪰ T forces Σt ≥ tr T.
    G = np.tensordot(THETA, K, 1)
    exact = Square(H, 0.1, True).inner(G).value
    assert MajorizedSquare(H, 0.1, True).inner(G).value >= exact


def test_two_classes_are_twice_the_exact_problem():
    # H has columns h and −ch: T = τvvᵀ and (Σ|v|)² over Σv² is what (32) loses.
    y = problems.labels(np.random.default_rng(1), 24, 2)
    H2 = class_coding(y, 2)
    G = np.tensordot(THETA, K, 1)
    v = np.linalg.svd(H2)[2][0]
    exact = Square(H2, 0.1, True).inner(G).value
    value = MajorizedSquare(H2, 0.1, True).inner(G).value
    assert value == pytest.approx(exact * np.sum(np.abs(v)) ** 2, rel=1e-9)


def test_best_scale_is_the_maximiser():
    loss = MajorizedSquare(H, 0.3)
    A = np.random.default_rng(1).normal(size=H.shape)

    def bound(t):
        return loss.value(t * A) - 0.5 * t * t * 5.0

    t = loss.best_scale(A, 5.0)
    assert bound(t) >= max(bound(t * (1 + h)) for h in (-1e-3, 1e-3))
