"""What `kernelweave reproduce` does; its options are the library's."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from kernelweave.cli.output import (
    WIDTH,
    plural,
    print_notes,
    print_table,
    shortened,
    to_json,
    warnings_as_notes,
)
from kernelweave.progress import Progress

from .comparison import NOT_RUN, tally
from .data import missing, to_fetch
from .output import facts, number, write_files
from .page import write_page
from .ratios import MEAN, ratios
from .reproduce import all_tables, find, folder_of, reproduce
from .shape import shapes

NOT_COMPARABLE = """\
A quick run has fewer splits, and often fewer samples and a smaller grid: it shows
that the table runs, and is NOT comparable with print. What it counts is no result:"""

# More points of a curve are in the CSV file only.
MOST_LINES = 150


def run(options: argparse.Namespace) -> int:
    if options.write_docs is not None:
        return _write_docs(options)
    if options.paper is None:
        return _list(options)

    tables = [(paper, name) for paper, name, _ in find(options.paper, options.table)]
    answers, code, results = [], 0, []
    for paper, name in tables:
        try:
            result, files = _reproduce(options, paper, name)
        except ValueError as error:
            if len(tables) == 1:
                raise
            # The others can still be run.
            print_notes([f"kernelweave: {paper} {name}: {error}"])
            code = 2
            continue
        results.append(result)
        if options.json:
            answers.append(facts(result))
        else:
            _print(result)
            if files:
                print_notes([f"wrote {', '.join(str(f) for f in files)}"])
    if options.json:
        print(to_json(answers), end="")
    return code or _nothing_run(results)


def _nothing_run(results: list[Any]) -> int:
    """The exit code 2, with a line of why, where no table could be run; else 0."""
    if not results or not all(_empty(result) for result in results):
        return 0
    reasons = "; ".join(dict.fromkeys(result.reason for result in results))
    absent = list(dict.fromkeys(n for result in results for n in result.missing))
    print_notes(
        [
            f"kernelweave: nothing was run: {reasons}; data sets come from the folder "
            "that KERNELWEAVE_DATA names, or some from OpenML, and "
            f"kernelweave.datasets.load_table({absent[0]!r}) says what is wrong"
        ]
    )
    return 2


def _empty(result: Any) -> bool:
    """Whether a table could not be run, and never was."""
    return bool(result.reason) and not result.splits


def _reproduce(options: argparse.Namespace, paper: str, name: str) -> tuple[Any, Any]:
    """Run a table and write its files."""

    with warnings_as_notes(), Progress() as progress:

        def show(done: int, total: int, text: str) -> None:
            progress(done, total, f"{paper} {name}, {text}")

        show(0, 0, "beginning")
        result = reproduce(
            paper,
            name,
            options.out,
            options.splits,
            options.quick,
            options.jobs,
            show,
        )
    if _empty(result):
        return result, []
    folder = folder_of(options.out, paper, name, options.quick)
    return result, write_files(result, folder)


def _list(options: argparse.Namespace) -> int:

    rows = [
        {
            "paper": paper,
            "table": name,
            "title": table.title,
            "splits": table.splits,
            "data": list(table.data),
            "missing": missing(table.data, download=False),
            "to_fetch": to_fetch(table.data),
        }
        for paper, tables in all_tables().items()
        for name, table in tables.items()
    ]
    if options.json:
        print(to_json(rows), end="")
        return 0
    lines = [
        [
            row["paper"],
            row["table"],
            str(row["splits"]),
            _state(row["data"], row["missing"], row["to_fetch"]),
        ]
        for row in rows
    ]
    header = ["paper", "table", "splits", "data"]
    taken = sum(max(map(len, c)) + 2 for c in zip(header, *lines, strict=True))
    titles = [shortened(row["title"], WIDTH - taken) for row in rows]
    print_table(
        [*header, "title"],
        [[*line, title] for line, title in zip(lines, titles, strict=True)],
    )
    absent = list(dict.fromkeys(name for row in rows for name in row["missing"]))
    fetched = list(dict.fromkeys(name for row in rows for name in row["to_fetch"]))
    notes = []
    if fetched:
        notes.append(f"from OpenML, unless fetched before: {', '.join(fetched)}")
    if absent:
        notes.append(
            f"not available: {', '.join(absent)}; KERNELWEAVE_DATA names the folder "
            "of data sets"
        )
    print_notes(notes)
    return 0


def _state(data: list[str], absent: list[str], fetched: list[str]) -> str:
    """Where the data sets of a table are; of "some" others are elsewhere or nowhere."""
    if not absent and not fetched:
        return "here"
    if len(absent) == len(data):
        return "missing"
    return "OpenML" if len(absent) + len(fetched) == len(data) else "some"


def _write_docs(options: argparse.Namespace) -> int:

    if not Path(options.write_docs).is_dir():
        raise ValueError(
            f"there is no folder {options.write_docs}: run tables with --out first"
        )
    files = write_page(Path(options.write_docs), Path(options.page))
    print_notes([f"wrote {', '.join(str(file) for file in files)}"])
    return 0


def _print(result: Any) -> None:
    """The table in 80 columns, and what to know of it."""

    print(f"\n{result.paper} {result.name}: {result.table.title}")
    splits = plural(result.splits, "split")
    form = ", the smaller form" if result.quick else ""
    print(f"{splits} (printed: {result.table.splits}){form}\n")
    if result.missing:
        print_notes([f"data sets not available: {', '.join(result.missing)}"])
    if result.reason:
        print(f"not run: {result.reason}")
        return
    ours = [cell for cell in result.cells if cell.verdict != NOT_RUN]
    lines = []
    for cell in ours[:MOST_LINES]:
        mean = number(cell.mean, cell.kind)
        if cell.error is not None:
            mean += f" ± {number(cell.error, cell.kind)}"
        lines.append(
            [
                cell.row,
                cell.column,
                mean,
                number(cell.printed, cell.kind),
                number(cell.difference, cell.kind, sign=True),
                cell.verdict,
            ]
        )
    header = ["row", "column", "ours", "printed", "difference", "verdict"]
    print_table(header, _fitted(header, lines))
    if len(ours) > MOST_LINES:
        print(f"... {len(ours) - MOST_LINES} more in table.csv")
    counts = tally(result.cells)
    print()
    if result.quick:
        print(NOT_COMPARABLE)
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    _print_shapes(result)
    _print_ratios(result)


def _print_shapes(result: Any) -> None:
    """How the learned weights agree with the printed ones."""

    lines = [
        [s.row, f"{s.cosine:.3f}", f"{s.overlap:.3f}", s.largest, s.printed_largest]
        for s in shapes(result.cells)
    ]
    if lines:
        print("\nthe shape of the weights, ours and printed (1: the same)\n")
        print_table(["row", "cosine", "overlap", "largest", "printed"], lines)


def _print_ratios(result: Any) -> None:
    """Seconds as multiples of one row's, on the mean over the columns."""

    lines = [
        [r.row, number(r.ours, "seconds"), number(r.printed, "seconds")]
        for r in ratios(result.cells, result.table.unit)
        if r.column == MEAN
    ]
    if lines:
        print(f"\nas multiples of {result.table.unit}, {MEAN}\n")
        print_table(["row", "ours", "printed"], lines)


def _fitted(header: list[str], lines: list[list[str]]) -> list[list[str]]:
    """Rows and columns with names so short that a line has 79 characters."""
    widths = [max(map(len, column)) for column in zip(header, *lines, strict=True)]
    room = WIDTH - sum(widths[2:]) - 2 * (len(header) - 1)
    if widths[0] + widths[1] > room:
        second = min(widths[1], max(room // 2, room - widths[0]))
        lines = [
            [shortened(line[0], room - second), shortened(line[1], second), *line[2:]]
            for line in lines
        ]
    return lines
