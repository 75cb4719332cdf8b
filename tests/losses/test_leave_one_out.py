"""Leave-one-out at fixed weights: one factorisation against n refits."""

import numpy as np
import pytest

import naive
import problems
from kernelweave.losses import Square
from kernelweave.losses.inverse_diagonal import single_factor
from kernelweave.losses.quadratic import leave_one_out

RNG = np.random.default_rng(0)
H = RNG.normal(size=(25, 2))
KERNELS = {
    "full rank": problems.random_psd(RNG, 1, 25)[0],
    "low rank": problems.random_psd(RNG, 1, 25, rank=3)[0],
    "centred": naive.centre(problems.random_psd(RNG, 1, 25)[0]),
}


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("lam", [1e-4, 0.1, 10.0])
@pytest.mark.parametrize("K", KERNELS.values(), ids=KERNELS)
def test_equals_refitting(K, lam, intercept):
    d = np.full(25, lam)
    A = Square(H, lam, intercept).inner(K).A
    if K is KERNELS["centred"] and not intercept:
        expected = naive.leave_one_out_of_centred(K, d, H)
    else:
        expected = naive.leave_one_out(K, d, H, intercept)
    residuals = leave_one_out(K.copy(), d, A, intercept)
    assert residuals == pytest.approx(expected, abs=1e-8, rel=1e-8)


@pytest.mark.parametrize("intercept", [False, True])
def test_with_a_ridge_of_its_own_for_every_sample(intercept):
    K = KERNELS["full rank"]
    d = np.random.default_rng(1).uniform(0.1, 2, 25)
    A, _ = naive.ridge(K, d, H, intercept)
    expected = naive.leave_one_out(K, d, H, intercept)
    residuals = leave_one_out(K.copy(), d, A, intercept)
    assert residuals == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("store", [np.float64, np.float32])
@pytest.mark.parametrize("offset", [0.0, 3.0])
def test_centring_does_not_tell_the_target_that_is_left_out(offset, store):
    # Labels that mean nothing, and matrices centred with all samples, as the papers do.
    rng = np.random.default_rng(0)
    X, h = rng.normal(size=(40, 5)), rng.permutation(np.repeat([-1.0, 1], 20))[:, None]
    K = naive.centre(np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / 10))
    K = K.astype(store).astype(float)
    h += offset
    A = Square(h, 1e-8, False).inner(K).A
    residuals = leave_one_out(K.copy(), np.full(40, 1e-8), A, False)
    assert 1 - np.sum(residuals**2) / np.sum((h - h.mean()) ** 2) < 0.05


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("K", KERNELS.values(), ids=KERNELS)
def test_single_precision_where_four_digits_are_left(K, intercept, monkeypatch):
    monkeypatch.setattr("kernelweave.losses.inverse_diagonal.LARGE", 10)
    lam = float(np.trace(K)) / 25
    d = np.full(25, lam)
    assert single_factor(K, d, intercept).dtype == np.float32
    A = Square(H, lam, intercept).inner(K).A
    if K is KERNELS["centred"] and not intercept:
        expected = naive.leave_one_out_of_centred(K, d, H)
    else:
        expected = naive.leave_one_out(K, d, H, intercept)
    residuals = leave_one_out(K.copy(), d, A, intercept)
    assert residuals == pytest.approx(expected, rel=1e-5)
    # Not exactly: else the factor was of double precision.
    assert np.max(np.abs(residuals / expected - 1)) > 1e-12


def test_double_precision_for_few_rows_and_small_ridges(monkeypatch):
    K = KERNELS["full rank"]
    d = np.full(25, float(np.trace(K)))
    assert single_factor(K, d, True) is None
    monkeypatch.setattr("kernelweave.losses.inverse_diagonal.LARGE", 10)
    assert single_factor(K, d, True) is not None
    assert single_factor(K, 1e-6 * d, True) is None
    # Not positive definite: the factor in double precision says so.
    assert single_factor(K - 10 * d * np.eye(25), d, True) is None
