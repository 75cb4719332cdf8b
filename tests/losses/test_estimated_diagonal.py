"""The diagonal of an inverse, of which half is estimated."""

import numpy as np
import pytest

import naive
from kernelweave.losses import Square
from kernelweave.losses.estimated_diagonal import estimated_diagonal
from kernelweave.losses.quadratic import leave_one_out, left_out_rows

N = 400


@pytest.fixture(autouse=True)
def many_rows(monkeypatch):
    monkeypatch.setattr("kernelweave.losses.inverse_diagonal.LARGE", 100)


def gaussian(seed, center):
    X = np.random.default_rng(seed).normal(size=(N, 6))
    K = np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / 24)
    return naive.centre(K) if center else K


def exact(K, lam, border):
    M = K + lam * np.eye(len(K))
    if not border:
        return np.diag(np.linalg.inv(M))
    one = np.ones((len(K), 1))
    return np.diag(np.linalg.inv(np.block([[M, one], [one.T, np.zeros((1, 1))]])))[:-1]


@pytest.mark.parametrize("border", [False, True])
@pytest.mark.parametrize("lam", [1.0, 5.0])
def test_half_is_exact_and_the_rest_near(lam, border):
    K = gaussian(0, border)
    found, expected = estimated_diagonal(K.copy(), lam, border), exact(K, lam, border)
    assert found is not None
    error = np.sort(np.abs(found / expected - 1))
    assert error[N // 2 - 1] < 1e-5 < error[-1] < 0.1
    assert np.sqrt(np.mean(error**2)) < 0.02


@pytest.mark.parametrize("border", [False, True])
def test_all_is_exact_where_nothing_explains_the_half(border):
    # Groups of rows of one matrix, and of its negative beside the diagonal: sums of
    # even powers do not tell them apart, the inverse does.
    rng = np.random.default_rng(0)
    K = np.zeros((N, N))
    for start, sign in zip(range(0, N, 4), rng.choice([-1, 1], N // 4), strict=True):
        signs = np.where(np.eye(4, dtype=bool), 1.0, sign * 0.33)
        K[start : start + 4, start : start + 4] = signs
    found, expected = estimated_diagonal(K, 0.1, border), exact(K, 0.1, border)
    assert found == pytest.approx(expected, rel=1e-4)
    assert np.ptp(np.log(expected)) > 0.1


def test_a_row_of_zeros_is_one():
    K = gaussian(1, True)
    K[:40] = 0
    K[:, :40] = 0
    found, expected = estimated_diagonal(K, 1.0, True), exact(K, 1.0, True)
    assert found == pytest.approx(expected, rel=0.1)


def test_few_rows_and_small_ridges_are_left_to_others():
    K = gaussian(0, True)
    assert estimated_diagonal(K, 1e-6, True) is None
    assert estimated_diagonal(K[:100, :100], 1.0, True) is None


def test_only_thresholds_are_estimated():
    K, lam = gaussian(0, True), 1.0
    H = np.random.default_rng(1).normal(size=(N, 2))
    inner = Square(H, lam, True).inner(K.copy())
    d = np.full(N, lam)
    expected = naive.leave_one_out(K, d, H, True)
    found = leave_one_out(K.copy(), d, inner.A, True)
    assert found == pytest.approx(expected, rel=1e-4, abs=1e-4)
    f, targets = left_out_rows(K.copy(), lam, inner.A, inner.bias, np.ones(N), True)
    assert targets == pytest.approx(H, abs=1e-8)
    shifted = f - (H - H.mean(axis=0)) / (N - 1)
    assert shifted != pytest.approx(H - expected, abs=1e-4)
    assert shifted == pytest.approx(H - expected, abs=0.1)


def test_a_ridge_of_its_own_for_every_sample_is_exact():
    K, lam = gaussian(0, True), 1.0
    rng = np.random.default_rng(1)
    H, v = rng.normal(size=(N, 1)), rng.uniform(0.5, 2, N)
    A, bias = naive.ridge(K, lam / v, H, True)
    f, _ = left_out_rows(K.copy(), lam, A, bias, v, True)
    expected = H - naive.leave_one_out(K, lam / v, H, True)
    shift = v[:, None] * (H - v @ H / v.sum()) / (v.sum() - v)[:, None]
    assert f == pytest.approx(expected + shift, abs=1e-4)
