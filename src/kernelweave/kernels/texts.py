"""The columns of text that a kernel looks at."""

from __future__ import annotations

from typing import Any

from ..inputs.columns import TableColumns
from ..inputs.mixed_table import MixedTable
from ..problem import Array


def mixed(X: Any, table: TableColumns, columns: Array | None) -> dict[int, Array]:
    """The texts of X in a kernel's columns, by the places of these columns.

    X is a `MixedTable`, a DataFrame with the columns of `table`, or an array, which has
    no texts.
    """
    texts = X.texts if isinstance(X, MixedTable) else table.read(X)[1]
    wanted = texts if columns is None else set(columns.tolist())
    return {j: entries for j, entries in texts.items() if j in wanted}
