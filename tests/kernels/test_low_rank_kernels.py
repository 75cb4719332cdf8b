"""Kernels as features: Nyström and Fourier against the kernels themselves."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import naive
import problems
from kernelweave.kernels import (
    RBF,
    ChiSquared,
    Laplacian,
    Linear,
    Nystroem,
    Overlap,
    RandomFourier,
)


def test_nystroem_is_the_projection_on_the_landmarks():
    X, _ = problems.blobs(40)
    kernel = Nystroem(RBF(gamma=0.2), 7).fit(X)
    k = naive.rbf(0.2)
    L = kernel.landmarks_
    wanted = (
        naive.gram(k, X, L) @ np.linalg.inv(naive.gram(k, L, L)) @ naive.gram(k, L, X)
    )
    Z = kernel.features(X)
    assert Z.shape == (40, 7)
    np.testing.assert_allclose(Z @ Z.T, wanted, atol=1e-10)
    np.testing.assert_allclose(kernel(X, X[:3]), wanted[:, :3], atol=1e-10)
    np.testing.assert_allclose(kernel.diagonal(X), np.diag(wanted), atol=1e-10)
    # Exact for the landmarks, and never above the kernel.
    exact = naive.gram(k, X, X)
    rows = [int(np.flatnonzero((row == X).all(axis=1))[0]) for row in L]
    np.testing.assert_allclose(wanted[rows], exact[rows], atol=1e-10)
    assert np.linalg.eigvalsh(exact - Z @ Z.T)[0] > -1e-10


@pytest.mark.parametrize("sampling", ["uniform", "kmeans", "leverage"])
def test_all_landmarks_give_the_kernel(sampling):
    X, _ = problems.blobs(30)
    kernel = Nystroem(RBF(gamma=0.5), 30, sampling).fit(X)
    np.testing.assert_allclose(kernel(X), naive.gram(naive.rbf(0.5), X, X), atol=1e-6)


@pytest.mark.parametrize("sampling", ["uniform", "kmeans", "leverage"])
def test_more_landmarks_less_error(sampling):
    X, _ = problems.blobs(300, d=5)
    errors = [Nystroem(RBF(), m, sampling).fit(X).error_ for m in (5, 20, 80)]
    assert errors[0] > 2 * errors[1] > 4 * errors[2] > 0


def test_leverage_finds_the_rare_rows():
    """Ten rows far from 990 others: uniform landmarks miss most of them."""
    rng = np.random.default_rng(0)
    X = 0.1 * rng.standard_normal((1000, 2))
    far = 10 * np.arange(1, 11)
    X[::100] = np.c_[far, -far]
    found = {}
    for sampling in ("uniform", "leverage"):
        kernel = Nystroem(RBF(gamma=0.5), 30, sampling).fit(X)
        found[sampling] = np.sum(np.abs(kernel.landmarks_[:, 0]) > 5)
    assert found["uniform"] < 5
    assert found["leverage"] >= 8


def test_the_error_is_that_of_the_kernel():
    X, _ = problems.blobs(200, d=5)
    kernel = Nystroem(RBF(gamma=0.3), 10).fit(X)
    free = ~np.isin(X[:, 0], kernel.landmarks_[:, 0])
    exact = naive.gram(naive.rbf(0.3), X[free], X[free])
    Z = kernel.features(X[free])
    wanted = np.linalg.norm(exact - Z @ Z.T) / np.linalg.norm(exact)
    assert kernel.error_ == pytest.approx(wanted, rel=1e-6)


@pytest.mark.parametrize(
    ("base", "exact"),
    [(RBF(gamma=0.2), naive.rbf(0.2)), (Laplacian(gamma=0.2), naive.laplacian(0.2))],
)
def test_fourier_features_have_the_kernel_as_their_mean(base, exact):
    X, _ = problems.blobs(20, d=3)
    K = naive.gram(exact, X, X)
    means = np.mean(
        [RandomFourier(base, 200, random_state=s).fit(X)(X) for s in range(100)], axis=0
    )
    # 10,000 frequencies: a standard error of at most 1/√20,000.
    assert np.max(np.abs(means - K)) < 5 / np.sqrt(20_000)
    kernel = RandomFourier(base, 200).fit(X)
    np.testing.assert_allclose(kernel.diagonal(X), 1.0)
    assert kernel.n_features_ == 200


def test_columns_names_and_parameters_are_those_of_the_kernel():
    X, _ = problems.blobs(30, d=4)
    kernel = Nystroem(RBF(gamma=0.5, columns=[1, 3], name="blood: rbf"), 5)
    assert kernel.label == "blood: rbf"
    kernel.set_params(kernel__gamma=0.7)
    kernel.fit(X)
    assert kernel.kernel_.gamma_ == 0.7
    assert kernel.landmarks_.shape == (5, 2)


def test_sparse_tables():
    X, _ = problems.blobs(30)
    for kernel in (Nystroem(RBF(), 6), RandomFourier(RBF(), 6), Linear()):
        kernel.fit(X)
        dense = kernel(X)
        sparse = kernel.fit(csr_matrix(X))(csr_matrix(X))
        np.testing.assert_allclose(dense, sparse, atol=1e-9)


def test_an_absent_row_is_the_mean():
    X, _ = problems.blobs(30)
    X[3] = np.nan
    for kernel in (Nystroem(RBF(missing="mean"), 6), Linear(missing="mean")):
        Z = kernel.fit(X).features(X)
        np.testing.assert_allclose(Z[3], np.delete(Z, 3, axis=0).mean(axis=0))
        np.testing.assert_allclose(kernel(X), Z @ Z.T, atol=1e-10)


def test_what_is_refused():
    X, _ = problems.blobs(30)
    X = np.abs(X)
    with pytest.raises(ValueError, match="approximates a kernel such as RBF"):
        Nystroem(Nystroem(RBF())).fit(X)
    with pytest.raises(ValueError, match="n_components must be a whole number"):
        Nystroem(RBF(), 0).fit(X)
    with pytest.raises(ValueError, match="sampling must be one of"):
        Nystroem(RBF(), 3, "best").fit(X)
    with pytest.raises(ValueError, match="takes means of rows"):
        Nystroem(Overlap(), 3, "kmeans").fit(X)
    with pytest.raises(ValueError, match="must be even"):
        RandomFourier(RBF(), 5).fit(X)
    with pytest.raises(ValueError, match="not ChiSquared: use Nystroem"):
        RandomFourier(ChiSquared(), 4).fit(X)


def test_other_kernels_draw_other_landmarks():
    X, _ = problems.blobs(100)
    one, other, again, named = (
        Nystroem(kernel, 10).fit(X).landmarks_
        for kernel in (
            RBF(gamma=0.5),
            RBF(gamma=0.6),
            RBF(gamma=0.5),
            RBF(gamma=0.5, name="a"),
        )
    )
    np.testing.assert_array_equal(one, again)
    np.testing.assert_array_equal(one, named)
    assert np.isin(one[:, 0], other[:, 0]).sum() < 8
