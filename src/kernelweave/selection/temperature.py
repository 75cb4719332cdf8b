"""How far scores of classes are to be believed: one number, by left-out samples.

    P(c | x) = softmax(T·s(x))_c,   T = argmin_{0 < T ≤ 1} −Σ_i log softmax(T·s_i)_{y_i}

with s_i the scores of sample i by a model that was made without it.

Scores of a Gaussian model say too much where classes have other shapes than Gaussians.
T < 1 moderates them and keeps their order, so predicted classes stay as they are.
More than 1 is never learned: samples that are all told apart would ask for certainty.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq
from scipy.special import softmax

from ..grams.base import Array

# The least that T may be, where scores tell nothing of the classes.
LEAST = 0.01


def fit_temperature(scores: Array, labels: Array) -> float:
    """T of the smallest log-loss, which is convex in T.

    Parameters
    ----------
    scores : ndarray (n, n_classes)
        Of samples that had no part in their own; log-probabilities up to a constant
        a row. −∞ is a class that cannot be.
    labels : ndarray of int (n,)

    Examples
    --------
    Certain of all, and wrong with one in four:

    >>> import numpy as np
    >>> scores = 10.0 * np.eye(2)[[0, 0, 0, 1]]
    >>> T = fit_temperature(scores, np.array([0, 0, 0, 0]))
    >>> round(float(softmax(T * scores[0])[0]), 3)
    0.75
    """
    possible = np.isfinite(scores)
    known = np.where(possible, scores, 0.0)
    top = np.max(np.where(possible, known, -np.inf), axis=1, keepdims=True)
    known, own = known - top, np.arange(len(labels))
    if not possible[own, labels].all():
        raise ValueError("a sample is of a class whose score is −∞")

    def slope(T: float) -> float:
        """∂/∂T of the log-loss: Σ_i(E_T[s_i] − s_iy)."""
        chances = softmax(np.where(possible, T * known, -np.inf), axis=1)
        return float(np.sum(chances * known) - np.sum(known[own, labels]))

    if slope(1.0) <= 0:
        return 1.0
    if slope(LEAST) >= 0:
        return LEAST
    return float(brentq(slope, LEAST, 1.0, xtol=1e-6))
