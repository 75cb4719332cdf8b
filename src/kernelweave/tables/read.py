"""One table from one file, or one line that says what is wrong with the file."""

from __future__ import annotations

import csv
import gzip
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

from .annotated import ENDINGS, read_annotated
from .errors import TableError
from .exact import as_written, rounded_columns
from .excel import read_sheet
from .header import NOTHING, UNNAMED, check_names
from .packages import no_reader, require_pandas
from .parquet import parquet_schema, read_parquet

if TYPE_CHECKING:
    import pandas as pd

# How the column is called in which pandas keeps an index without a name.
HIDDEN_INDEX = "__index_level_"
# What is in a field that has no value: nothing, or what R, Excel, pandas, SQL and C
# write there. "None" is none of them, but text: it is a class in many tables.
MISSING = (
    *("", "NA", "<NA>", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "NULL", "null"),
    *("NaN", "nan", "-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
)
# Files of other kinds, and the packages that read them.
NOT_TEXT = {".xlsx": "openpyxl", **ENDINGS}
DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}


def read_table(
    path: str | os.PathLike[str],
    id: str | None = None,
    text: Iterable[str] = (),
    *,
    empty: bool = False,
    part: str | None = None,
    also: Iterable[str] = (),
) -> pd.DataFrame:
    """Read CSV, TSV (either may end with .gz), Parquet, Excel or AnnData.

    .xlsx needs openpyxl, .h5ad anndata, and .h5mu mudata.

    Stricter than pandas: a line that has more or fewer fields than the header, a name
    that occurs twice, or text that is not UTF-8 is an error, never a guess. A field of
    `MISSING` has no value: it is empty, NA, N/A, NaN, NULL or the like, but not None.

    Parameters
    ----------
    path : path
    id : str, optional
        The column of row names, which is read as text: 007 stays 007.
    text : iterable of str
        Other columns to be read as text, if they are there.
    empty : bool
        Whether a table without rows will do.
    part : str, optional
        The modality of an .h5mu file.
    also : iterable of str
        Columns of `obs` that are to be columns beside X, in .h5ad and .h5mu.

    Returns
    -------
    pandas.DataFrame
        A first column without a name is called "index"; of Parquet, an index that has
        a name is a column, too.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "clinic.csv"
    >>> _ = path.write_text("sample,age\\n007,41\\n008,67\\n")
    >>> read_table(path, id="sample")["sample"].tolist()
    ['007', '008']
    """
    path = Path(path)
    kind = file_kind(path)
    require_pandas(path, kind)
    if kind == ".parquet":
        table = read_parquet(path)
    elif kind in NOT_TEXT:
        table = _read_other(path, kind, {*text, *([id] if id else [])}, part, also)
        if id is not None and id not in table and UNNAMED in table:
            table = table.rename(columns={UNNAMED: id})
    else:
        table = _read_text(path, DELIMITERS[kind], {*text, *([id] if id else [])})
    if len(table) == 0 and not empty:
        raise TableError(f"{path} has a header, but no rows")
    if id is not None and id in table:
        missing = int(table[id].isna().sum())
        if missing:
            raise TableError(
                f"{path}: {missing} rows have no {id!r}: fill in their ids"
            )
        table[id] = table[id].astype(str)
    return table


def file_kind(path: Path) -> str:
    """The ending of the name of a table's file, in lower case and without .gz."""
    if path.is_dir():
        raise TableError(f"{path} is a folder, not a table: give the files in it")
    if not path.is_file():
        raise TableError(f"there is no file {path}")
    kind = (Path(path.stem) if is_packed(path) else path).suffix.lower()
    if kind in DELIMITERS or kind in NOT_TEXT or kind == ".parquet":
        return kind
    raise TableError(
        f"{path}: a table is a .csv, .tsv, .parquet, .xlsx, .h5ad or .h5mu file (and "
        ".npz holds kernels); rename it to what it is"
    )


def is_packed(path: Path) -> bool:
    """Whether a name ends with .gz."""
    return path.suffix.lower() == ".gz"


def read_header(path: Path, delimiter: str) -> tuple[list[str], int]:
    """The names in the header of a text file, and how many lines it takes."""
    names, lines = _first_line(path, delimiter)
    return check_names(path, names, delimiter), lines


def _first_line(path: Path, delimiter: str) -> tuple[list[str], int]:
    opened = gzip.open if is_packed(path) else open
    try:
        with opened(path, "rt", encoding="utf-8-sig", newline="") as file:
            lines = csv.reader(file, delimiter=delimiter, strict=True)
            return next(lines, NOTHING), lines.line_num
    except (UnicodeDecodeError, csv.Error, gzip.BadGzipFile, EOFError) as error:
        raise TableError(f"{path}, first line: {error}; is it CSV UTF-8?") from error


