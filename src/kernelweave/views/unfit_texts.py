"""Columns of text that are no categories: dates, numbers with a slip, names of rows."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ..stacklevel import outside
from ..tables.exact import is_number

# So large a part of the cells says what a column was meant to be.
NEARLY_ALL = 0.9

# Up to CODES different whole numbers, and two rows each, may as well be codes.
CODES = 20

_CURRENCY = "[$€£¥₹]|USD|EUR|GBP|CHF|JPY"
_NUMBER = re.compile(
    rf"[<>≤≥~]?\s*[+−-]?\s*({_CURRENCY})?\s*[+−-]?\d[\d.,' ]*([eEdD][+-]?\d+)?\s*"
    rf"(?P<unit>%|{_CURRENCY}|[A-Za-zµμ°Ω][\w²³/^·*%.-]{{0,11}})?"
)
_WHOLE = re.compile(r"[+-]?\d+")
_MONTH = "(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"
_YEAR = r"(1[6-9]|20|21)\d\d"
_DATE = re.compile(
    r"(\d{4}([-/.])\d{1,2}\2\d{1,2}|\d{1,2}([-/.])\d{1,2}\3(\d{4}|\d{2})"
    rf"|{_YEAR}[-/](0[1-9]|1[0-2])|(0?[1-9]|1[0-2])[-/]{_YEAR}"
    rf"|(\d{{1,2}}[-. ]+)?{_MONTH}[-., ]+(\d{{1,2}}[, ]+)?{_YEAR})"
    r"([T ]\d{1,2}:\d{2}.*)?",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"([01]?\d|2[0-3]):[0-5]\d(:[0-5]\d([.,]\d+)?)?(\s?[ap]\.?m\.?)?", re.IGNORECASE
)


@dataclass(frozen=True)
class Amounts:
    """Numbers, or times of the day, that are written as text.

    Attributes
    ----------
    what : {"numbers", "times"}
    example : str
        One that is no number as Python writes them, if there is one.
    distinct : int
        How many different texts there are.
    measured : bool
        Whether these are so many that none can be a code or category.
    """

    what: str
    example: str
    distinct: int
    measured: bool


def amounts(values: Sequence[str]) -> Amounts | None:
    """What a column of text measures; None for categories, and for whole numbers
    that may be codes: few, or with zeros before them.
    """
    if like_numbers(values):
        what = "numbers"
    elif _nearly_all(_TIME, values):
        what = "times"
    else:
        return None
    n, distinct = len(values), len(set(values))
    few = 2
    if all(map(_WHOLE.fullmatch, values)):
        few = CODES
        padded = any(len(value) > 1 and value.startswith("0") for value in values)
        if padded or distinct <= min(few, max(2, n / 2)):
            return None
    odd = next((value for value in values if not is_number(value)), values[0])
    return Amounts(what, odd, distinct, distinct > max(few, n / 2))


def like_numbers(values: Sequence[str]) -> bool:
    """Whether nearly all texts are numbers, also such as 1,5 or 12% or <0.1 or 7 kg.

    A unit is the same in all that have one.
    """
    found = [_NUMBER.fullmatch(value.strip()) for value in values]
    units = Counter(match["unit"] for match in found if match is not None)
    plain = units.pop(None, 0)
    most = max(units.values(), default=0)
    return bool(values) and plain + most >= NEARLY_ALL * len(values)


def like_dates(values: Sequence[str]) -> bool:
    """Whether nearly all texts are dates, or months of years."""
    return _nearly_all(_DATE, values)


def refuse_unfit(what: str, values: Sequence[str]) -> None:
    """Refuse texts that would each be a category of its own, whatever they mean.

    Numbers that are written as text draw a warning where half of them or fewer are
    different.

    Parameters
    ----------
    what : str
        The column, as a message begins.
    values : sequence of str
        Of all rows that have one.
    """
    codes = "if these are codes, give the column the dtype category"
    if like_dates(values):
        raise ValueError(
            f"{what} holds dates or times as text, such as {values[0]!r}: turn it into "
            f"a number, such as days, or leave it out; {codes}"
        )
    other = [value for value in values if not is_number(value)]
    if 0 < len(other) < len(values) / 2:
        raise ValueError(
            f"{what} holds numbers, but also the text {other[0]!r}: correct it, or "
            "write NaN if the value is missing"
        )
    found = amounts(values)
    if found is not None:
        how = "turn it into hours, or leave it out"
        if found.what == "numbers":
            how = "turn it into numbers by pandas.to_numeric"
            if not is_number(found.example):
                how += ", after .str.replace of decimal commas and of what is no digit"
        told = (
            f"{what} holds {found.what} that are written as text, such as "
            f"{found.example!r}, {found.distinct} different ones in {len(values)} rows"
        )
        if found.measured:
            raise ValueError(f"{told}: {how}; {codes}")
        each = "each is a category of its own, whatever its value"
        warnings.warn(f"{told}; {each}: {how}; {codes}", stacklevel=outside())
    if len(set(values)) == len(values) > 2:
        raise ValueError(
            f"{what} has another text in every row, such as {values[0]!r}: if it names "
            "the rows, make it the index; else leave it out"
        )


def _nearly_all(pattern: re.Pattern[str], values: Sequence[str]) -> bool:
    found = sum(pattern.fullmatch(value.strip()) is not None for value in values)
    return bool(values) and found >= NEARLY_ALL * len(values)
