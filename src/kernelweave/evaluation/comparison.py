"""One score of the combination, of the average and of single views, in words."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Literal

from .measures import Gain

Kind = Literal["learned", "average", "view"]

# Scores that are shares of samples: differences of them are in points.
SHARES = ("accuracy", "balanced accuracy")


@dataclass(frozen=True)
class Row:
    """One line of the comparison.

    Attributes
    ----------
    name : str
        Of the view; "combination" and "average" are the other two.
    kind : {"learned", "average", "view"}
    scores : tuple of float
        One a split, the same splits in all rows; NaN where a split has none.
    mean, low, high : float
        The score of all left-out samples together, pooled over the splits, which is
        not the mean of the splits' scores, with the interval of
        `sample_interval`, cut to the values that the score can take.
    gain : Gain or None
        How much better the combination is; None for the combination itself.

    Examples
    --------
    >>> Row("rna", "view", (0.9, 0.8), 0.85, 0.6, 1.0).label
    'rna alone'
    """

    name: str
    kind: Literal["learned", "average", "view"]
    scores: tuple[float, ...]
    mean: float
    low: float
    high: float
    gain: Gain | None = None

    @property
    def label(self) -> str:
        """The row in words."""
        words = {"learned": "learned combination", "average": "plain average"}
        return words.get(self.kind, f"{self.name} alone")


@dataclass(frozen=True)
class Comparison:
    """All rows by one score.

    Attributes
    ----------
    rows : tuple of Row
        The combination, the average if there are several kernels, then the views if
        there are several, in their order.
    metric : str
        "accuracy", "balanced accuracy", "R²", or the name of a scorer in words.
    chance : float
        The score of a model that knows the targets' distribution and nothing else: it
        predicts the largest class, with the shares as probabilities, or the mean.
    lower_is_better : bool
        Whether the score is an error. Gains are positive where the combination is
        better in any case.
    n_samples : int
        Those that were scored.
    repeats : int

    Examples
    --------
    >>> rows = (Row("combination", "learned", (0.9, 1.0), 0.95, 0.3, 1.0),
    ...         Row("rna", "view", (0.8, 0.9), 0.85, 0.2, 1.0,
    ...             gain=Gain(0.1, -0.15, 0.35, better=3, worse=1)))
    >>> comparison = Comparison(rows, "accuracy", chance=0.5, n_samples=20)
    >>> print(comparison.difference(comparison.best_view).mean)
    0.1
    """

    rows: tuple[Row, ...]
    metric: str
    chance: float
    lower_is_better: bool = False
    n_samples: int = 0
    repeats: int = 1

    @property
    def learned(self) -> Row:
        return self.rows[0]

    @property
    def average(self) -> Row | None:
        return next((row for row in self.rows if row.kind == "average"), None)

    @property
    def best_view(self) -> Row | None:
        """The view with the best score, or None if there is one view only."""
        views = [row for row in self.rows if row.kind == "view"]
        sign = -1 if self.lower_is_better else 1
        return max(views, key=lambda row: sign * row.mean, default=None)

    def difference(self, other: Row) -> Gain:
        """How much better the combination is than another row, sample by sample."""
        if other.gain is None:
            raise ValueError(f"{other.label} was not compared with the combination")
        return other.gain

    def sentence(self, other: Row) -> str:
        """What the difference to another row allows to say."""
        gain = self.difference(other)
        what = "the plain average" if other.kind == "average" else f"{other.name} alone"
        if other is self.best_view:
            what = f"the best single view ({other.name})"
        low, high = self.gain_text(gain.low), self.gain_text(gain.high)
        by = self.gain_text(gain.mean, unit=True)
        if gain.low <= 0 <= gain.high:
            return (
                f"The combination and {what} cannot be told apart: the difference is "
                f"{by}, 95 % interval {low} to {high}.{self._counts(gain)}"
            )
        verdict = "better"
        if gain.high < 0:
            verdict, by = "worse", self.gain_text(-gain.mean, unit=True)
            low, high = self.gain_text(-gain.high), self.gain_text(-gain.low)
        return (
            f"The combination is {verdict} than {what} by {by}, 95 % interval {low} to "
            f"{high}."
        )

    def _counts(self, gain: Gain) -> str:
        """How few samples a difference of accuracies may stand on."""
        if self.metric not in SHARES:
            return ""
        first, second = "with the former only", "with the latter only"
        if self.repeats > 1:
            first, second = "more often with the former", "with the latter"
        return (
            f" Of {self.n_samples} samples {gain.better} are right {first}, "
            f"{gain.worse} {second}."
        )

    @property
    def beats_chance(self) -> bool:
        """Whether all of the combination's interval is better than chance."""
        row = self.learned
        if self.lower_is_better:
            return row.high < self.chance
        return row.low > self.chance

    @property
    def verdict(self) -> str:
        """One sentence: the combination against the best single view, or chance."""
        best = self.best_view
        if not self.beats_chance:
            low, high = map(self.score_text, (self.learned.low, self.learned.high))
            return (
                f"The combination cannot be told from chance: its {self.metric} is "
                f"{self.score_text(self.learned.mean)}, 95 % interval {low} to {high}, "
                f"and chance has {self.score_text(self.chance)}."
            )
        if best is None:
            return "There is one view only, so there is no other to compare it with."
        return self.sentence(best)

    def score_text(self, value: float) -> str:
        """A score with three digits after the point, more where it is large."""
        text = f"{value:.3f}" if abs(value) < 1000 else f"{value:.4g}"
        return ("0.000" if text == "-0.000" else text).replace("-", "−")

    def gain_text(self, value: float, unit: bool = False) -> str:
        """A difference of scores: in points, or in units of the score."""
        if self.metric not in SHARES:
            name = self.metric if self.metric == "R²" else f"the {self.metric}"
            return self.score_text(value) + (f" in {name}" if unit else "")
        number = f"{100 * value:.1f}"
        number = ("0.0" if number == "-0.0" else number).replace("-", "−")
        if not unit:
            return number
        return f"{number} point" if number in ("1.0", "−1.0") else f"{number} points"

    def lines(self, splits: str) -> list[str]:
        """The table of rows, with a head that tells the splits."""
        head = textwrap.shorten(f"{self.metric}, {splits}", 37, placeholder="…")
        lines = [f"{head:37}{'pooled':>7}   95 % interval"]
        for row in self.rows:
            label = textwrap.shorten(row.label, 36, placeholder="…")
            pooled, low, high = map(self.score_text, (row.mean, row.low, row.high))
            lines.append(f"{label:36}{pooled:>8}   {low} to {high}")
        lines.append(f"{'chance':36}{self.score_text(self.chance):>8}")
        return lines
