"""Sets of weights without a chart: `ProjectedNewton`, on groups of kernels.

Six Gaussians on each of three groups of columns of heart, 100 rows.
"""

from functools import cache

import numpy as np
import pytest

import problems
import verify
from kernelweave import Problem, solve
from kernelweave.grams import DenseStack
from kernelweave.losses import FisherRatio, Hinge, Square, SquaredHinge
from kernelweave.solvers import (
    QCQP,
    SDP,
    SILP,
    SMO,
    Alternating,
    DualLBFGS,
    Galerkin,
    Interleaved,
    Level,
    Newton,
    Primal,
    ProjectedNewton,
    ReducedGradient,
)
from kernelweave.solvers.default import default_solver
from kernelweave.weights import ElasticNet, GroupSimplex, LpBall, LpPenalty, Simplex

GROUPS = [g for g in "abc" for _ in range(6)]


@cache
def _kernels(n):
    X, y = problems.table("heart", n)
    views = X[:, :4], X[:, 4:8], X[:, 8:]
    K = [problems.ten_gaussians(view, "variance")[2:8] for view in views]
    return np.concatenate(K), 2.0 * y[:, None] - 1


def _square(lam):
    return lambda K, Y: (Square(Y, lam, True), verify.Square(K, Y, lam, True))


def _hinge(C):
    return lambda K, Y: (Hinge(Y, C), verify.hinge(K, Y, C))


def _squared_hinge(C):
    return lambda K, Y: (SquaredHinge(Y, C), verify.squared_hinge(K, Y, C))


LOSSES = {
    "square, λ = 1e-6": _square(1e-6),
    "square, λ = 0.1": _square(0.1),
    "square, λ = 10": _square(10.0),
    "hinge, C = 0.1": _hinge(0.1),
    "hinge, C = 1": _hinge(1.0),
    "hinge, C = 100": _hinge(100.0),
    "squared hinge, C = 1": _squared_hinge(1.0),
}
every_loss = pytest.mark.parametrize("make", LOSSES.values(), ids=LOSSES)


def _case(make, n=100, weights=None):
    K, Y = _kernels(n)
    loss, oracle = make(K, Y)
    weights = GroupSimplex(GROUPS) if weights is None else weights
    return Problem(DenseStack(K), loss, weights), oracle


def _check(problem, oracle, solution, tol=1e-6, **options):
    assert solution.converged
    groups = verify.GroupSimplex(tuple(problem.weights.groups))
    return verify.check(oracle, solution, weights=groups, tol=tol, **options)


@every_loss
def test_the_default_is_certified_in_few_steps(make):
    problem, oracle = _case(make)
    solution = solve(problem, tol=1e-6)
    _check(problem, oracle, solution)
    assert solution.n_iter <= 15


@every_loss
def test_the_conic_reference_agrees(make):
    pytest.importorskip("cvxpy")
    problem, oracle = _case(make, n=40)
    reference = solve(problem, QCQP(), 1e-5)
    _check(problem, oracle, reference, tol=1e-5, slack=1e-6)
    primal = solve(problem, tol=1e-7).certificate.primal
    assert reference.certificate.primal == pytest.approx(primal, rel=1e-5)


@pytest.mark.parametrize(
    "solver", [SILP(), Primal(), Interleaved(block=30), SDP()], ids=repr
)
def test_solvers_that_need_no_chart(solver):
    n = 30 if isinstance(solver, SDP) else 100
    problem, oracle = _case(_square(1.0), n)
    best = solve(problem, tol=1e-8).certificate.primal
    solution = solve(problem, solver, 1e-4)
    assert solution.converged
    # Their F(θ) may be a bound, and θ inside the set: both claims, independently.
    groups, c = verify.GroupSimplex(tuple(GROUPS)), solution.certificate
    assert groups.cost(solution.weights) <= 1 + 1e-13
    assert oracle.primal(solution.weights) <= c.primal * (1 + 1e-10)
    assert oracle.bound(solution.dual_A, groups) >= c.dual * (1 - 1e-10)
    assert solution.certificate.primal == pytest.approx(best, rel=1e-4)


