"""The identity as kernel 0 is a stack like any other."""

import numpy as np
import pytest

import problems
from kernelweave.grams import DenseStack, WithIdentity

RNG = np.random.default_rng(0)
K = problems.random_psd(RNG, 3, 10)
A = RNG.normal(size=(10, 2))


@pytest.mark.parametrize("scale", [1.0, 0.1])
def test_equals_the_stored_stack(scale):
    stack = WithIdentity(DenseStack(K), scale)
    stored = DenseStack(np.concatenate([scale * np.eye(10)[None], K]))
    assert (stack.n, stack.p) == (stored.n, stored.p) == (10, 4)
    assert stack.traces == pytest.approx(stored.traces)
    for theta in (np.array([0.4, 0.1, 0.2, 0.3]), np.array([1.0, 0, 0, 0])):
        expected = stored.combine(theta)
        assert stack.combine(theta) == pytest.approx(expected, abs=1e-14)
    assert stack.apply(A) == pytest.approx(stored.apply(A), abs=1e-13)
    assert stack.quadratic(A) == pytest.approx(stored.quadratic(A), rel=1e-13)
    for j in range(4):
        assert stack[j] == pytest.approx(stored[j])


def test_base_is_left_alone():
    base = DenseStack(K.copy())
    WithIdentity(base).combine(np.array([1.0, 0.0, 1.0, 0.0]))
    assert all(np.array_equal(base[j], K[j]) for j in range(3))
