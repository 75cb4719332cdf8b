"""The Tikhonov form: Yan et al. 2012, (25) and (26)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bounds
import problems
from kernelweave import Problem, solve
from kernelweave.grams import DenseStack
from kernelweave.losses import FisherRatio, Square
from kernelweave.problem import WeightSet
from kernelweave.solvers import SILP, DualLBFGS, Newton
from kernelweave.weights import LpBall, LpPenalty

powers = st.sampled_from([1 + 2**-6, 1 + 2**-3, 1.5, 2.0, 4.0, 1e6, np.inf])
seeds = st.integers(0, 2**32 - 1)


@given(powers, seeds, st.floats(-3, 3))
def test_support_is_the_conjugate(p, seed, exponent):
    rng = np.random.default_rng(seed)
    weights, s = LpPenalty(p, mu=10.0**exponent), rng.exponential(size=5)
    theta = weights.maximiser(s)
    # θᵀs − 2·penalty(θ) is the conjugate at its maximiser, and less elsewhere.
    assert theta @ s - 2 * weights.penalty(theta) == pytest.approx(weights.support(s))
    other = theta * rng.uniform(0, 2, size=5)
    assert other @ s - 2 * weights.penalty(other) <= weights.support(s) * (1 + 1e-12)


@pytest.mark.parametrize("p", [1.5, 2.0, 4.0])
def test_weights_are_those_under_equation_26(p):
    s, mu, q = np.array([0.3, 2.0, 1.1]), 0.7, p / (p - 1)
    printed = np.sum(s**q) ** (1 / q - 1 / p) * s ** (q / p) / (2 * mu)
    weights = LpPenalty(p, mu)
    assert weights.maximiser(s) == pytest.approx(printed)
    assert weights.support(s) == pytest.approx(np.sum(s**q) ** (2 / q) / (4 * mu))


def test_no_weights_for_zero_kernels():
    weights = LpPenalty(2, 1.0)
    assert weights.maximiser(np.zeros(3)) == pytest.approx(np.zeros(3))
    assert weights.penalty(np.zeros(3)) == 0.0


def _problem(weights, lam=0.2, n=40):
    rng = np.random.default_rng(0)
    K = problems.random_psd(rng, 4, n, rank=12)
    H = rng.normal(size=(n, 2)) + K[0] @ rng.normal(size=(n, 2)) / 4
    return Problem(DenseStack(K), Square(H, lam, True), weights)


@given(seeds, st.floats(-3, 3))
def test_the_scale_of_the_dual_point_is_the_best(seed, exponent):
    rng = np.random.default_rng(seed)
    problem = _problem(LpPenalty(1.5, mu=10.0**exponent))
    A = problem.loss.H + rng.normal(size=(40, 2))
    A -= A.mean(axis=0)
    point = problem.dual(A)

    def value(A):
        s = problem.gram.quadratic(A)
        return problem.loss.value(A) - 0.5 * problem.weights.support(s)

    assert value(point.A) == pytest.approx(point.value)
    for t in (0.98, 1.02):
        assert value(t * point.A) < point.value


def test_losses_of_a_fixed_scale_keep_it():
    gram = _problem(LpBall(2)).gram
    y = np.where(np.arange(40) < 15, 1.0, -1.0)
    problem = Problem(gram, FisherRatio(y, 0.1), LpPenalty(2, 0.5))
    A = problem.loss.means
    assert np.array_equal(problem.dual(A).A, A)


@pytest.mark.parametrize("p", [1 + 2**-3, 1.5, 2.0, 4.0, np.inf])
@pytest.mark.parametrize("mu", [1e-2, 1.0])
def test_constrained_weights_up_to_scale(p, mu):
    # F_λ(ρθ') = F_{λ/ρ}(θ')/ρ: θ/ρ with ρ = ‖θ‖_p is the optimum of the ball at λ/ρ.
    problem = _problem(LpPenalty(p, mu))
    theta = solve(problem, DualLBFGS(), 1e-12).weights
    rho = np.linalg.norm(theta, p)
    ball = _problem(LpBall(p), lam=problem.loss.lam / rho)
    constrained = solve(ball, Newton(), 1e-12)
    # At a relative gap of 1e-12 weights are right to the root of it.
    assert theta / rho == pytest.approx(constrained.weights, abs=1e-5)
    # The scale is in closed form too: ρ³ = ‖s(A')‖_q/(2μ) with the A' of the ball.
    s = ball.gram.quadratic(constrained.A)
    size = bounds.norm(bounds.dual_power(p))(s)
    assert rho**3 == pytest.approx(size / (2 * mu), rel=1e-5)
    # And F_λ(ρθ') = F_{λ/ρ}(θ')/ρ.
    value = problem.at(rho * constrained.weights).value
    value -= problem.weights.penalty(rho * constrained.weights)
    assert value == pytest.approx(constrained.certificate.primal / rho)


@pytest.mark.parametrize("solver", [Newton(), SILP()], ids=["Newton", "SILP"])
def test_solvers_of_sets_refuse_it(solver):
    with pytest.raises(TypeError, match="a penalty, not a set"):
        solve(_problem(LpPenalty(2, 1.0)), solver)


@pytest.mark.parametrize("p, mu", [(1, 1), (0.5, 1), (2, 0), (2, -1), (2, np.inf)])
def test_bad_parameters(p, mu):
    with pytest.raises(ValueError, match="LpPenalty"):
        LpPenalty(p, mu).support(np.ones(2))


def test_is_a_weight_set():
    assert isinstance(LpPenalty(), WeightSet)
    assert LpPenalty(2, 3.0).restrict(np.array([True, False])).mu == 3.0