@pytest.mark.parametrize("make", [_square(0.1), _hinge(1.0)], ids=["square", "hinge"])
@pytest.mark.parametrize(
    "groups, alike",
    [(["all"] * 18, LpBall(2)), (list(range(18)), Simplex())],
    ids=["one group", "groups of one"],
)
def test_degenerate_groups(make, groups, alike):
    problem, oracle = _case(make, weights=GroupSimplex(groups))
    solution = solve(problem, tol=1e-6)
    _check(problem, oracle, solution)
    other = solve(_case(make, weights=alike)[0], tol=1e-6)
    assert solution.certificate.primal == pytest.approx(
        other.certificate.primal, rel=1e-6
    )


def test_groups_are_selected_as_a_whole():
    problem, _ = _case(_square(1000.0))
    theta = solve(problem, tol=1e-9).weights
    held = [np.count_nonzero(theta[k : k + 6]) for k in (0, 6, 12)]
    assert set(held) == {0, 6}


@pytest.mark.parametrize("weights", [Simplex(), LpBall(1.5), ElasticNet(0.5)], ids=repr)
@pytest.mark.parametrize("make", [_square(0.01), _hinge(10.0)], ids=["square", "hinge"])
def test_sets_with_a_chart(make, weights):
    problem, _ = _case(make, weights=weights)
    ours, newton = solve(problem, ProjectedNewton()), solve(problem, Newton())
    assert ours.converged and newton.converged
    assert ours.certificate.primal == pytest.approx(newton.certificate.primal, rel=1e-6)


class LeastSet:
    """Θ = {0 ≤ θ ≤ 1, Σθ ≤ 2}, with the methods that are required and no other."""

    interior = False

    def support(self, s):
        return float(self.maximiser(s) @ s)

    def maximiser(self, s):
        theta = np.zeros(len(s))
        theta[np.argsort(-s)[:2]] = 1.0
        return theta

    def project(self, theta):
        low, high = 0.0, max(float(np.max(theta)), 0.0)
        if np.sum(np.clip(theta, 0, 1)) <= 2:
            return np.clip(theta, 0, 1)
        for _ in range(100):
            nu = (low + high) / 2
            over = np.sum(np.clip(theta - nu, 0, 1)) > 2
            low, high = (nu, high) if over else (low, nu)
        return np.clip(theta - high, 0, 1)

    def start(self, p):
        return np.full(p, 2 / p)

    def restrict(self, keep):
        return self


@every_loss
def test_the_least_that_a_set_may_be(make):
    problem, _ = _case(make, weights=LeastSet())
    assert isinstance(default_solver(problem), ProjectedNewton)
    solution = solve(problem)
    assert solution.converged
    assert np.sum(solution.weights) == pytest.approx(2)


@pytest.mark.parametrize(
    "solver",
    [
        *(Newton(), Galerkin(), Level(), Alternating(), ReducedGradient()),
        *(SMO(), DualLBFGS(), SILP(), QCQP(), SDP()),
    ],
    ids=lambda solver: type(solver).__name__,
)
def test_other_solvers_name_one_that_works(solver):
    problem, _ = _case(_square(0.1), n=40, weights=LeastSet())
    with pytest.raises(TypeError, match=r"use ProjectedNewton\(\)"):
        solve(problem, solver)


def test_penalties_are_refused():
    problem, _ = _case(_square(0.1), weights=LpPenalty(2))
    with pytest.raises(TypeError, match=r"needs a set of weights, not LpPenalty"):
        solve(problem, ProjectedNewton())


def test_the_ratio_of_fisher():
    K, Y = _kernels(100)
    problem = Problem(DenseStack(K), FisherRatio(Y[:, 0], 1e-3), GroupSimplex(GROUPS))
    _check(problem, verify.Fisher(K, Y[:, 0], 1e-3), solve(problem))


def test_a_large_problem_begins_with_fewer_samples():
    X, y = problems.blobs(n=500, d=6)
    K = np.concatenate([problems.ten_gaussians(v)[4:7] for v in (X[:, :3], X[:, 3:])])
    Y, groups = 2.0 * y[:, None] - 1, list("aaabbb")
    problem = Problem(DenseStack(500 * K), Square(Y, 1.0, True), GroupSimplex(groups))
    solution = solve(problem)
    _check(problem, verify.Square(500 * K, Y, 1.0, True), solution)
    assert solution.n_iter <= 6
