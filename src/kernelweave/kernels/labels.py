"""Numbers in the place of text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..frames import column, column_kinds, gaps, is_frame, replaced

# Equal to no value of the training rows.
UNKNOWN = -1.0


@dataclass(frozen=True)
class LabelCodes:
    """A number for every text, category or date that the training rows hold.

    A missing entry becomes NaN, and a text that the training rows do not have becomes
    a number that they do not have either. The numbers mean nothing but equality.

    Attributes
    ----------
    names : list
        Names of all columns of the training table; none, if it was no DataFrame.
    codes : dict
        From the place of a column to the codes of its texts.
    """

    names: list[Any]
    codes: dict[int, dict[str, float]]

    @classmethod
    def of(cls, table: Any) -> LabelCodes:
        """Those of a training table; none, if it is no DataFrame."""
        if not is_frame(table):
            return cls([], {})
        codes: dict[int, dict[str, float]] = {}
        for j, kind in enumerate(column_kinds(table)):
            if kind in ("labels", "times"):
                series = column(table, j)
                texts = zip(series.to_list(), gaps(series), strict=True)
                seen = dict.fromkeys(str(value) for value, gap in texts if not gap)
                codes[j] = {text: float(i) for i, text in enumerate(seen)}
        return cls(list(table.columns), codes)

    def encode(self, table: Any) -> Any:
        """The table with numbers in the place of text.

        A DataFrame must have the columns of the training table, in their order, if that
        was a DataFrame, whatever the names are. scikit-learn looks at text only.
        """
        if not is_frame(table):
            if self.codes:
                raise ValueError(
                    "the model was fitted on a DataFrame with columns that hold text "
                    f"({self._listed()}): pass a DataFrame, not {type(table).__name__}"
                )
            return table
        names = list(table.columns)
        if self.names and names != self.names:
            raise ValueError(_what_is_wrong(names, self.names))
        kinds = column_kinds(table)
        new = {j: self._numbers(j, column(table, j), kinds[j]) for j in self.codes}
        for j, kind in enumerate(kinds):
            if kind in ("labels", "times") and j not in self.codes:
                new[j] = self._nothing(names[j], column(table, j))
        return replaced(table, new) if new else table

    def _numbers(self, j: int, series: Any, kind: str) -> Any:
        codes = self.codes[j]
        values, missing = series.to_list(), gaps(series)
        out = np.full(len(values), np.nan)
        for i in np.flatnonzero(~missing):
            out[i] = codes.get(str(values[i]), UNKNOWN)
        if kind not in ("labels", "times") and np.any(out == UNKNOWN):
            raise ValueError(
                f"column {self.names[j]!r} held text in training (such as "
                f"{next(iter(codes), '')!r}), and holds {series.dtype} now: convert it"
            )
        return out

    def _nothing(self, name: Any, series: Any) -> Any:
        """A column of numbers in training that now has the type of text: empty?"""
        present = np.flatnonzero(~gaps(series))
        if len(present):
            raise ValueError(
                f"column {name!r} held numbers in training, and holds "
                f"{str(series.to_list()[present[0]])!r} now: convert it to numbers"
            )
        return np.full(len(series), np.nan)

    def _listed(self) -> str:
        return ", ".join(repr(self.names[j]) for j in list(self.codes)[:5])


def _what_is_wrong(names: list[Any], trained: list[Any]) -> str:
    """What scikit-learn says where names of columns differ, for names of any type."""
    unseen = [name for name in names if name not in trained]
    lost = [name for name in trained if name not in names]
    message = "The feature names should match those that were passed during fit.\n"
    if unseen:
        message += f"Feature names unseen at fit time:\n{_lines(unseen)}"
    if lost:
        message += f"Feature names seen at fit time, yet now missing:\n{_lines(lost)}"
    if not (unseen or lost):
        message += "Feature names must be in the same order as they were in fit.\n"
    return message


def _lines(names: list[Any]) -> str:
    listed = sorted(map(str, names))
    more = "- ...\n" if len(listed) > 5 else ""
    return "".join(f"- {name}\n" for name in listed[:5]) + more
