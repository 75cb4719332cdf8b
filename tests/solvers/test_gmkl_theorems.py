"""Theorems of Yang et al. 2011 on the hinge, and SM2_C of Ye et al. 2008."""

import numpy as np
import pytest

import problems
import verify
from kernelweave import Problem, solve
from kernelweave.grams import DenseStack, WithIdentity
from kernelweave.losses import Hinge, SquaredHinge
from kernelweave.solvers import SILP, Level, Newton
from kernelweave.weights import ElasticNet, Simplex

N, P = 40, 6
RNG = np.random.default_rng(0)
K = problems.random_psd(RNG, P, N, rank=12)
Y = np.where(problems.labels(RNG, N, 2) == 1, 1.0, -1.0)[:, None]
SOLVERS = [Newton(), SILP(), Level()]
every_solver = pytest.mark.parametrize("solver", SOLVERS, ids=lambda s: str(s))
every_v = pytest.mark.parametrize("v", [0.2, 0.5, 0.9])


def _solve(K, v, solver=None, C=1.0, tol=1e-7):
    problem = Problem(DenseStack(K), Hinge(Y, C), ElasticNet(v))
    solution = solve(problem, solver, tol, max_iter=2000)
    assert solution.converged
    return problem, solution


def _cost(theta, v):
    return v * np.sum(theta) + (1 - v) * np.sum(theta**2)


@every_v
@every_solver
def test_the_constraint_is_tight(solver, v):
    # Theorem 1. Not to rounding: Level draws points into the set by its tolerance.
    _, solution = _solve(K, v, solver, tol=1e-4)
    assert _cost(solution.weights, v) == pytest.approx(1, abs=1e-10)


@every_v
def test_identical_kernels_get_identical_weights(v):
    # Theorem 2, with kernels 0, 2 and 3 alike and 1 nearly so.
    twins = K.copy()
    twins[2] = twins[3] = twins[0]
    twins[1] = 0.999 * twins[0] + 0.001 * twins[1]
    problem, solution = _solve(twins, v, tol=1e-9)
    theta = solution.weights
    assert theta[0] > 0
    # s_j = η(v + 2(1−v)θ_j) where θ_j > 0, and ½η is the multiplier of Σc(θ) ≤ 1, so
    # F − F* ≥ ½η(1−v)‖θ − θ*‖².
    s = problem.gram.quadratic(solution.A)
    eta = s[0] / (v + 2 * (1 - v) * theta[0])
    radius = np.sqrt(2 * solution.certificate.gap / (eta * (1 - v)))
    assert radius < 1e-3
    assert theta[[2, 3]] == pytest.approx(theta[[0, 0]], abs=2 * radius)
    # And like kernels have like weights.
    apart = (s[0] - s[1]) / (2 * eta * (1 - v))
    assert theta[0] - theta[1] == pytest.approx(apart, abs=4 * radius)
    assert abs(apart) < 0.01


def test_on_the_simplex_identical_kernels_may_differ():
    # v < 1 is needed: at v = 1 every division of the twins' weight is an optimum.
    twins = np.concatenate([K[:1], K])
    problem = Problem(DenseStack(twins), Hinge(Y, 1.0), Simplex())
    theta = solve(problem).weights
    moved = theta.copy()
    moved[:2] = theta[:2].sum(), 0.0
    assert theta[:2].sum() > 0.01
    assert problem.at(moved).value == pytest.approx(problem.at(theta).value, rel=1e-10)


