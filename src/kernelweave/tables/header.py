"""The first line of a table: the names of its columns."""

from __future__ import annotations

from pathlib import Path

from .errors import TableError

# The name that a first column without one gets: row names, as pandas and R write them.
UNNAMED = "index"
# The first line of a file that has none; that of a blank line has no field.
NOTHING = [""]


def check_names(path: Path, names: list[str], delimiter: str) -> list[str]:
    """The names of the columns, without blanks, if they are such."""
    if any("\0" in name for name in names):
        raise TableError(
            f"{path} is not UTF-8 text, but seems to be UTF-16: save it as CSV UTF-8"
        )
    if not any(names):
        what = "is empty" if names == NOTHING else "has a blank first line"
        raise TableError(f"{path} {what}: a table begins with the names of columns")
    other = {";", "\t", ","} - {delimiter}
    if len(names) == 1 and any(mark in names[0] for mark in other):
        mark = next(mark for mark in sorted(other) if mark in names[0])
        what = {";": "semicolons", "\t": "tabs", ",": "commas"}[mark]
        advice = "save it with commas as .csv, or with tabs as .tsv"
        raise TableError(f"{path} is separated by {what}: {advice}")
    names = [name.strip() for name in names]
    names[0] = names[0] or UNNAMED
    for number, name in enumerate(names, start=1):
        if not name:
            raise TableError(f"{path}: column {number} has no name in the first line")
        if (first := names.index(name) + 1) < number:
            what = f"two columns are called {name!r} ({first} and {number})"
            raise TableError(f"{path}: {what}: rename one")
    return names
