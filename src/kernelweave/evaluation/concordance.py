"""Survival: left-out risks, and how many pairs of samples they put in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..estimators import MKLCoxRegression
from ..extras import require
from ..problem import Array
from .left_out import LeftOut
from .measures import Measure, jackknife, unit_sums

if TYPE_CHECKING:
    import pandas as pd


def is_survival(core: Any) -> bool:
    """Whether an estimator learns from events and times."""
    return isinstance(core, MKLCoxRegression)


@dataclass(frozen=True, eq=False)
class LeftOutRisks(LeftOut):
    """Risks of left-out samples; `truth` (n, 2) holds events (0 or 1) and times."""

    @property
    def event(self) -> Array:
        """Whether the samples had their event, (n,)."""
        return self.truth[:, 0] > 0

    @property
    def time(self) -> Array:
        """When they had it, or were last seen, (n,)."""
        return self.truth[:, 1]

    def losses(self) -> Array:
        """The share of the pairs of each sample that are in the wrong order, (n,)."""
        pairs, ordered, _, _ = pair_counts(self)
        n = len(self.truth)
        wrong = np.bincount(self.sample, pairs - ordered, minlength=n)
        return wrong / np.maximum(np.bincount(self.sample, pairs, minlength=n), 1.0)

    def answer(self) -> Array:
        """The mean risk of every sample over its tests, (n,)."""
        n = len(self.truth)
        return np.bincount(self.sample, self.predicted, minlength=n) / self.times

    def to_frame(self) -> pd.DataFrame:
        """One row a sample, under its number in X: event, time and risk."""
        require("pandas", "left_out.to_frame()")
        import pandas as pd

        columns = {"event": self.event, "time": self.time, "risk": self.answer()}
        return pd.DataFrame(columns, index=self.rows)

    def constant(self) -> LeftOutRisks:
        """Every sample at the same risk."""
        one = np.arange(len(self.truth))
        return LeftOutRisks(
            self.truth, self.rows, self.units, None, one, 0 * one, np.zeros(len(one))
        )


def pair_counts(answers: LeftOut) -> tuple[Array, Array, Array, Array]:
    """Every test's numbers of comparable pairs and of those in order, (n_tests,) each.

    The last two are the same two numbers within the unit of the test.

    A pair is comparable as in `kernelweave.survival.concordance_index`. Only risks of
    one split are compared: a risk is known but for a constant, which every fit has for
    itself.
    """
    m = len(answers.sample)
    pairs, ordered, inside, inside_ordered = np.zeros((4, m))
    truth = answers.truth[answers.sample]
    event, time = truth[:, 0] > 0, truth[:, 1]
    units = answers.units[answers.sample]
    for split in np.unique(answers.split):
        rows = np.flatnonzero(answers.split == split)
        for i in rows[event[rows]]:
            later = (time[rows] > time[i]) | ((time[rows] == time[i]) & ~event[rows])
            others = rows[later]
            gap = answers.predicted[i] - answers.predicted[others]
            good = np.where(gap > 0, 1.0, np.where(gap == 0, 0.5, 0.0))
            same = units[others] == units[i]
            for total, share in ((pairs, np.ones(len(others))), (ordered, good)):
                total[i] += share.sum()
                total[others] += share
            for total, share in ((inside, 1.0 * same), (inside_ordered, good * same)):
                total[i] += share.sum()
    return pairs, ordered, inside, inside_ordered


class Concordance(Measure):
    """Harrell's index: the share of comparable pairs that the risks put in order."""

    name = "concordance"

    def plain(self, answers: LeftOut) -> float:
        pairs, ordered, _, _ = pair_counts(answers)
        return float(ordered.sum() / pairs.sum()) if pairs.any() else np.nan

    def values(self, answers: LeftOut) -> Array:
        pairs, ordered, inside, inside_ordered = pair_counts(answers)
        if not pairs.any():
            raise ValueError(
                "no two left-out samples of a split can be compared: use fewer folds"
            )
        # Without a unit all pairs with one of its samples are gone, those within once.
        less = unit_sums(answers, pairs) - unit_sums(answers, inside)
        lost = unit_sums(answers, ordered) - unit_sums(answers, inside_ordered)
        # Each pair was counted at both of its samples.
        score, total = ordered.sum() / pairs.sum(), pairs.sum() / 2
        rest = np.maximum(total - less, 1e-300)
        without = np.where(total > less, (score * total - lost) / rest, score)
        return jackknife(float(score), without)

    def weight(self, *answers: LeftOut) -> float:
        # A sample takes part in two of n pairs, on average.
        return 2.0
