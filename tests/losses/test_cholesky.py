"""The factor by blocks is the factor."""

import numpy as np
import pytest

from kernelweave.losses.cholesky import factorise_lower


def matrix(n):
    X = np.random.default_rng(0).normal(size=(n, n))
    return np.asfortranarray(X @ X.T + np.eye(n))


@pytest.mark.parametrize("largest", [0, 100])
@pytest.mark.parametrize("n", [1, 5, 7, 14, 30])
def test_it_is_the_factor_and_leaves_the_rest(n, largest):
    A = matrix(n)
    upper = np.triu_indices(n, 1)
    wanted = np.linalg.cholesky(A)
    A[upper] = np.pi
    assert factorise_lower(A, largest, block=7) == 0
    np.testing.assert_allclose(np.tril(A), wanted, atol=1e-12 * np.abs(wanted).max())
    assert np.all(A[upper] == np.pi)


@pytest.mark.parametrize("largest", [0, 100])
@pytest.mark.parametrize("bad", [0, 3, 9, 29])
def test_it_says_where_a_matrix_is_not_definite(bad, largest):
    A = matrix(30)
    A[bad, bad] = -1.0
    assert factorise_lower(A, largest, block=7) == bad + 1
