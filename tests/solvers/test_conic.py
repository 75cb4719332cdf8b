"""What the conic references refuse, and how they say it."""

import cvxpy
import numpy as np
import pytest

import problems
import verify
from kernelweave import Problem, solve
from kernelweave.grams import DenseStack
from kernelweave.losses import Hinge, MajorizedSquare, Square
from kernelweave.losses.square import class_coding
from kernelweave.solvers import QCQP, SDP, SILP
from kernelweave.weights import Fixed, LpBall, Simplex

RNG = np.random.default_rng(0)
K = problems.random_psd(RNG, 3, 12, rank=4)
H = class_coding(problems.labels(RNG, 12, 3), 3)
PROBLEM = Problem(DenseStack(K), Square(H, 0.1, True), Simplex())


@pytest.mark.parametrize("solver", [QCQP(max_size=100), SDP(max_size=5)])
def test_large_problems(solver):
    with pytest.raises(ValueError, match=r"max_size.*Newton"):
        solve(PROBLEM, solver)


@pytest.mark.parametrize("solver", [QCQP(backend="NONE"), SDP(backend="NONE")])
def test_unknown_backend(solver):
    with pytest.raises(ValueError, match="'NONE' is not installed"):
        solve(PROBLEM, solver)


@pytest.mark.parametrize("solver", [QCQP("scs"), SDP("clarabel"), SDP("cvxopt")])
def test_other_backends(solver):
    if solver.backend.upper() not in cvxpy.installed_solvers():
        pytest.skip(f"{solver.backend} is not installed")
    reference = solve(PROBLEM, tol=1e-9).certificate.primal
    solution = solve(PROBLEM, solver, tol=1e-5)
    # The program is solved to tol in its objective. The gap is of first order in the
    # error of the weights and may be larger, but it is never misreported.
    assert solution.certificate.primal == pytest.approx(reference, rel=1e-5)
    verify.check(verify.Square(K, H, 0.1, True), solution, tol=1e-3)


def test_majorized_has_no_quadratic_form():
    problem = Problem(DenseStack(K), MajorizedSquare(H, 0.1, True), Simplex())
    with pytest.raises(TypeError, match=r"QCQP cannot write MajorizedSquare; use SDP"):
        solve(problem, QCQP())


def test_the_hinge_has_no_matrix_inequality():
    Y = np.where(np.arange(12) % 2, 1.0, -1.0)[:, None]
    problem = Problem(DenseStack(K), Hinge(Y, 1.0), Simplex())
    with pytest.raises(TypeError, match=r"SDP cannot write Hinge; use QCQP"):
        solve(problem, SDP())
    assert solve(problem, QCQP(), tol=1e-5).converged


@pytest.mark.parametrize("solver", [QCQP(), SDP()])
def test_no_solver_is_recommended_that_refuses_too(solver):
    class Own:
        def __init__(self):
            square = Square(H, 0.1, True)
            self.value, self.inner = square.value, square.inner
            self.best_scale = square.best_scale

    problem = Problem(DenseStack(K), Own(), Simplex())
    with pytest.raises(TypeError, match=r"cannot write Own; use SILP\(\)"):
        solve(problem, solver)
    assert solve(problem, SILP()).converged


@pytest.mark.parametrize("solver", [QCQP(), SDP()])
def test_fixed_weights(solver):
    problem = Problem(DenseStack(K), Square(H, 0.1, True), Fixed([0.2, 0.3, 0.5]))
    solution = solve(problem, solver)
    assert np.array_equal(solution.weights, [0.2, 0.3, 0.5])
    assert solution.converged


@pytest.mark.parametrize("p", [1.0001, 1.01, np.pi, 2000.5, 1e6, 1e300])
@pytest.mark.parametrize("solver", [QCQP(), SDP()])
def test_norms_that_are_no_simple_fractions(solver, p):
    problem = Problem(DenseStack(K), Square(H, 0.1, True), LpBall(p))
    reference = solve(problem, tol=1e-9).certificate.primal
    solution = solve(problem, solver, tol=1e-5)
    assert solution.certificate.primal == pytest.approx(reference, rel=1e-5)
    certificate = solution.certificate
    assert certificate.dual <= reference * (1 + 1e-8)
    assert certificate.primal >= reference * (1 - 1e-8)
    assert np.linalg.norm(solution.weights, p) <= 1 + 1e-12
