"""Rows of CSV and Parquet files that need not fit into memory."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..problem import Array
from ..tables import TableError
from ..tables.batches import TableBatches, matrix
from ..tables.exact import EXACT
from ..tables.finite import refuse_infinite
from .sources import Source, file_facts


class FileSource(Source):
    """The rows of .csv, .tsv (either may end with .gz) or .parquet files, in batches.

    Rows without a target are left out. It needs pyarrow.

    Parameters
    ----------
    paths : path, or sequence of paths
        Files with the same columns, one after the other.
    target : str
        The column to predict: text, or numbers.
    columns : sequence of str, optional
        Columns of numbers to learn from; the default is all but the target.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from kernelweave.streamed import FileSource
    >>> path = Path(tempfile.mkdtemp()) / "petals.csv"
    >>> _ = path.write_text("length,width,kind\\n1.4,0.2,a\\n4.7,1.4,b\\n")
    >>> source = FileSource(path, target="kind")
    >>> source.names
    ['length', 'width']
    >>> for X, y in source:
    ...     print(X.shape, y.tolist())
    (2, 2) ['a', 'b']
    """

    def __init__(
        self,
        paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        target: str,
        columns: Sequence[str] | None = None,
    ):
        one = isinstance(paths, str | os.PathLike)
        self.files = [TableBatches(path) for path in ([paths] if one else paths)]
        if not self.files:
            raise ValueError("there is no file to read")
        kinds = self.files[0].kinds
        if target not in kinds:
            raise TableError(
                f"{self.files[0].path} has no target column {target!r}; it has "
                f"{', '.join(list(kinds)[:5])}{', ...' if len(kinds) > 5 else ''}"
            )
        names = [name for name in kinds if name != target]
        self.columns = names if columns is None else list(columns)
        self.names = list(self.columns)
        self.target = target
        self.width = len(self.columns)
        if not self.columns or target in self.columns:
            raise TableError(
                "the columns to learn from must be some, and not the target "
                f"{target!r}; got {self.columns}"
            )
        for file in self.files:
            if file.kinds.get(target) == "flags":
                file.kinds[target] = "text"
            self._check(file)
        self._text = kinds[target] == "text"
        self._whole = all(file.kinds[target] == "whole" for file in self.files)

    def _check(self, file: TableBatches) -> None:
        """Refuse a file that lacks columns, or holds no numbers in them."""
        lost = [c for c in [*self.columns, self.target] if c not in file.kinds]
        if lost:
            raise TableError(
                f"{file.path} has no column {lost[0]!r}: all files need the columns "
                f"of {self.files[0].path}"
            )
        for name in self.columns:
            if file.kinds[name] not in ("numbers", "whole", "flags"):
                raise TableError(
                    f"{file.path}: column {name!r} holds {file.kinds[name]}: rows that "
                    "come in chunks hold numbers; leave it out, or load the table"
                )
        first, here = (f.kinds[self.target] for f in (self.files[0], file))
        plain = ("text", "numbers", "whole")
        if here not in plain or (here == "text") != (first == "text"):
            raise TableError(
                f"{file.path}: the target {self.target!r} holds {here}"
                + (f", but {first} in {self.files[0].path}" if here in plain else "")
            )

    @property
    def rows(self) -> int | None:
        """How many rows there are; of text, an estimate from what was read."""
        counts = [file.rows for file in self.files]
        known = [count for count in counts if count is not None]
        return sum(known) if len(known) == len(counts) else None

    def __iter__(self) -> Iterator[tuple[Array, Array]]:
        import pyarrow.compute as pc

        self.lacking = total = 0
        for file in self.files:
            first = 1
            for batch in file.read([*self.columns, self.target], [self.target]):
                total += batch.num_rows
                rows = np.arange(first, first + batch.num_rows)
                first += batch.num_rows
                lacking = self._lacking(batch.column(self.target))
                self.lacking += lacking.true_count
                if lacking.true_count:
                    there = pc.invert(lacking)
                    batch = batch.filter(there)
                    rows = rows[there.to_numpy(zero_copy_only=False)]
                X, y = matrix(batch, self.columns), self._y(batch)
                for name, values in zip(self.columns, X.T, strict=True):
                    refuse_infinite(values, name, rows, f"{file.path}: ")
                if not self._text:
                    refuse_infinite(y, self.target, rows, f"{file.path}: ")
                yield X, y
        if self.lacking == total:
            where = ", ".join(str(file.path) for file in self.files)
            if not total:
                raise TableError(f"{where} has a header, but no rows")
            raise TableError(
                f"{where}: the target {self.target!r} is empty in every row"
            )

    def _lacking(self, target: Any) -> Any:
        """Where there is no target: nothing, NaN or an empty text."""
        import pyarrow.compute as pc

        lacking = target.is_null(nan_is_null=True)
        return pc.or_kleene(lacking, pc.equal(target, "")) if self._text else lacking

    def _y(self, batch: Any) -> Array:
        y = batch.column(self.target).to_numpy(zero_copy_only=False)
        if self._text:
            return y.astype(str)
        small = bool(np.all((y > -EXACT) & (y < EXACT)))
        if y.dtype.kind in "iu":
            return y.astype(np.int64 if self._whole else float) if small else y
        whole = self._whole and small and bool(np.all(y == np.rint(y)))
        return y.astype(np.int64) if whole else y

    def fingerprint(self) -> str:
        """Names, sizes and last changes of the files, and which columns are read."""
        files = [[file.path.name, *file_facts(file.path)] for file in self.files]
        return json.dumps([files, self.columns, self.target])
