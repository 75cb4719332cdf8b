"""What `evaluate` answers."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..extras import require
from .comparison import Comparison, Row
from .interval import Interval, sample_interval
from .left_out import LeftOut
from .measures import Gain

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Evaluation:
    """The answer of `evaluate`; `print` shows it as a table.

    Scores are pooled: of all left-out samples together, not the mean over the folds.

    Attributes
    ----------
    comparisons : tuple of Comparison
        One a score; `rows`, `metric`, `verdict` and the like are those of the first.
    n_samples : int
        Those that were scored: the labelled ones that a split tests.
    n_groups : int or None
    cv : int
        Folds of one repetition; of other splits all of them.
    repeats : int
    left_out : LeftOut or None
        What the combination predicted for samples that it had not learned from.
    copied : float
        The share of tested rows that are equal to rows that were learned from; 0 if
        they are few.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelweave import MKLDiscriminantAnalysis
    >>> from kernelweave.evaluation import evaluate
    >>> from kernelweave.kernels import RBF
    >>> X, y = load_iris(return_X_y=True)
    >>> views = [RBF(columns=[0, 1], name="sepal"), RBF(columns=[2, 3], name="petal")]
    >>> evaluation = evaluate(MKLDiscriminantAnalysis(views), X, y)
    >>> evaluation.confusion().loc[0].tolist()
    [50.0, 0.0, 0.0]
    >>> evaluation.to_frame()["model"].tolist()
    ['combination', 'average', 'sepal', 'petal', 'chance']
    """

    comparisons: tuple[Comparison, ...]
    n_samples: int
    cv: int
    repeats: int
    n_groups: int | None = None
    left_out: LeftOut | None = field(default=None, compare=False, repr=False)
    copied: float = 0.0

    @property
    def main(self) -> Comparison:
        """By the first score."""
        return self.comparisons[0]

    @property
    def rows(self) -> tuple[Row, ...]:
        return self.main.rows

    @property
    def metric(self) -> str:
        return self.main.metric

    @property
    def chance(self) -> float:
        return self.main.chance

    @property
    def learned(self) -> Row:
        return self.main.learned

    @property
    def average(self) -> Row | None:
        return self.main.average

    @property
    def best_view(self) -> Row | None:
        """The view with the best score, or None if there is one view only."""
        return self.main.best_view

    def difference(self, other: Row) -> Gain:
        """How much better the combination is than another row, sample by sample."""
        return self.main.difference(other)

    def sentence(self, other: Row) -> str:
        """What the difference to another row allows to say."""
        return self.main.sentence(other)

    @property
    def verdict(self) -> str:
        """One sentence: the combination against the best single view, or chance."""
        return self.main.verdict

    def confusion(self) -> pd.DataFrame:
        """Left-out samples by true class (rows) and predicted one (columns)."""
        require("pandas", "Evaluation.confusion()")
        import pandas as pd

        left_out = self._classified()
        names = pd.Index(left_out.classes)
        table = pd.DataFrame(left_out.confusion(), index=names, columns=names)
        return table.rename_axis(index="true", columns="predicted")

    def recall(self) -> pd.DataFrame:
        """For every class the share of its samples that are right, with interval.

        Columns samples, recall, low, high; the intervals are those of single shares.
        """
        require("pandas", "Evaluation.recall()")
        import pandas as pd

        rows = self.recalls()
        classes = self._classified().classes
        columns = ["samples", "recall", "low", "high"]
        frame = pd.DataFrame(rows, columns=columns, index=pd.Index(classes))
        return frame.astype({"samples": int}).rename_axis("class")

    def recalls(self) -> list[tuple[int, float, float, float]]:
        """The rows of `recall`, a class each."""
        left_out = self._classified()
        rows = []
        for c in np.asarray(left_out.classes):
            mine = left_out.truth[left_out.sample] == c
            found = _share(left_out.part(mine), self.cv)
            count = int(np.sum(left_out.truth == c))
            rows.append((count, found.mean, found.low, found.high))
        return rows

    def _classified(self) -> LeftOut:
        if self.left_out is None or self.left_out.classes is None:
            raise ValueError("there are no predicted classes in this evaluation")
        return self.left_out

    def to_frame(self) -> pd.DataFrame:
        """One row a contender and pooled score; gains: of the combination over it."""
        require("pandas", "Evaluation.to_frame()")
        import pandas as pd

        rows: list[dict[str, Any]] = []
        for comparison in self.comparisons:
            for row in comparison.rows:
                gain = row.gain
                rows.append(
                    {
                        "model": row.name,
                        "kind": row.kind,
                        "score": comparison.metric,
                        "pooled": row.mean,
                        "low": row.low,
                        "high": row.high,
                        "gain": np.nan if gain is None else gain.mean,
                        "gain_low": np.nan if gain is None else gain.low,
                        "gain_high": np.nan if gain is None else gain.high,
                    }
                )
            chance = {"model": "chance", "kind": "chance", "score": comparison.metric}
            rows.append(chance | {"pooled": comparison.chance})
        return pd.DataFrame(rows)

    @property
    def splits(self) -> str:
        """The splits in words."""
        what = f"{self.cv} folds" if self.n_groups is None else f"{self.cv} folds of "
        what += "" if self.n_groups is None else f"{self.n_groups} groups"
        return what if self.repeats == 1 else f"{what}, {self.repeats} times"

    def __str__(self) -> str:
        lines: list[str] = []
        for comparison in self.comparisons:
            lines += [*comparison.lines(self.splits), ""]
        # No line begins with a per cent sign.
        words = textwrap.wrap(self.verdict.replace(" %", "\N{NO-BREAK SPACE}%"), 80)
        text = "\n".join([*lines[:-1], *words])
        return text.replace("\N{NO-BREAK SPACE}", " ")


def _share(tests: LeftOut, cv: int) -> Interval:
    """The share of right predictions, by samples or groups, between 0 and 1."""
    right = ~tests.wrong
    units, which = np.unique(tests.units[tests.sample], return_inverse=True)
    sizes = np.bincount(which)
    # A group adds its mean, as heavy as it is large.
    mean = float(np.mean(right))
    shares = np.bincount(which, right) / sizes
    values = mean + (shares - mean) * sizes / np.mean(sizes)
    if len(units) == 1:
        return Interval(mean, 0.0, 1.0)
    found = sample_interval(values[None], [0, 0, 1, 1], cv)
    return Interval(mean, max(found.low, 0.0), min(found.high, 1.0))
