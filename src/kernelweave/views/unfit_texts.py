"""Columns of text that are no categories: dates, numbers with a slip, names of rows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..tables.exact import is_number

# So large a part of the cells says what a column was meant to be.
NEARLY_ALL = 0.9

_NUMBER = re.compile(r"[<>≤≥~]?\s*[+−-]?\d[\d.,' ]*([eEdD][+-]?\d+)?\s*%?")
_DATE = re.compile(
    r"(\d{4}([-/.])\d{1,2}\2\d{1,2}|\d{1,2}([-/.])\d{1,2}\3\d{4}"
    r"|\d{1,2}[- ][A-Za-z]{3,9}[- ]\d{4})([T ]\d{1,2}:\d{2}.*)?"
)


def like_numbers(values: Sequence[str]) -> bool:
    """Whether nearly all texts are numbers, also such as 1,5 or 12% or <0.1."""
    return _nearly_all(_NUMBER, values)


def like_dates(values: Sequence[str]) -> bool:
    """Whether nearly all texts are dates."""
    return _nearly_all(_DATE, values)


def refuse_unfit(what: str, values: Sequence[str]) -> None:
    """Refuse texts that would each be a category of its own, whatever they mean.

    Parameters
    ----------
    what : str
        The column, as a message begins.
    values : sequence of str
        Of all rows that have one.
    """
    if like_dates(values):
        raise ValueError(
            f"{what} holds dates or times as text, such as {values[0]!r}: turn it into "
            "a number, such as days, or leave it out"
        )
    other = [value for value in values if not is_number(value)]
    if 0 < len(other) < len(values) / 2:
        raise ValueError(
            f"{what} holds numbers, but also the text {other[0]!r}: correct it, or "
            "write NaN if the value is missing"
        )
    if len(set(values)) == len(values) > 2:
        raise ValueError(
            f"{what} has another text in every row, such as {values[0]!r}: if it names "
            "the rows, make it the index; else leave it out"
        )


def _nearly_all(pattern: re.Pattern[str], values: Sequence[str]) -> bool:
    found = sum(pattern.fullmatch(value.strip()) is not None for value in values)
    return bool(values) and found >= NEARLY_ALL * len(values)
