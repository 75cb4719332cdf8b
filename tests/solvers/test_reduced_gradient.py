"""SimpleMKL: descent on the simplex, from bound to bound."""

import itertools

import numpy as np
import pytest

import problems
import verify
from kernelweave import Problem, solve
from kernelweave.grams import DenseStack
from kernelweave.losses import Square, discriminant_targets
from kernelweave.solvers import Newton, ReducedGradient
from kernelweave.weights import ElasticNet, Fixed, LpBall, Simplex

TOL = 1e-5


def _random(weights=None, p=6, n=40, lam=0.1, scale=1.0):
    rng = np.random.default_rng(0)
    K = scale * problems.random_psd(rng, p, n, rank=5)
    H = rng.normal(size=(n, 2))
    problem = Problem(DenseStack(K), Square(H, scale * lam), weights or Simplex())
    return problem, verify.Square(K, H, scale * lam, False)


def _table(name, lam):
    X, y = problems.table(name, 60)
    K, H = problems.ten_gaussians(X, "variance"), discriminant_targets(y, y.max() + 1)
    problem = Problem(DenseStack(K), Square(H, lam, True), Simplex())
    return problem, verify.Square(K, H, lam, True)


def _agrees(solution, problem, oracle, tol, r=None):
    primal, _, _ = verify.check(oracle, solution, r, tol=tol)
    newton = solve(problem, Newton(), tol)
    assert primal == pytest.approx(newton.certificate.primal, rel=tol)


@pytest.mark.parametrize("r", [None, 10.0 ** np.linspace(-1, 1, 6)], ids=["", "traces"])
@pytest.mark.parametrize("lam", [1e-3, 0.1, 10.0])
def test_reaches_a_verified_optimum(lam, r):
    problem, oracle = _random(Simplex(r), lam=lam)
    solution = solve(problem, ReducedGradient(), TOL, max_iter=500)
    _agrees(solution, problem, oracle, TOL, r)


# Ten Gaussians of like widths: the paper's own gap for small λ, where the method slows
# down, and a small one for large λ.
@pytest.mark.parametrize("lam, tol", [(0.1, 1e-2), (10.0, TOL)])
@pytest.mark.parametrize("name", ["heart", "wine"])
def test_tables(name, lam, tol):
    problem, oracle = _table(name, lam)
    solution = solve(problem, ReducedGradient(), tol, max_iter=100)
    _agrees(solution, problem, oracle, tol)


class _Counting(Square):
    calls = 0

    def consume(self, K, start=None):
        self.calls += 1
        assert (start is None) == (self.calls == 1)
        return super().consume(K, start)


def test_every_inner_solve_is_an_iterate_and_warm():
    problem, oracle = _random()
    loss = _Counting(oracle.H, oracle.lam)
    counted = Problem(problem.gram, loss, Simplex())
    solution = solve(counted, ReducedGradient(), TOL)
    assert solution.converged
    assert loss.calls == solution.n_iter > 10


class _Remembering(Square):
    """Writes down the A that every inner solve starts from."""

    def consume(self, K, start=None):
        self.starts = [*getattr(self, "starts", []), start]
        return super().consume(K, start)


def test_no_step_goes_up():
    # Every inner solve starts from the point that the step starts from.
    problem, oracle = _random(lam=1e-3)
    loss = _Remembering(oracle.H, oracle.lam)
    watched = Problem(problem.gram, loss, Simplex())
    steps = ReducedGradient().iterates(watched, TOL, None)
    points = [next(steps).point for _ in range(60)]
    for t in range(1, 60):
        best = min(points[:t], key=lambda point: point.value)
        assert loss.starts[t] is best.A


def test_weights_stay_on_the_simplex():
    r = 10.0 ** np.linspace(-2, 2, 6)
    problem, _ = _random(Simplex(r))
    for step, iterate in enumerate(ReducedGradient().iterates(problem, TOL, None)):
        theta = iterate.point.theta
        assert np.all(theta >= 0) and r @ theta == pytest.approx(1, abs=1e-13)
        if step == 60:
            break


