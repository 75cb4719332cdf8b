"""What few left-out samples may say: sides of the projection, and certainty."""

import numpy as np
import pytest

from kernelweave.estimators.gaussian import class_gaussians
from kernelweave.estimators.moderation import CHANGED, kept_offsets
from kernelweave.losses import discriminant_targets
from kernelweave.selection.calibration import calibrate

RNG = np.random.default_rng(0)


def _changed(linear, offsets, kappa):
    return linear.argmax(axis=1) != (linear + kappa * offsets).argmax(axis=1)


def _drawn(k, n=60):
    """T⟨z, μ_c⟩ that tell nothing, offsets that give most samples to class 0."""
    offsets = np.append(1.0, np.linspace(-0.5, 0, k - 1))
    return RNG.standard_normal((n, k)), offsets, RNG.integers(k, size=n)


@pytest.mark.parametrize("k", [2, 3, 6])
def test_a_third_changes_side_at_most(k):
    linear, offsets, labels = _drawn(k)
    offsets = 5 * offsets
    assert _changed(linear, offsets, 1).mean() > CHANGED
    kappa = kept_offsets(linear, offsets, labels)
    assert 0 < kappa < 1
    assert _changed(linear, offsets, kappa * (1 - 1e-9)).mean() <= CHANGED
    # No smaller than need be.
    assert _changed(linear, offsets, kappa * (1 + 1e-9)).mean() > CHANGED


def test_offsets_that_move_few_samples_stay():
    linear, offsets, labels = _drawn(3)
    assert kept_offsets(linear, 0.01 * offsets, labels) == 1


def test_offsets_that_are_clearly_right_stay():
    # One sample in twenty is of class 1, on either side of a projection of noise.
    z = RNG.standard_normal(200)
    linear, offsets = np.column_stack([-z, z]), np.array([10.0, 0.0])
    labels = 1 * (np.arange(200) % 20 == 0)
    z[:110] = abs(z[:110])
    linear = np.column_stack([-z, z])
    assert _changed(linear, offsets, 1).mean() > CHANGED
    assert kept_offsets(linear, offsets, labels) == 1
    assert kept_offsets(linear, offsets, 1 * (np.arange(200) % 2 == 0)) < 1


def test_weights_are_repetitions():
    linear, offsets, labels = _drawn(3, 25)
    v = RNG.integers(1, 4, size=25)
    again = [np.repeat(x, v, axis=0) for x in (linear, labels)]
    one = kept_offsets(linear, 5 * offsets, labels, v)
    assert one == pytest.approx(kept_offsets(again[0], 5 * offsets, again[1]))
    assert one < 1


def _few(n=20):
    """Left-out projections that say nothing, for classes of three to two."""
    labels = np.repeat([0, 1], [12, 8])
    H = discriminant_targets(labels, 2)
    f = RNG.standard_normal((n, 1))
    # Most are on the side of the smaller class, whichever their own.
    f = np.where(np.arange(n)[:, None] % 4 > 0, abs(f), -abs(f))
    return f - 0.1 * H, H, labels


def test_few_samples_do_not_give_all_to_the_larger_class():
    for _ in range(20):
        f, H, labels = _few()
        found = class_gaussians((f, H), labels, 2)
        z = found.transform(f)[:, 0]
        taken = found.scores(f).argmax(axis=1)
        assert np.mean(taken != (z > 0)) <= CHANGED + 1 / len(f)


def test_few_samples_are_believed_less():
    labels = np.repeat([0, 1], 15)
    H = discriminant_targets(labels, 2)
    f = H + RNG.standard_normal((30, 1))
    found = class_gaussians((f, H), labels, 2)
    plain = type(found)(
        found.origin, found.scalings, found.means, found.log_prior, found.counts
    )
    chosen = calibrate(plain.plain_scores(f), labels)
    expected = chosen.temperature * plain.plain_scores(f) + chosen.offsets
    assert found.plain_scores(f) == pytest.approx(expected * 30 / 40)
