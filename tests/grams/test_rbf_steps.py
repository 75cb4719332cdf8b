"""Exponentials of a tile against numpy's, in extended precision."""

import os
import subprocess
import sys

import numpy as np
import pytest

from kernelweave.grams.rbf_steps import (
    _add_tiles,
    _fill_tile,
    _square_tile,
    add_tiles,
    fill_tile,
    square_tile,
    squarings,
)
from kernelweave.grams.tiles import RBFTiles

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


@pytest.mark.parametrize("ratio", [2.0, 4.0, 16.0, 3.0])
def test_squares_stand_for_exponentials(ratio):
    """Ten widths, of which every second or fourth is an exponential."""
    gammas = 1e-3 * ratio ** np.arange(10)
    weights = np.linspace(-1, 2, 10)
    out = np.zeros_like(D)
    add_tiles(D, gammas, weights, out)
    terms = [
        w * np.exp((g * D).astype(np.longdouble))
        for g, w in zip(gammas, weights, strict=True)
    ]
    assert np.max(np.abs(out - sum(terms)) / sum(map(abs, terms))) <= 3e-14
    # Any order gives the same sum.
    other = np.zeros_like(D)
    add_tiles(D, gammas[::-1].copy(), weights[::-1].copy(), other)
    assert np.max(np.abs(out - other) / sum(map(abs, terms))) <= 3e-14


@pytest.mark.parametrize("wanted", [range(10), [0, 2, 3, 7, 9], [4]])
def test_tiles_of_several_widths(wanted):
    Z = np.random.default_rng(0).standard_normal((30, 3))
    gammas = [4.0**-k for k in range(10)]
    mask = np.isin(np.arange(10), list(wanted))
    found = {}
    for j, tile in RBFTiles(list(range(10)), Z, gammas).tiles(
        slice(0, 20), slice(5, 30), mask
    ):
        found[j] = tile.copy()
    distances = ((Z[:20, None] - Z[None, 5:]) ** 2).sum(axis=2)
    assert sorted(found) == list(wanted)
    for j, tile in found.items():
        expected = np.exp(-gammas[j] * distances)
        np.testing.assert_allclose(tile, expected, rtol=1e-11, atol=1e-300)


def test_squares():
    assert [squarings(0.5, g) for g in (1.0, 2.0, 4.0, 8.0, 0.5, 1.1)] == [
        1,
        2,
        0,
        4,
        0,
        0,
    ]
    tile, other = np.full((2, 3), 0.9), np.full((2, 3), 0.9)
    square_tile(tile, 3)
    _square_tile(other, 3)
    np.testing.assert_allclose(tile, 0.9**8, rtol=1e-14)
    np.testing.assert_allclose(other, 0.9**8, rtol=1e-14)


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
