"""Newton's method where kernels are many, few, equal, zero or nearly singular."""

import numpy as np
import pytest

import problems
import verify
from kernelweave import Problem, solve
from kernelweave.grams import DenseStack
from kernelweave.losses import FisherRatio, Square, discriminant_targets
from kernelweave.problem import Inner, Loss
from kernelweave.solvers import SILP, Newton
from kernelweave.weights import ElasticNet, Fixed, Simplex


def certified(K, H, lam, intercept=False, rounding=1e-10, **options):
    """Solve with Newton's method, and let the verifier confirm it."""
    problem = Problem(DenseStack(K), Square(H, lam, intercept), Simplex())
    solution = solve(problem, Newton(), **options)
    assert solution.converged, solution.status
    oracle = verify.Square(K, H, lam, intercept)
    verify.check(oracle, solution, tol=1e-6, rounding=rounding)
    return solution


def conditioning(K, lam):
    """What rounding of K(θ) to double precision does to F, relatively: ε tr K/λ."""
    return np.finfo(float).eps * np.trace(K, axis1=1, axis2=2).max() / lam


def value(solution):
    return solution.certificate.primal


@pytest.mark.parametrize("lam", [1e-8, 1e-3, 1.0])
def test_duplicated_kernels(lam):
    rng = np.random.default_rng(0)
    K = problems.random_psd(rng, 5, 40, rank=10)
    H = discriminant_targets(problems.labels(rng, 40, 3), 3)
    once = certified(K, H, lam, True)
    thrice = certified(np.concatenate([K, K, K[:2]]), H, lam, True)
    # Both are within 1e-6 of one optimum.
    assert value(thrice) == pytest.approx(value(once), rel=2e-6)


def test_all_kernels_equal():
    rng = np.random.default_rng(0)
    K = problems.random_psd(rng, 1, 30, rank=10)
    H = rng.normal(size=(30, 1))
    one = certified(K, H, 0.1)
    many = certified(np.repeat(K, 7, axis=0), H, 0.1)
    assert value(many) == pytest.approx(value(one), rel=1e-12)
    assert many.n_iter == 1


@pytest.mark.parametrize("lam", [1e-10, 1e-2])
def test_zero_kernel_gets_no_weight(lam):
    rng = np.random.default_rng(0)
    K = problems.random_psd(rng, 4, 30)
    K[2] = 0.0
    H = rng.normal(size=(30, 2))
    solution = certified(K, H, lam)
    assert solution.weights[2] == 0
    others = certified(K[[0, 1, 3]], H, lam)
    assert value(solution) == pytest.approx(value(others), rel=2e-6)


def test_only_zero_kernels():
    # F = ‖H‖²/(2λ) whatever the weights.
    H = np.ones((10, 1))
    solution = certified(np.zeros((3, 10, 10)), H, 0.5)
    assert value(solution) == pytest.approx(10.0, rel=1e-14)


def test_targets_that_are_zero():
    K = problems.random_psd(np.random.default_rng(0), 3, 10)
    problem = Problem(DenseStack(K), Square(np.zeros((10, 1)), 0.5), Simplex())
    solution = solve(problem)
    assert solution.converged
    assert solution.certificate.primal == solution.certificate.dual == 0


def test_one_kernel_needs_one_solve():
    rng = np.random.default_rng(0)
    K = problems.random_psd(rng, 1, 30)
    solution = certified(K, rng.normal(size=(30, 1)), 1e-3)
    assert solution.n_iter == 1
    assert np.array_equal(solution.weights, [1.0])


@pytest.mark.parametrize("rank, lam", [(1, 1e-2), (1, 1.0), (20, 1e-6), (20, 1.0)])
def test_many_kernels(rank, lam):
    rng = np.random.default_rng(0)
    K = problems.random_psd(rng, 800, 100, rank)
    H = discriminant_targets(problems.labels(rng, 100, 2), 2)
    certified(K, H, lam, True)


@pytest.mark.parametrize("lam", [1e-10, 1e-4, 1.0])
@pytest.mark.parametrize("p", [3, 30])
def test_rank_one_kernels(p, lam):
    # One feature a kernel: with p < n the combined kernel is never of full rank.
    rng = np.random.default_rng(0)
    K = problems.random_psd(rng, p, 40, rank=1)
    H = discriminant_targets(problems.labels(rng, 40, 3), 3)
    certified(K, H, lam, True, rounding=max(1e-10, conditioning(K, lam)))


@pytest.mark.parametrize("intercept", [False, True])
def test_nearly_singular(intercept):
    # Two hardly different smooth kernels: eigenvalues down to ε, and λ = 1e-10.
    x = np.linspace(0, 1, 60)
    D = (x[:, None] - x) ** 2
    K = np.stack([np.exp(-g * D) for g in (1.0, 1.001, 5.0)])
    H = np.sign(np.sin(9 * x))[:, None]
    certified(K, H, 1e-10, intercept, rounding=conditioning(K, 1e-10))


