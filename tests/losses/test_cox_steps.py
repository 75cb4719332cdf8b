"""The sums by NumPy are those that numba compiles."""

import numpy as np

from kernelweave.losses import cox_steps


def test_by_numpy():
    rng = np.random.default_rng(0)
    X, rows = rng.normal(size=(12, 3)), rng.permutation(12)[:9]
    rho, share = rng.random(9), rng.random(9)
    for name, more in (("contrast", ()), ("contrast_transposed", (1 - share,))):
        out, other = np.zeros_like(X), np.zeros_like(X)
        getattr(cox_steps, name)(X, rows, rho, share, *more, out)
        getattr(cox_steps, f"_{name}")(X, rows, rho, share, *more, other)
        np.testing.assert_allclose(out, other, atol=1e-13)
        assert np.count_nonzero(out) == 27
