"""Several columns that share their kernels: one class against the rest."""

import numpy as np
import pytest

import problems
import verify
from kernelweave import Problem, solve
from kernelweave.grams import DenseStack
from kernelweave.losses import Hinge, SquaredHinge
from kernelweave.weights import ElasticNet, LpBall, Simplex

N, P = 40, 6
RNG = np.random.default_rng(1)
K = problems.random_psd(RNG, P, N, rank=12)
Y = np.where(problems.labels(RNG, N, 3)[:, None] == np.arange(3), 1.0, -1.0)
LOSSES = {
    "hinge": (Hinge, verify.hinge),
    "squared hinge": (SquaredHinge, verify.squared_hinge),
}
SETS = {
    "simplex": (Simplex(), verify.Simplex(np.ones(P))),
    "ℓ2": (LpBall(2), verify.LpBall(2)),
    "elastic net": (ElasticNet(0.5), verify.ElasticNet(0.5)),
}
every_loss = pytest.mark.parametrize("loss, oracle", LOSSES.values(), ids=LOSSES)


@every_loss
@pytest.mark.parametrize("intercept", [True, False])
def test_columns_are_problems_of_their_own_at_fixed_weights(loss, oracle, intercept):
    combined = np.tensordot(np.full(P, 1 / P), K, 1)
    together = loss(Y, 2.0, intercept).inner(combined)
    alone = [loss(Y[:, [c]], 2.0, intercept).inner(combined) for c in range(3)]
    total = sum(inner.value for inner in alone)
    assert together.value == pytest.approx(total, rel=1e-12)
    expected = oracle(K, Y, 2.0, intercept).primal(np.full(P, 1 / P))
    assert together.value == pytest.approx(float(expected), rel=1e-10)
    for c, inner in enumerate(alone):
        assert np.array_equal(together.A[:, [c]], inner.A)
        assert together.bias[c] == inner.bias[0]
    # The Hessians add up as well.
    applied = DenseStack(K).apply(together.A)
    assert together.hessian is not None
    parts = [x.hessian(applied[:, :, [c]]) for c, x in enumerate(alone) if x.hessian]
    assert together.hessian(applied) == pytest.approx(sum(parts), rel=1e-10)


@every_loss
@pytest.mark.parametrize("weights, independent", SETS.values(), ids=SETS)
@pytest.mark.parametrize("C", [0.1, 100.0])
def test_newton(loss, oracle, weights, independent, C):
    problem = Problem(DenseStack(K), loss(Y, C), weights)
    solution = solve(problem, tol=1e-6)
    assert solution.converged
    verify.check(oracle(K, Y, C), solution, weights=independent, tol=1e-6)


@pytest.mark.parametrize("seed", [2, 3, 11, 90, 324, 359, 465, 483])
def test_newton_on_one_feature_a_kernel(seed):
    # K(θ) has fewer ranks than there are free entries, and kernels of weight zero are
    # outside its range: the curvature there must not be that of a singular matrix.
    rng = np.random.default_rng(seed)
    n = int(rng.integers(20, 110))
    features = rng.normal(size=(9, n))
    features[1] = features[0]
    kernels = np.einsum("ji,jl->jil", features, features)
    scores = features[[0, 0, 6]].T + rng.normal(size=(n, 3))
    columns = np.where(scores > 0, 1.0, -1.0)
    C = 10.0 ** rng.uniform(-2, 3)
    solution = solve(Problem(DenseStack(kernels), Hinge(columns, C), Simplex()))
    assert solution.converged
