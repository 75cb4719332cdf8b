"""Which of the given files is which table of the training.

A table is known by the name of its file, or else by its columns: it may be one of the
training if it has all columns of it that the model uses. The files are assigned if
there is one way only; the order in which they are given says nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..tables import TableError
from ..tables.read import column_names
from .samples import expanded, listed, stem


def match_tables(given: Sequence[str], metadata: dict[str, Any]) -> dict[str, Path]:
    """The files by the names of the tables, in the order in which they are given.

    A table that brought the target alone may be left out, and with `--missing mean`
    any table but one.

    Parameters
    ----------
    given : sequence of str
        Files, or NAME=FILE, which says what a file is.
    metadata : dict
        Of the model.
    """
    used = _used_columns(metadata)
    given = list(expanded(given))
    named = [_split(text, used) for text in given]
    sparing = metadata["missing"] == "mean"
    _check_count(len(given), used, sparing)
    _check_twice([path for name, path in named if name is None])
    stems = [stem(str(path)) for name, path in named if name is None]
    taken = {name for name, _ in named}
    found: list[str | None] = [
        name or _by_stem(stem(str(path)), stems, taken, used) for name, path in named
    ]
    twice = [name for name in found if name is not None and found.count(name) > 1]
    if twice:
        raise TableError(f"two files are given for the table {twice[0]}: give one")
    free = [path for name, (_, path) in zip(found, named, strict=True) if name is None]
    left = {name: used[name] for name in used if name not in found}
    by_columns = iter(_by_columns(free, left, metadata["target"], sparing))
    return {
        name or next(by_columns): path
        for name, (_, path) in zip(found, named, strict=True)
    }


def _used_columns(metadata: dict[str, Any]) -> dict[str, list[str]]:
    """For each table, the names in its file of the columns that the model uses."""
    tables, used = metadata["tables"], set(metadata["columns"])
    several = len(tables) > 1
    return {
        name: [c.removeprefix(f"{name}." if several else "") for c in all if c in used]
        for name, all in tables.items()
    }


def _split(text: str, used: dict[str, list[str]]) -> tuple[str | None, Path]:
    """The table that the user names, if any, and the file."""
    name, equals, path = text.partition("=")
    if not equals or Path(text).exists():
        return None, Path(text)
    if name not in used:
        raise TableError(
            f"{text}: the model was fitted to no table {name!r}; there are: "
            f"{listed(used)}"
        )
    return name, Path(path)


def _check_count(given: int, used: dict[str, list[str]], sparing: bool) -> None:
    least = 1 if sparing else sum(map(bool, used.values()))
    if least <= given <= len(used):
        return
    tables = "table" if len(used) == 1 else "tables"
    raise TableError(
        f"the model was fitted to {len(used)} {tables} ({', '.join(used)}), and "
        f"{given} {'was' if given == 1 else 'were'} given: give "
        f"{'one file' if len(used) == 1 else 'a file for each'}"
    )


def _check_twice(paths: list[Path]) -> None:
    seen: dict[Path, Path] = {}
    for path in paths:
        other = seen.setdefault(path.resolve(), path)
        if other is not path:
            raise TableError(
                f"{other} and {path} are the same file: give each table once, or say "
                "which is which, as in NAME=FILE"
            )


def _by_stem(
    name: str, stems: list[str], taken: set[str | None], used: dict[str, list[str]]
) -> str | None:
    known = name in used and name not in taken and stems.count(name) == 1
    return name if known else None


def _by_columns(
    files: list[Path], tables: dict[str, list[str]], target: str, sparing: bool
) -> list[str]:
    """For each file the one table whose columns it has.

    `sparing`: whether no table has to be there.
    """
    if len(files) == len(tables) == 1:
        # Nothing else is left; what the file lacks is said when it is read.
        return list(tables)
    there = [set(column_names(path)) for path in files]
    needed = {name for name, used in tables.items() if used and not sparing}
    # A table that brought the target alone is known by it.
    tables = {name: used or [target] for name, used in tables.items()}
    could = {
        i: {name for name, used in tables.items() if {*used} <= columns}
        for i, columns in enumerate(there)
    }
    found: dict[int, str] = {}
    # Where only one assignment is possible, some file has one table left, or some table
    # that must be there one file.
    while len(found) < len(files):
        for i, names in could.items():
            if not names:
                raise TableError(_nothing_fits(files[i], there[i], tables))
        pair = _forced(could, [name for name in tables if name in needed])
        if pair is None:
            raise TableError(_in_doubt([files[i] for i in could], could, tables))
        i, name = pair
        found[i] = name
        del could[i]
        for others in could.values():
            others.discard(name)
        tables = {other: used for other, used in tables.items() if other != name}
    return [found[i] for i in range(len(files))]


def _forced(could: dict[int, set[str]], needed: list[str]) -> tuple[int, str] | None:
    for name in needed:
        suitable = [i for i in could if name in could[i]]
        if len(suitable) == 1:
            return suitable[0], name
    for i, names in could.items():
        if len(names) == 1:
            return i, next(iter(names))
    return None


def _nothing_fits(path: Path, there: set[str], tables: dict[str, list[str]]) -> str:
    """What the file lacks of the table that it is most like."""
    lacking = {
        name: [c for c in used if c not in there] for name, used in tables.items()
    }
    nearest = min(lacking, key=lambda name: len(lacking[name]) / len(tables[name]))
    if len(tables) == 1:
        lacks = listed(lacking[nearest])
        return f"{path} is not {nearest}, which is the table left: it lacks {lacks}"
    return (
        f"{path} has the columns of none of the tables {listed(tables)}: of {nearest} "
        f"it lacks {listed(lacking[nearest])}"
    )


def _in_doubt(
    files: list[Path], could: dict[int, set[str]], tables: dict[str, list[str]]
) -> str:
    names = [name for name in tables if any(name in some for some in could.values())]
    example = " ".join(
        f"{name}={path}" for name, path in zip(tables, files, strict=False)
    )
    return (
        f"{listed(files)} cannot be told apart by their columns: each could be "
        f"{' or '.join(names)}; say which is which, such as {example}"
    )
