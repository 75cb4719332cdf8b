"""docs/reproduction.md, from results."""

from __future__ import annotations

from pathlib import Path

from ..atomic import written_whole
from .comparison import ABOVE, BELOW, NOT_RUN, WITHIN, Compared, read_toml, tally
from .output import caption, draw, number
from .reproduce import Result, all_tables, folder_of, read_result
from .table import Table

BEGINNING = """\
# Reproduction

Every table and figure of the papers that the data at hand allow, our numbers beside the
printed ones. This page is written by

    kernelweave reproduce --write-docs DIR

from the results that `kernelweave reproduce PAPER TABLE --out DIR` has left there. A
cell shows our mean ± its standard error, and in brackets the printed mean. No mark:
they are within two standard errors of their difference, √(s²/n + S²/N), or nothing is
printed; ▲ ours is above that; ▼ it is below; ? there is no spread to judge by. Where
no deviation S is printed, ours stands for it. Of seconds ▼ says faster, on another
machine; of kernels it says fewer.
"""
MARKS = {ABOVE: " ▲", BELOW: " ▼", "no spread": " ?"}


def write_page(folder: Path, page: Path) -> list[Path]:
    """Write the page from the results in a folder, and its figures beside it."""
    page.parent.mkdir(parents=True, exist_ok=True)
    results = {
        paper: [_result(folder, paper, name, table) for name, table in tables.items()]
        for paper, tables in all_tables().items()
    }
    text, files = [BEGINNING, _summary(results)], [page]
    for paper, found in results.items():
        head = read_toml(paper, "printed.toml").get("paper", {}).get("title", "")
        text.append(f"## {paper}{f': {head}' if head else ''}\n")
        for result in found:
            figure = None
            if result.table.kind == "curve" and result.splits:
                figure = page.parent / page.stem / f"{paper}-{result.name}.png"
                figure.parent.mkdir(exist_ok=True)
                draw(result, figure)
                files.append(figure)
            text.append(_section(result, figure, page))
    with written_whole(page) as part:
        part.write_text("\n".join(text), encoding="utf-8")
    return files


def _result(folder: Path, paper: str, name: str, table: Table) -> Result:
    """The full form, or the smaller one where there is nothing else."""
    for quick in (False, True):
        place = folder_of(folder, paper, name, quick)
        if place.is_dir():
            result = read_result(paper, name, table, place, quick)
            if result.splits or not quick:
                return result
    return read_result(paper, name, table, folder_of(folder, paper, name, False))


def _summary(results: dict[str, list[Result]]) -> str:
    """Verdicts on accuracies, a line a table."""
    lines = []
    for paper, found in results.items():
        for result in found:
            if result.quick:
                continue
            counts = tally(result.cells, "accuracy")
            good, above, below = (counts.get(v, 0) for v in (WITHIN, ABOVE, BELOW))
            total = good + above + below
            if total:
                share = f"{(good + above) / total:.0%}"
                splits = f"{result.splits} of {result.table.splits}"
                lines.append([paper, result.name, splits, good, above, below, share])
    if not lines:
        return "No table of accuracies has been run at full size yet.\n"
    sums = [sum(line[i] for line in lines) for i in (3, 4, 5)]
    share = f"{(sums[0] + sums[1]) / sum(sums):.0%}"
    lines.append(["**all**", "", "", *sums, share])
    header = ["paper", "table", "splits", "within", "above", "below", "within or above"]
    return f"Accuracies for which a number is printed:\n\n{_markdown(header, lines)}\n"


def _section(result: Result, figure: Path | None, page: Path) -> str:
    out = [f"### {result.paper} {result.name}: {result.table.title}\n"]
    out.append(f"    {result.command}\n")
    if result.missing:
        out.append(f"Data sets not available: {', '.join(result.missing)}.\n")
    if result.reason:
        out.append(f"Not run: {result.reason}.\n")
    elif not result.splits:
        out.append("Not run yet.\n")
    elif figure is not None:
        place = figure.relative_to(page.parent).as_posix()
        out.append(f"![{result.table.title}]({place})\n\n{caption(result)}\n")
    else:
        form = " (the smaller form)" if result.quick else ""
        splits = f"{result.splits} of {result.table.splits} splits{form}."
        out.append(f"{splits} {_verdicts(result)}\n\n{_table(result)}\n")
    if result.note:
        out.append(f"{result.note}\n")
    explained = read_toml(result.paper, "notes.toml").get(result.name, {})
    if explained.get("text"):
        out.append(f"{explained['text'].strip()}\n")
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
    return "\n\n".join(_markdown(["", *key], lines) for key, lines in groups.items())


def _cell(cell: Compared) -> str:
    text = number(cell.mean, cell.kind)
    if cell.error is not None:
        text += f" ± {number(cell.error, cell.kind)}"
    if cell.printed is not None:
        text += f" ({number(cell.printed, cell.kind)})"
    return text + MARKS.get(cell.verdict, "")


def _markdown(header: list[str], rows: list[list]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(_safe, line)) + " |" for line in lines)


def _safe(value: object) -> str:
    return str(value).replace("|", "\\|")
