"""Block steps on a growing subspace: the optimum of Newton's method, verified."""

import tracemalloc

import numpy as np
import pytest

import bounds
import problems
import verify
from kernelweave import Problem, solve
from kernelweave.grams import DenseStack, LazyStack, WithIdentity
from kernelweave.kernels import rbf_grid
from kernelweave.losses import FisherRatio, Square, discriminant_targets
from kernelweave.solvers import Interleaved, Newton
from kernelweave.solvers.subspace import Subspace
from kernelweave.weights import ElasticNet, Fixed, LpBall, LpPenalty, Simplex

N, TOL = 120, 1e-6
THETA = np.linspace(0, 1, 10)


def _case(name="wine", lam=0.1, intercept=True):
    X, y = problems.table(name, N)
    K, H = problems.ten_gaussians(X, "variance"), discriminant_targets(y, y.max() + 1)
    problem = Problem(DenseStack(K), Square(H, lam, intercept), Simplex())
    return problem, verify.Square(K, H, lam, intercept)


def _with(problem, weights):
    return Problem(problem.gram, problem.loss, weights)


# σ_Θ of every set, written down again.
SETS = {
    "simplex": (Simplex(), np.max),
    "simplex with traces": (
        Simplex(np.arange(1.0, 11)),
        lambda s: np.max(s / np.arange(1.0, 11)),
    ),
    "p = 1 + 2^-6": (LpBall(1 + 2**-6), bounds.norm(65.0)),
    "p = 2": (LpBall(2), bounds.norm(2.0)),
    "p = inf": (LpBall(np.inf), np.sum),
    "fixed": (Fixed(THETA), lambda s: THETA @ s),
}


@pytest.mark.parametrize("weights, support", SETS.values(), ids=SETS)
@pytest.mark.parametrize("name", ["heart", "wine"])
def test_reaches_the_optimum(name, weights, support):
    problem, oracle = _case(name)
    problem = _with(problem, weights)
    solution = solve(problem, Interleaved(block=30), TOL)
    assert solution.converged
    primal, _ = bounds.check(oracle, solution, support, tol=TOL)
    reference = solve(problem, Newton(), 1e-8).certificate
    assert primal == pytest.approx(reference.primal, rel=TOL)


def test_elastic_net():
    problem, _ = _case()
    problem = _with(problem, ElasticNet(0.5))
    solution = solve(problem, Interleaved(block=30), TOL)
    reference = solve(problem, Newton(), 1e-8).certificate
    assert solution.converged
    assert problem.at(solution.weights).value == pytest.approx(
        reference.primal, rel=TOL
    )


def test_penalty():
    mu = 0.1
    problem, oracle = _case()
    solution = solve(_with(problem, LpPenalty(2, mu)), Interleaved(block=30), TOL)
    bounds.check(
        oracle,
        solution,
        lambda s: np.sum(s * s) / (4 * mu),
        penalty=lambda theta: mu / 2 * np.sum(theta**2),
        tol=TOL,
    )


@pytest.mark.parametrize("lam", [10.0, 1e-2])
@pytest.mark.parametrize("block", [2, 40, 1000])
def test_any_block_and_lambda(lam, block):
    problem, oracle = _case(lam=lam)
    solution = solve(problem, Interleaved(block=block), TOL)
    assert solution.converged
    bounds.check(oracle, solution, np.max, tol=TOL)


def test_without_intercept_and_uncentred():
    rng = np.random.default_rng(0)
    K = problems.random_psd(rng, 3, 50) + 1.0
    H = 1 + rng.normal(size=(50, 2))
    for intercept in (False, True):
        problem = Problem(DenseStack(K), Square(H, 0.5, intercept), Simplex())
        solution = solve(problem, Interleaved(block=20), TOL)
        oracle = verify.Square(K, H, 0.5, intercept)
        bounds.check(oracle, solution, np.max, tol=TOL)


def test_dual_values_never_fall():
    problem, _ = _case(lam=1e-2)
    solution = solve(problem, Interleaved(block=20), 1e-9)
    duals = [row.certificate.dual for row in solution.trace]
    assert solution.converged
    assert np.all(np.diff(duals) >= 0)


def test_a_full_subspace_is_halved():
    problem, oracle = _case(lam=0.3)
    # Twelve vectors of 120 samples with their products: two blocks add four.
    memory = int(12.5 * 1.5 * 8 * N * 11)
    seen = []
    solution = solve(
        problem,
        Interleaved(block=40, memory=memory),
        TOL,
        callback=lambda _, row, point: seen.append(row.certificate.dual),
    )
    assert solution.converged
    assert np.all(np.diff(seen) >= 0)
    assert solution.n_iter > 6
    bounds.check(oracle, solution, np.max, tol=TOL)


