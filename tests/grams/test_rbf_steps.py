"""Exponentials of a tile against numpy's, in extended precision."""

import os
import subprocess
import sys

import numpy as np
import pytest

from kernelweave.grams.rbf_steps import _add_tiles, _fill_tile, add_tiles, fill_tile

D = -np.concatenate(
    [[0.0], np.logspace(-300, 2.8, 1000), np.linspace(0, 705, 5094)]
).reshape(-1, 53)


@pytest.mark.parametrize("gamma", [1e-3, 0.7, 1.0])
def test_to_the_last_place(gamma):
    out = np.empty_like(D)
    fill_tile(D, gamma, out)
    exact = np.exp((gamma * D).astype(np.longdouble))
    assert np.max(np.abs(out / exact - 1)) <= 4.5e-16
    assert out[0, 0] == 1.0


def test_far_points_are_as_good_as_zero():
    out = np.empty((1, 3))
    fill_tile(np.array([[-709.0, -1e4, -1e300]]), 1.0, out)
    assert np.all((out >= 0) & (out < 1e-307))


def test_sums():
    gammas, weights = np.array([0.1, 1.0, 3.0]), np.array([0.5, 2.0, 1e-3])
    out = np.ones_like(D)
    add_tiles(D, gammas, weights, out)
    expected = 1 + sum(w * np.exp(g * D) for g, w in zip(gammas, weights, strict=True))
    np.testing.assert_allclose(out, expected, rtol=1e-15)


def test_by_numpy():
    """What machines without numba use."""
    out, other = np.empty_like(D), np.empty_like(D)
    fill_tile(D, 0.7, out)
    _fill_tile(D, 0.7, other)
    np.testing.assert_allclose(out, other, rtol=1e-15)
    gammas, weights = np.array([0.1, 3.0]), np.array([0.5, -2.0])
    add_tiles(D, gammas, weights, out)
    _add_tiles(D, gammas, weights, other)
    np.testing.assert_allclose(out, other, rtol=1e-14, atol=1e-300)


def test_without_wide_registers(tmp_path):
    """A processor without AVX and without fused multiply-add: the same digits."""
    plain = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    plain["NUMBA_CACHE_DIR"] = str(tmp_path)
    tests = f"{__file__}::test_to_the_last_place"
    answer = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", tests],
        env=os.environ | plain,
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
