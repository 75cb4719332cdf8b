"""Numbers that are infinite, which no kernel and no loss can use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..problem import Array
from .errors import TableError


def refuse_infinite(
    values: Array, name: str, rows: Sequence[Any], where: str = ""
) -> None:
    """Refuse a column with an infinite number, by its name and that of the row.

    Parameters
    ----------
    values : ndarray (m,)
        NaN, for what is missing, is allowed.
    name : str
    rows : sequence (m,)
        What the user calls the rows.
    where : str
        The beginning of the message.

    Examples
    --------
    >>> refuse_infinite(np.array([1.0, -np.inf]), "age", ["p1", "p2"])
    Traceback (most recent call last):
        ...
    kernelweave.tables.errors.TableError: column 'age' is infinite in 1 row, such as \
p2: correct it, or leave the field empty if the value is missing
    """
    infinite = np.flatnonzero(np.isinf(values))
    if len(infinite):
        count = "1 row" if len(infinite) == 1 else f"{len(infinite)} rows"
        raise TableError(
            f"{where}column {name!r} is infinite in {count}, such as "
            f"{rows[infinite[0]]}: correct it, or leave the field empty if the value "
            "is missing"
        )
