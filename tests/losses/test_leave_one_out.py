"""Leave-one-out at fixed weights: one factorisation against n refits."""

import numpy as np
import pytest

import naive
import problems
from kernelweave.losses import Square
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
