"""Views from files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..tables.read import read_table, row_names

if TYPE_CHECKING:
    import pandas as pd


def read_tables(
    paths: Sequence[str | os.PathLike[str]], on: str | None
) -> dict[str, pd.DataFrame]:
    """Tables by the names of their files, with the column `on` as text.

    Without `on`, a first column that has no name holds the ids of the rows.
    """
    tables: dict[str, pd.DataFrame] = {}
    for path in map(Path, paths):
        name = Path(path.name.removesuffix(".gz")).stem
        if name in tables:
            raise ValueError(
                f"two files are called {name}: rename one, since the name of a file is "
                "the name of its view"
            )
        id = row_names(path) if on is None else on
        table = read_table(path, id)
        tables[name] = table if on is not None or id is None else table.set_index(id)
    return tables
