"""ℓp weights: every solver that accepts the set reaches one certified optimum.

n = 120 rows of heart and wine, features in [0, 1], ten Gaussians, centred.
"""

import numpy as np
import pytest

import problems
import verify
from kernelweave import Problem, solve
from kernelweave.grams import DenseStack
from kernelweave.losses import Square, discriminant_targets
from kernelweave.solvers import (
    QCQP,
    SILP,
    SMO,
    Alternating,
    DualLBFGS,
    Interleaved,
    Newton,
)
from kernelweave.weights import LpBall, Simplex

NORMS = [1, 1 + 2**-6, 1 + 2**-3, 1.5, 2, 4, 1e6, np.inf]
TOL, LAM = 1e-5, 0.1


def _problem(name, p, lam=LAM):
    X, y = problems.table(name, 120)
    K, H = problems.ten_gaussians(X, "variance"), discriminant_targets(y, y.max() + 1)
    oracle = verify.Square(K, H, lam, True)
    return Problem(DenseStack(K), Square(H, lam, True), LpBall(p)), oracle, K, H


def _verified_gap(solution, oracle, p):
    """F(θ) − D(A) by the verifier's own formulas, relative."""
    q = 1.0 if p == np.inf else np.inf if p == 1 else p / (p - 1)
    upper = oracle.primal(solution.weights)
    A = solution.dual_A
    lower = oracle.g(A) - 0.5 * np.linalg.norm(oracle.quadratic(A), q)
    return (upper - lower) / upper


# Alternating's rate tends to none as p tends to 1, where the dual has kinks.
SOLVERS = {
    "newton": (Newton(), 1),
    "sip": (SILP(), 1),
    "sip, (11)": (SILP(expansion=True), 1),
    "alternating": (Alternating(), 1 + 2**-6),
    "dual l-bfgs": (DualLBFGS(), 1 + 2**-6),
    "smo": (SMO(), 1 + 2**-6),
    "interleaved": (Interleaved(block=40), 1),
}


@pytest.mark.parametrize("p", NORMS)
@pytest.mark.parametrize("solver, least", SOLVERS.values(), ids=SOLVERS)
@pytest.mark.parametrize("name", ["heart", "wine"])
def test_every_solver_certifies_every_norm(name, solver, least, p):
    if p < least:
        pytest.skip("not for this norm")
    problem, oracle, *_ = _problem(name, p)
    solution = solve(problem, solver, TOL, max_iter=500)
    assert solution.converged
    gap = _verified_gap(solution, oracle, p)
    assert gap <= TOL
    # Solvers that do not factorise K(θ) bound F(θ) from above.
    assert gap <= solution.certificate.relative_gap + 1e-10
    if not isinstance(solver, DualLBFGS | SMO | Interleaved):
        assert gap == pytest.approx(solution.certificate.relative_gap, abs=1e-10)
    assert np.linalg.norm(solution.weights, p) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("p", [1 + 2**-3, 1.5, 2, 4])
def test_the_conic_reference_agrees(p):
    problem, *_ = _problem("wine", p)
    reference = solve(problem, QCQP(), TOL)
    newton = solve(problem, Newton(), TOL)
    assert newton.certificate.primal == pytest.approx(
        reference.certificate.primal, rel=TOL
    )


@pytest.mark.parametrize("lam", [1e-8, 1e-3, 10.0])
@pytest.mark.parametrize("p", NORMS)
def test_newton_takes_few_factorisations_at_every_lambda(p, lam):
    problem, oracle, *_ = _problem("heart", p, lam)
    solution = solve(problem, Newton(), TOL)
    assert _verified_gap(solution, oracle, p) <= TOL
    assert solution.n_iter <= 12


def test_one_is_the_simplex():
    problem, *_ = _problem("heart", 1)
    ball = solve(problem)
    simplex = solve(Problem(problem.gram, problem.loss, Simplex()))
    assert ball.weights == pytest.approx(simplex.weights, abs=1e-12)


def test_weights_grow_less_sparse_with_the_norm():
    problem, *_ = _problem("heart", 1)
    spread = [
        solve(Problem(problem.gram, problem.loss, LpBall(p))).weights for p in NORMS
    ]
    effective = [theta.sum() ** 2 / np.sum(theta**2) for theta in spread]
    assert effective[0] < 0.5 * effective[4] < 0.5 * effective[-1]
    assert effective[-1] == pytest.approx(10)


def test_warm_start_from_another_norm():
    problem, oracle, *_ = _problem("heart", 1.5)
    start = solve(Problem(problem.gram, problem.loss, LpBall(2)))
    warm, cold = solve(problem, start=start), solve(problem)
    assert _verified_gap(warm, oracle, 1.5) <= 1e-6
    assert warm.n_iter <= cold.n_iter
