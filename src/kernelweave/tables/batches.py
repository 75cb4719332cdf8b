"""A table that is read a batch of rows at a time, by pyarrow."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ..extras import remedy
from ..problem import Array
from .errors import TableError
from .exact import is_number
from .read import (
    DELIMITERS,
    HIDDEN_INDEX,
    MISSING,
    NOT_TEXT,
    file_kind,
    is_packed,
    read_header,
)

# Bytes of text, and values of Parquet, that make a batch.
_BLOCK = 2**23
_VALUES = 2**21


class TableBatches:
    """The rows of a CSV, TSV (either may end with .gz) or Parquet file, in batches.

    What a column holds is seen in the first few megabytes, or said by Parquet. Fields
    have no value where those of `read_table` have none.

    Parameters
    ----------
    path : path
    text : sequence of str
        Columns to be read as text, whatever they look like.

    Attributes
    ----------
    kinds : dict
        From the names of all columns to "numbers", "whole" (numbers that are whole so
        far), "flags" (true or false), "text", or another type.
    rows : int or None
        How many rows there are; of text, an estimate from what was read.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "clinic.csv"
    >>> _ = path.write_text("sample,age\\na,41\\nb,67.5\\n")
    >>> table = TableBatches(path)
    >>> table.kinds
    {'sample': 'text', 'age': 'numbers'}
    >>> for batch in table.read(["age"]):
    ...     print(matrix(batch, ["age"]).ravel())
    [41.  67.5]
    """

    def __init__(self, path: str | os.PathLike[str], text: Sequence[str] = ()):
        self.path = Path(path)
        self.rows: int | None = None
        kind = file_kind(self.path)
        if kind in NOT_TEXT:
            raise TableError(
                f"{path}: {kind} cannot be read in batches: save the table as CSV or "
                "Parquet"
            )
        if find_spec("pyarrow") is None:
            how = remedy("pyarrow")
            raise TableError(f"{path}: to read a table in batches, {how}")
        self._delimiter = DELIMITERS.get(kind)
        if self._delimiter is None:
            self.kinds = self._parquet_kinds()
        else:
            self._names, self._lines = read_header(self.path, self._delimiter)
            self.kinds = self._text_kinds()
        self.kinds |= {name: "text" for name in text if name in self.kinds}

    def read(self, columns: Sequence[str], exact: Sequence[str] = ()) -> Iterator[Any]:
        """Record batches of these columns: numbers as doubles, text as strings.

        Those of `exact` are integers wherever all of a batch are: doubles cannot tell
        whole numbers beyond 2^53 apart.
        """
        import pyarrow as pa

        special = {"text": pa.string(), "flags": pa.bool_()}
        types = {n: special.get(self.kinds[n], pa.float64()) for n in columns}
        exact = [n for n in exact if self.kinds.get(n) in ("whole", "numbers")]
        if self._delimiter is not None:
            types |= dict.fromkeys(exact, pa.string())
        batches = self._parquet if self._delimiter is None else self._text
        seen = 0
        try:
            for batch in batches(types):
                arrays = [
                    self._exact(batch.column(name), name, seen)
                    if name in exact
                    else _cast(batch.column(name), type)
                    for name, type in types.items()
                ]
                seen += batch.num_rows
                yield pa.RecordBatch.from_arrays(arrays, names=list(types))
        except (pa.ArrowException, OSError) as error:
            raise TableError(self._explain(str(error))) from error

    def _exact(self, column: Any, name: str, before: int) -> Any:
        """Integers if all values are such, else doubles."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        if pa.types.is_integer(column.type):
            return column
        if not pa.types.is_string(column.type):
            return column.cast(pa.float64(), safe=False)
        text = pc.utf8_trim_whitespace(column)
        for type in (pa.int64(), pa.float64()):
            try:
                return text.cast(type)
            except pa.ArrowInvalid:
                continue
        row, value = next(
            (i, v)
            for i, v in enumerate(text.to_pylist(), start=before + 1)
            if v is not None and not is_number(v)
        )
        raise TableError(
            f"{self.path}, row {row}: column {name!r} holds numbers, but {value!r} "
            "here: correct it, or leave the field empty if the value is missing"
        )

    def _text(self, types: dict[str, Any]) -> Iterator[Any]:
        file, reader = self._open_text(types)
        size, seen = self.path.stat().st_size, 0
        for number, batch in enumerate(reader, start=1):
            seen += batch.num_rows
            # The file is read ahead of its blocks; those of .gz have another size.
            most = size if is_packed(self.path) else number * _BLOCK
            self.rows = int(seen * size / max(min(file.tell(), most), 1))
            yield batch
        self.rows = seen

    def _open_text(self, types: dict[str, Any] | None) -> tuple[Any, Any]:
        import pyarrow as pa
        from pyarrow import csv

        file = stream = pa.OSFile(str(self.path))
        if is_packed(self.path):
            stream = pa.CompressedInputStream(file, "gzip")
        return file, csv.open_csv(
            stream,
            csv.ReadOptions(
                column_names=self._names,
                skip_rows=self._lines,
                block_size=_BLOCK,
                # Rows have numbers in messages only when they are parsed in order.
                use_threads=False,
            ),
            csv.ParseOptions(delimiter=self._delimiter, newlines_in_values=True),
            csv.ConvertOptions(
                include_columns=list(types or []),
                column_types=types,
                null_values=list(MISSING),
                strings_can_be_null=True,
            ),
        )

    def _text_kinds(self) -> dict[str, str]:
        import pyarrow as pa

        try:
            schema = self._open_text(None)[1].schema
        except (pa.ArrowException, OSError) as error:
            raise TableError(self._explain(str(error))) from error
        return {field.name: _kind(field.type) for field in schema}

    def _parquet_file(self) -> Any:
        import pyarrow as pa
        from pyarrow import parquet

        try:
            return parquet.ParquetFile(self.path)
        except (pa.ArrowException, OSError) as error:
            raise TableError(f"{self.path} is no Parquet file: {error}") from error

    def _parquet_kinds(self) -> dict[str, str]:
        with self._parquet_file() as file:
            schema, self.rows = file.schema_arrow, file.metadata.num_rows
        # pandas writes an index without a name as a column.
        index = (schema.pandas_metadata or {}).get("index_columns", [])
        hidden = [i for i in index if isinstance(i, str) and i.startswith(HIDDEN_INDEX)]
        return {f.name: _kind(f.type) for f in schema if f.name not in hidden}

    def _parquet(self, types: dict[str, Any]) -> Iterator[Any]:
        size = max(1, _VALUES // max(len(types), 1))
        with self._parquet_file() as file:
            yield from file.iter_batches(size, columns=list(types))

    def _explain(self, message: str) -> str:
        """What pyarrow says, with the name of the column and what to do."""
        line = re.search(r"Row #(\d+)", message)
        where = f"{self.path}, line {line[1]}" if line else str(self.path)
        value = re.search(r"column #(\d+): .*invalid value (.*)", message)
        if value:
            return (
                f"{where}: column {self._names[int(value[1])]!r} holds numbers, but "
                f"{value[2]} here: correct it, or leave the field empty if the value "
                "is missing"
            )
        fields = re.search(r"Expected (\d+) columns, got (\d+)", message)
        if fields:
            return (
                f"{where}: {fields[2]} fields, but the header has {fields[1]}; put "
                "text that holds a separator in quotes, and leave missing values empty"
            )
        return f"{self.path} is damaged or cut short: {message}"


def matrix(batch: Any, columns: Sequence[str]) -> Array:
    """Columns of numbers of a batch, (m, d), with NaN for what is missing."""
    X = np.empty((batch.num_rows, len(columns)))
    for j, name in enumerate(columns):
        X[:, j] = batch.column(name).to_numpy(zero_copy_only=False)
    return X


def _cast(column: Any, type: Any) -> Any:
    import pyarrow as pa

    # Integers that a double does not hold exactly are rounded.
    number = type in (pa.float64(), pa.bool_())
    return column.cast(pa.float64(), safe=False) if number else column.cast(type)


def _kind(type: Any) -> str:
    from pyarrow import types

    if types.is_dictionary(type):
        return _kind(type.value_type)
    if types.is_boolean(type):
        return "flags"
    if types.is_integer(type):
        return "whole"
    if types.is_floating(type) or types.is_decimal(type) or types.is_null(type):
        return "numbers"
    if types.is_string(type) or types.is_large_string(type) or types.is_binary(type):
        return "text"
    return str(type)
