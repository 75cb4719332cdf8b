"""Scores of the combination, of the average and of single views, and what they say."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Literal

from .measures import Gain

Kind = Literal["learned", "average", "view"]


@dataclass(frozen=True)
class Row:
    """One line of the comparison.

    Attributes
    ----------
    name : str
        Of the view; "combination" and "average" are the other two.
    kind : {"learned", "average", "view"}
    scores : tuple of float
        One a split, the same splits in all rows.
    mean, low, high : float
        The score of all samples, pooled over the splits, with the interval of
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
class Evaluation:
    """The answer of `evaluate`; `print` shows it as a table.

    Attributes
    ----------
    rows : tuple of Row
        The combination, the average if there are several kernels, then the views if
        there are several, in their order.
    metric : {"accuracy", "R²"}
    n_samples : int
        Those that were scored: the labelled ones.
    cv, repeats : int

    Examples
    --------
    >>> rows = (Row("combination", "learned", (0.9, 1.0), 0.95, 0.3, 1.0),
    ...         Row("rna", "view", (0.8, 0.9), 0.85, 0.2, 1.0,
    ...             gain=Gain(0.1, -0.15, 0.35, better=3, worse=1)))
    >>> evaluation = Evaluation(rows, "accuracy", n_samples=20, cv=2, repeats=1)
    >>> print(evaluation.difference(evaluation.best_view).mean)
    0.1
    """

    rows: tuple[Row, ...]
    metric: Literal["accuracy", "R²"]
    n_samples: int
    cv: int
    repeats: int

    @property
    def learned(self) -> Row:
        return self.rows[0]

    @property
    def average(self) -> Row | None:
        return next((row for row in self.rows if row.kind == "average"), None)

    @property
    def best_view(self) -> Row | None:
        """The view with the best mean score, or None if there is one view only."""
        views = [row for row in self.rows if row.kind == "view"]
        return max(views, key=lambda row: row.mean, default=None)

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
        if self.metric != "accuracy":
            return ""
        first, second = "with the former only", "with the latter only"
        if self.repeats > 1:
            first, second = "more often with the former", "with the latter"
        return (
            f" Of {self.n_samples} samples {gain.better} are right {first}, "
            f"{gain.worse} {second}."
        )

    @property
    def verdict(self) -> str:
        """One sentence: the combination against the best single view."""
        best = self.best_view
        if best is None:
            return "There is one view only, so there is no other to compare it with."
        return self.sentence(best)

    def gain_text(self, value: float, unit: bool = False) -> str:
        """A difference of scores: in points, or in units of R²."""
        if self.metric == "R²":
            return f"{value:.3f}".replace("-", "−") + (" in R²" if unit else "")
        number = f"{100 * value:.1f}".replace("-", "−")
        if not unit:
            return number
        return f"{number} point" if number in ("1.0", "−1.0") else f"{number} points"

    def __str__(self) -> str:
        times = "" if self.repeats == 1 else f", {self.repeats} times"
        head = f"{self.metric}, {self.cv} folds{times}"
        lines = [f"{head:37}{'mean':>7}   95 % interval"]
        for row in self.rows:
            label = textwrap.shorten(row.label, 36, placeholder="…")
            lines.append(f"{label:36}{row.mean:8.3f}   {row.low:.3f} to {row.high:.3f}")
        # No line begins with a per cent sign.
        words = textwrap.wrap(self.verdict.replace(" %", "\N{NO-BREAK SPACE}%"), 80)
        return "\n".join([*lines, *words]).replace("\N{NO-BREAK SPACE}", " ")
