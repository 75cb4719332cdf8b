"""What the commands print."""

from __future__ import annotations

import io
import json
import re
import sys
import textwrap
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..persist.atomic import check_output

WIDTH = 79


# Marks that turn the direction of all that a terminal shows after them, and signs that
# move its cursor or change its colours.
HIDDEN = [*range(0x20), 0x7F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
VISIBLE = dict.fromkeys(set(HIDDEN) - {0x0A}, "\N{REPLACEMENT CHARACTER}")


def visible(text: str) -> str:
    """The text as a terminal may show it: names of files and columns may hold signs."""
    return text.translate(VISIBLE)


def to_json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Columns as wide as they need; those that hold numbers to the right."""
    rows = [list(map(visible, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    right = [
        all(cell.strip(" -+.%").replace(".", "").isdigit() for cell in column)
        for column in zip(*rows, strict=True)
    ]
    for row in [header, ["-" * width for width in widths], *rows]:
        cells = [
            cell.rjust(width) if flush else cell.ljust(width)
            for cell, width, flush in zip(row, widths, right, strict=True)
        ]
        print("  ".join(cells).rstrip())


def print_notes(notes: Iterable[str]) -> None:
    """Lines for the person at the terminal, apart from the answer."""
    sys.stdout.flush()
    for note in notes:
        tell(textwrap.fill(visible(note), WIDTH, subsequent_indent="  "))


def tell(text: str) -> None:
    """Print to standard error; where nobody can read it, the work goes on."""
    try:
        print(text, file=sys.stderr, flush=True)
    except OSError:
        sys.stderr = io.StringIO()


def output_file(path: str, inputs: Iterable[str]) -> Path:
    """Where to write, if a file can be written there, and it is none of the inputs.

    Parameters
    ----------
    path : str
    inputs : iterable of str
        Files that the command reads, or NAME=FILE.
    """
    output = check_output(path)
    for given in inputs:
        for name in (given, given.partition("=")[2]):
            if name and _is_same(output, Path(name)):
                known = "" if name == path else f", {name},"
                raise ValueError(
                    f"{path}: the command needs this file{known} and would write over "
                    "it: choose another name for the output"
                )
    return output


def _is_same(one: Path, other: Path) -> bool:
    """Whether two names, of files that need not be there yet, mean the same file."""
    if one.exists() and other.exists():
        return one.samefile(other)
    return one.resolve() == other.resolve()


@contextmanager
def warnings_as_notes() -> Iterator[None]:
    """Print warnings as notes, one of each kind."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    kinds: dict[str, list[str]] = {}
    for warning in caught:
        text = " ".join(str(warning.message).split())
        # Those that differ in their numbers only are of one kind.
        kinds.setdefault(re.sub(r"[\d.]+(e[+-]?\d+)?", "#", text), []).append(text)
    for texts in kinds.values():
        more = f" ({len(texts)} times)" if len(texts) > 1 else ""
        print_notes([f"note{more}: {texts[0]}"])


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def shortened(text: str, width: int) -> str:
    """The text, cut in the middle if it is too long."""
    if len(text) <= width:
        return text
    half = (width - 1) // 2
    return f"{text[: width - 1 - half]}…{text[-half:]}"
