"""The steps by NumPy are those that numba compiles."""

import numpy as np
import pytest

from kernelweave.losses import box_steps, box_steps_numpy


def _program(seed, n=40):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n, 5))
    t = rng.normal(size=n)
    # Some entries have no room at all, and some have no bound.
    upper = rng.choice([0.0, 0.3, 2.0, np.inf], n, p=[0.1, 0.4, 0.4, 0.1])
    d = rng.choice([0.0, 0.5]) + np.isinf(upper)
    return Z @ Z.T / 5, d * np.ones(n), t, -np.minimum(upper, 1.0), upper


@pytest.mark.parametrize("name", ["ascend_pairs", "ascend_single"])
@pytest.mark.parametrize("eps", [0.0, 0.2])
@pytest.mark.parametrize("seed", range(5))
def test_the_same_steps(name, eps, seed):
    K, d, t, lower, upper = _program(seed)
    ends = []
    for steps in (box_steps, box_steps_numpy):
        a, f = np.zeros(len(t)), np.zeros(len(t))
        ascend = getattr(steps, name)
        taken = ascend(K, d, t, eps, lower, upper, a, f, 1e-6, 20_000)
        assert 0 < taken < 20_000
        np.testing.assert_allclose(f, K @ a + d * a, atol=1e-9)
        ends.append((taken, a))
    np.testing.assert_allclose(ends[1][1], ends[0][1], atol=1e-7)
    assert abs(ends[0][0] - ends[1][0]) <= 0.05 * ends[0][0] + 2


@pytest.mark.parametrize("name", ["ascend_pairs", "ascend_single"])
def test_one_step(name):
    K, d, t, lower, upper = _program(7)
    ends = []
    for steps in (box_steps, box_steps_numpy):
        a, f = np.zeros(len(t)), np.zeros(len(t))
        assert getattr(steps, name)(K, d, t, 0.1, lower, upper, a, f, 1e-6, 1) == 1
        ends.append(a)
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-15)
    assert np.count_nonzero(ends[0])


@pytest.mark.parametrize("name", ["ascend_pairs", "ascend_single"])
def test_without_room(name):
    K, d, t, lower, _ = _program(0)
    a, f = np.zeros(len(t)), np.zeros(len(t))
    ascend = getattr(box_steps_numpy, name)
    assert ascend(K, d, t, 0.0, 0 * lower, 0 * lower, a, f, 1e-6, 9) == 0
