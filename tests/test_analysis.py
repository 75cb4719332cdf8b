"""What a set of kernels knows: against double loops over the definitions."""

import numpy as np
import pytest

import naive
import problems
from kernelweave.analysis import (
    alignment,
    effective_kernels,
    label_correlation,
    label_share,
    target_alignment,
)
from kernelweave.grams import DenseStack, WithIdentity


def _product(K, L):
    """⟨K, L⟩, entry by entry."""
    return sum(K[i, j] * L[i, j] for i in range(len(K)) for j in range(len(K)))


def _alignment(K, L):
    return _product(K, L) / np.sqrt(_product(K, K) * _product(L, L))


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.mark.parametrize("center", [True, False])
def test_alignment_is_its_definition(rng, center):
    K = problems.random_psd(rng, 4, 7, rank=3) + 0.3
    A = alignment(K, center=center)
    for i in range(4):
        for j in range(4):
            pair = [naive.centre(K[m]) if center else K[m] for m in (i, j)]
            assert A[i, j] == pytest.approx(_alignment(*pair), abs=1e-13)


def test_equal_kernels_have_alignment_one(rng):
    K = problems.random_psd(rng, 1, 9)[0]
    # Factors and constants do not matter: 11ᵀ vanishes by centring.
    A = alignment(np.stack([K, 3 * K, K + 5]))
    assert np.allclose(A, 1, atol=1e-12)
    assert alignment(np.stack([K, K + 5]), center=False)[0, 1] < 0.999


def test_a_constant_kernel_is_aligned_with_nothing(rng):
    K = np.stack([problems.random_psd(rng, 1, 6)[0], np.full((6, 6), 0.7)])
    assert np.allclose(alignment(K), [[1, 0], [0, 0]])
    y = [0, 1, 0, 1, 0, 1]
    assert target_alignment(K, y)[1] == 0
    assert np.all(label_share(K, y)[1] == 0)
    assert np.allclose(label_correlation(K, y, 2), [[1, 0], [0, 0]])


def test_any_stack_will_do(rng):
    K = problems.random_psd(rng, 2, 6)
    stack = WithIdentity(DenseStack(K))
    dense = np.concatenate([np.eye(6)[None], K])
    y = [0, 1, 2, 0, 1, 2]
    assert np.allclose(alignment(stack), alignment(dense))
    assert np.allclose(target_alignment(stack, y), target_alignment(dense, y))
    assert np.allclose(label_share(stack, y), label_share(dense, y))


def test_target_alignment_of_two_classes_is_that_with_yy(rng):
    K = problems.random_psd(rng, 3, 8)
    labels = np.array(list("abbaabab"))
    y = np.where(labels == "b", 1.0, -1.0)
    expected = [_alignment(naive.centre(k), np.outer(y, y)) for k in K]
    assert np.allclose(target_alignment(K, labels), expected, atol=1e-13)


def test_target_alignment_of_the_ideal_kernel_is_one():
    # Balanced classes: 1{y = y'} is the coding's TTᵀ up to a factor and a constant.
    y = np.repeat([0, 1, 2], 4)
    ideal = (y[:, None] == y).astype(float)
    assert target_alignment(ideal[None], y) == pytest.approx([1.0])


def test_label_share_is_its_definition(rng):
    y = problems.labels(rng, 10, 3)
    K = problems.random_psd(rng, 2, 10, rank=4)
    H = np.eye(3)[y] / np.sqrt(np.bincount(y))
    H = H - H.mean(axis=0)
    shares = label_share(K, y)
    for j in range(2):
        values, U = np.linalg.eigh(naive.centre(K[j]))
        order = np.argsort(-values)
        parts = [np.sum((U[:, i] @ H) ** 2) for i in order[:4]]
        expected = np.cumsum(parts) / np.sum(H * H)
        assert np.allclose(shares[j, :4], expected, atol=1e-12)
        # Rank four: the other six directions say nothing.
        assert np.allclose(shares[j, 4:], expected[-1], atol=1e-12)
    assert np.all(np.diff(shares) >= 0) and np.all(shares <= 1 + 1e-12)


def test_label_share_of_extremes():
    y = np.array([0, 1] * 5)
    t = 2.0 * y - 1
    shares = label_share(np.stack([np.outer(t, t), np.eye(10)]), y)
    assert np.allclose(shares[0], 1)
    assert shares[1, -1] == pytest.approx(1)


def test_label_correlation_sees_what_alignment_does_not(rng):
    # Two kernels that know the labels, in front of strong private directions which
    # have nothing to do with them.
    y = np.arange(12) % 2
    t = 2.0 * y - 1
    Q = np.linalg.qr(np.column_stack([np.ones(12), t, rng.normal(size=(12, 4))]))[0]
    K = np.stack([np.outer(t, t) / 12 + 5 * Q[:, c] @ Q[:, c].T for c in ([2], [3])])
    assert alignment(K)[0, 1] < 0.1
    assert label_correlation(K, y, 2)[0, 1] == pytest.approx(1)


def test_effective_kernels():
    assert effective_kernels([1, 0, 0]) == 1
    assert effective_kernels(np.full(7, 1e-200)) == pytest.approx(7)
    assert effective_kernels([3, 1]) == pytest.approx(16 / 10)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda K: alignment(K[0]), "array"),
        (lambda K: target_alignment(K, [0, 1]), "5 samples"),
        (lambda K: label_share(K, [1] * 5), "one class"),
        (lambda K: label_correlation(K, [0, 1, 0, 1, 0], 9), "n_directions"),
        (lambda K: effective_kernels([0.0, 0.0]), "positive"),
        (lambda K: effective_kernels([1.0, -1.0]), "negative"),
    ],
)
def test_bad_input(call, message, rng):
    with pytest.raises(ValueError, match=message):
        call(problems.random_psd(rng, 2, 5))