@pytest.mark.parametrize("lam", [1e-10, 5e-4, 10.0])
@pytest.mark.parametrize("k", [2, 3, 4, 5, 6])
def test_several_classes(k, lam):
    X, y = problems.blobs(80, 4, k, seed=k)
    K = problems.ten_gaussians(X)
    certified(K, discriminant_targets(y, k), lam, True)


@pytest.mark.parametrize("unit", [1e-8, 1.0, 1e8])
def test_units_do_not_matter(unit):
    # (cK, cλ, H): F becomes F/c, the weights stay. (K, λ, cH): F becomes c²F.
    rng = np.random.default_rng(0)
    K = problems.random_psd(rng, 4, 30, rank=5)
    H = rng.normal(size=(30, 2))
    plain = certified(K, H, 0.1)
    scaled = certified(unit * K, H, unit * 0.1)
    assert unit * value(scaled) == pytest.approx(value(plain), rel=2e-6)
    assert scaled.weights == pytest.approx(plain.weights, abs=1e-3)
    targets = certified(K, unit * H, 0.1)
    assert value(targets) / unit**2 == pytest.approx(value(plain), rel=2e-6)


def test_kernels_of_different_scale():
    # Traces over 12 orders of magnitude with rᵀθ = 1: the same problem as unit traces.
    rng = np.random.default_rng(0)
    K = problems.random_psd(rng, 5, 30, rank=6)
    H = rng.normal(size=(30, 1))
    plain = certified(K, H, 0.1)
    units = 10.0 ** np.array([-6, -3, 0, 3, 6])
    stack = units[:, None, None] * K
    problem = Problem(DenseStack(stack), Square(H, 0.1), Simplex(units))
    scaled = solve(problem)
    assert scaled.converged
    verify.check(verify.Square(stack, H, 0.1, False), scaled, units)
    assert value(scaled) == pytest.approx(value(plain), rel=2e-6)


def test_starts_anywhere_in_the_set():
    rng = np.random.default_rng(0)
    K = problems.random_psd(rng, 5, 30, rank=6)
    H = rng.normal(size=(30, 2))
    reference = certified(K, H, 1e-4)
    for start in np.vstack([np.eye(5), rng.dirichlet(np.ones(5), 3)]):
        solution = certified(K, H, 1e-4, start=start)
        assert value(solution) == pytest.approx(value(reference), rel=2e-6)


@pytest.mark.parametrize("lam", [1e-8, 1e-3, 1.0])
def test_fisher_with_low_rank_kernels(lam):
    rng = np.random.default_rng(0)
    K = problems.random_psd(rng, 6, 40, rank=3)
    y = np.where(problems.labels(rng, 40, 2) == 1, 1.0, -1.0)
    solution = solve(Problem(DenseStack(K), FisherRatio(y, lam), Simplex()))
    assert solution.converged
    rounding = max(1e-10, conditioning(K, lam))
    verify.check(verify.Fisher(K, y, lam), solution, rounding=rounding)


def test_fixed_weights_need_one_solve():
    rng = np.random.default_rng(0)
    K = problems.random_psd(rng, 3, 20)
    problem = Problem(
        DenseStack(K), Square(rng.normal(size=(20, 1)), 0.1), Fixed([2.0, 0.5, 0.0])
    )
    for solver in (Newton(), SILP()):
        solution = solve(problem, solver)
        assert solution.converged and solution.n_iter == 1
        assert np.array_equal(solution.weights, [2.0, 0.5, 0.0])


class WithoutHessian:
    """The square loss, without second derivatives."""

    def __init__(self, loss):
        self.loss = loss
        self.value, self.best_scale = loss.value, loss.best_scale

    def inner(self, K, start=None):
        inner = self.loss.inner(K, start)
        return Inner(inner.A, inner.value, inner.bias)


def test_a_loss_without_hessian_needs_another_solver():
    rng = np.random.default_rng(0)
    K = problems.random_psd(rng, 3, 20, rank=4)
    loss = WithoutHessian(Square(rng.normal(size=(20, 1)), 0.1))
    assert isinstance(loss, Loss)
    problem = Problem(DenseStack(K), loss, Simplex())
    with pytest.raises(TypeError, match=r"no Hessian.*SILP"):
        solve(problem, Newton())
    assert solve(problem, SILP()).converged


@pytest.mark.parametrize("p", [1.0001, 1.5, 2, 8])
@pytest.mark.parametrize(
    "v", [1e-300, 1e-20, 1e-12, 1e-3, 0.5, 1 - 1e-9, 1 - 1e-12, 1 - 2.0**-53]
)
def test_nets_beside_the_ball_and_the_simplex(v, p):
    rng = np.random.default_rng(0)
    K, H = problems.random_psd(rng, 5, 30, rank=4), rng.normal(size=(30, 1))
    net = ElasticNet(v, p)
    solution = solve(Problem(DenseStack(K), Square(H, 0.1), net), tol=1e-9)
    assert solution.converged, solution.status
    oracle = verify.Square(K, H, 0.1, False)
    verify.check(oracle, solution, weights=verify.ElasticNet(v, p), tol=1e-9)
