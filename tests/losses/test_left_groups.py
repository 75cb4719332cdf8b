"""Residuals of groups that are left out are those of fits without them."""

import numpy as np
import pytest

import naive
from kernelweave.losses.left_groups import group_shift, leave_groups_out
from kernelweave.losses.quadratic import leave_one_out, left_out_rows, mean_shift

rng = np.random.default_rng(0)
N = 24
X = rng.normal(size=(N, 4))
K = X @ X.T / 4
H = rng.normal(size=(N, 2)) + 1
GROUPS = np.array([0, 1, 2, 0, 3, 4] * 4)
V = rng.uniform(0.5, 2, N)


def refitted(K, d, intercept, centred=False):
    """Residuals by a fit without every group in turn."""
    R = np.empty_like(H)
    for group in np.unique(GROUPS):
        test, rest = np.flatnonzero(group == GROUPS), np.flatnonzero(group != GROUPS)
        inside, cross = K[np.ix_(rest, rest)], K[np.ix_(test, rest)]
        if centred:
            cross = cross - cross.mean(axis=1, keepdims=True)
            cross = cross - inside.mean(axis=0) + inside.mean()
            inside = naive.centre(inside)
        A, b = naive.ridge(inside, d[rest], H[rest], intercept)
        R[test] = H[test] - (cross @ A + b)
    return R


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("v", [np.ones(N), V], ids=["alike", "weighted"])
def test_residuals_are_those_of_refits(intercept, v):
    d = 0.3 / v
    A, bias = naive.ridge(K, d, H, intercept)
    found = leave_groups_out(K.copy(), d, A, intercept, GROUPS)
    np.testing.assert_allclose(found, refitted(K, d, intercept), atol=1e-12)
    f, targets = left_out_rows(K.copy(), 0.3, A, bias, v, intercept, GROUPS)
    shift = group_shift(H, v, GROUPS) if intercept else 0
    np.testing.assert_allclose(targets, H, atol=1e-12)
    np.testing.assert_allclose(f, H - found + shift, atol=1e-12)


def test_centred_matrices_are_centred_again_without_the_group():
    C, d = naive.centre(K), np.full(N, 0.3)
    A, _ = naive.ridge(C, d, H, False)
    found = leave_groups_out(C.copy(), d, A, False, GROUPS)
    np.testing.assert_allclose(found, refitted(C, d, False, True), atol=1e-12)


def test_groups_of_one_are_samples():
    one, d = np.arange(N)[::-1], 0.3 / V
    A, _ = naive.ridge(K, d, H, True)
    found = leave_groups_out(K.copy(), d, A, True, one)
    np.testing.assert_allclose(found, leave_one_out(K.copy(), d, A, True), atol=1e-12)
    np.testing.assert_allclose(group_shift(H, V, one), mean_shift(H, V), atol=1e-13)


def test_the_shift_is_how_the_weighted_mean_moves():
    found, mean = group_shift(H, V, GROUPS), V @ H / V.sum()
    for i, group in enumerate(GROUPS):
        rest = group != GROUPS
        without = V[rest] @ H[rest] / V[rest].sum()
        assert found[i] == pytest.approx(mean - without, abs=1e-13)
