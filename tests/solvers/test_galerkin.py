"""One factorisation and products: the optimum of Newton's method, verified."""

import numpy as np
import pytest

import bounds
import problems
import verify
from kernelweave import Problem, solve
from kernelweave.grams import DenseStack, WithIdentity
from kernelweave.losses import Hinge, Square, discriminant_targets, quadratic
from kernelweave.solvers import Alternating, Galerkin, Newton
from kernelweave.solvers.default import default_solver
from kernelweave.weights import ElasticNet, Fixed, LpBall, LpPenalty, Simplex

N, TOL = 120, 1e-6
THETA = np.linspace(0, 1, 10)


def _case(name="wine", lam=0.1, intercept=True, weights=None):
    X, y = problems.table(name, N)
    K, H = problems.ten_gaussians(X, "variance"), discriminant_targets(y, y.max() + 1)
    problem = Problem(DenseStack(K), Square(H, lam, intercept), weights or Simplex())
    return problem, verify.Square(K, H, lam, intercept)


# σ_Θ of every set, written down again.
SETS = {
    "simplex": (Simplex(), np.max),
    "p = 1 + 2^-6": (LpBall(1 + 2**-6), bounds.norm(65.0)),
    "p = 2": (LpBall(2), bounds.norm(2.0)),
    "fixed": (Fixed(THETA), lambda s: THETA @ s),
}


@pytest.mark.parametrize("weights, support", SETS.values(), ids=SETS)
@pytest.mark.parametrize("lam", [1e-6, 0.1, 10.0])
@pytest.mark.parametrize("name", ["heart", "wine"])
def test_reaches_the_optimum(name, lam, weights, support):
    problem, oracle = _case(name, lam, weights=weights)
    solution = solve(problem, Galerkin(), TOL)
    assert solution.converged
    primal, _ = bounds.check(oracle, solution, support, tol=TOL)
    reference = solve(problem, Newton(), 1e-8).certificate
    assert primal == pytest.approx(reference.primal, rel=TOL)


@pytest.mark.parametrize("intercept", [False, True])
def test_elastic_net(intercept):
    problem, oracle = _case(intercept=intercept, weights=ElasticNet(0.5))
    solution = solve(problem, Galerkin(), TOL)
    assert solution.converged
    bounds.check(oracle, solution, verify.ElasticNet(0.5).support, tol=TOL)


@pytest.mark.parametrize("lam", [1e-8, 1e-3, 1.0])
@pytest.mark.parametrize("start", [0, 9])
def test_every_bound_holds(lam, start):
    # Far from the optimum, with one kernel only: the bounds by the factor at θ₀ must
    # hold there, too.
    problem, _ = _case("heart", lam)
    optimum = solve(problem, Newton(), 1e-9).certificate
    solution = solve(problem, Galerkin(), 1e-7, start=np.eye(10)[start], max_iter=40)
    slack = 1e-9 * optimum.primal
    for row in solution.trace:
        assert row.certificate.primal >= optimum.dual - slack
        assert row.certificate.dual <= optimum.primal + slack


def test_the_value_that_is_reported_is_not_below_that_of_the_weights():
    # F at the reported weights, factorised anew, is at most the reported bound.
    for lam in (1e-6, 1e-3, 0.1):
        problem, _ = _case("heart", lam)
        solution = solve(problem, Galerkin(), 1e-4)
        exact = problem.at(solution.weights).value
        assert exact <= solution.certificate.primal * (1 + 1e-10)


@pytest.mark.parametrize("weights", [Simplex(), LpBall(1.5), ElasticNet(0.5)])
@pytest.mark.parametrize("lam", [1e-4, 1.0])
def test_one_or_two_factorisations(weights, lam, monkeypatch):
    X, y = problems.blobs(600, 8, 3, seed=1)
    K, H = problems.ten_gaussians(X, "variance"), discriminant_targets(y, 3)
    sizes = []
    factorise = quadratic.factorise_lower

    def counted(M, **options):
        sizes.append(len(M))
        return factorise(M, **options)

    monkeypatch.setattr(quadratic, "factorise_lower", counted)
    solution = solve(Problem(DenseStack(K), Square(H, lam, True), weights), tol=TOL)
    assert solution.converged
    assert sizes.count(600) <= 2


def test_other_problems_are_refused():
    problem, _ = _case()
    Y = np.where(np.arange(N) % 2, 1.0, -1.0)[:, None]
    others = [
        Problem(problem.gram, Hinge(Y, 1.0), Simplex()),
        Problem(WithIdentity(problem.gram), Square(Y, 0.0), Simplex()),
        Problem(problem.gram, problem.loss, LpPenalty(2)),
    ]
    for other in others:
        with pytest.raises(TypeError, match="Galerkin is for the square loss"):
            solve(other, Galerkin())


def _sized(n, p, weights=None, loss=None):
    gram = DenseStack(np.broadcast_to(np.eye(n), (p, n, n)))
    H = np.ones((n, 1))
    return Problem(gram, loss or Square(H, 1.0), weights or Simplex())


def test_the_default():
    assert isinstance(default_solver(_sized(500, 3)), Galerkin)
    assert isinstance(default_solver(_sized(100, 3)), Newton)
    assert isinstance(default_solver(_sized(20, 200)), Newton)
    assert isinstance(default_solver(_sized(20, 200, LpBall(2))), Alternating)
    assert isinstance(default_solver(_sized(20, 200, LpBall(1.1))), Newton)
    hinge = Hinge(np.ones((500, 1)), 1.0)
    assert isinstance(default_solver(_sized(500, 3, loss=hinge)), Newton)


def test_a_weight_of_zero_stays_zero():
    # Newton's weights are zero exactly; where the gap allows it ours are, too.
    problem, _ = _case("wine", 1.0)
    exact = solve(problem, Newton(), 1e-8).weights
    found = solve(problem, Galerkin(), TOL, start=np.full(10, 0.1)).weights
    assert np.count_nonzero(exact == 0) > 0
    assert np.all(found[exact == 0] < 1e-4)
    assert np.count_nonzero(found == 0) > 0