def test_ends_by_itself():
    # Without a tolerance it goes on until F no longer changes.
    problem, oracle = _random()
    solution = solve(problem, ReducedGradient(), 0.0, max_iter=2000)
    assert solution.n_iter < 2000
    verify.check(oracle, solution, tol=1e-6)


@pytest.fixture
def one_good_kernel():
    """One kernel explains the targets, the others are noise."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(30, 1))
    noise = problems.random_psd(rng, 5, 30)
    K = np.concatenate([30 * x @ x.T[None] / np.sum(x * x), noise])
    return Problem(DenseStack(K), Square(x, 1e-2), Simplex())


def test_useless_kernels_are_taken_out_in_one_descent(one_good_kernel):
    # One inner solve for each weight that goes, and no search.
    solution = solve(one_good_kernel, ReducedGradient(), TOL)
    assert np.array_equal(solution.weights, np.eye(6)[0])
    assert solution.n_iter == 6


def test_the_direction_is_kept_from_bound_to_bound(one_good_kernel):
    steps = ReducedGradient().iterates(one_good_kernel, TOL, None)
    points = [next(steps).point for _ in range(4)]
    assert np.all(np.diff([point.value for point in points]) < 0)
    G = points[0].gradient
    # All weights are equal: the pivot is the first, and it is the good kernel.
    D = G[0] - G
    for old, new in itertools.pairwise(points):
        D[0] = -D[1:].sum()
        inside = np.where(D < 0, old.theta / np.where(D < 0, -D, 1), np.inf)
        end = old.theta + inside.min() * D
        assert new.theta == pytest.approx(end, abs=1e-14)
        gone = np.argmin(inside)
        assert new.theta[gone] == 0
        D[gone] = 0


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_unit_of_the_kernels_does_not_matter(scale):
    once = solve(_random()[0], ReducedGradient(), TOL)
    scaled = solve(_random(scale=scale)[0], ReducedGradient(), TOL)
    assert scaled.converged
    assert scaled.certificate.primal * scale == pytest.approx(
        once.certificate.primal, rel=2 * TOL
    )


def test_one_kernel():
    problem, oracle = _random(p=1)
    solution = solve(problem, ReducedGradient(), 1e-12)
    assert solution.n_iter == 1
    verify.check(oracle, solution, tol=1e-12)


def test_duplicated_kernels():
    problem, once = _random(p=4)
    K = np.concatenate([once.K, once.K])
    oracle = verify.Square(K, once.H, once.lam, False)
    twice = Problem(DenseStack(K), problem.loss, Simplex())
    solution = solve(twice, ReducedGradient(), TOL, max_iter=500)
    _agrees(solution, problem, oracle, TOL)


def test_starts():
    problem, oracle = _random()
    cold = solve(problem, ReducedGradient(), TOL)
    warm = solve(problem, ReducedGradient(), TOL, start=cold)
    assert warm.n_iter == 1
    vertex = solve(problem, ReducedGradient(), TOL, start=np.eye(6)[3], max_iter=500)
    _agrees(vertex, problem, oracle, TOL)


@pytest.mark.parametrize("weights", [LpBall(1), ElasticNet(1)])
def test_other_names_of_the_simplex(weights):
    other = solve(_random(weights)[0], ReducedGradient(), TOL)
    simplex = solve(_random()[0], ReducedGradient(), TOL)
    assert other.converged
    assert other.weights == pytest.approx(simplex.weights, rel=1e-6)


@pytest.mark.parametrize("weights", [LpBall(2), ElasticNet(0.5), Fixed()])
def test_other_sets_are_refused(weights):
    with pytest.raises(TypeError, match=r"Simplex\(\).*Level\(\)"):
        solve(_random(weights)[0], ReducedGradient())
