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
