"""The columns of a training table: new tables must have the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..frames import as_texts, column, column_kinds, is_frame, replaced
from ..problem import Array

_TEXT = ("labels", "times")


@dataclass(frozen=True)
class TableColumns:
    """Names of the columns of a training table, and which of them hold text.

    Attributes
    ----------
    names : list
        None at all, if the table was no DataFrame.
    texts : dict
        From the place of a column of text, categories or dates to one of its entries.

    Examples
    --------
    >>> import pandas as pd
    >>> columns = TableColumns.of(pd.DataFrame({"age": [61, 48], "sex": ["f", "m"]}))
    >>> columns.texts
    {1: 'f'}
    >>> numbers, texts = columns.read(pd.DataFrame({"age": [50], "sex": ["m"]}))
    >>> texts[1].tolist()
    ['m']
    """

    names: list[Any]
    texts: dict[int, str]

    @classmethod
    def of(cls, table: Any) -> TableColumns:
        """Those of a training table; none, if it is no DataFrame."""
        return cls.read_first(table)[0] if is_frame(table) else cls([], {})

    @classmethod
    def read_first(cls, table: Any) -> tuple[TableColumns, Any, dict[int, Array]]:
        """The columns of a training DataFrame, and what `read` makes of it."""
        kinds = enumerate(column_kinds(table))
        texts = {j: as_texts(column(table, j)) for j, kind in kinds if kind in _TEXT}
        examples = {
            j: next((text for text in entries if text is not None), "")
            for j, entries in texts.items()
        }
        numbers = dict.fromkeys(texts, np.full(len(table), np.nan))
        columns = cls(list(table.columns), examples)
        return columns, (replaced(table, numbers) if numbers else table), texts

    def read(self, table: Any) -> tuple[Any, dict[int, Array]]:
        """The table with NaN in the place of text, and the texts (see `MixedTable`).

        A DataFrame must have the columns of the training table, in their order, if that
        was a DataFrame, whatever the names are. scikit-learn looks at text only.
        """
        if not is_frame(table):
            if self.texts:
                raise ValueError(
                    "the model was fitted on a DataFrame with columns that hold text "
                    f"({self._listed()}): pass a DataFrame, not {type(table).__name__}"
                )
            return table, {}
        names = list(table.columns)
        if self.names and names != self.names:
            raise ValueError(_what_is_wrong(names, self.names))
        kinds = column_kinds(table)
        texts: dict[int, Array] = {}
        for j, example in self.texts.items():
            texts[j] = as_texts(column(table, j))
            if kinds[j] not in _TEXT and any(text is not None for text in texts[j]):
                raise ValueError(
                    f"column {names[j]!r} held text in training (such as {example!r}), "
                    f"and holds {column(table, j).dtype} now: convert it"
                )
        lacking = np.full(len(table), np.nan)
        numbers = dict.fromkeys(texts, lacking)
        for j, kind in enumerate(kinds):
            if kind in _TEXT and j not in texts:
                self._refuse_text(names[j], column(table, j))
                numbers[j] = lacking
        return (replaced(table, numbers) if numbers else table), texts

    def _refuse_text(self, name: Any, series: Any) -> None:
        """A column of numbers in training may have the type of text if it is empty."""
        found = next((text for text in as_texts(series) if text is not None), None)
        if found is not None:
            raise ValueError(
                f"column {name!r} held numbers in training, and holds {found!r} now: "
                "convert it to numbers"
            )

    def _listed(self) -> str:
        return ", ".join(repr(self.names[j]) for j in list(self.texts)[:5])


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
