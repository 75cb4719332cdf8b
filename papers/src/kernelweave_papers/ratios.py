"""Seconds as multiples of one method's, ours beside the printed ones.

Seconds of another computer, in another decade, say little; their ratios compare:

    ratio(row, column) = seconds(row, column)/seconds(unit, column).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from .comparison import Compared

MEAN = "geometric mean"


@dataclass(frozen=True)
class Ratio:
    """How many times as long as the unit, here and in print; None where not known."""

    row: str
    column: str
    ours: float | None
    printed: float | None


def ratios(cells: Iterable[Compared], unit: str) -> list[Ratio]:
    """Of every cell that was run, and their geometric mean in each row.

    A mean is over the columns that have both, ours and a printed one, so that the two
    means are of the same problems; over all columns where nothing is printed.

    Parameters
    ----------
    cells : iterable of Compared
        Rows are methods, columns problems.
    unit : str
        A row.
    """
    cells = [cell for cell in cells if cell.mean is not None]
    units = {cell.column: cell for cell in cells if cell.row == unit}
    rows: dict[str, list[Ratio]] = {}
    for cell in cells:
        if cell.column in units:
            one = units[cell.column]
            ours, printed = _over(cell.mean, one.mean), _over(cell.printed, one.printed)
            rows.setdefault(cell.row, []).append(
                Ratio(cell.row, cell.column, ours, printed)
            )
    return [ratio for row in rows.values() for ratio in (*row, _mean(row))]


def _over(value: float | None, unit: float | None) -> float | None:
    return None if value is None or not unit else value / unit


def _mean(row: list[Ratio]) -> Ratio:
    both = [r for r in row if r.ours is not None and r.printed is not None]
    means = [
        float(np.exp(np.mean(np.log(values)))) if values else None
        for values in (
            [r.ours for r in both or row if r.ours is not None],
            [r.printed for r in both if r.printed is not None],
        )
    ]
    return Ratio(row[0].row, MEAN, means[0], means[1])
