"""Stored Gram matrices, against einsum on the raw array."""

import numpy as np
import pytest

import problems
from kernelweave.grams import DenseStack

K = problems.random_psd(np.random.default_rng(0), 5, 12)
A = np.random.default_rng(1).normal(size=(12, 3))


def test_sizes_and_traces():
    stack = DenseStack(K)
    assert (stack.n, stack.p) == (12, 5)
    assert stack.traces == pytest.approx([np.trace(Kj) for Kj in K])
    assert np.array_equal(stack[3], K[3])


# Many and few active kernels take different ways.
@pytest.mark.parametrize(
    "theta",
    [[0.1, 0.2, 0.3, 0.2, 0.2], [0, 0, 1.0, 0, 0], [0.5, 0, 0, 0, 0.5], [0] * 5],
)
def test_combine(theta):
    theta = np.array(theta, dtype=float)
    stack = DenseStack(K)
    expected = sum(t * Kj for t, Kj in zip(theta, K, strict=True))
    combined = stack.combine(theta)
    assert combined == pytest.approx(expected, abs=1e-14)
    # A fresh array: the losses write into it.
    combined[...] = np.nan
    assert np.array_equal(stack[0], K[0])


def test_apply_and_quadratic():
    stack = DenseStack(K)
    applied = stack.apply(A)
    assert applied.shape == (5, 12, 3)
    for j in range(5):
        assert applied[j] == pytest.approx(K[j] @ A, abs=1e-12)
    expected = [np.trace(A.T @ Kj @ A) for Kj in K]
    assert stack.quadratic(A) == pytest.approx(expected, rel=1e-12)


def test_integer_matrices_become_numbers():
    stack = DenseStack(np.eye(3, dtype=int)[None])
    assert stack.combine(np.array([0.5]))[0, 0] == 0.5


@pytest.mark.parametrize("shape", [(3, 3), (0, 3, 3), (2, 3, 4), (1, 2, 3, 3)])
def test_wrong_shapes(shape):
    with pytest.raises(ValueError, match="got shape"):
        DenseStack(np.zeros(shape))


@pytest.mark.parametrize("count", [0, 1, 2, 5, 8])
def test_products_with_few_samples(count):
    """Only the rows of samples with a coefficient are read."""
    rng = np.random.default_rng(0)
    B = rng.standard_normal((3, 16, 16))
    K = B @ B.transpose(0, 2, 1)
    A = np.zeros((16, 1))
    A[rng.permutation(16)[:count], 0] = rng.standard_normal(count)
    found = DenseStack(K).apply(A)
    assert found.shape == (3, 16, 1)
    np.testing.assert_allclose(found, K @ A, rtol=1e-12, atol=1e-12)


def test_products_with_few_samples_by_numpy():
    """Where numba is not installed."""
    from kernelweave.grams import dense_steps

    rng = np.random.default_rng(0)
    B = rng.standard_normal((3, 9, 9))
    K = B @ B.transpose(0, 2, 1)
    a = np.zeros(9)
    support = np.array([2, 3, 7])
    a[support] = rng.standard_normal(3)
    out = np.empty((3, 9))
    dense_steps._apply_support(K, support, a, out)
    np.testing.assert_allclose(out, K @ a, rtol=1e-12)
