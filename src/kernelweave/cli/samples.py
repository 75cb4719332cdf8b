"""From files to samples: columns, views, and a target."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from ..tables import UNNAMED, TableError, join, read_table, row_names
from ..tables.annotated import modalities
from ..tables.padded import merged_texts
from .suspects import listed

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Samples:
    """The rows of one or several tables.

    Attributes
    ----------
    frame : DataFrame
        All columns but the ids; of several tables they are called "table.column".
    tables : dict
        From the name of a table to its columns in `frame`.
    ids : list of str
    id : str or None
        The id column.
    notes : list of str
        What the user should know.
    """

    frame: pd.DataFrame
    tables: dict[str, list[str]]
    ids: list[str]
    id: str | None
    notes: list[str]

    def named(self, column: str) -> list[str]:
        """Columns of `frame` with this name, in full or within a table."""
        if column in self.frame.columns:
            return [column]
        return [
            full
            for table, columns in self.tables.items()
            for full in columns
            if column in (full, full.removeprefix(f"{table}."))
        ]

    def target(self, name: str) -> str:
        """The one column that the user means by the name of the target."""
        found = self.named(name)
        if len(found) == 1:
            return found[0]
        if found:
            raise TableError(
                f"the target {name!r} is in several tables: name one of "
                f"{', '.join(found)}"
            )
        if name == self.id:
            raise TableError(f"{name!r} is the id column, and cannot be the target")
        raise TableError(
            f"there is no target column {name!r}; the columns are "
            f"{listed(self.frame.columns) or 'none beside the ids'}{self._turned(name)}"
        )

    def _turned(self, target: str) -> str:
        """What to say where the target is the name of a row."""
        firsts = (self.frame[columns[0]] for columns in self.tables.values() if columns)
        if target not in self.ids and not any(target in set(c) for c in firsts):
            return ""
        return (
            f"; {target!r} is in the first column: the table seems to be transposed. "
            "Samples must be rows: turn it round"
        )

    def twins(self, target: str) -> list[str]:
        """Columns of the other tables that are called like the target."""
        home = next(table for table, all in self.tables.items() if target in all)
        name = target.removeprefix(f"{home}.")
        return [
            f"{table}.{name}"
            for table, columns in self.tables.items()
            if table != home and f"{table}.{name}" in columns
        ]

    def left_out(self, drop: Sequence[str], only: Sequence[str]) -> list[str]:
        """Columns that --drop names, and that --only does not, if it is there."""
        dropped = {
            c for pattern in drop for c in self._matching(pattern, f"--drop {pattern}")
        }
        kept = {
            c for pattern in only for c in self._matching(pattern, f"--only {pattern}")
        }
        return [
            c for c in self.frame.columns if c in dropped or (only and c not in kept)
        ]

    def _matching(self, pattern: str, option: str) -> list[str]:
        found = [
            c
            for table, all in self.tables.items()
            for c in all
            if fnmatchcase(c, pattern)
            or fnmatchcase(c.removeprefix(f"{table}."), pattern)
        ]
        # A name may hold what patterns are made of.
        found = self.named(pattern) or found
        if not found:
            raise TableError(
                f"{option}: there is no such column; the columns are "
                f"{listed(self.frame.columns)}"
            )
        return found

    def views(
        self, patterns: Sequence[str], target: str, without: Sequence[str] = ()
    ) -> dict[str, list[str]]:
        """Columns by view: one view a table, or as NAME=PATTERN says.

        The twins of the target, which tell it, are in no view, nor are the columns
        of `without`.
        """
        hidden = {target, *self.twins(target), *without}
        if not patterns:
            views = {
                table: [c for c in columns if c not in hidden]
                for table, columns in self.tables.items()
            }
            # A table that only brings the target is no view.
            return {name: columns for name, columns in views.items() if columns}
        views = {}
        for text in patterns:
            name, equals, pattern = text.partition("=")
            if not (name and equals and pattern):
                raise TableError(
                    f"--view {text}: write NAME=PATTERN, such as rna='rna_*'"
                )
            columns = views.setdefault(name, [])
            matching = self._matching(pattern, f"--view {text}")
            columns += [c for c in matching if c not in hidden and c not in columns]
            if not columns:
                raise TableError(
                    f"view {name!r} is empty: it has the target alone, or columns that "
                    "were left out"
                )
        return views


def named_files(paths: Sequence[str]) -> dict[str, Path]:
    """The files by the names of their tables."""
    paths = list(expanded(paths))
    files = {stem(path): _file(path) for path in paths}
    if len(files) < len(paths):
        raise TableError(
            f"two of the tables are called {listed(_twice(paths))}: rename one, since "
            "the name of a table is the name of its view"
        )
    return files


def _file(text: str) -> Path:
    """The file of FILE or NAME=FILE; a file may have = in its own name."""
    path = Path(text)
    return path if path.exists() else Path(text.partition("=")[2] or text)


def expanded(paths: Sequence[str]) -> Iterator[str]:
    """The files, with one MODALITY=FILE for each modality of an .h5mu file."""
    for path in paths:
        if path.lower().endswith(".h5mu") and "=" not in path and Path(path).is_file():
            yield from (f"{name}={path}" for name in modalities(Path(path)))
        else:
            yield path


def read_samples(
    files: Mapping[str, Path],
    id: str | None = None,
    *,
    keep: bool = False,
    text: Mapping[str, Sequence[str]] | None = None,
    trained: Sequence[str] | None = None,
    also: Sequence[str] = (),
) -> Samples:
    """Read tables and join them.

    Parameters
    ----------
    files : mapping from the names of the tables
    id : str, optional
    keep : bool
        Keep the samples that some tables lack.
    text : mapping, optional
        From the name of a table to its columns that hold text, even where all of it
        looks like numbers.
    trained : sequence of str, optional
        For new rows, the names of all tables of the training.
    also : sequence of str
        Columns that describe the samples of .h5ad and .h5mu files, such as the target.
    """
    text = {} if text is None else text
    # A table of new rows may be empty, if rows may lack it.
    sparing = keep and trained is not None
    read = {
        name: read_table(
            path, id, text.get(name, ()), empty=sparing, part=name, also=also
        )
        for name, path in files.items()
    }
    if sparing:
        files = {name: path for name, path in files.items() if len(read[name])}
        if not files:
            raise TableError("the tables have headers, but no rows")
        read = {name: read[name] for name in files}
    if id is not None and trained is not None and len(read) == 1:
        # New rows need no ids, if there is nothing to join.
        id = id if all(id in table for table in read.values()) else None
    named = {name: row_names(path) for name, path in files.items()}
    for name in named:
        # Where a file has no column of ids, but an index, it is called like them.
        named[name] = named[name] if named[name] in read[name] else None
    found, notes = find_ids(named, id)
    if id is None and found is not None and len(read) == 1:
        (table,) = read.values()
        if not table[found].is_unique:
            found, notes = None, [f"the column {found!r} names rows twice: left out"]
    id = found
    for name, column in named.items():
        if column is not None and column != id:
            read[name] = read[name].drop(columns=column)
    joined = join(read, id, keep=keep)
    notes += joined.notes()
    if trained is None:
        notes += _note_merged(files, read, id)
    tables = dict(joined.tables)
    if len(trained or tables) > 1:
        tables = {name: table.add_prefix(f"{name}.") for name, table in tables.items()}
    import pandas as pd

    frame = pd.concat(list(tables.values()), axis=1).set_axis(joined.ids)
    columns = {name: list(map(str, table.columns)) for name, table in tables.items()}
    return Samples(frame, columns, joined.ids, id, notes)


def _note_merged(
    files: Mapping[str, Path], read: Mapping[str, pd.DataFrame], id: str | None
) -> list[str]:
    """A note about each column in which texts such as 01 and 1 became one number."""
    return [
        f"{table}: column {name!r} has {' and '.join(texts)}, read as one number: if "
        "they are codes, write them with a letter, such as c" + texts[0]
        for table, path in files.items()
        for name, texts in merged_texts(path, read[table]).items()
        if name != id
    ]


def find_ids(
    named: Mapping[str, str | None], id: str | None
) -> tuple[str | None, list[str]]:
    """The id column, and notes about columns that name rows: they are no data.

    Parameters
    ----------
    named : mapping
        From the names of the tables to what `row_names` finds in their files.
    id : str or None
        What the user says.
    """
    if id is None and len(set(named.values())) == 1:
        id = next(iter(named.values()))
        if id is not None:
            what = "first column has no name" if id == UNNAMED else f"index is {id!r}"
            return id, [f"the {what}: it is taken for the ids"]
    return id, [
        f"{table}: the column {column!r} names rows, left out"
        for table, column in named.items()
        if column is not None and column != id
    ]


def stem(path: str) -> str:
    """The name of a table: that of its file, without the ending, or NAME=FILE."""
    if "=" in path and path.lower().endswith(".h5mu"):
        return path.partition("=")[0]
    name = re.sub(r"\.gz$", "", Path(path).name, flags=re.IGNORECASE)
    return Path(name).stem


def _twice(paths: Sequence[str]) -> list[str]:
    stems = [stem(path) for path in paths]
    return [stem for stem in dict.fromkeys(stems) if stems.count(stem) > 1]
