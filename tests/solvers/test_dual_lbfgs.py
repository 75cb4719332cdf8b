"""L-BFGS on the dual: the acceptance list of exponents, both forms, verified."""

import numpy as np
import pytest

import bounds
import problems
import verify
from kernelweave import Problem, solve
from kernelweave.grams import DenseStack, LazyStack
from kernelweave.kernels import rbf_grid
from kernelweave.losses import FisherRatio, Square, discriminant_targets
from kernelweave.solvers import DualLBFGS, Newton
from kernelweave.weights import Fixed, LpBall, LpPenalty, Simplex

N, TOL = 120, 1e-5
POWERS = (1 + 2**-6, 1 + 2**-3, 1.5, 2.0, 4.0, 1e6, np.inf)


def _case(name, lam, intercept=True, scale="variance"):
    X, y = problems.table(name, N)
    K, H = problems.ten_gaussians(X, scale), discriminant_targets(y, y.max() + 1)
    problem = Problem(DenseStack(K), Square(H, lam, intercept), LpBall(2))
    return problem, verify.Square(K, H, lam, intercept)


def _with(problem, weights):
    return Problem(problem.gram, problem.loss, weights)


@pytest.mark.parametrize("p", POWERS)
@pytest.mark.parametrize("lam", [1.0, 1e-2])
@pytest.mark.parametrize("name", ["heart", "wine"])
def test_constrained_form(name, lam, p):
    problem, oracle = _case(name, lam)
    problem = _with(problem, LpBall(p))
    solution = solve(problem, DualLBFGS(), TOL)
    assert solution.converged
    assert np.linalg.norm(solution.weights, p) == pytest.approx(1, abs=1e-9)
    support = bounds.norm(bounds.dual_power(p))
    primal, _ = bounds.check(oracle, solution, support, tol=TOL)
    reference = solve(problem, Newton(), 1e-8).certificate
    assert primal == pytest.approx(reference.primal, rel=TOL)


@pytest.mark.parametrize("p", POWERS)
@pytest.mark.parametrize("name", ["heart", "wine"])
def test_tikhonov_form(name, p):
    mu = 0.1
    problem, oracle = _case(name, 0.1)
    solution = solve(_with(problem, LpPenalty(p, mu)), DualLBFGS(), TOL)
    assert solution.converged
    norm = bounds.norm(bounds.dual_power(p))
    bounds.check(
        oracle,
        solution,
        lambda s: norm(s) ** 2 / (4 * mu),
        penalty=lambda theta: mu / 2 * bounds.norm(p)(theta) ** 2,
        tol=TOL,
    )


@pytest.mark.parametrize("lam", [5e-4, 1e-6])
def test_unit_traces_and_small_lambda(lam):
    # λ = 5e-4 of Ye et al. for unit traces is 0.06 in the variance scale.
    problem, oracle = _case("wine", lam, scale="trace")
    solution = solve(problem, DualLBFGS(), TOL)
    assert solution.converged
    bounds.check(oracle, solution, bounds.norm(2.0), tol=TOL, rounding=1e-8)


def test_without_intercept():
    problem, oracle = _case("heart", 0.1, intercept=False)
    solution = solve(problem, DualLBFGS(), TOL)
    bounds.check(oracle, solution, bounds.norm(2.0), tol=TOL)


def test_fixed_weights():
    problem, oracle = _case("heart", 0.1)
    theta = np.linspace(0, 1, 10)
    solution = solve(_with(problem, Fixed(theta)), DualLBFGS(), TOL)
    assert np.array_equal(solution.weights, theta)
    bounds.check(oracle, solution, lambda s: theta @ s, tol=TOL)


def test_dual_values_rise():
    problem, _ = _case("wine", 1e-3)
    solution = solve(problem, DualLBFGS(steps=5), 1e-9)
    duals = [row.certificate.dual for row in solution.trace]
    assert np.all(np.diff(duals) >= 0)
    assert len(duals) > 3


def test_constant_targets():
    problem, _ = _case("heart", 0.1)
    flat = Problem(problem.gram, Square(np.ones((N, 1)), 0.1, True), LpBall(2))
    solution = solve(flat, DualLBFGS())
    assert solution.certificate.primal == 0
    assert solution.bias == pytest.approx([1.0])


@pytest.mark.parametrize("weights", [Simplex(), LpBall(1)], ids=["Simplex", "LpBall"])
def test_sparse_weights_are_refused(weights):
    problem, _ = _case("heart", 0.1)
    with pytest.raises(TypeError, match=r"differentiable.*use Newton"):
        solve(_with(problem, weights), DualLBFGS())


def test_other_losses_are_refused():
    problem, _ = _case("heart", 0.1)
    y = np.where(np.arange(N) < 50, 1.0, -1.0)
    with pytest.raises(TypeError, match="FisherRatio is not smooth"):
        solve(Problem(problem.gram, FisherRatio(y, 0.1), LpBall(2)), DualLBFGS())


def test_on_kernels_that_are_not_stored():
    X, _ = problems.table("wine", N)
    kernels = [kernel.fit(X) for kernel in rbf_grid(sigmas=problems.SIGMAS)]
    problem, _ = _case("wine", 0.1)
    lazy = Problem(LazyStack(kernels, X), problem.loss, problem.weights)
    a, b = solve(lazy, DualLBFGS(), 1e-8), solve(problem, DualLBFGS(), 1e-8)
    assert a.certificate.primal == pytest.approx(b.certificate.primal, rel=1e-7)
