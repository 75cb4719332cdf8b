"""Pair steps on the dual: the optimum of Newton's method, verified."""

import numpy as np
import pytest

import bounds
import problems
import verify
from kernelweave import Problem, solve
from kernelweave.grams import DenseStack, WithIdentity
from kernelweave.losses import FisherRatio, Square, discriminant_targets
from kernelweave.solvers import SMO, DualLBFGS, Newton
from kernelweave.weights import Fixed, LpBall, LpPenalty, Simplex

N, TOL = 80, 1e-6
POWERS = (1 + 2**-6, 1.5, 4.0, 1e6, np.inf)


def _case(name="wine", lam=0.1, intercept=True):
    X, y = problems.table(name, N)
    K, H = problems.ten_gaussians(X, "variance"), discriminant_targets(y, y.max() + 1)
    problem = Problem(DenseStack(K), Square(H, lam, intercept), LpBall(2))
    return problem, verify.Square(K, H, lam, intercept)


def _with(problem, weights):
    return Problem(problem.gram, problem.loss, weights)


@pytest.mark.parametrize("p", POWERS)
@pytest.mark.parametrize("name", ["heart", "wine"])
def test_constrained_form(name, p):
    problem, oracle = _case(name)
    problem = _with(problem, LpBall(p))
    solution = solve(problem, SMO(), TOL)
    assert solution.converged
    support = bounds.norm(bounds.dual_power(p))
    primal, _ = bounds.check(oracle, solution, support, tol=TOL)
    reference = solve(problem, Newton(), 1e-8).certificate
    assert primal == pytest.approx(reference.primal, rel=TOL)


@pytest.mark.parametrize("p", POWERS)
def test_tikhonov_form(p):
    mu = 0.1
    problem, oracle = _case()
    problem = _with(problem, LpPenalty(p, mu))
    solution = solve(problem, SMO(), TOL)
    assert solution.converged
    norm = bounds.norm(bounds.dual_power(p))
    primal, _ = bounds.check(
        oracle,
        solution,
        lambda s: norm(s) ** 2 / (4 * mu),
        penalty=lambda theta: mu / 2 * bounds.norm(p)(theta) ** 2,
        tol=TOL,
    )
    other = solve(problem, DualLBFGS(), TOL)
    assert primal == pytest.approx(other.certificate.primal, rel=2 * TOL)


def test_without_intercept():
    problem, oracle = _case(intercept=False)
    solution = solve(problem, SMO(), TOL)
    assert solution.converged
    bounds.check(oracle, solution, bounds.norm(2.0), tol=TOL)


def test_uncentred_kernels():
    rng = np.random.default_rng(0)
    K = problems.random_psd(rng, 3, 40) + 1.0
    H = rng.normal(size=(40, 2))
    problem = Problem(DenseStack(K), Square(H, 0.5, True), LpBall(1.5))
    solution = solve(problem, SMO(), TOL)
    bounds.check(verify.Square(K, H, 0.5, True), solution, bounds.norm(3.0), tol=TOL)


def test_fixed_weights():
    problem, oracle = _case()
    theta = np.linspace(0, 1, 10)
    solution = solve(_with(problem, Fixed(theta)), SMO(), TOL)
    bounds.check(oracle, solution, lambda s: theta @ s, tol=TOL)


def test_dual_values_rise():
    problem, _ = _case(lam=0.01)
    solution = solve(problem, SMO(passes=1), 1e-8, max_iter=30)
    duals = [row.certificate.dual for row in solution.trace]
    assert np.all(np.diff(duals) >= -1e-12 * np.abs(duals[0]))


def test_constant_targets():
    problem, _ = _case()
    flat = Problem(problem.gram, Square(np.ones((N, 1)), 0.1, True), LpBall(2))
    assert solve(flat, SMO()).certificate.primal == 0


@pytest.mark.parametrize("weights", [Simplex(), LpBall(1)], ids=["Simplex", "LpBall"])
def test_sparse_weights_are_refused(weights):
    problem, _ = _case()
    with pytest.raises(TypeError, match="p > 1"):
        solve(_with(problem, weights), SMO())


def test_other_problems_are_refused():
    problem, _ = _case()
    y = np.where(np.arange(N) < 30, 1.0, -1.0)
    with pytest.raises(TypeError, match="square loss, not FisherRatio"):
        solve(Problem(problem.gram, FisherRatio(y, 0.1), LpBall(2)), SMO())
    with pytest.raises(TypeError, match=r"stored matrices.*WithIdentity"):
        solve(Problem(WithIdentity(problem.gram), problem.loss, LpBall(2)), SMO())
