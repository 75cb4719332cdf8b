"""Matrices of RBF kernels that share their distances."""

import numpy as np
from scipy.spatial.distance import cdist

from kernelweave.grams.rbf_matrices import negative_squares, symmetric_exponentials
from kernelweave.grams.stored import stored_stack
from kernelweave.kernels import RBF


def test_against_distances_of_scipy():
    # More rows than one block has, and not a multiple.
    Z = np.random.default_rng(0).normal(size=(300, 3))
    expected = cdist(Z, Z, "sqeuclidean")
    D = negative_squares(Z)
    np.testing.assert_allclose(-D, expected, atol=1e-13)
    np.testing.assert_array_equal(D, D.T)
    K = np.empty_like(D)
    symmetric_exponentials(D, 0.7, K)
    np.testing.assert_allclose(K, np.exp(-0.7 * expected), rtol=1e-12)
    np.testing.assert_array_equal(K, K.T)
    np.testing.assert_array_equal(np.diag(K), 1.0)


def test_kernels_share_distances_only_of_the_same_rows():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 4))
    # Far rows are seen from their mean.
    X[:, 3] += 1e7
    kernels = [
        RBF(gamma=0.5),
        RBF(gamma=2.0),
        RBF(gamma=0.5, columns=[0, 1]),
        RBF(gamma=0.5, columns=[0, 1], scale=True),
        RBF(gamma=0.5, columns=[0, 1], missing="impute"),
    ]
    fitted = [kernel.fit(X) for kernel in kernels]
    stack, _ = stored_stack(fitted, X, None, False)
    near, two = X - X.mean(axis=0), X[:, :2]
    scaled = (two - two.mean(axis=0)) / two.std(axis=0)
    for K, gamma, Z in zip(
        stack.matrices,
        [0.5, 2.0, 0.5, 0.5, 0.5],
        [near, near, two, scaled, two],
        strict=True,
    ):
        expected = np.exp(-gamma * cdist(Z, Z, "sqeuclidean"))
        np.testing.assert_allclose(K, expected, rtol=1e-7, atol=1e-12)
