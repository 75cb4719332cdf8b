"""Confidence intervals for scores of cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import t as student

from ..problem import Array

LEVEL = 0.95


@dataclass(frozen=True)
class Interval:
    """A mean, and the interval low ≤ mean ≤ high of 95 % confidence around it."""

    mean: float
    low: float
    high: float


def sample_interval(
    values: Any, imagined: Any, cv: float, single: Any = None
) -> Interval:
    """x̃ ± t √((v̄ + cv/(cv − 1)·v₁) / N): for a mean over the samples.

    v̄ is the variance of the samples' means over the repetitions, v₁ that of the samples
    in one repetition; x̃, v̄ and v₁ are taken with the imagined samples, N in all. t is
    the quantile of Student's distribution with n − 1 degrees of freedom.

    v̄/N is the variance due to the choice of the samples that are predicted. The second
    term is due to the choice of those that are learned from, which nearly all models
    have in common, so that neither folds nor repetitions show it: n_test/n_train =
    1/(cv − 1) of the variance of a fold's score, as Nadeau and Bengio have it. That
    variance is cv·v₁/n, because a fold's score is a mean over n/cv samples. Variances
    of folds themselves are not used: they are of a few numbers, which may agree by
    accident.

    The imagined samples keep the interval from having no width where all values are
    equal, and shift its centre towards their mean.

    Parameters
    ----------
    values : array-like (repeats, n)
        What a sample adds to the score, or to the difference of two, in each
        repetition; the score is the mean of all. Where samples come in groups, such as
        several of a patient, it is what a group adds: groups are drawn, not samples.
    imagined : array-like (m,)
        Values of the imagined samples.
    cv : float
        Folds of one repetition; of other splits n/(n − n_train).
    single : array-like (repeats, n), optional
        The values of one repetition, from which v₁ is taken, where `values` are means
        over several; by default `values`.

    References
    ----------
    Nadeau and Bengio (2003), Inference for the generalization error, Mach. Learn. 52.
    Agresti and Coull (1998), Approximate is better than "exact" for interval estimation
    of binomial proportions, Am. Stat. 52.
    Agresti and Min (2005), Simple improved confidence intervals for comparing matched
    proportions, Stat. Med. 24.

    Examples
    --------
    Five of 178 samples are right with one model only, none with the other only:

    >>> difference = np.repeat([1.0, 0.0], [5, 173])
    >>> interval = sample_interval([difference], [-0.7, 0.7], cv=5)
    >>> f"{interval.mean:.3f}: {interval.low:.3f} to {interval.high:.3f}"
    '0.028: -0.012 to 0.068'
    """
    x = _with_imagined(values, imagined)
    n = x.shape[1] - np.size(imagined)
    between = np.var(np.mean(x, axis=0))
    once = x if single is None else _with_imagined(single, imagined)
    within = np.mean(np.var(once, axis=1))
    spread = np.sqrt((between + cv / (cv - 1) * within) / x.shape[1])
    half = float(student.ppf((1 + LEVEL) / 2, n - 1) * spread)
    mean, centre = float(np.mean(x[:, :n])), float(np.mean(x))
    return Interval(mean, min(centre - half, mean), max(centre + half, mean))


def _with_imagined(values: Any, imagined: Any) -> Array:
    x = np.asarray(values, dtype=float)
    return np.hstack([x, np.tile(np.asarray(imagined, dtype=float), (len(x), 1))])


def corrected_interval(scores: Any, cv: int) -> Interval:
    """x̄ ± t √((1/J + n_test/n_train) s²): for scores of repeated cross-validation.

    Training sets of different splits overlap, so the J scores vary less than those of
    J independent experiments would, and s²/J is too small; n_test/n_train = 1/(cv − 1)
    corrects for it. t is the quantile of Student's distribution with J − 1 degrees of
    freedom.

    It says nothing where the scores agree by accident, as those of few samples do:
    where their predictions are known, use `sample_interval`, as `evaluate` does.

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
