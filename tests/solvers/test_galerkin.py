"""One factorisation and products: the optimum of Newton's method, verified."""

from itertools import islice

import numpy as np
import pytest

import bounds
import problems
import verify
from kernelweave import Problem, solve
from kernelweave.datasets import load_table
from kernelweave.grams import DenseStack, WithIdentity
from kernelweave.grams.normalise import normalise
from kernelweave.losses import Hinge, Square, discriminant_targets, quadratic
from kernelweave.solution import Status
from kernelweave.solvers import Galerkin, Newton
from kernelweave.solvers.default import InTurn, default_solver
from kernelweave.views import kernels_for
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
    assert str(default_solver(_sized(500, 3))) == _then_newton("Galerkin()")
    assert isinstance(default_solver(_sized(100, 3)), Newton)
    assert isinstance(default_solver(_sized(20, 200)), Newton)
    dense = default_solver(_sized(20, 200, LpBall(2)))
    assert str(dense) == _then_newton("Alternating()")
    assert isinstance(default_solver(_sized(20, 200, LpBall(1.1))), Newton)
    hinge = Hinge(np.ones((500, 1)), 1.0)
    assert isinstance(default_solver(_sized(500, 3, loss=hinge)), Newton)


def _then_newton(first):
    return f"InTurn(first={first}, then=Newton())"


class _Ends:
    """Galerkin's first iterates, and no more."""

    def iterates(self, problem, tol, start):
        yield from islice(Galerkin().iterates(problem, tol, start), 2)


def test_newton_goes_on_where_the_first_solver_ends():
    problem, _ = _case("heart", 1e-3)
    far = np.eye(10)[9]
    assert solve(problem, _Ends(), TOL, start=far).status is Status.STALLED
    solution = solve(problem, InTurn(_Ends(), Newton()), TOL, start=far)
    assert solution.converged
    # From the better of the two that it was given, not from the start.
    given = min(row.certificate.primal for row in solution.trace[:2])
    assert solution.trace[2].certificate.primal <= given


# The minimum of the small problem, which knows F near θ₀ only, may lie beside a pole
# of F, where F is larger than at θ₀.
@pytest.mark.parametrize(
    "seed, p, n, rank, lam",
    [
        (2, 3, 40, 5, 0.1),
        (15, 3, 40, 5, 1e-6),
        (2, 6, 60, 8, 1e-3),
        (22, 6, 60, 8, 1e-6),
    ],
)
def test_a_minimum_beside_a_pole(seed, p, n, rank, lam):
    rng = np.random.default_rng(seed)
    K = problems.random_psd(rng, p, n, rank)
    H = discriminant_targets(problems.labels(rng, n, 2), 2)
    problem = Problem(DenseStack(K), Square(H, lam), Simplex())
    solution = solve(problem, Galerkin(), TOL, start=np.eye(p)[0])
    assert solution.converged
    bounds.check(verify.Square(K, H, lam, False), solution, np.max, tol=TOL)


@pytest.mark.parametrize("lam", [1e-6, 1e-3, 1e-2])
def test_a_sample_that_leads_beside_a_pole(lam):
    K, H = _three_views("pima", 450)
    problem = Problem(DenseStack(K), Square(H, lam, True), Simplex())
    solution = solve(problem, Galerkin(), TOL)
    assert solution.converged
    assert solution.n_iter <= 20


@pytest.mark.parametrize("lam", [1e-6, 1e-2, 1.0])
@pytest.mark.parametrize("start", [0, 4, 9])
@pytest.mark.parametrize("name", ["heart", "wine"])
def test_from_a_single_kernel(name, lam, start):
    problem, oracle = _case(name, lam)
    solution = solve(problem, Galerkin(), TOL, start=np.eye(10)[start])
    assert solution.converged
    bounds.check(oracle, solution, np.max, tol=TOL)


def _three_views(name, rows):
    """Kernels of three random parts of the columns, and targets."""
    rng = np.random.default_rng(0)
    try:
        X, y = load_table(name)
    except FileNotFoundError as error:
        pytest.skip(str(error))
    parts = np.array_split(rng.permutation(X.shape[1]), 3)
    some = np.sort(rng.permutation(len(y))[:rows])
    X, y = X[some], np.unique(y[some], return_inverse=True)[1]
    kernels = kernels_for(X, {f"view {i}": list(part) for i, part in enumerate(parts)})
    K = np.stack([kernel.fit(X)(X) for kernel in kernels])
    for matrix in K:
        normalise(matrix, "variance", True)
    return K, discriminant_targets(y, y.max() + 1)


def test_a_weight_of_zero_stays_zero():
    # Newton's weights are zero exactly; where the gap allows it ours are, too.
    problem, _ = _case("wine", 1.0)
    exact = solve(problem, Newton(), 1e-8).weights
    found = solve(problem, Galerkin(), TOL, start=np.full(10, 0.1)).weights
    assert np.count_nonzero(exact == 0) > 0
    assert np.all(found[exact == 0] < 1e-4)
    assert np.count_nonzero(found == 0) > 0
