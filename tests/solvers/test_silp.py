"""Cutting planes: bounds, the average of the A's, and the paper's stop rule."""

import numpy as np
import pytest

import problems
import verify
from kernelweave import Problem, solve
from kernelweave.grams import DenseStack
from kernelweave.losses import Square
from kernelweave.solve import Status
from kernelweave.solvers import SILP, Newton
from kernelweave.weights import Simplex


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    K = problems.random_psd(rng, 6, 40, rank=5)
    return Problem(DenseStack(K), Square(rng.normal(size=(40, 2)), 1e-2), Simplex())


def _oracle(problem):
    K = np.stack([problem.gram[j] for j in range(problem.gram.p)])
    return verify.Square(K, problem.loss.H, problem.loss.lam, False)


def test_certificate_is_proved_by_the_average(problem):
    solution = solve(problem, SILP())
    assert solution.converged
    verify.check(_oracle(problem), solution)
    # The last A alone would not do: cutting planes jump between vertices.
    last = problem.dual(solution.A).value
    c = solution.certificate
    assert last < c.dual
    assert (c.primal - last) / c.primal > 1e-6


def test_rule_22_ends_earlier_and_says_so(problem):
    exact = solve(problem, SILP(), tol=1e-9)
    paper = solve(problem, SILP(epsilon=5e-4), tol=1e-9)
    assert paper.status is Status.STALLED
    assert paper.n_iter < exact.n_iter
    # |1 − F(θ_t)/γ_{t−1}| ≤ ε and γ ≤ optimum ≤ F.
    optimum = solve(problem, Newton(), tol=1e-9).certificate.primal
    assert optimum <= paper.certificate.primal <= optimum * (1 + 5.1e-4)
    verify.check(_oracle(problem), paper, tol=5.1e-4)


def test_master_never_decreases(problem):
    # The average proves the optimum of the master, so the lower bound grows.
    duals = [row.certificate.dual for row in solve(problem, SILP()).trace]
    assert np.all(np.diff(duals) >= 0)
