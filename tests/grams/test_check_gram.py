"""Is a given matrix a Gram matrix? Messages name the kernel and what is wrong."""

import numpy as np
import pytest

from kernelweave.grams.check import check_gram

Z = np.random.default_rng(0).normal(size=(30, 4))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_accepts_rounding(dtype):
    # Rank 4 of 30: the other eigenvalues are ±ε.
    K = (Z @ Z.T).astype(dtype)
    check_gram(K, "0")
    check_gram(1e12 * K, "0")
    check_gram(1e-12 * K, "0")


def test_accepts_integers_and_zero():
    check_gram(np.eye(3, dtype=int), "0")
    check_gram(np.zeros((3, 3)), "0")


def test_names_an_asymmetric_kernel():
    K = Z @ Z.T
    K[2, 5] += 0.5
    with pytest.raises(ValueError, match=r"kernel 7 is not symmetric.*0\.5"):
        check_gram(K, "7")


def test_names_an_indefinite_kernel_and_its_smallest_eigenvalue():
    K = np.diag([1.0, 2.0, -0.8])
    with pytest.raises(ValueError, match=r"kernel 3 \('meth'\).*eigenvalue is -0\.8"):
        check_gram(K, "3 ('meth')")


def test_a_slightly_indefinite_kernel_is_no_rounding():
    K = Z @ Z.T - 1e-6 * np.eye(30)
    with pytest.raises(ValueError, match="-1e-06"):
        check_gram(K, "0")


def test_a_negative_diagonal_alone():
    with pytest.raises(ValueError, match="smallest eigenvalue is -1"):
        check_gram(-np.eye(3), "0")


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_names_a_kernel_with_nan_or_infinity(bad):
    K = np.eye(3)
    K[1, 1] = bad
    with pytest.raises(ValueError, match="kernel 5 contains NaN or infinity"):
        check_gram(K, "5")


def test_the_slack_is_that_of_rounding():
    # 1e-10 of the largest eigenvalue is a thousand times what rounding can do.
    K = Z @ Z.T
    shift = 1e-10 * np.linalg.eigvalsh(K)[-1]
    with pytest.raises(ValueError, match="is not positive semidefinite"):
        check_gram(K - shift * np.eye(30), "0")


def test_every_diagonal_entry_of_a_large_matrix_counts():
    # A sample that a check of some rows only would leave out.
    n = 1200
    for row in (0, 1, 2, 3, 4, 5, 6, n - 2, n - 1):
        K = np.eye(n)
        K[row, row] = -0.5
        with pytest.raises(ValueError, match="kernel 4"):
            check_gram(K, "4")
