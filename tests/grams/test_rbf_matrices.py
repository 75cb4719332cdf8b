"""Matrices of Gaussians, against scikit-learn's."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel

from kernelweave.grams.rbf_matrices import gaussians
from kernelweave.kernels import RBF

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("d", [1, 4, 150])
@pytest.mark.parametrize("gamma", [1e-3, 0.2, 50.0])
def test_gaussians_are_those_of_scikit_learn(d, gamma):
    X, Z = RNG.normal(size=(40, d)), RNG.normal(size=(7, d))
    Z[3] = X[5]
    K = gaussians(X, Z, gamma)
    # Exponents are rounded relative to γ‖x‖².
    error = 40 * np.finfo(float).eps * (1 + gamma * np.max(np.sum(X * X, axis=1)))
    assert pytest.approx(rbf_kernel(X, Z, gamma=gamma), rel=0, abs=error) == K
    assert K.max() <= 1.0
    assert K[5, 3] == pytest.approx(1.0, rel=0, abs=error)


def test_a_row_is_like_itself_exactly():
    X = RNG.normal(size=(300, 3))
    K = gaussians(X, X, 2.0)
    assert np.all(np.diag(K) == 1.0)
    assert np.array_equal(K, K.T)


def test_so_it_is_far_from_zero():
    X = RNG.normal(size=(30, 3)) + 1e6
    kernel = RBF(gamma=0.5).fit(X)
    K = kernel(X)
    assert kernel._origin is not None
    assert np.all(np.diag(K) == 1.0)
    squares = ((X[:, None] - X) ** 2).sum(axis=2)
    assert pytest.approx(np.exp(-0.5 * squares), abs=1e-9) == K
