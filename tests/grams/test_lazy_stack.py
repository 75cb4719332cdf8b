"""Kernels that are not stored equal those that are."""

import tracemalloc

import numpy as np
import pytest

import problems
from kernelweave.grams import BlockStack, DenseStack, LazyStack
from kernelweave.grams.normalise import NORMALIZATIONS, normalise
from kernelweave.kernels import (
    RBF,
    Laplacian,
    Linear,
    Polynomial,
    Precomputed,
    rbf_grid,
)

# More rows than one tile has, and not a multiple.
N = 300


def _kernels(X):
    kernels = [
        *rbf_grid(sigmas=[0.5, 2.0]),
        *rbf_grid(sigmas=[0.5, 1.0], columns=[0, 2]),
        Laplacian(gamma=0.3),
        Linear(columns=slice(0, 3)),
        Polynomial(degree=2),
        RBF(),
    ]
    return [kernel.fit(X) for kernel in kernels]


def _stored(kernels, X, normalize, center):
    K = np.stack([kernel(X) for kernel in kernels])
    statistics = [normalise(matrix, normalize, center) for matrix in K]
    return DenseStack(K), statistics


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("normalize", NORMALIZATIONS)
def test_equals_stored_matrices(normalize, center):
    rng = np.random.default_rng(0)
    X, _ = problems.blobs(n=N)
    kernels = _kernels(X)
    dense, statistics = _stored(kernels, X, normalize, center)
    lazy = LazyStack(kernels, X, normalize, center)
    theta, A = rng.exponential(size=8), rng.normal(size=(N, 2))
    theta[3] = 0
    index = rng.permutation(N)[:270]
    small = rng.normal(size=(270, 2))

    def same(a, b):
        # Rounding of squared distances, and of the centring.
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-11 * np.max(np.abs(b)))

    assert isinstance(lazy, BlockStack) and isinstance(dense, BlockStack)
    assert (lazy.n, lazy.p) == (dense.n, dense.p) == (N, 8)
    same(lazy.traces, dense.traces)
    same(lazy.combine(theta), dense.combine(theta))
    same(lazy.apply(A), dense.apply(A))
    same(lazy.quadratic(A), dense.quadratic(A))
    same(lazy[5], dense[5])
    same(lazy.rows(index), dense.rows(index))
    same(lazy.block(theta, index), dense.block(theta, index))
    same(lazy.apply_rows(index, small), dense.apply_rows(index, small))
    new, _ = problems.blobs(n=7, seed=1)
    for kernel, ours, theirs in zip(kernels, lazy.statistics, statistics, strict=True):
        K, diagonal = kernel(new, X), kernel.diagonal(new)
        same(ours.cross(K, diagonal), theirs.cross(K, diagonal))


def test_blocks_are_parts_of_the_whole():
    rng = np.random.default_rng(0)
    K = problems.random_psd(rng, 3, 30)
    stack, theta, index = DenseStack(K), rng.exponential(size=3), np.array([4, 9, 1])
    A, full = rng.normal(size=(3, 2)), np.zeros((30, 2))
    full[index] = A
    assert np.array_equal(stack.rows(index), K[:, index])
    assert stack.block(theta, index) == pytest.approx(
        stack.combine(theta)[np.ix_(index, index)]
    )
    assert stack.apply_rows(index, A) == pytest.approx(stack.apply(full))


def test_combined_is_symmetric():
    X, _ = problems.blobs(n=N)
    lazy = LazyStack(_kernels(X), X)
    K = lazy.combine(np.ones(8))
    assert np.array_equal(K, K.T)


def test_constant_kernels_get_no_scale():
    X = np.column_stack([np.arange(20.0), np.ones(20)])
    kernels = [RBF(columns=[0]).fit(X), RBF(columns=[1]).fit(X)]
    lazy = LazyStack(kernels, X)
    assert lazy.traces == pytest.approx([20, 0])
    assert np.array_equal(lazy[1], np.zeros((20, 20)))


def test_ready_made_matrices():
    rng = np.random.default_rng(0)
    K = problems.random_psd(rng, 1, 25)[0]
    rows = np.arange(25)[:, None]
    lazy = LazyStack([Precomputed(K).fit(rows)], rows, None, False)
    assert lazy.combine(np.ones(1)) == pytest.approx(K)


def test_products_take_tiles_only():
    # 1200 rows of eight kernels: 92 MB stored.
    X, _ = problems.blobs(n=1200)
    kernels = rbf_grid(sigmas=np.logspace(-1, 1, 8))
    kernels = [kernel.fit(X) for kernel in kernels]
    tracemalloc.start()
    lazy = LazyStack(kernels, X, memory=1_000_000)
    lazy.apply(np.ones((1200, 1)))
    lazy.apply_rows(np.arange(0, 1200, 3), np.ones((400, 1)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 12_000_000


def test_large_arrays_are_refused():
    X, _ = problems.blobs(n=N)
    lazy = LazyStack(_kernels(X), X, memory=100_000)
    with pytest.raises(ValueError, match=r"K\(θ\) of 300 rows would take 0.00072 GB"):
        lazy.combine(np.ones(8))
    with pytest.raises(ValueError, match="over the memory"):
        lazy.rows(np.arange(10))
    assert lazy.rows(np.arange(5)).shape == (8, 5, N)


def test_bad_input():
    X, _ = problems.blobs(n=10)
    with pytest.raises(ValueError, match="fitted"):
        LazyStack([RBF()], X)
    with pytest.raises(ValueError, match="at least one kernel"):
        LazyStack([], X)
    with pytest.raises(ValueError, match="normalize must be one of"):
        LazyStack([RBF().fit(X)], X, normalize="size")


def test_distances_of_wide_tables_are_kept():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 40))
    kernels = [RBF(gamma=g).fit(X) for g in (0.001, 0.01)]
    theta, A = np.array([0.3, 0.7]), rng.normal(size=(600, 2))
    stored = DenseStack(np.stack([_normalised(kernel(X)) for kernel in kernels]))
    for memory in (2**30, 8 * 600 * 600):  # with and without room for them
        gram = LazyStack(kernels, X, memory=memory)
        for _ in range(2):
            np.testing.assert_allclose(
                gram.combine(theta), stored.combine(theta), atol=1e-11
            )
            np.testing.assert_allclose(gram.apply(A), stored.apply(A), atol=1e-9)


def _normalised(K):
    normalise(K, "variance", True)
    return K
