"""docs/reproduction.md, from results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from kernelweave.persist.atomic import written_whole

from .comparison import ABOVE, BELOW, WITHIN, read_toml, tally
from .output import draw
from .reproduce import Result, all_tables, folder_of, read_result
from .sections import markdown, section
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
machine; of kernels it says fewer. The errors are those of random splits: which copy of
a data set was used, which of its rows and how they were scaled is in none of them.
"""
# The tables of accuracies that the summary counts. Those of data that others stand for
# here are listed apart.
JUDGED = {
    "hao2012": ("table1", "table2", "table4"),
    "kim2006": ("table1",),
    "yang2011": ("table4", "table5"),
    "ye2008": tuple(f"table{number}" for number in range(2, 16)),
}


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
                figure = f"{page.stem}/{paper}-{result.name}.png"
                files.append(page.parent / figure)
                files[-1].parent.mkdir(exist_ok=True)
                draw(result, files[-1])
            text.append(section(result, figure))
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


def _summary(results: Mapping[str, list[Result]]) -> str:
    """Verdicts on accuracies, a line a table: those judged, then the others."""
    full = [r for found in results.values() for r in found if not r.quick]
    judged = [r for r in full if r.name in JUDGED.get(r.paper, ())]
    others = [r for r in full if r.name not in JUDGED.get(r.paper, ())]
    lines, (good, above, below) = _verdict_lines(judged)
    total = good + above + below
    if not total:
        return "No table of accuracies has been run at full size yet.\n"
    wanted = sum(map(len, JUDGED.values()))
    text = (
        f"**Of {total} printed accuracies {good + above}, or "
        f"{(good + above) / total:.1%}, are reproduced or surpassed**: "
        f"{good} lie within two standard errors, "
        f"{above} above and {below} below. They are those of {len(lines)} of {wanted} "
        "tables, as far as their data exist. Above is not always better, and every "
        "table that has a cell below print has a paragraph on it.\n"
    )
    header = ["paper", "table", "splits", "within", "above", "below", "within or above"]
    share = f"{(good + above) / total:.0%}"
    lines.append(["**all**", "", "", good, above, below, share])
    text += f"\n{markdown(header, lines)}\n"
    more, _ = _verdict_lines(others)
    if more:
        text += f"\nOther tables with accuracies:\n\n{markdown(header, more)}\n"
    return text


def _verdict_lines(found: Iterable[Result]) -> tuple[list[list], tuple[int, ...]]:
    """A line for every table with verdicts, and how many of each there are in all."""
    lines = []
    for result in found:
        counts = tally(result.cells, "accuracy")
        three = [counts.get(v, 0) for v in (WITHIN, ABOVE, BELOW)]
        if sum(three):
            share = f"{(three[0] + three[1]) / sum(three):.0%}"
            splits = f"{result.splits} of {result.table.splits}"
            lines.append([result.paper, result.name, splits, *three, share])
    return lines, tuple(sum(line[i] for line in lines) for i in (3, 4, 5))
