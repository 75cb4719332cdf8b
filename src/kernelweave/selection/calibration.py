"""How far scores of classes are to be believed, by left-out samples.

    P(c | x) = softmax(T·s(x) + b)_c,
    T, b = argmin_{0 < T ≤ 1, b} −Σ_i v_i log softmax(T·s_i + b)_{y_i} + ρ‖b‖²/2

with v_i the weight of sample i, one on average, and s_i its scores by a model that was
made without it. Scores of a Gaussian model say too much where classes have other shapes
than Gaussians: T < 1 moderates them, and the offsets b move the borders between
classes. More than T = 1 is never learned: samples that are all told apart would ask for
certainty. The penalty keeps offsets small that few samples speak for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp, softmax

from ..grams.base import Array

# The least that T may be, where scores tell nothing of the classes.
LEAST = 0.01

# ρ: an offset of 1 costs as much as 15 nats of the log-loss, added up over the samples.
PENALTY = 30.0

# Newton's method ends when a step promises less than this share of the loss.
ENOUGH = 1e-20
MOST_STEPS = 100


@dataclass(frozen=True)
class Calibration:
    """T and b (n_classes,): scores s become T·s + b."""

    temperature: float
    offsets: Array


def calibrate(scores: Array, labels: Array, v: Array | None = None) -> Calibration:
    """T and b of the smallest penalised log-loss, which is convex in both.

    Parameters
    ----------
    scores : ndarray (n, n_classes)
        Of samples that had no part in their own; log-probabilities up to a constant
        a row. −∞ is a class that cannot be.
    labels : ndarray of int (n,)
    v : ndarray (n,), optional
        Weights of the samples, of which only the ratios matter.

    Examples
    --------
    Certain of all, and wrong with one in four, whatever the class:

    >>> import numpy as np
    >>> scores = 10.0 * np.eye(2)[[0, 0, 0, 1, 1, 1, 1, 0]]
    >>> found = calibrate(scores, np.array([0, 0, 0, 0, 1, 1, 1, 1]))
    >>> round(float(softmax(found.temperature * scores[0] + found.offsets)[0]), 3)
    0.75
    """
    possible = np.isfinite(scores)
    rows = np.arange(len(labels))
    if not possible[rows, labels].all():
        raise ValueError("a sample is of a class whose score is −∞")
    top = np.max(scores, axis=1, keepdims=True)
    known = np.where(possible, scores - top, 0.0)
    share = np.ones(len(labels)) if v is None else v * (len(v) / np.sum(v))
    at = _Loss(known, possible, labels, share[:, None])
    x, here = np.append(1.0, np.zeros(scores.shape[1])), None
    for _ in range(MOST_STEPS):
        here = at(x) if here is None else here
        value, slopes, curvature = here
        free = np.ones(len(x), dtype=bool)
        free[0] = not (x[0] == 1.0 and slopes[0] <= 0) and not (
            x[0] == LEAST and slopes[0] >= 0
        )
        step = np.zeros(len(x))
        step[free] = -np.linalg.solve(curvature[np.ix_(free, free)], slopes[free])
        if -slopes @ step <= ENOUGH * (1 + value):
            break
        new = x
        for halving in range(60):
            new = x + 0.5**halving * step
            new[0] = np.clip(new[0], LEAST, 1.0)
            here = at(new)
            if here[0] <= value + 1e-4 * slopes @ (new - x):
                break
        x = new
    return Calibration(float(x[0]), x[1:])


@dataclass(frozen=True)
class _Loss:
    """The penalised log-loss at x = (T, b), its gradient and its Hessian."""

    known: Array
    possible: Array
    labels: Array
    v: Array

    def __call__(self, x: Array) -> tuple[float, Array, Array]:
        s, rows = self.known, np.arange(len(self.labels))
        logits = np.where(self.possible, x[0] * s + x[1:], -np.inf)
        chances = softmax(logits, axis=1)
        own = logsumexp(logits, axis=1) - logits[rows, self.labels]
        loss = float(self.v[:, 0] @ own)
        off = chances.copy()
        off[rows, self.labels] -= 1
        off *= self.v
        weighed = self.v * chances
        spread = s - np.sum(chances * s, axis=1, keepdims=True)
        slopes = np.append(np.sum(off * s), off.sum(axis=0) + PENALTY * x[1:])
        curvature = np.empty((len(x), len(x)))
        # Where no sample leaves a doubt there is no curvature: T moves by 1 at most.
        least = max(abs(slopes[0]), np.finfo(float).tiny)
        curvature[0, 0] = max(np.sum(weighed * spread**2), least)
        curvature[0, 1:] = curvature[1:, 0] = np.sum(weighed * spread, axis=0)
        curvature[1:, 1:] = np.diag(weighed.sum(axis=0) + PENALTY) - weighed.T @ chances
        return loss + PENALTY / 2 * float(x[1:] @ x[1:]), slopes, curvature
