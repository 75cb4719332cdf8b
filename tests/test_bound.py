"""Problem.bound: F(θ) from above without a factorisation."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bounds
import problems
import verify
from kernelweave import Problem, solve
from kernelweave.grams import DenseStack
from kernelweave.losses import FisherRatio, Square
from kernelweave.weights import LpBall, LpPenalty, Simplex

seeds = st.integers(0, 2**32 - 1)


def _problem(seed, intercept, weights=None, lam=0.3):
    rng = np.random.default_rng(seed)
    K = problems.random_psd(rng, 3, 20, rank=8)
    H = 1 + rng.normal(size=(20, 2))
    problem = Problem(DenseStack(K), Square(H, lam, intercept), weights or Simplex())
    return rng, problem, verify.Square(K, H, lam, intercept)


@given(seeds, st.booleans(), st.floats(-4, 2))
def test_is_f_at_the_inner_maximiser(seed, intercept, exponent):
    rng, problem, oracle = _problem(seed, intercept, lam=10.0**exponent)
    theta = rng.exponential(size=3)
    point = problem.at(theta)
    bound = problem.bound(theta, point.A)
    assert bound.value == pytest.approx(float(oracle.primal(theta)), rel=1e-9)
    # A = λ⁻¹(H − f − b): an error of f is divided by λ.
    size = np.max(np.abs(point.A))
    np.testing.assert_allclose(bound.A, point.A, rtol=0, atol=1e-6 * size)
    assert bound.bias == pytest.approx(point.bias, rel=1e-6, abs=1e-6)


@given(seeds, st.booleans())
def test_is_an_upper_bound_everywhere(seed, intercept):
    rng, problem, oracle = _problem(seed, intercept)
    theta, A = rng.exponential(size=3), rng.normal(size=(20, 2))
    bound = problem.bound(theta, A)
    assert bound.value >= float(oracle.primal(theta)) * (1 - 1e-12)
    assert bound.s == pytest.approx(problem.gram.quadratic(bound.A))
    assert bound.applied == pytest.approx(problem.gram.apply(bound.A))
    # No other multiple of A gives a better one.
    K = problem.gram.combine(theta)
    for t in (0.9, 1.1, -1.0):
        f = t * K @ bound.A
        other = 0.5 * np.sum(t * bound.A * f) + problem.loss.risk(f)[0]
        assert other >= bound.value * (1 - 1e-12)


def test_risk_is_the_conjugate_of_the_loss():
    rng, problem, _ = _problem(0, True)
    loss = problem.loss
    f = rng.normal(size=(20, 2))
    risk, bias = loss.risk(f)
    # The maximiser of g(A) − ⟨A, f⟩ is (H − f − 1bᵀ)/λ.
    A = (loss.H - f - bias) / loss.lam
    assert A.sum(axis=0) == pytest.approx(0, abs=1e-10)
    assert loss.value(A) - np.sum(A * f) == pytest.approx(risk)
    assert np.sum((loss.H - f - bias) ** 2) / (2 * loss.lam) == pytest.approx(risk)


def test_the_penalty_is_in_the_value():
    rng, ball, _ = _problem(0, True, LpBall(2))
    penalised = Problem(ball.gram, ball.loss, LpPenalty(2, mu=0.7))
    theta, A = rng.exponential(size=3), rng.normal(size=(20, 2))
    extra = 0.35 * np.sum(theta**2)
    for evaluate in (lambda p: p.at(theta), lambda p: p.bound(theta, A)):
        assert evaluate(penalised).value == pytest.approx(evaluate(ball).value + extra)


def test_losses_without_a_risk_are_refused():
    rng, problem, _ = _problem(0, False)
    y = np.where(np.arange(20) < 9, 1.0, -1.0)
    fisher = Problem(problem.gram, FisherRatio(y, 0.1), Simplex())
    with pytest.raises(TypeError, match="FisherRatio has no `risk`"):
        fisher.bound(np.ones(3), rng.normal(size=(20, 1)))


def test_lambda_zero_has_no_bound():
    rng, problem, _ = _problem(0, True, lam=0.0)
    with pytest.raises(ValueError, match="λ = 0"):
        problem.bound(np.ones(3), rng.normal(size=(20, 2)))


def test_a_wrong_solution_fails_the_check():
    _, problem, oracle = _problem(0, True)
    right = solve(problem, tol=1e-9)
    bounds.check(oracle, right, np.max, tol=1e-8)
    low, high = right.certificate.dual, right.certificate.primal
    wrong = {
        "negative": replace(right, weights=right.weights - 1e-3),
        "other weights": replace(right, weights=right.weights[::-1]),
        "lower F": replace(
            right, certificate=replace(right.certificate, primal=low / 2)
        ),
        "higher D": replace(
            right, certificate=replace(right.certificate, dual=2 * high)
        ),
        "other A": replace(right, dual_A=1.1 * right.dual_A),
        "outside": replace(right, dual_A=right.dual_A + 0.1),
        "no A": replace(right, A=0 * right.A),
    }
    for solution in wrong.values():
        with pytest.raises(AssertionError):
            bounds.check(oracle, solution, np.max, tol=1e-8)
