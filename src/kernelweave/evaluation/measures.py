"""Accuracy and R² as means over samples: of one contender, and of two compared."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal

import numpy as np
from sklearn.metrics import r2_score

from ..problem import Array
from .interval import Interval, sample_interval


@dataclass(frozen=True)
class Gain(Interval):
    """How much better the combination is than another row of the comparison.

    Attributes
    ----------
    mean, low, high : float
        Of the difference of the two scores.
    better, worse : int
        Samples that the combination predicts better, and worse: in more or fewer of the
        repetitions right, or with the smaller or larger squared error.
    """

    better: int
    worse: int


class Measure(ABC):
    """A score that is 1 − Σ_i loss_i / constant, with the losses of the n samples.

    Losses are arrays (repeats, n, outputs).
    """

    metric: Literal["accuracy", "R²"]

    @abstractmethod
    def loss(self, truth: Array, predicted: Array) -> Array:
        """(m, outputs), for samples of one fold."""

    @abstractmethod
    def fold_score(self, truth: Array, predicted: Array) -> float: ...

    @abstractmethod
    def score(self, losses: Array, cv: int) -> Interval:
        """Of one contender."""

    @abstractmethod
    def gain(self, losses: Array, others: Array, cv: int) -> Interval:
        """The score of one contender less that of another."""

    def compare(self, losses: Array, others: Array, cv: int) -> Gain:
        """The gain of one contender over another, and the samples that show it."""
        gain = self.gain(losses, others, cv)
        less = np.sum(others, axis=(0, 2)) - np.sum(losses, axis=(0, 2))
        better, worse = int(np.sum(less > 0)), int(np.sum(less < 0))
        return Gain(gain.mean, gain.low, gain.high, better, worse)


class Accuracy(Measure):
    """The share of samples that are right; the loss is 1 for a wrong one."""

    metric = "accuracy"

    def loss(self, truth: Array, predicted: Array) -> Array:
        return np.asarray(truth != predicted, dtype=float)[:, None]

    def fold_score(self, truth: Array, predicted: Array) -> float:
        return float(np.mean(truth == predicted))

    def score(self, losses: Array, cv: int) -> Interval:
        # Agresti and Coull imagine two samples that are right, and two wrong.
        return _cut(sample_interval(1 - losses[..., 0], [0, 0, 1, 1], cv), 0.0)

    def gain(self, losses: Array, others: Array, cv: int) -> Interval:
        gain = others[..., 0] - losses[..., 0]
        return _cut(sample_interval(gain, _for_and_against(1.0), cv), -1.0)


class RSquared(Measure):
    """1 − Σ_i (y_i − f_i)² / Σ_i (y_i − ȳ)² over all samples; the mean over outputs.

    The R² of small folds is lower on average than that of many new samples, because
    each fold divides by the variance of its own few targets. That of all samples is
    not.

    Parameters
    ----------
    y : array (n,) or (n, outputs)
        The targets of the samples that are scored.
    """

    metric = "R²"

    def __init__(self, y: Array):
        y = np.asarray(y, dtype=float).reshape(len(y), -1)
        self.deviations = (y - np.mean(y, axis=0)) ** 2
        self.total = np.sum(self.deviations, axis=0)
        # Σ_{l≠i} (y_l − ȳ_(−i))², with the mean of the others.
        n = len(y)
        self.without = self.total - self.deviations * n / (n - 1)
        for i, j in np.argwhere(self.without <= 1e-12 * self.total)[:1]:
            others = np.delete(y[:, j], i)
            if np.ptp(others) > 1e-12 * np.max(np.abs(others)):
                raise ValueError(
                    f"the target is {y[i, j]:.6g} in one row, and between "
                    f"{np.min(others):.6g} and {np.max(others):.6g} in all others, "
                    "which R² would not see: correct it, or leave the row out"
                )
            raise ValueError(
                "the target has the same value in all rows, or in all but one: there "
                "is nothing to evaluate"
            )

    def loss(self, truth: Array, predicted: Array) -> Array:
        return ((truth - predicted) ** 2).reshape(len(truth), -1)

    def fold_score(self, truth: Array, predicted: Array) -> float:
        return float(r2_score(truth, predicted))

    def score(self, losses: Array, cv: int) -> Interval:
        # R² is what the contender gains over the mean target.
        mean = np.broadcast_to(self.deviations, losses.shape)
        return _cut(self.gain(losses, mean, cv), -np.inf)

    def gain(self, losses: Array, others: Array, cv: int) -> Interval:
        # An imagined sample differs by the mean loss of the two.
        variance = self.total / len(self.without)
        unit = float(np.mean((losses + others) / 2 / variance))
        values = self._values(others - losses)
        return sample_interval(values, _for_and_against(unit), cv)

    def _values(self, gain: Array) -> Array:
        """D + (n − 1)·(mean of all D_(−l) − D_(−i)): the jackknife's value of sample i.

        D = Σ_i gain_i / Σ_i (y_i − ȳ)² is the difference, D_(−i) that without sample i.
        """
        n = gain.shape[1]
        sums = np.sum(gain, axis=1, keepdims=True)
        left_out = (sums - gain) / self.without
        values = sums / self.total + (n - 1) * (
            np.mean(left_out, axis=1, keepdims=True) - left_out
        )
        return np.mean(values, axis=2)


def _for_and_against(unit: float) -> list[float]:
    """Two imagined samples, with the mean and the squares of Agresti and Min's.

    Theirs are four halves of a sample: unit for one contender, unit for the other, and
    twice no difference.
    """
    return [-unit / np.sqrt(2), unit / np.sqrt(2)]


def _cut(interval: Interval, lowest: float) -> Interval:
    """The interval as far as the quantity can go: from `lowest` to 1."""
    low, high = max(interval.low, lowest), min(interval.high, 1.0)
    return Interval(interval.mean, low, high)
