"""The packages that read each kind of file, and how to install them."""

from __future__ import annotations

from pathlib import Path

from ..extras import EXTRAS, remedy, require
from .annotated import ENDINGS
from .errors import TableError

READERS = {".parquet": "pyarrow", ".xlsx": "openpyxl", **ENDINGS}


def require_pandas(path: Path, kind: str) -> None:
    """Ask for what makes a table of a file, and at once for what reads the file."""
    # anndata and mudata bring pandas themselves.
    if kind not in ENDINGS:
        require("pandas", f"{path}: a table", READERS.get(kind))


def no_reader(path: Path, kind: str) -> TableError:
    """The error where the package that reads a file is missing."""
    package = READERS[kind]
    how = remedy(package) if package in EXTRAS else f"pip install {package}"
    return TableError(f"{path}: to read {kind}, {how}, or save the table as CSV")