def column_names(path: str | os.PathLike[str]) -> list[str]:
    """The names of the columns of a table, of which nothing else is read.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "clinic.csv"
    >>> _ = path.write_text("sample,age\\n007,41\\n")
    >>> column_names(path)
    ['sample', 'age']
    """
    path = Path(path)
    kind = file_kind(path)
    if kind == ".parquet":
        return parquet_schema(path).names
    if kind in NOT_TEXT:
        return list(map(str, read_table(path).columns))
    return read_header(path, DELIMITERS[kind])[0]


def row_names(path: str | os.PathLike[str]) -> str | None:
    """The column that names the rows, and is no data, by the way the file was written.

    It is a first column without a name, which is called "index", or the one index of a
    pandas table in Parquet, if that has a name.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "clinic.csv"
    >>> _ = path.write_text(",age\\n007,41\\n")
    >>> row_names(path)
    'index'
    >>> _ = path.write_text("index,age\\n1.7,41\\n")
    >>> row_names(path) is None
    True
    """
    path = Path(path)
    kind = file_kind(path)
    if kind in ENDINGS:
        return UNNAMED
    if kind == ".xlsx":
        return UNNAMED if UNNAMED in _read_other(path, kind, set()) else None
    if kind != ".parquet":
        names = _first_line(path, DELIMITERS[kind])[0]
        return UNNAMED if names and not names[0].strip() else None
    index = (parquet_schema(path).pandas_metadata or {}).get("index_columns", [])
    # Row numbers are not written as a column, but described.
    names = [i.get("name") if isinstance(i, dict) else i for i in index]
    if len(names) != 1 or names[0] is None or names[0].startswith(HIDDEN_INDEX):
        return None
    return names[0]


def _read_other(
    path: Path,
    kind: str,
    text: Iterable[str],
    part: str | None = None,
    also: Iterable[str] = (),
) -> pd.DataFrame:
    """Excel, AnnData or MuData, by the package that reads it."""
    try:
        if kind == ".xlsx":
            table = read_sheet(path, text, MISSING)
            # pandas calls a column without a name so.
            names = ["" if str(c).startswith("Unnamed: ") else str(c) for c in table]
            return table.set_axis(check_names(path, names, ","), axis=1)
        table = read_annotated(path, part, also)
    except ImportError:
        raise no_reader(path, kind) from None
    # A damaged archive, or one without the parts of a table.
    except (KeyError, ValueError, OSError, BadZipFile) as error:
        raise TableError(f"{path} cannot be read: {error}") from error
    names = check_names(path, [UNNAMED, *map(str, table.columns)], ",")
    return table.reset_index().set_axis(names, axis=1)


def _read_text(path: Path, delimiter: str, text: set[str]) -> pd.DataFrame:
    import pandas as pd

    names = _check_lines(path, delimiter)
    # Before pandas 3 the last digits are right only if that is asked for.
    old = int(pd.__version__.split(".")[0]) < 3
    exact: Any = {"float_precision": "round_trip"} if old else {}

    def read(text: Iterable[str], **what: Any) -> pd.DataFrame:
        types: Any = dict.fromkeys(text, str)
        return pd.read_csv(
            path,
            sep=delimiter,
            header=0,
            names=names,
            index_col=False,
            dtype=types,
            keep_default_na=False,
            na_values=list(MISSING),
            encoding="utf-8-sig",
            low_memory=False,
            **exact,
            **what,
        )

    table = read([name for name in names if name in text])
    rounded = rounded_columns(table)
    if rounded:
        written = read(rounded, usecols=rounded)
        for name in rounded:
            table[name] = as_written(written[name], table[name])
    return table


def _check_lines(path: Path, delimiter: str) -> list[str]:
    """The names in the header, if every line has as many fields as it has."""
    opened = gzip.open if is_packed(path) else open
    number = 1
    try:
        with opened(path, "rt", encoding="utf-8-sig", newline="") as file:
            lines = csv.reader(file, delimiter=delimiter, strict=True)
            names = check_names(path, next(lines, NOTHING), delimiter)
            for fields in lines:
                number = lines.line_num
                if fields and len(fields) != len(names):
                    mark = "tab" if delimiter == "\t" else "comma"
                    raise TableError(
                        f"{path}, line {number}: {len(fields)} fields, but the header "
                        f"has {len(names)}; put text that holds a {mark} in quotes, "
                        "and leave missing values empty"
                    )
    except UnicodeDecodeError as error:
        raise TableError(
            f"{path} is not UTF-8 text: save it as CSV UTF-8 ({error.reason})"
        ) from error
    except csv.Error as error:
        raise TableError(
            f"{path}, after line {number}: {error}; is a quote missing?"
        ) from error
    except (gzip.BadGzipFile, EOFError) as error:
        raise TableError(f"{path} is damaged or cut short: {error}") from error
    return names
