"""Tables in Excel files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


def read_sheet(path: Path, text: Iterable[str], missing: Iterable[str]) -> pd.DataFrame:
    """The one sheet of an Excel file that is not empty.

    Parameters
    ----------
    path : path
    text : iterable of str
        Columns to be read as text.
    missing : iterable of str
        What is in a cell that has no value.

    Raises
    ------
    ValueError
        If there are several such sheets: nothing says which is meant.
    ImportError
        Without openpyxl.
    """
    import pandas as pd

    types: Any = dict.fromkeys(text, str)
    sheets = pd.read_excel(
        path,
        sheet_name=None,
        dtype=types,
        keep_default_na=False,
        na_values=list(missing),
        engine="openpyxl",
    )
    filled = {name: table for name, table in sheets.items() if table.shape[1]}
    if len(filled) > 1:
        raise ValueError(
            f"it has {len(filled)} sheets ({', '.join(map(str, filled))}): save each "
            "as a file of its own"
        )
    if not filled:
        raise ValueError("it has no sheet with a table in it")
    (table,) = filled.values()
    return table