def test_the_subspace_keeps_to_its_memory():
    rng = np.random.default_rng(0)
    K = problems.random_psd(rng, 2, 90)
    H = rng.normal(size=(90, 2))
    space = Subspace(H, 2, 20 * 8 * 90 * 3, lambda A: K @ A, lambda A: A)
    C = np.zeros((0, 2))
    assert space.capacity == 13
    for _ in range(20):
        N_ = rng.normal(size=(2, 90))
        space.add(N_, C, np.einsum("jab,rb->rja", K, N_))
        C = rng.normal(size=(space.m, 2))
        A, KA = space.expand(C)
        assert space.m <= space.capacity
        # Gram matrices and products are those of the vectors.
        np.testing.assert_allclose(KA, K @ A, atol=1e-10)
        s = np.einsum("ak,jab,bk->j", C, space.grams, C)
        assert s == pytest.approx(np.einsum("ik,jik->j", A, KA))
        assert np.sum(C * space.targets) == pytest.approx(np.sum(A * H))
    # A vector that is there already is not added again.
    assert not space.add(A.T, C, KA.transpose(2, 0, 1))
    # A, of vectors that were there before others, outlives a halving.
    for _ in range(10):
        N_ = rng.normal(size=(2, 90))
        space.add(N_, C, np.einsum("jab,rb->rja", K, N_))
        if space.m < len(C):
            break
    assert space.m < len(C)
    assert not space.add(A.T, np.zeros((space.m, 2)), KA.transpose(2, 0, 1))


def test_products_keep_their_digits():
    """Of vectors that are nearly there already, again and again, in a full subspace."""
    rng = np.random.default_rng(0)
    K = problems.random_psd(rng, 2, 90)
    calls = []

    def apply(A):
        calls.append(A.shape[1])
        return K @ A

    space = Subspace(
        rng.normal(size=(90, 2)), 2, 20 * 8 * 90 * 3, apply, lambda A: A - A.mean(0)
    )
    C, A = np.zeros((0, 2)), np.zeros((90, 2))
    for step in range(20):
        N_ = A + (1e-4 if step else 1.0) * rng.normal(size=(90, 2))
        N_ -= N_.mean(axis=0)
        assert space.add(N_.T, C, (K @ N_).transpose(2, 0, 1))
        C = rng.normal(size=(space.m, 2))
        A, KA = space.expand(C)
        np.testing.assert_allclose(KA, K @ A, atol=1e-10 * np.abs(K @ A).max())
        assert np.abs(A.sum(axis=0)).max() < 1e-12
        # The first products are accurate enough as they are.
        assert step > 0 or not calls
    assert calls


def test_no_products_are_made_again_without_need():
    problem, oracle = _case()
    calls = []

    class Counted(DenseStack):
        def apply(self, A):
            calls.append(A)
            return super().apply(A)

    counted = Problem(Counted(oracle.K), problem.loss, problem.weights)
    assert solve(counted, Interleaved(block=40), TOL).converged
    assert not calls


def test_rows_on_demand_in_bounded_memory():
    # Fifteen hundred rows of five kernels: 90 MB stored, 18 MB for one K(θ).
    X, y = problems.blobs(n=1500, d=5, k=2)
    kernels = [kernel.fit(X) for kernel in rbf_grid()]
    H = discriminant_targets(y, 2)
    gram = LazyStack(kernels, X, memory=2_000_000)
    problem = Problem(gram, Square(H, 1.0, True), Simplex())
    with pytest.raises(ValueError, match="over the memory"):
        gram.combine(np.ones(5))
    solver = Interleaved(block=250, memory=6_000_000)
    tracemalloc.start()
    solution = solve(problem, solver, 1e-4)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert solution.converged
    # The subspace, K(θ) of a block three times, and some tiles of half a megabyte.
    assert peak < 6_000_000 + 3 * 8 * 250**2 + 8_000_000
    exact = Problem(DenseStack(np.stack(list(_dense(kernels, X)))), *_rest(problem))
    reference = solve(exact, Newton(), 1e-6).certificate
    assert solution.certificate.primal == pytest.approx(reference.primal, rel=1e-4)
    assert solution.certificate.dual <= reference.primal


def _dense(kernels, X):
    from kernelweave.grams.normalise import normalise

    for kernel in kernels:
        K = kernel(X)
        normalise(K, "variance", True)
        yield K


def _rest(problem):
    return problem.loss, problem.weights


def test_start_and_interruption():
    problem, _ = _case(lam=1e-2)
    first = solve(problem, Interleaved(block=40), 1e-8)
    again = solve(problem, Interleaved(block=40), 1e-8, start=first)
    assert again.n_iter <= first.n_iter
    early = solve(problem, Interleaved(block=40), 1e-8, max_iter=2)
    assert not early.converged
    assert early.certificate.relative_gap > 1e-8


def test_constant_targets():
    problem, _ = _case()
    flat = Problem(problem.gram, Square(np.ones((N, 1)), 0.1, True), Simplex())
    assert solve(flat, Interleaved(block=40)).certificate.primal == 0


def test_what_it_cannot_do():
    problem, _ = _case()
    y = np.where(np.arange(N) < 50, 1.0, -1.0)
    with pytest.raises(TypeError, match="square loss, not FisherRatio"):
        solve(Problem(problem.gram, FisherRatio(y, 0.1), Simplex()), Interleaved())
    identity = Problem(WithIdentity(problem.gram), problem.loss, Simplex())
    with pytest.raises(TypeError, match="rows of the kernels"):
        solve(identity, Interleaved())
    with pytest.raises(ValueError, match="block must be at least 2"):
        solve(problem, Interleaved(block=1))
    with pytest.raises(ValueError, match="raise memory to at least"):
        solve(problem, Interleaved(memory=10_000))
