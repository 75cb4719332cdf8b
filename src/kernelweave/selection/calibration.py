"""How far scores of classes are to be believed, by left-out samples.

    P(c | x) = softmax(T·s(x) + b)_c,
    T, b = argmin_{0 < T ≤ 1, b} −Σ_i v_i log softmax(T·s_i + b)_{y_i} + ρ‖b‖²/(2k)

with v_i the weight of sample i, one on average, s_i its scores by a model that was made
without it, and k the number of classes that can be. Scores of a Gaussian model say too
much where classes have other shapes than Gaussians: T < 1 moderates them, and the
offsets b move the borders between classes. More than T = 1 is never learned: samples
that are all told apart would ask for certainty. The penalty keeps offsets small that
few samples speak for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..grams.base import Array

# The least that T may be, where scores tell nothing of the classes.
LEAST = 0.01

# ρ: with k classes an offset of 1 costs as much as 30/k nats of the log-loss, added up
# over the samples. Of many classes each has few samples, so that a cost that did not
# fall with k would leave offsets at zero that its samples speak for.
PENALTY = 60.0

# Newton's method ends when a step promises less than this share of the loss, or after
# so many evaluations of it.
ENOUGH = 1e-20
MOST_EVALUATIONS = 200

# The loss of one sample or many is off by about this share of itself.
ROUNDING = 1e-15


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
    >>> from scipy.special import softmax
    >>> scores = 10.0 * np.eye(2)[[0, 0, 0, 1, 1, 1, 1, 0]]
    >>> found = calibrate(scores, np.array([0, 0, 0, 0, 1, 1, 1, 1]))
    >>> round(float(softmax(found.temperature * scores[0] + found.offsets)[0]), 3)
    0.75
    """
    possible = np.isfinite(scores)
    n, rows, all_possible = len(labels), np.arange(len(labels)), possible.all()
    if not possible[rows, labels].all():
        raise ValueError("a sample is of a class whose score is −∞")
    s = np.where(possible, scores - np.max(scores, axis=1, keepdims=True), 0.0)
    weights = np.ones(n) if v is None else v * (n / np.sum(v))
    w, penalty = weights[:, None], PENALTY / np.sum(possible.any(axis=0))
    x = np.append(1.0, np.zeros(scores.shape[1]))
    value, slopes, step, length = np.inf, 0 * x, 0 * x, 1.0
    for _ in range(MOST_EVALUATIONS):
        # x = (T, b) is where we are, `new` where Newton's step leads, or a part of it.
        new = x + length * step
        new[0] = min(max(new[0], LEAST), 1.0)
        logits = new[0] * s + new[1:]
        if not all_possible:
            logits[~possible] = -np.inf
        # SciPy's log_softmax does the same; its checks take longer than 100 rows.
        logs = logits - np.max(logits, axis=1, keepdims=True)
        logs -= np.log(np.sum(np.exp(logs), axis=1, keepdims=True))
        chances, own = np.exp(logs), -logs[rows, labels]
        loss = float(weights @ own) + penalty / 2 * float(new[1:] @ new[1:])
        # Near the optimum the loss falls by less than its own rounding.
        if loss > value + 1e-4 * slopes @ (new - x) + ROUNDING * (1 + loss):
            length /= 2
            continue
        off = chances.copy()
        off[rows, labels] -= 1
        off *= w
        weighed = w * chances
        spread = s - np.sum(chances * s, axis=1, keepdims=True)
        x, value, length = new, loss, 1.0
        slopes = np.append(np.sum(off * s), off.sum(axis=0) + penalty * x[1:])
        curvature = np.empty((len(x), len(x)))
        # Where no sample leaves a doubt there is no curvature: T moves by 1 at most.
        least = max(abs(slopes[0]), np.finfo(float).tiny)
        curvature[0, 0] = max(np.sum(weighed * spread**2), least)
        curvature[0, 1:] = curvature[1:, 0] = np.sum(weighed * spread, axis=0)
        curvature[1:, 1:] = np.diag(weighed.sum(axis=0) + penalty) - weighed.T @ chances
        free = np.ones(len(x), dtype=bool)
        free[0] = not (x[0] == 1.0 and slopes[0] <= 0) and not (
            x[0] == LEAST and slopes[0] >= 0
        )
        step = np.zeros(len(x))
        step[free] = -np.linalg.solve(curvature[np.ix_(free, free)], slopes[free])
        if -slopes @ step <= ENOUGH * (1 + value):
            break
    return Calibration(float(x[0]), x[1:])
