"""Confidence intervals for scores of cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import t as student

LEVEL = 0.95


@dataclass(frozen=True)
class Interval:
    """A mean, and the interval low ≤ mean ≤ high of 95 % confidence around it."""

    mean: float
    low: float
    high: float


def corrected_interval(scores: Any, cv: int) -> Interval:
    """x̄ ± t √((1/J + n_test/n_train) s²): for scores of repeated cross-validation.

    Training sets of different splits overlap, so the J scores vary less than those of
    J independent experiments would, and s²/J is too small; n_test/n_train = 1/(cv − 1)
    corrects for it. t is the quantile of Student's distribution with J − 1 degrees of
    freedom.

    Parameters
    ----------
    scores : array-like (J,)
        One for each split, or differences of them.
    cv : int
        Folds of one repetition.

    References
    ----------
    Nadeau and Bengio (2003), Inference for the generalization error, Mach. Learn. 52.
    Bouckaert and Frank (2004), Evaluating the replicability of significance tests for
    comparing learning algorithms, PAKDD.

    Examples
    --------
    >>> interval = corrected_interval([0.9, 0.8, 0.9, 1.0], cv=4)
    >>> f"{interval.low:.3f} to {interval.high:.3f}"
    '0.702 to 1.098'
    """
    x = np.asarray(scores, dtype=float)
    J = len(x)
    spread = np.sqrt((1 / J + 1 / (cv - 1)) * np.var(x, ddof=1))
    half = float(student.ppf((1 + LEVEL) / 2, J - 1) * spread)
    mean = float(np.mean(x))
    return Interval(mean, mean - half, mean + half)
