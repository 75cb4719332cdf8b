"""Files of a result: table.csv, table.json, and figure.png with its caption."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import asdict, fields
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from kernelweave.persist.atomic import written_whole

from .comparison import Compared, tally
from .ratios import ratios
from .reproduce import Result
from .shape import shapes

DIGITS = {"accuracy": ".2f", "weights": ".3f", "count": ".1f"}


def number(value: float | None, kind: str, sign: bool = False) -> str:
    """A number with as many digits as its kind deserves."""
    if value is None:
        return ""
    form = DIGITS.get(kind, ".3g")
    if kind == "weights" and value and not 1e-3 <= abs(value) < 1e4:
        form = ".1e"
    return format(value, ("+" if sign else "") + form)


def write_files(result: Result, folder: Path) -> list[Path]:
    """Write table.csv, table.json and, for curves, figure.png and caption.txt."""
    out = [folder / "table.csv", folder / "table.json"]
    with (
        written_whole(out[0]) as part,
        part.open("w", newline="", encoding="utf-8") as lines,
    ):
        rows = csv.DictWriter(lines, [field.name for field in fields(Compared)])
        rows.writeheader()
        rows.writerows(asdict(cell) for cell in result.cells)
    with written_whole(out[1]) as part:
        text = json.dumps(facts(result), indent=2, ensure_ascii=False)
        part.write_text(text + "\n", encoding="utf-8")
    if result.table.kind == "curve" and result.splits and find_spec("matplotlib"):
        out += [folder / "figure.png", folder / "caption.txt"]
        draw(result, out[2])
        with written_whole(out[3]) as part:
            part.write_text(caption(result) + "\n", encoding="utf-8")
    return out


def facts(result: Result) -> dict[str, Any]:
    """A result for machines."""
    return {
        "paper": result.paper,
        "table": result.name,
        "title": result.table.title,
        "kind": result.table.kind,
        "caption": result.caption,
        "command": result.command,
        "quick": result.quick,
        "splits": result.splits,
        "printed_splits": result.table.splits,
        "missing": result.missing,
        "not_run": result.reason,
        "verdicts": tally(result.cells),
        "cells": [asdict(cell) for cell in result.cells],
        "shapes": [asdict(shape) for shape in shapes(result.cells)],
        "ratios": [asdict(r) for r in ratios(result.cells, result.table.unit)],
    }


def caption(result: Result) -> str:
    """What the figure shows, and what the print says of its own."""
    splits = "1 run" if result.splits == 1 else f"mean of {result.splits} runs"
    title = result.table.title
    ours = f"{title[:1].upper()}{title[1:]}: {splits}"
    if result.splits > 1:
        ours += ", with its standard error"
    ours += " (the smaller form)." if result.quick else "."
    return f"{ours} In print: {result.caption}" if result.caption else ours


def draw(result: Result, file: Path) -> None:
    """A panel for each "panel: curve", the printed points as crosses."""
    from matplotlib.figure import Figure

    panels: dict[str, dict[str, list[Compared]]] = {}
    for cell in result.cells:
        panel, colon, curve = cell.row.partition(": ")
        panel, curve = (panel, curve) if colon else ("", cell.row)
        panels.setdefault(panel, {}).setdefault(curve, []).append(cell)
    wide = min(len(panels), 3)
    high = -(-len(panels) // wide)
    figure = Figure(figsize=(4.2 * wide, 3.4 * high), layout="constrained")
    axes = figure.subplots(high, wide, squeeze=False).ravel()
    for ax, (panel, curves) in zip(axes, panels.items(), strict=False):
        for i, (curve, cells) in enumerate(curves.items()):
            _curve(ax, cells, curve, f"C{i % 10}")
        ax.set_title(panel, fontsize="medium")
        ax.set_xlabel(result.labels.get("x", ""))
        ax.set_ylabel(result.labels.get("y", ""))
        _scales(ax, [cell for cells in curves.values() for cell in cells])
        if len(curves) > 1 or not panel:
            ax.legend(fontsize="small", frameon=False)
    for ax in axes[len(panels) :]:
        ax.set_visible(False)
    with written_whole(file) as part:
        figure.savefig(part, dpi=150, format="png")


def _curve(ax: Any, cells: Sequence[Compared], label: str, color: str) -> None:
    run = [cell for cell in cells if cell.mean is not None]
    x = _places(run)
    means = [cell.mean for cell in run]
    errors = [cell.error or 0.0 for cell in run]
    # Between names there is nothing for a line to show.
    look: dict[str, Any] = {"color": color, "label": label, "ms": 3}
    look["ls"] = "" if any(isinstance(place, str) for place in x) else "-"
    look["marker"] = "o" if len(run) < 40 or not look["ls"] else None
    if any(errors):
        ax.errorbar(x, means, errors, **look)
    else:
        ax.plot(x, means, **look)
    known = [cell for cell in cells if cell.printed is not None]
    if known:
        theirs = [cell.printed for cell in known]
        ax.plot(_places(known), theirs, "x", color=color, label=f"{label}, printed")


def _places(cells: Sequence[Compared]) -> list[Any]:
    """Numbers, or names where they are none."""
    try:
        return [float(cell.column) for cell in cells]
    except ValueError:
        return [cell.column for cell in cells]


def _scales(ax: Any, cells: Sequence[Compared]) -> None:
    """Logarithmic where positive numbers span more than two decades, unevenly."""
    x = _places(cells)
    y = [cell.mean for cell in cells if cell.mean is not None]
    for values, scale in ((x, ax.set_xscale), (y, ax.set_yscale)):
        numbers = [v for v in values if isinstance(v, float)]
        if len(numbers) == len(values) and numbers:
            low, high = min(numbers), max(numbers)
            steps = np.diff(np.unique(numbers))
            even = len(steps) > 2 and np.allclose(steps, steps[0])
            if low > 0 and high > 100 * low and not even:
                scale("log")
