"""Tables that a few lines of script can sort, and that read well without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .markup import Markup, plural, tag

# A printed page has the first rows of a long table; the screen has all.
PRINTED_ROWS = 40
# A table of more rows scrolls on the screen.
SCREEN_ROWS = 15


@dataclass(frozen=True)
class Column:
    """A heading; numbers stand to the right."""

    name: str
    numeric: bool = False


def table(caption: str, columns: Sequence[Column], rows: Sequence[Any]) -> Markup:
    """A table whose first text column names the row."""
    heading = next(i for i, column in enumerate(columns) if not column.numeric)
    head = [
        tag("th", column.name, scope="col", class_="number" if column.numeric else None)
        for column in columns
    ]
    body = []
    for i, row in enumerate(rows):
        cells = [
            tag("th", value, scope="row")
            if c == heading
            else tag("td", value, class_="number" if columns[c].numeric else None)
            for c, value in enumerate(row)
        ]
        unprinted = "rest" if i >= PRINTED_ROWS else None
        body.append(tag("tr", *cells, class_=unprinted))
    left = plural(len(rows) - PRINTED_ROWS, "row")
    cut = tag("p", f"{left} more in the file itself.", class_="paper")
    return tag(
        "div",
        tag(
            "table",
            tag("caption", tag("span", caption)),
            tag("thead", tag("tr", *head)),
            tag("tbody", *body),
            class_="sortable" if len(rows) > 1 else None,
        ),
        cut if len(rows) > PRINTED_ROWS else "",
        class_="scroll long" if len(rows) > SCREEN_ROWS else "scroll",
        tabindex=0,
        role="region",
        aria_label=caption,
    )