@every_v
@pytest.mark.parametrize("solver", [Newton(), SILP()], ids=["newton", "silp"])
@pytest.mark.parametrize("C", [0.1, 100.0])
def test_the_weights_follow_from_the_dual_point(solver, v, C):
    # Equation (18): θ_j = (s_j − ηv)₊/(2η(1−v)), η the root that makes Σc(θ) = 1.
    problem, solution = _solve(K, v, solver, C)
    s = problem.gram.quadratic(solution.dual_A)
    low, high = 0.0, 10 * np.sum(s)
    eta, theta = high, np.zeros(P)
    for _ in range(200):
        eta = (low + high) / 2
        theta = np.maximum(s - eta * v, 0) / (2 * eta * (1 - v))
        low, high = (eta, high) if _cost(theta, v) > 1 else (low, eta)
    # θᵀs = σ(s) ≥ θᵀs at the learned weights; they differ by at most twice the gap.
    lost = s @ (theta - solution.weights)
    rounding = 1e-12 * s.max()
    assert -rounding <= lost <= 2 * solution.certificate.gap + rounding
    # σ is attained at one point: η(1−v)‖θ − θ'‖² ≤ lost.
    radius = np.sqrt((lost + 2 * rounding) / (eta * (1 - v)))
    assert radius < 0.01
    assert solution.weights == pytest.approx(theta, abs=radius)


@every_v
@pytest.mark.parametrize("C", [0.1, 100.0])
def test_the_gap_of_the_level_method_never_grows(v, C):
    # Theorem 4.
    _, solution = _solve(K, v, Level(), C, tol=1e-4)
    gaps = [row.certificate.gap for row in solution.trace]
    assert len(gaps) > 3
    assert np.all(np.diff(gaps) <= 0)
    primals = [row.certificate.primal for row in solution.trace]
    duals = [row.certificate.dual for row in solution.trace]
    assert np.all(np.diff(primals) <= 0) and np.all(np.diff(duals) >= 0)


@pytest.mark.parametrize("v, other", [(1.0, "simplex"), (0.0, "ball")])
def test_the_ends_of_the_elastic_net(v, other):
    _, solution = _solve(K, v, tol=1e-6)
    weights = verify.Simplex(np.ones(P)) if other == "simplex" else verify.LpBall(2)
    verify.check(verify.hinge(K, Y, 1.0), solution, weights=weights, tol=1e-6)


# SM2_C, Ye et al. 2008: the squared hinge with C learned as the weight of an identity.
SCALE = 1 / N


def _learned(solver):
    unit = K / np.trace(K, axis1=1, axis2=2)[:, None, None]
    gram = WithIdentity(DenseStack(unit), SCALE)
    problem = Problem(gram, SquaredHinge(Y, np.inf), Simplex())
    return unit, solve(problem, solver, tol=1e-6)


@pytest.mark.parametrize("solver", [Newton(), SILP()], ids=["newton", "silp"])
def test_learned_c_is_certified(solver):
    unit, solution = _learned(solver)
    assert solution.converged
    stack = verify.with_identity(unit, SCALE)
    bare = verify.hinge(stack, Y, np.inf)
    oracle = verify.LearnedC(**vars(bare))
    verify.check(oracle, solution, tol=1e-6)
    assert 0 < solution.weights[0] < 1


def test_learned_c_is_the_squared_hinge_at_that_c():
    unit, solution = _learned(Newton())
    C = 1 / (SCALE * solution.weights[0])
    combined = np.tensordot(solution.weights[1:], unit, 1)
    inner = SquaredHinge(Y, C).inner(combined)
    assert inner.value == pytest.approx(solution.certificate.primal, rel=1e-10)
    np.testing.assert_allclose(
        inner.A, solution.A, rtol=0, atol=1e-8 * np.max(np.abs(inner.A))
    )
    assert inner.bias == pytest.approx(solution.bias, abs=1e-8)
    # No other C is better, for these weights and what they leave to the identity.
    rest = solution.weights[1:] / (1 - solution.weights[0])
    for share in (0.9, 1.1):
        lam = share * solution.weights[0]
        other = np.tensordot((1 - lam) * rest, unit, 1)
        value = SquaredHinge(Y, 1 / (SCALE * lam)).inner(other).value
        assert value >= solution.certificate.dual


def test_solvers_of_learned_c_agree():
    newton, silp = (_learned(solver)[1] for solver in (Newton(), SILP()))
    assert newton.certificate.primal == pytest.approx(silp.certificate.primal, rel=2e-6)
    assert newton.weights == pytest.approx(silp.weights, abs=5e-3)
