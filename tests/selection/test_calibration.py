"""Temperature and offsets: the smallest penalised log-loss."""

from dataclasses import astuple

import numpy as np
import pytest
from scipy.special import log_softmax

from kernelweave.selection import calibration
from kernelweave.selection.calibration import LEAST, PENALTY, calibrate

RNG = np.random.default_rng(0)


def loss(T, b, scores, labels):
    chances = log_softmax(T * scores + b, axis=1)
    penalty = PENALTY / len(b)
    return -chances[np.arange(len(labels)), labels].sum() + penalty / 2 * b @ b


def drawn(T, b, n=4000):
    scores = 5 * RNG.standard_normal((n, 3))
    chances = np.exp(log_softmax(T * scores + b, axis=1))
    return scores, np.array([RNG.choice(3, p=p) for p in chances])


@pytest.mark.parametrize("truth", [0.05, 0.3, 0.8])
def test_it_finds_what_was_there(truth):
    b = np.array([0.5, -0.5, 0.0])
    scores, labels = drawn(truth, b)
    found = calibrate(scores, labels)
    assert found.temperature == pytest.approx(truth, rel=0.15)
    np.testing.assert_allclose(found.offsets - found.offsets.mean(), b, atol=0.15)


@pytest.mark.parametrize("n", [20, 300])
def test_nothing_near_is_better(n):
    scores, labels = drawn(0.4, np.array([1.0, 0.0, -1.0]), n)
    found = calibrate(scores, labels)
    best = loss(found.temperature, found.offsets, scores, labels)
    for _ in range(30):
        T = np.clip(found.temperature * np.exp(0.1 * RNG.standard_normal()), LEAST, 1)
        b = found.offsets + 0.1 * RNG.standard_normal(3)
        assert loss(T, b, scores, labels) >= best - 1e-9 * abs(best)


def test_newton_ends_in_few_evaluations(monkeypatch):
    for n in [15, 40, 300] * 10:
        scores, labels = drawn(0.4, np.array([0.5, 0.0, -0.5]), n)
        found = {}
        for most in (3, 29, 200):
            monkeypatch.setattr(calibration, "MOST_EVALUATIONS", most)
            found[most] = np.append(*astuple(calibrate(scores, labels)))
        # It ended by itself, and not at once.
        assert np.array_equal(found[29], found[200])
        assert not np.array_equal(found[3], found[29])


def test_certainty_is_not_learned_from_samples_that_are_all_right():
    scores = RNG.standard_normal((50, 3))
    assert calibrate(scores, scores.argmax(axis=1)).temperature == pytest.approx(1)


def test_scores_that_mislead_are_not_believed():
    scores = 100 * RNG.standard_normal((50, 3))
    found = calibrate(scores, scores.argmin(axis=1))
    assert found.temperature == pytest.approx(LEAST)


def test_few_samples_move_no_border_far():
    scores = np.zeros((4, 2))
    found = calibrate(scores, np.array([0, 0, 0, 1]))
    assert 0 < found.offsets[0] < 0.2


def test_a_constant_a_row_and_the_order_do_not_matter():
    scores, labels = drawn(0.5, np.zeros(3), 80)
    one = calibrate(scores, labels)
    order = RNG.permutation(80)
    moved = scores + 1e3 * RNG.standard_normal((80, 1))
    other = calibrate(moved[order], labels[order])
    assert other.temperature == pytest.approx(one.temperature, rel=1e-3)
    np.testing.assert_allclose(other.offsets, one.offsets, atol=1e-4)


def test_scores_of_any_size():
    scores, labels = drawn(0.5, np.zeros(3), 200)
    large = calibrate(1e3 * scores, labels)
    direct = calibrate(20 * scores, labels)
    assert large.temperature == pytest.approx(LEAST)
    expected = calibrate(scores, labels).temperature / 20
    assert direct.temperature == pytest.approx(expected, rel=1e-3)
    assert np.isfinite(calibrate(np.zeros((5, 2)), np.zeros(5, int)).temperature)


def test_classes_that_cannot_be():
    scores, labels = 9 * RNG.standard_normal((80, 3)), RNG.integers(0, 2, 80)
    scores[:, 2] = -np.inf
    found = calibrate(scores, labels)
    alone = calibrate(scores[:, :2], labels)
    assert found.temperature == pytest.approx(alone.temperature, rel=1e-3)
    np.testing.assert_allclose(found.offsets[:2], alone.offsets, atol=1e-4)
    with pytest.raises(ValueError, match="−∞"):
        calibrate(scores, np.full(80, 2))
