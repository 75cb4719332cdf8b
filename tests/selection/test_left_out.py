"""Left-out samples against refits that share no line with the formulas."""

import numpy as np
import pytest

from kernelweave.arrays import host
from kernelweave.grams import DenseStack, LazyStack, LowRankStack
from kernelweave.grams.scaled import ScaledStack
from kernelweave.kernels import RBF, Linear
from kernelweave.selection import (
    inner_products,
    leave_out,
    leave_out_features,
    pair_products,
)
from kinds import KINDS


def problem(n=30, p=3, k=2, seed=0, centred=True):
    rng = np.random.default_rng(seed)
    blocks = [rng.standard_normal((n, 2 + j)) * 1.5**j + 1 for j in range(p)]
    if centred:
        blocks = [Z - Z.mean(axis=0) for Z in blocks]
    H = rng.standard_normal((n, k)) + 2
    theta = np.exp(rng.standard_normal(p))
    return blocks, theta, 0.7, H


def refit(K, lam, H, border):
    """Coefficients and intercept of a ridge regression, as a linear system."""
    n, k = H.shape
    B = np.zeros((n + 1, n + 1))
    B[:n, :n] = K + lam * np.eye(n)
    B[n, :n] = B[:n, n] = 1
    if not border:
        return np.linalg.solve(B[:n, :n], H), np.zeros(k)
    found = np.linalg.solve(B, np.vstack([H, np.zeros(k)]))
    return found[:n], found[n]


@pytest.mark.parametrize("border", [True, False])
@pytest.mark.parametrize("centred", [True, False])
def test_contributions_are_those_of_refits_without_the_sample(border, centred):
    if centred and not border:
        pytest.skip("centred matrices need the border")
    blocks, theta, lam, H = problem(centred=centred)
    gram = DenseStack(np.stack([Z @ Z.T for Z in blocks]))
    found = leave_out(gram.combine(theta), lam, H, border)
    parts = found.contributions(gram, theta)
    n = gram.n
    for i in range(n):
        rest = np.delete(np.arange(n), i)
        K = gram.combine(theta)
        A, b = refit(K[np.ix_(rest, rest)], lam, H[rest], border)
        expected = [
            t * Kj[i, rest] @ A for t, Kj in zip(theta, gram.matrices, strict=True)
        ]
        np.testing.assert_allclose(parts[:, i], expected, rtol=1e-10, atol=1e-10)
        f = np.sum(expected, axis=0) + b
        np.testing.assert_allclose(H[i] - found.R[i], f, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("border", [True, False])
def test_sensitivity_is_the_derivative(border):
    blocks, theta, lam, H = problem(centred=border)
    gram = DenseStack(np.stack([Z @ Z.T for Z in blocks]))

    def P(theta, lam):
        return leave_out(gram.combine(theta), lam, H, border).value

    Q = leave_out(gram.combine(theta), lam, H, border).sensitivity()
    slopes = inner_products(gram, Q)
    np.testing.assert_array_equal(Q, Q.T)
    for j, e in enumerate(np.eye(gram.p)):
        h = 3e-3 * theta[j]
        expected = _central(lambda t, e=e: P(theta + t * e, lam), h)
        np.testing.assert_allclose(slopes[j], expected, rtol=1e-6)
    expected = _central(lambda t: P(theta, lam + t), 3e-3 * lam)
    np.testing.assert_allclose(np.trace(Q), expected, rtol=1e-6)


def _central(f, h):
    """f'(0) to fourth order."""
    return (8 * (f(h) - f(-h)) - f(2 * h) + f(-2 * h)) / (12 * h)


def test_features_say_what_their_matrices_say():
    blocks, theta, lam, H = problem(centred=False)
    theta[1] = 0.0
    centred = [Z - Z.mean(axis=0) for Z in blocks]
    gram = LowRankStack(centred)
    dense = leave_out(gram.combine(theta), lam, H)
    found = leave_out_features(blocks, theta, lam, H)
    Q = dense.sensitivity()
    slopes, slope = found.gradient()
    np.testing.assert_allclose(found.R, dense.R, 1e-9, 1e-11)
    np.testing.assert_allclose(slopes, inner_products(gram, Q), rtol=1e-9)
    np.testing.assert_allclose(slope, np.trace(Q), rtol=1e-9)
    np.testing.assert_allclose(
        found.contributions(), dense.contributions(gram, theta), rtol=1e-9, atol=1e-10
    )
    np.testing.assert_allclose(found.shares(H), dense.shares(gram, theta, H), rtol=1e-9)


def test_lazy_matrices_say_what_stored_ones_say():
    rng = np.random.default_rng(1)
    X, H = rng.standard_normal((300, 4)), rng.standard_normal((300, 2))
    kernels = [RBF(factor=f).fit(X) for f in (0.5, 2.0)] + [Linear().fit(X)]
    lazy = LazyStack(kernels, X)
    dense = DenseStack(np.stack([lazy[j] for j in range(3)]))
    theta = np.array([0.2, 0.3, 0.5])
    found = leave_out(lazy.combine(theta), 0.3, H)
    Q = found.sensitivity()
    np.testing.assert_allclose(
        inner_products(lazy, Q), inner_products(dense, Q), rtol=1e-10
    )
    np.testing.assert_allclose(
        found.contributions(lazy, theta),
        found.contributions(dense, theta),
        rtol=1e-9,
        atol=1e-12,
    )


@KINDS
@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("normalize", ["variance", "spherical"])
def test_pair_products_of_lazy_matrices(kind, center, normalize, monkeypatch):
    # 70 rows: two tiles and a rest, so that tiles beside the diagonal are there too.
    monkeypatch.setattr("kernelweave.grams.lazy.TILE", 32)
    monkeypatch.setattr("kernelweave.grams.lazy.ARRAY_TILE", 32)
    rng = np.random.default_rng(3)
    X, Q = rng.standard_normal((70, 4)), rng.standard_normal((70, 70))
    Q = Q + Q.T

    def stack(X):
        kernels = [RBF(gamma=0.2), RBF(gamma=1.0), Linear(), RBF(columns=[0], gamma=1)]
        kernels = [kernel.fit(X) for kernel in kernels]
        return LazyStack(kernels, X, normalize, center)

    here, there = stack(X), stack(kind(X))
    expected = [np.diag(here[j] @ Q) for j in range(4)]
    scale = np.max(np.abs(expected))
    found = pair_products(there, kind(Q))
    assert kind.owns(found)
    for ours in (pair_products(here, Q), host(found)):
        np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-13 * 70 * scale)
    sums = np.sum(expected, axis=1)
    np.testing.assert_allclose(inner_products(there, kind(Q)), sums, atol=1e-9)
    factors = np.array([1.0, 2.0, 0.5, 3.0])
    twice = inner_products(ScaledStack(there, factors), kind(Q))
    np.testing.assert_allclose(twice, factors * sums, atol=1e-9)


