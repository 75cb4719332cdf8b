"""Columns that are no data."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

import numpy as np

from ..frames import column_kinds
from ..tables import TableError
from ..tables.exact import is_number
from ..tables.finite import refuse_infinite
from ..views.text_kinds import text_kind
from .suspects import check_text, listed

if TYPE_CHECKING:
    import pandas as pd


def check_columns(frame: pd.DataFrame) -> list[str]:
    """Refuse columns that are no data; returns what is only suspicious.

    Text among numbers is a slip of the pen, and text that differs in every row is a
    name, unless it is long enough for a sequence or a sentence. Whole numbers that
    count the rows may be, too.
    """
    notes = []
    for label, kind in zip(frame.columns, column_kinds(frame), strict=True):
        column, name = frame[label], str(label)
        present = column.dropna()
        if kind == "labels":
            values = list(map(str, present))
            other = [
                (i, v)
                for i, v in zip(present.index, values, strict=True)
                if not is_number(v)
            ]
            if len(other) < len(values) / 2 or (values and not other):
                row, value = other[0] if other else (present.index[0], values[0])
                raise TableError(
                    f"column {name!r} holds numbers, but {value!r} in row {row}: "
                    "correct it, or leave the field empty if the value is missing"
                )
            notes += check_text(name, values)
            if (
                len(values) > 2
                and len(set(values)) == len(values)
                and text_kind(values) == "categorical"
            ):
                raise TableError(
                    f"column {name!r} has another text in every row ({listed(values)}):"
                    f" if it holds the ids of the rows, pass --id "
                    f"{quote(name)}; else leave it out with --drop {quote(name)}"
                )
            continue
        if kind != "numbers":
            continue
        refuse_infinite(present.to_numpy(dtype=float), name, present.index)
        if len(present) > 2:
            steps = np.diff(present.to_numpy(dtype=float))
            if np.all(steps == 1) or np.all(steps == -1):
                notes.append(
                    f"column {name!r} counts the rows: if it holds their ids, pass "
                    f"--id {quote(name)}"
                )
    return notes
