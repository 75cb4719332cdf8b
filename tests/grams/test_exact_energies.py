"""s(A) in twice the precision, and the bounds that rest on it."""

import numpy as np
import pytest

import problems
import verify
from kernelweave import Problem
from kernelweave.grams import DenseStack, LowRankStack, MappedStack, WithIdentity
from kernelweave.grams.base import Stored
from kernelweave.grams.twice import _energy, energy
from kernelweave.kernels import Precomputed
from kernelweave.losses import Square
from kernelweave.weights import LpBall, Simplex


def _far_from_round(seed, n=12, p=3):
    """K of rank 3 up to 1e5, and A with KA = 0 to rounding: s(A) is all rounding."""
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n, 3))
    K = np.stack([1e5 * (Z * w) @ (Z * w).T for w in rng.uniform(0.1, 1, (p, 3))])
    A = rng.normal(size=(n, 2))
    A = A - Z @ np.linalg.lstsq(Z, A, rcond=None)[0]
    return (K + K.transpose(0, 2, 1)) / 2, A


def _mapped(K, folder, center=False):
    for j, k in enumerate(K):
        np.save(folder / f"{j}.npy", k)
    X = np.arange(K.shape[1])[:, None]
    files = [np.load(folder / f"{j}.npy", mmap_mode="r") for j in range(len(K))]
    given = [Precomputed(file).fit(X) for file in files]
    return MappedStack(given, X, "variance" if center else None, center)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("where", ["dense", "mapped", "identity"])
def test_exact(seed, where, tmp_path):
    K, A = _far_from_round(seed)
    gram = _mapped(K, tmp_path) if where == "mapped" else DenseStack(K)
    if where == "identity":
        gram, K = WithIdentity(gram, 0.3), verify.with_identity(K, 0.3)
    assert isinstance(gram, Stored)
    truth = verify._Oracle(K).quadratic(A).astype(float)
    error = np.abs(gram.quadratic(A) - truth)
    assert np.all(error <= gram.rounding(A) + 1e-15 * truth)
    # Long double has 11 bits more than double, twice the precision has 53.
    few = 1e-3 * gram.rounding(A) + 1e-15 * np.abs(truth)
    assert np.all(np.abs(gram.exact(A) - truth) <= few)
    assert np.any(error > few)


def test_matrices_that_are_centred_in_passing(tmp_path):
    rng = np.random.default_rng(0)
    K, A = problems.random_psd(rng, 3, 12), rng.normal(size=(12, 2))
    gram = _mapped(K, tmp_path, center=True)
    assert gram.exact(A) == pytest.approx(gram.quadratic(A), rel=1e-13)
    some = np.array([True, False, True])
    assert gram.subset(some).rounding(A) == pytest.approx(gram.rounding(A)[some])
    # Σ_i √K_ii |A_i| with the diagonal of the matrices that the stack stands for.
    roots = np.sqrt([np.diag(gram[j]) for j in range(3)])
    bound = 0.5 * np.finfo(float).eps * np.sum((roots @ np.abs(A)) ** 2, axis=1)
    assert gram.rounding(A) == pytest.approx(bound)


def test_features_have_no_numbers_of_their_own():
    gram = LowRankStack([np.eye(3)])
    assert not isinstance(gram, Stored)
    assert np.all(WithIdentity(gram).rounding(np.ones((3, 1))) == 0)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("intercept", [False, True])
def test_bounds_at_a_tiny_ridge(seed, intercept):
    """Plain products put the bounds off by about ε‖K‖/λ, up to a thousandth here.

    Long double leaves the verifier 2⁻¹¹ of that.
    """
    K, _ = _far_from_round(seed)
    rng = np.random.default_rng(seed)
    H, lam, sure = rng.normal(size=(12, 2)), 1e-7, 1e-6
    problem = Problem(DenseStack(K), Square(H, lam, intercept), Simplex())
    theta = np.full(3, 1 / 3)
    point = problem.at(theta)
    oracle = verify.Square(K, H, lam, intercept)
    F = float(oracle.primal(theta))
    assert point.value == pytest.approx(F, rel=sure)
    A = point.A
    dual = problem.dual(A, problem.quadratic(A))
    inside = oracle.into_domain(dual.A)
    # Rounding in K itself may leave every s_j below zero.
    sigma = max(float(np.max(oracle.quadratic(inside))), 0.0)
    assert dual.value == pytest.approx(float(oracle.g(inside)) - sigma / 2, rel=sure)
    # Without a factorisation the bound is one of first order, but a bound.
    assert problem.bound(theta, A).value >= F * (1 - sure)


def test_a_matrix_that_is_not_quite_a_gram_matrix():
    """s_j < 0: powers of it would not be numbers."""
    K, A = np.diag([1e8, 1e8, -1e-9])[None], np.array([[1e-9], [-1e-9], [1.0]])
    problem = Problem(DenseStack(K), Square(A, 1e-9), LpBall(1.5))
    assert problem.gram.exact(A)[0] < 0
    assert problem.dual(A).value == pytest.approx(0.5 / 1e-9)
    assert np.all(problem.bound(np.ones(1), A).s >= 0)


@pytest.mark.parametrize("seed", range(5))
def test_by_numpy(seed):
    """What machines without numba use."""
    K, A = _far_from_round(seed)
    for matrix in K:
        ours, reach = energy(matrix, A, A), np.abs(A) * (np.abs(matrix) @ np.abs(A))
        few = 1e-15 * abs(ours) + 1e-28 * np.sum(reach)
        assert abs(_energy(matrix, A, A) - ours) <= few