def test_blocks_of_rows_make_no_difference(monkeypatch):
    blocks, theta, lam, H = problem()
    gram = DenseStack(np.stack([Z @ Z.T for Z in blocks]))
    G = leave_out(gram.combine(theta), lam, H).G
    whole = pair_products(gram, G)
    monkeypatch.setattr("kernelweave.selection.left_out.BLOCK", 7 * gram.p * gram.n)
    np.testing.assert_allclose(pair_products(gram, G), whole, rtol=1e-13)
    expected = [np.diag(K @ G) for K in gram.matrices]
    np.testing.assert_allclose(whole, expected, rtol=1e-10)


@pytest.mark.parametrize("lam", [1e-8, 1e8])
def test_extreme_ridges(lam):
    blocks, theta, _, H = problem()
    gram = DenseStack(np.stack([Z @ Z.T for Z in blocks]))
    found = leave_out(gram.combine(theta), lam, H)
    K, rest = gram.combine(theta), np.arange(1, gram.n)
    A, b = refit(K[np.ix_(rest, rest)], lam, H[rest], True)
    np.testing.assert_allclose(H[0] - found.R[0], K[0, rest] @ A + b, rtol=1e-5)


def test_noise_contributes_nothing():
    rng = np.random.default_rng(2)
    n = 200
    x, noise = rng.standard_normal((n, 1)), rng.standard_normal((n, 300))
    H = x + 0.3 * rng.standard_normal((n, 1))
    K = np.stack([Z @ Z.T for Z in (x - x.mean(), noise - noise.mean(axis=0))])
    gram = DenseStack(K * (n / np.trace(K, axis1=1, axis2=2))[:, None, None])
    theta = np.array([0.3, 0.7])
    found = leave_out(gram.combine(theta), 0.5, H)
    real, none = found.shares(gram, theta, H)
    assert real > 0.5
    assert abs(none) < 0.05


def test_what_cannot_be_left_out_is_refused():
    with pytest.raises(ValueError, match="λ > 0"):
        leave_out(np.eye(3), 0.0, np.ones((3, 1)))
    with pytest.raises(ValueError, match="not positive definite"):
        leave_out(-np.eye(3), 0.5, np.ones((3, 1)), intercept=False)
    with pytest.raises(ValueError, match="λ > 0"):
        leave_out_features([np.eye(3)], np.ones(1), -1.0, np.ones((3, 1)))
    with pytest.raises(ValueError, match="negative"):
        leave_out_features([np.eye(3)], -np.ones(1), 1.0, np.ones((3, 1)))


@KINDS
@pytest.mark.parametrize("block", [7, 2048])
def test_arrays_of_other_kinds(kind, block, monkeypatch):
    # 30 rows: four blocks and a rest, or one block.
    monkeypatch.setattr("kernelweave.losses.triangle.BLOCK", block)
    monkeypatch.setattr("kernelweave.selection.left_out.ROWS", block)
    blocks, theta, lam, H = problem()
    K = np.stack([Z @ Z.T for Z in blocks])
    gram, there = DenseStack(K), DenseStack(kind(K))
    expected = leave_out(gram.combine(theta), lam, H)
    found = leave_out(there.combine(theta), lam, kind(H))
    Q = found.sensitivity()
    assert kind.owns(Q)
    np.testing.assert_array_equal(host(Q), host(Q).T)
    np.testing.assert_allclose(host(found.G), expected.G, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(host(Q), expected.sensitivity(), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(
        inner_products(there, found.sensitivity()),
        inner_products(gram, expected.sensitivity()),
        rtol=1e-9,
    )
    np.testing.assert_allclose(
        host(found.contributions(there, theta)),
        expected.contributions(gram, theta),
        rtol=1e-9,
        atol=1e-10,
    )
    features = leave_out_features([kind(Z) for Z in blocks], theta, lam, kind(H))
    assert kind.owns(features.contributions())
    np.testing.assert_allclose(host(features.R), expected.R, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(
        features.gradient()[0],
        inner_products(gram, expected.sensitivity()),
        rtol=1e-8,
    )
