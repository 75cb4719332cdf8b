"""Our numbers beside the printed ones.

Ours is the mean m of n splits with the deviation s, the printed one M of N with S:

    error = √(s²/n + S²/N),    within if |m − M| ≤ 2 error.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np

from .table import Cell, Table

WITHIN, ABOVE, BELOW = "within", "above", "below"
NOT_PRINTED, NOT_RUN = "not printed", "not run"
# One split and no printed deviation: there is nothing to measure a difference with.
UNKNOWN = "no spread"


@dataclass(frozen=True)
class Compared:
    """One number of a table, ours and theirs; None where there is none.

    Attributes
    ----------
    row, column, kind : str
    mean, sd, error : float or None
        Of our splits; error is the standard error of the mean.
    splits : int
    printed, printed_sd : float or None
    difference : float or None
        Ours − printed.
    difference_error : float or None
        Its standard error.
    verdict : str
        "within" two standard errors of the difference, "above", "below",
        "not printed", "not run", or "no spread".
    low, high : float or None
        The smallest and the largest of our splits.
    """

    row: str
    column: str
    kind: str
    mean: float | None
    sd: float | None
    error: float | None
    splits: int
    printed: float | None
    printed_sd: float | None
    difference: float | None
    difference_error: float | None
    verdict: str
    low: float | None
    high: float | None


def read_toml(paper: str, file: str) -> dict[str, Any]:
    """A file of a paper's folder, such as printed.toml; empty if there is none."""
    path = files("kernelweave_papers") / paper / file
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def compare(
    table: Table, splits: Iterable[list[Cell]], printed: Mapping[str, Any]
) -> list[Compared]:
    """All cells, ours in the order of the splits, then the printed ones not run.

    Parameters
    ----------
    table : Table
    splits : iterable of list of Cell
    printed : mapping
        The table's section of printed.toml: `cells` and `splits`, N.
    """
    values: dict[tuple[str, str], list[float]] = {}
    for cells in splits:
        for cell in cells:
            values.setdefault((cell.row, cell.column), []).append(cell.value)
    theirs = {
        (row, column): cell
        for row, columns in printed.get("cells", {}).items()
        for column, cell in columns.items()
    }
    count = int(printed.get("splits", table.splits))
    return [
        _compared(
            *key, table.kind_of(key[1]), values.get(key, []), theirs.get(key), count
        )
        for key in dict.fromkeys([*values, *theirs])
    ]


def _compared(
    row: str,
    column: str,
    kind: str,
    values: list[float],
    printed: Mapping[str, float] | None,
    count: int,
) -> Compared:
    n = len(values)
    mean = float(np.mean(values)) if n else None
    sd = float(np.std(values, ddof=1)) if n > 1 else None
    error = None if sd is None else sd / np.sqrt(n)
    theirs = None if printed is None else float(printed["mean"])
    spread = None if printed is None else printed.get("sd")
    difference = None if mean is None or theirs is None else mean - theirs
    of_difference = None
    if difference is not None:
        of_difference = difference_error(sd, n, spread, count)
    return Compared(
        row,
        column,
        kind,
        mean,
        sd,
        None if error is None else float(error),
        n,
        theirs,
        None if spread is None else float(spread),
        difference,
        of_difference,
        verdict(mean, theirs, of_difference),
        min(values) if n else None,
        max(values) if n else None,
    )


def difference_error(
    sd: float | None, n: int, printed_sd: float | None, count: int
) -> float | None:
    """√(s²/n + S²/N). Where one deviation is not known, the other stands for both.

    Examples
    --------
    >>> difference_error(3.0, 9, 4.0, 4)
    2.23606797749979
    """
    if sd is None and printed_sd is None:
        return None
    ours = printed_sd if sd is None else sd
    theirs = sd if printed_sd is None else printed_sd
    assert ours is not None and theirs is not None
    return float(np.sqrt(ours**2 / n + theirs**2 / count))


def verdict(mean: float | None, printed: float | None, error: float | None) -> str:
    """Where our mean lies, seen from the printed one.

    Examples
    --------
    >>> verdict(84.0, 83.0, 0.5), verdict(84.1, 83.0, 0.5), verdict(81.0, 83.0, 0.5)
    ('within', 'above', 'below')
    """
    if mean is None:
        return NOT_RUN
    if printed is None:
        return NOT_PRINTED
    if error is None:
        return UNKNOWN
    # Equal numbers without a spread are within.
    if abs(mean - printed) <= 2 * error + 1e-9:
        return WITHIN
    return ABOVE if mean > printed else BELOW


def tally(compared: Iterable[Compared], kind: str | None = None) -> dict[str, int]:
    """How many cells have each verdict, of one kind or of all."""
    out: dict[str, int] = {}
    for cell in compared:
        if kind is None or cell.kind == kind:
            out[cell.verdict] = out.get(cell.verdict, 0) + 1
    return out
