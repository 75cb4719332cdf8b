"""A table or figure of a paper, as a section of the page."""

from __future__ import annotations

from collections.abc import Iterable

from .comparison import ABOVE, BELOW, NOT_RUN, Compared, read_toml, tally
from .output import caption, number
from .ratios import MEAN, ratios
from .reproduce import Result
from .shape import shapes

MARKS = {ABOVE: " ▲", BELOW: " ▼", "no spread": " ?"}


def section(result: Result, figure: str | None) -> str:
    """A table or figure: its command, our numbers beside the printed ones, and why.

    Parameters
    ----------
    result : Result
    figure : str or None
        Where its picture is, seen from the page.
    """
    out = [f"### {result.paper} {result.name}: {result.table.title}\n"]
    out.append(f"    {result.command}\n")
    if result.missing:
        out.append(f"Data sets not available: {', '.join(result.missing)}.\n")
    if result.reason:
        out.append(f"Not run: {result.reason}.\n")
    elif not result.splits:
        out.append("Not run yet.\n")
    elif figure is not None:
        out.append(f"![{result.table.title}]({figure})\n\n{caption(result)}\n")
        out.append(f"{_ranges(result.cells)}\n")
    else:
        form = " (the smaller form)" if result.quick else ""
        splits = f"{result.splits} of {result.table.splits} splits{form}."
        out.append(f"{splits} {_verdicts(result)}\n\n{_table(result)}\n")
        out += [f"{part}\n" for part in (_shapes(result), _ratios(result)) if part]
    if result.note:
        out.append(f"{result.note}\n")
    text = read_toml(result.paper, "notes.toml").get(result.name, {}).get("text", "")
    if text:
        out.append(f"{text.strip()}\n")
    elif not result.quick and tally(result.cells, "accuracy").get(BELOW):
        out.append("Nobody has looked yet for the reason why cells are below print.\n")
    return "\n".join(out)


def _verdicts(result: Result) -> str:
    """The verdicts in words, kind by kind."""
    parts = []
    for kind in dict.fromkeys(cell.kind for cell in result.cells):
        counts = tally(result.cells, kind)
        counts.pop(NOT_RUN, None)
        if counts:
            words = ", ".join(f"{n} {verdict}" for verdict, n in counts.items())
            parts.append(f"{kind}: {words}")
    return "; ".join(parts) + "."


def _table(result: Result) -> str:
    """Rows that have the same columns together."""
    by: dict[str, dict[str, Compared]] = {}
    for cell in result.cells:
        if cell.verdict != NOT_RUN:
            by.setdefault(cell.row, {})[cell.column] = cell
    groups: dict[tuple[str, ...], list[list]] = {}
    for row, cells in by.items():
        lines = groups.setdefault(tuple(cells), [])
        lines.append([row, *map(_cell, cells.values())])
    return "\n\n".join(markdown(["", *key], lines) for key, lines in groups.items())


def _cell(cell: Compared) -> str:
    text = number(cell.mean, cell.kind)
    if cell.error is not None:
        text += f" ± {number(cell.error, cell.kind)}"
    if cell.printed is not None:
        text += f" ({number(cell.printed, cell.kind)})"
    return text + MARKS.get(cell.verdict, "")


def _ranges(cells: Iterable[Compared]) -> str:
    """Where every curve of a figure lies."""
    curves: dict[str, list[Compared]] = {}
    for cell in cells:
        if cell.mean is not None:
            curves.setdefault(cell.row, []).append(cell)
    lines = [
        [
            curve,
            *_range(c.mean for c in of),
            *_range(v for c in of for v in (c.low, c.high)),
        ]
        for curve, of in curves.items()
    ]
    header = ["curve", "lowest mean", "highest mean", "lowest run", "highest run"]
    return markdown(header, lines)


def _range(values: Iterable[float | None]) -> list[str]:
    known = [value for value in values if value is not None]
    return [format(min(known), ".4g"), format(max(known), ".4g")]


def _shapes(result: Result) -> str:
    """How the learned weights agree with the printed ones, row by row."""
    lines = [
        [
            s.row,
            f"{s.cosine:.3f}",
            f"{s.overlap:.3f}",
            f"{s.largest} ({s.printed_largest})",
        ]
        for s in shapes(result.cells)
    ]
    if not lines:
        return ""
    header = ["", "cosine", "overlap", "largest weight"]
    return (
        "The shape of our mean weights and the printed ones (1: the same; the overlap "
        f"is the share of weight on the same kernels):\n\n{markdown(header, lines)}"
    )


def _ratios(result: Result) -> str:
    """Seconds as multiples of one row's."""
    rows: dict[str, dict[str, str]] = {}
    for ratio in ratios(result.cells, result.table.unit):
        text = number(ratio.ours, "seconds")
        if ratio.printed is not None:
            text += f" ({number(ratio.printed, 'seconds')})"
        rows.setdefault(ratio.row, {})[ratio.column] = text
    if not rows:
        return ""
    columns = list(dict.fromkeys(column for row in rows.values() for column in row))
    columns = [*(c for c in columns if c != MEAN), MEAN]
    lines = [[row, *(of.get(c, "") for c in columns)] for row, of in rows.items()]
    return (
        f"As multiples of {result.table.unit}, in brackets those of the printed "
        "seconds; a mean is over the problems that have both:\n\n"
        f"{markdown(['', *columns], lines)}"
    )


def markdown(header: list[str], rows: list[list]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(_safe, line)) + " |" for line in lines)


def _safe(value: object) -> str:
    return str(value).replace("|", "\\|")
