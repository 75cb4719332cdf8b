"""Codes with zeros before them, which differ as text and are one as numbers."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .read import DELIMITERS, file_kind, is_packed, read_table

if TYPE_CHECKING:
    import pandas as pd

# Columns of more different numbers are counts or measurements.
MOST_CODES = 100
# How much of a file is looked at in one piece.
PIECE = 2**20

_PADDED = re.compile(rb"""[,\t\n\r"' ]0[0-9]""")


def merged_texts(path: Path, table: pd.DataFrame) -> dict[str, list[str]]:
    r"""For columns that were read as numbers, different texts that became one of them.

    Such as 01 and 1, of which each column shows those of one number.

    Parameters
    ----------
    path : Path
    table : DataFrame
        What `read_table` has read there.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "clinic.csv"
    >>> _ = path.write_text("code,age\n01,41\n1,67\n02,50\n")
    >>> merged_texts(path, read_table(path))
    {'code': ['01', '1']}
    """
    if file_kind(path) not in DELIMITERS:
        return {}
    names = [str(c) for c in table if _few_whole_numbers(table[c])]
    if not names or not _is_padded(path):
        return {}
    written = read_table(path, text=names)
    found = {}
    for name in names:
        texts = written[name].dropna().str.strip().drop_duplicates()
        for _, same in texts.groupby(texts.astype(float)):
            zeros = same[same.str.fullmatch("[0-9]+")]
            if len(zeros) > 1:
                found[name] = sorted(zeros)
                break
    return found


def _few_whole_numbers(column: pd.Series) -> bool:
    if column.dtype.kind not in "iuf":
        return False
    present = np.unique(column.dropna().to_numpy(dtype=float))
    return len(present) <= MOST_CODES and np.array_equal(present, np.rint(present))


def _is_padded(path: Path) -> bool:
    """Whether a field of the file begins with a zero before another digit."""
    opened = gzip.open if is_packed(path) else open
    with opened(path, "rb") as file:
        last = b""
        while piece := file.read(PIECE):
            if _PADDED.search(last + piece):
                return True
            last = piece[-2:]
    return False
