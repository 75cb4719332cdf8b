"""The pictures of the page."""

from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from common import Row, exponent
from phases import PHASES

matplotlib.use("Agg")
import matplotlib.pyplot as plt

# Okabe and Ito (2008), told apart by every kind of eye.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000")
COLOURS += ("#F0E442", "#999999")
MARKERS = "os^Dv"


def draw(results: dict[str, Any], folder: Path) -> dict[str, list[str]]:
    """Draw what there is; the names of the files, by part."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn: dict[str, list[str]] = {}
    for name, picture in PICTURES.items():
        if name in results:
            figure = picture(results[name]["rows"])
            if figure is not None:
                figure.savefig(folder / f"{name}.png", dpi=150, bbox_inches="tight")
                plt.close(figure)
                drawn.setdefault(name, []).append(f"{name}.png")
    return drawn


def fitted(rows: list[Row], x: str, y: str, least: float = 0) -> float | None:
    """The exponent of growth over the rows with x at least `least`."""
    some = [row for row in rows if row.get(y) and row[x] >= least]
    return exponent([row[x] for row in some], [row[y] for row in some])


def curves(axes: Any, rows: list[Row], x: str, series: dict[str, str]) -> None:
    """Log-log lines, with the exponent of each in the legend."""
    for number, (key, label) in enumerate(series.items()):
        some = sorted((row for row in rows if row.get(key)), key=lambda row: row[x])
        if not some:
            continue
        least = 1000 if x == "n" and some[-1][x] > 1000 else 0
        power = fitted(some, x, key, least)
        text = label if power is None else f"{label}: {x}^{power:.2f}"
        axes.loglog(
            [row[x] for row in some],
            [row[key] for row in some],
            marker=MARKERS[number % len(MARKERS)],
            color=COLOURS[number],
            label=text,
        )
    ticks = sorted({row[x] for row in rows})
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.minorticks_off()
    axes.set_ylabel("seconds")
    axes.grid(alpha=0.3)
    axes.legend()


SERIES = {"seconds": "fit", "solve": "solve", "floor": "floor"}


def growth_n(rows: list[Row]) -> Any:
    figure, axes = plt.subplots(figsize=(6, 4.2))
    curves(axes, rows, "n", SERIES)
    axes.set_xlabel("samples n")
    axes.set_title("ten kernels; exponents from n = 1000 on")
    return figure


def growth_p(rows: list[Row]) -> Any:
    sizes = sorted({row["n"] for row in rows})
    sizes = [n for n in sizes if sum(row["n"] == n for row in rows) > 1]
    if not sizes:
        return None
    figure, panels = plt.subplots(
        1, len(sizes), figsize=(5.2 * len(sizes), 4.2), squeeze=False
    )
    for axes, n in zip(panels[0], sizes, strict=True):
        curves(axes, [row for row in rows if row["n"] == n], "p", SERIES)
        axes.set_xlabel("kernels p")
        axes.set_title(f"n = {n}")
    return figure


def growth_k(rows: list[Row]) -> Any:
    figure, axes = plt.subplots(figsize=(6, 4.2))
    curves(axes, rows, "k", SERIES)
    axes.set_xlabel("classes k")
    return figure


def machines(rows: list[Row]) -> Any:
    figure, axes = plt.subplots(figsize=(6, 4.2))
    series = {"seconds": "MKLSVC, ten kernels", "solve": "solve", "svc": "one SVC"}
    curves(axes, rows, "n", series)
    axes.set_xlabel("samples n")
    return figure


def phases(rows: list[Row]) -> Any:
    """Floors by phase, one bar a size."""
    sizes = list(dict.fromkeys((row["n"], row["p"]) for row in rows))
    figure, axes = plt.subplots(figsize=(7, 1.2 + 0.7 * len(sizes)))
    left = np.zeros(len(sizes))
    for number, phase in enumerate(PHASES):
        width = np.array(
            [
                next((r["ratio"] for r in rows if _is(r, size, phase)), 0.0)
                for size in sizes
            ]
        )
        axes.barh(
            [f"n = {n}, p = {p}" for n, p in sizes],
            width,
            left=left,
            label=phase,
            color=COLOURS[number % len(COLOURS)],
            edgecolor="white",
        )
        left += width
    axes.invert_yaxis()
    axes.set_xlabel("floors")
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize="small")
    return figure


def _is(row: Row, size: tuple[int, int], phase: str) -> bool:
    return (row["n"], row["p"]) == size and row["phase"] == phase


def others(rows: list[Row]) -> Any:
    """Seconds of every method, one panel a size."""
    sizes = sorted({row["n"] for row in rows if row.get("seconds")})[-3:]
    if not sizes:
        return None
    names = list(dict.fromkeys(row["method"] for row in rows))
    figure, panels = plt.subplots(
        1,
        len(sizes),
        figsize=(4 * len(sizes), 0.3 * len(names) + 1.2),
        sharex=True,
        sharey=True,
    )
    for axes, n in zip(np.atleast_1d(panels), sizes, strict=True):
        here = {row["method"]: row for row in rows if row["n"] == n}
        for name in names:
            seconds = here.get(name, {}).get("seconds")
            axes.barh(name, seconds or np.nan, color=_colour(name))
            if seconds is None:
                at = axes.get_yaxis_transform()
                axes.text(0.02, name, "–", va="center", transform=at)
        axes.set_xscale("log")
        axes.set_title(f"n = {n}")
        axes.set_xlabel("seconds")
        axes.grid(axis="x", alpha=0.3)
    axes.invert_yaxis()
    return figure


def _colour(name: str) -> str:
    if name.startswith("kernelweave"):
        return COLOURS[0] if "default" in name else COLOURS[4]
    families = {"MKLpy": COLOURS[1], "himalaya": COLOURS[5]}
    return families.get(name.split()[0], COLOURS[2])


PICTURES = {
    "floors": growth_n,
    "kernels": growth_p,
    "classes": growth_k,
    "hinge": machines,
    "profile": phases,
    "peers": others,
}
