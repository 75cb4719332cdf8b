"""Whole numbers that doubles would round, and what is a number at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

# From here on some whole numbers are not doubles.
EXACT = 2**53


def rounded_columns(table: pd.DataFrame) -> list[str]:
    """Columns of whole numbers that gaps have made doubles, which round some."""
    numbers = table.select_dtypes("float64")
    numbers = numbers.loc[:, numbers.isna().any()]
    large = numbers.loc[:, (numbers.abs() >= EXACT).any()]
    return [str(c) for c in large if (large[c].dropna() % 1 == 0).all()]


def as_written(written: pd.Series, numbers: pd.Series) -> pd.Series:
    """The integers that are written in a column, or the numbers as they were read."""
    present = written.dropna().str.strip()
    if not present.str.fullmatch(r"[+-]?[0-9]+").all():
        return numbers
    whole = present.map(int)
    if whole.abs().max() < 2**63:
        whole = whole.astype("Int64")
    return whole.reindex(written.index)


def is_number(text: str) -> bool:
    """Whether a text is a number as Python writes them."""
    try:
        float(text)
    except ValueError:
        return False
    return True
