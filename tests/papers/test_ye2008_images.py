"""Log-Gabor filters, and the experiment of §5.3 with them."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from kernelweave_papers.ye2008 import LogGabor, images


def test_filter_has_the_stated_transfer_function():
    bank = LogGabor(scales=2, orientations=3, wavelength=4.0, factor=1.5)
    G = bank.filters((8, 12))
    assert G.shape == (6, 8, 12)
    # Pixel by pixel, with complex numbers for the angles.
    for index, (s, o) in enumerate((s, o) for s in range(2) for o in range(3)):
        for row in range(8):
            for column in range(12):
                v = (row - 8 * (row >= 4)) / 8
                u = (column - 12 * (column >= 6)) / 12
                z = complex(u, v)
                if z == 0:
                    assert G[index, 0, 0] == 0
                    continue
                octaves = np.log(abs(z) * 4 * 1.5**s)
                turn = z * np.exp(-1j * np.pi * o / 3)
                angle = np.arctan2(turn.imag, turn.real)
                exponent = (octaves / np.log(0.55)) ** 2 + (
                    angle / (2 * np.pi / 9)
                ) ** 2
                assert np.isclose(G[index, row, column], np.exp(-exponent / 2))


def test_flat_images_have_no_response():
    for view in LogGabor().views(np.full((2, 16, 16), 7.0)).values():
        assert np.allclose(view, 0, atol=1e-12)


def test_a_wave_excites_its_own_filter_most():
    bank = LogGabor(wavelength=4.0)
    x = np.arange(32)
    # Twice the finest wavelength, along the columns, and along the rows.
    wave = np.cos(2 * np.pi * x / 8)
    images = np.stack([np.tile(wave, (32, 1)), np.tile(wave[:, None], (1, 32))])
    views = bank.views(images)
    for i, best in enumerate(["scale 2, 0°", "scale 2, 90°"]):
        energy = {name: float(np.mean(view[i])) for name, view in views.items()}
        assert max(energy, key=energy.__getitem__) == best
        # A wave's modulus is the same everywhere: half the amplitude, times G = 1.
        assert np.allclose(views[best][i], 0.5)


def test_shifted_images_have_shifted_responses():
    images = load_digits().images[:2]
    moved = np.roll(images, (3, 2), axis=(1, 2))
    views, other = LogGabor().views(images), LogGabor().views(moved)
    assert list(views) == LogGabor().names and len(views) == 24
    for name, view in views.items():
        rolled = np.roll(view.reshape(-1, 8, 8), (3, 2), axis=(1, 2)).reshape(2, -1)
        assert np.allclose(rolled, other[name])


@pytest.mark.parametrize(
    ("options", "message"),
    [({"scales": 0}, "at least one scale"), ({"wavelength": 1.0}, "wavelength ≥ 2")],
)
def test_filters_that_cannot_be(options, message):
    with pytest.raises(ValueError, match=message):
        LogGabor(**options)


def test_images_must_be_grey():
    with pytest.raises(ValueError, match="grey images"):
        LogGabor().views(np.zeros((8, 8)))


def test_digits_have_48_kernels():
    task = images.digits_task(0)
    assert task.K.shape == (48, 179, 179) and len(task.y_test) == 1618
    # Two widths of a view: the square of one is the other.
    assert np.allclose(task.K[0], task.K[1] ** 2)


def test_learned_weights_beat_single_kernels_on_digits():
    cells = {c.row: c.value for c in images.run_images(0, every=8)}
    assert cells["SILP_θ"] > cells["best kernel alone"] > cells["worst kernel alone"]
    best, worst = cells["best kernel alone"], cells["worst kernel alone"]
    assert worst < cells["mean of the kernels alone"] < best
