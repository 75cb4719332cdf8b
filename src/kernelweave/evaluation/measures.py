"""Scores of left-out predictions, and what every sample, or group, adds to them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from sklearn.metrics import r2_score

from ..problem import Array
from .interval import Interval, sample_interval
from .left_out import LeftOut


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
    """A score of left-out predictions; more is better.

    Attributes
    ----------
    name : str
    negative : bool
        Whether the score is minus an error, which is what users are shown.
    least : float
        The score that nothing can be worse than.
    most : float
    """

    name: str
    negative: bool = False
    least: float = 0.0
    most: float = 1.0

    @abstractmethod
    def plain(self, answers: LeftOut) -> float:
        """The score of all tests together; NaN where it is not defined."""

    @abstractmethod
    def values(self, answers: LeftOut) -> Array:
        """The jackknife's value of every unit: S + (U − 1)(mean of S_(−l) − S_(−u)).

        S is the score, S_(−u) that without the samples of unit u. For a mean of single
        samples it is what the sample adds to it.
        """

    @abstractmethod
    def weight(self, *answers: LeftOut) -> float:
        """How far a sample that is right is from one that is wrong, in `values`."""

    def score(self, answers: LeftOut, cv: float) -> Interval:
        """The interval of one contender, cut to the values that the score can take."""
        values, single = self._values(answers)
        w = self.weight(answers)
        # Agresti and Coull imagine two samples that are right, and two wrong.
        imagined = self._middle(values) + w * np.array([-0.5, -0.5, 0.5, 0.5])
        interval = sample_interval(values, imagined, cv, single)
        low, high = max(interval.low, self.least), min(interval.high, self.most)
        return Interval(interval.mean, low, high)

    def gain(self, answers: LeftOut, others: LeftOut, cv: float) -> Gain:
        """The score of one contender less that of another, with what shows it."""
        (one, once), (two, twice) = self._values(answers), self._values(others)
        w = self.weight(answers, others) / np.sqrt(2)
        # Agresti and Min imagine four halves of a sample: one for each contender, and
        # two that differ in nothing. These two have the same mean and squares.
        interval = sample_interval(one - two, [-w, w], cv, once - twice)
        widest = self.most - self.least
        less = others.losses() - answers.losses()
        return Gain(
            interval.mean,
            max(interval.low, -widest),
            min(interval.high, widest),
            int(np.sum(less > 0)),
            int(np.sum(less < 0)),
        )

    def _middle(self, values: Array) -> float:
        """Where imagined samples stand: half-way from the worst score to the best."""
        ends = self.least, self.most
        return float(np.mean(ends if np.isfinite(ends).all() else values))

    def _values(self, answers: LeftOut) -> tuple[Array, Array]:
        """`values` (repeats, U) of every repetition, and those of single ones.

        Of splits that are no repetitions, all tests together and the first of every
        sample.
        """
        times = answers.times
        if np.ptp(times):
            first = answers.part(answers.repetition == 0)
            return self.values(answers)[None], self.values(first)[None]
        parts = [answers.part(answers.repetition == t) for t in range(times[0])]
        values = np.stack([self.values(part) for part in parts])
        return values, values


def jackknife(score: float, without: Array) -> Array:
    """S + (U − 1)(mean of S_(−l) − S_(−u)) from S and S_(−u), u = 1..U."""
    return score + (len(without) - 1) * (np.mean(without) - without)


def unit_sums(answers: LeftOut, x: Array) -> Array:
    """Sums over the tests of each unit, (U,)."""
    units = answers.units[answers.sample]
    return np.bincount(units, x, minlength=int(answers.units.max()) + 1)


class Accuracy(Measure):
    """The share of samples that are right."""

    name = "accuracy"

    def plain(self, answers: LeftOut) -> float:
        return float(np.mean(~answers.wrong))

    def values(self, answers: LeftOut) -> Array:
        right = unit_sums(answers, (~answers.wrong).astype(float))
        sizes = unit_sums(answers, np.ones(len(answers.sample)))
        without = (right.sum() - right) / (sizes.sum() - sizes)
        return jackknife(right.sum() / sizes.sum(), without)

    def weight(self, *answers: LeftOut) -> float:
        return 1.0


class BalancedAccuracy(Measure):
    """The mean over the classes of the share of their samples that are right."""

    name = "balanced accuracy"

    def plain(self, answers: LeftOut) -> float:
        truth, right = answers.truth[answers.sample], ~answers.wrong
        return float(np.mean([np.mean(right[truth == c]) for c in np.unique(truth)]))

    def values(self, answers: LeftOut) -> Array:
        truth, right = answers.truth[answers.sample], ~answers.wrong
        recalls, without = [], []
        for c in np.unique(truth):
            of = (truth == c).astype(float)
            rights, sizes = unit_sums(answers, of * right), unit_sums(answers, of)
            recalls.append(rights.sum() / sizes.sum())
            left = sizes.sum() - sizes
            # A class that is in one unit only has no recall without it.
            with np.errstate(invalid="ignore", divide="ignore"):
                without.append((rights.sum() - rights) / left)
        return jackknife(float(np.mean(recalls)), np.nanmean(without, axis=0))

    def weight(self, *answers: LeftOut) -> float:
        # A sample of class c counts n/(k n_c).
        counts = np.unique(answers[0].truth, return_counts=True)[1]
        return float(np.sqrt(np.mean((counts.sum() / (len(counts) * counts)) ** 2)))


class RSquared(Measure):
    """1 − Σ_i (y_i − f_i)² / Σ_i (y_i − ȳ)² over all samples; the mean over outputs.

    The R² of small folds is lower on average than that of many new samples, because
    each fold divides by the variance of its own few targets. That of all samples is
    not.
    """

    name = "R²"
    least = -np.inf

    def plain(self, answers: LeftOut) -> float:
        truth = answers.truth[answers.sample]
        if len(truth) < 2:
            return np.nan
        return float(r2_score(truth, answers.predicted))

    def values(self, answers: LeftOut) -> Array:
        y, errors = _columns(answers)
        sizes = unit_sums(answers, np.ones(len(y)))
        found = []
        for t, e in zip((y - y.mean(axis=0)).T, errors.T, strict=True):
            loss, sums = unit_sums(answers, e), unit_sums(answers, t)
            squares = unit_sums(answers, t**2)
            total = squares.sum()
            # Σ_{i∉u}(y_i − ȳ_(−u))², with Σ_i y_i = 0.
            rest = total - squares - sums**2 / (len(y) - sizes)
            if np.min(rest) <= 1e-12 * total:
                raise ValueError(
                    "the target varies within one group only: there is nothing to "
                    "evaluate with these groups"
                )
            without = 1 - (loss.sum() - loss) / rest
            found.append(jackknife(1 - loss.sum() / total, without))
        return np.mean(found, axis=0)

    def weight(self, *answers: LeftOut) -> float:
        # An imagined sample differs by the mean loss of the contenders, twice that if
        # there is one, who is compared with the mean target.
        shares = []
        for one in answers:
            y, errors = _columns(one)
            shares.append(np.mean(errors / np.var(y, axis=0)))
        return float(np.mean(shares if len(shares) > 1 else [*shares, 1.0]))


def _columns(answers: LeftOut) -> tuple[Array, Array]:
    """Targets and squared errors of the tests, (m, outputs)."""
    y = answers.truth[answers.sample].reshape(len(answers.sample), -1)
    return y, (y - answers.predicted.reshape(y.shape)) ** 2


def refuse_hiding(y: Array) -> None:
    """Refuse targets that are constant but for one row, or hidden by it.

    Parameters
    ----------
    y : array (n,) or (n, outputs)
    """
    y = np.asarray(y, dtype=float).reshape(len(y), -1)
    deviations = (y - np.mean(y, axis=0)) ** 2
    total = np.sum(deviations, axis=0)
    # Σ_{l≠i} (y_l − ȳ_(−i))², with the mean of the others.
    n = len(y)
    without = total - deviations * n / (n - 1)
    for i, j in np.argwhere(without <= 1e-12 * total)[:1]:
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
