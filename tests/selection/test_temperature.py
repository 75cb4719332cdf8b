"""One temperature: the smallest log-loss, and the same classes."""

import numpy as np
import pytest
from scipy.special import log_softmax

from kernelweave.selection.temperature import LEAST, fit_temperature

RNG = np.random.default_rng(0)


def log_loss(scores, labels):
    return -log_softmax(scores, axis=1)[np.arange(len(labels)), labels].mean()


@pytest.mark.parametrize("truth", [0.05, 0.3, 0.8])
def test_it_has_the_smallest_log_loss(truth):
    scores = 5 * RNG.standard_normal((4000, 3))
    chances = np.exp(log_softmax(truth * scores, axis=1))
    labels = np.array([RNG.choice(3, p=p) for p in chances])
    T = fit_temperature(scores, labels)
    assert pytest.approx(truth, rel=0.15) == T
    best = min(log_loss(t * scores, labels) for t in np.linspace(LEAST, 1, 200))
    assert log_loss(T * scores, labels) <= best + 1e-9


def test_certainty_is_not_learned_from_samples_that_are_all_right():
    scores = RNG.standard_normal((50, 3))
    assert fit_temperature(scores, scores.argmax(axis=1)) == 1.0


def test_scores_that_mislead_are_not_believed():
    scores = 100 * RNG.standard_normal((50, 3))
    assert fit_temperature(scores, scores.argmin(axis=1)) == LEAST


def test_a_constant_a_row_does_not_matter():
    scores, labels = 4 * RNG.standard_normal((80, 3)), RNG.integers(0, 3, 80)
    T = fit_temperature(scores, labels)
    moved = scores + 1e3 * RNG.standard_normal((80, 1))
    assert fit_temperature(moved, labels) == pytest.approx(T, rel=1e-4)


def test_classes_that_cannot_be():
    scores, labels = 9 * RNG.standard_normal((80, 3)), RNG.integers(0, 2, 80)
    scores[:, 2] = -np.inf
    T = fit_temperature(scores, labels)
    assert pytest.approx(fit_temperature(scores[:, :2], labels), rel=1e-5) == T
    with pytest.raises(ValueError, match="−∞"):
        fit_temperature(scores, np.full(80, 2))
