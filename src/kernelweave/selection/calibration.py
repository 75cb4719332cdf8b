"""How far scores of classes are to be believed, by left-out samples.

    P(c | x) = softmax(T·s(x) + b)_c,
    T, b = argmin_{0 < T ≤ 1, b} −Σ_i log softmax(T·s_i + b)_{y_i} + ρ‖b‖²/2

with s_i the scores of sample i by a model that was made without it. Scores of a
Gaussian model say too much where classes have other shapes than Gaussians: T < 1
moderates them, and the offsets b move the borders between classes. More than T = 1 is
never learned: samples that are all told apart would ask for certainty. The penalty
keeps offsets small that few samples speak for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import softmax

from ..grams.base import Array

# The least that T may be, where scores tell nothing of the classes.
LEAST = 0.01

# ρ: an offset of 1 costs as much as 15 nats of the log-loss, added up over the samples.
PENALTY = 30.0


@dataclass(frozen=True)
class Calibration:
    """T and b (n_classes,): scores s become T·s + b."""

    temperature: float
    offsets: Array


def calibrate(scores: Array, labels: Array) -> Calibration:
    """T and b of the smallest penalised log-loss, which is convex in both.

    Parameters
    ----------
    scores : ndarray (n, n_classes)
        Of samples that had no part in their own; log-probabilities up to a constant
        a row. −∞ is a class that cannot be.
    labels : ndarray of int (n,)

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
    # In units in which scores are about one, T and b are alike to the minimiser.
    unit = float(np.sqrt(np.mean(known**2))) or 1.0
    n, k = scores.shape

    def penalised(x: Array) -> tuple[float, Array]:
        logits = np.where(possible, x[0] / unit * known + x[1:], -np.inf)
        logits = logits - np.max(logits, axis=1, keepdims=True)
        chances = softmax(logits, axis=1)
        loss = np.sum(np.log(np.sum(np.exp(logits), axis=1)) - logits[rows, labels])
        off = chances.copy()
        off[rows, labels] -= 1
        slopes = np.append(
            np.sum(off * known) / unit, off.sum(axis=0) + PENALTY * x[1:]
        )
        return (loss + PENALTY / 2 * float(x[1:] @ x[1:])) / n, slopes / n

    found = minimize(
        penalised,
        np.append(min(1.0, unit), np.zeros(k)),
        jac=True,
        method="L-BFGS-B",
        bounds=[(LEAST * unit, unit), *[(None, None)] * k],
        options={"ftol": 1e-12, "gtol": 1e-8, "maxiter": 500},
    )
    return Calibration(float(found.x[0] / unit), found.x[1:])
