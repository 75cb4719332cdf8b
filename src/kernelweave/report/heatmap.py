"""How alike the kernels are: a heat map."""

from __future__ import annotations

import base64
import struct
import zlib
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from ..analysis import alignment
from ..estimators.access import check_new
from ..problem import Array
from .facts import Facts
from .markup import Markup, plural, tag, text

# With more kernels than these a cell has no number, and then no element of its own.
NUMBERED, SEPARATE = 12, 40
# Alignment is a mean over pairs of samples; this many samples tell it well enough.
MOST_SAMPLES = 200
SIDE = 330
EDGE = 26
RAMP = ("#f7fbff", "#c6dbef", "#6baed6", "#2171b5", "#08306b")


def similarity(facts: Facts) -> tuple[Array, int] | None:
    """Alignment of the kernels (p, p), and on how many samples it was measured.

    None if X holds Gram matrices of new samples against training ones.
    """
    X = check_new(facts.core, facts.X) if not facts.given else facts.X
    if facts.given and X.shape[1] != X.shape[2]:
        return None
    rows = np.arange(facts.n)
    if facts.n > MOST_SAMPLES:
        chosen = np.random.default_rng(0).choice(facts.n, MOST_SAMPLES, replace=False)
        rows = np.sort(chosen)
    if facts.given:
        grams = X[:, rows[:, None], rows].astype(float)
    else:
        part = _safe_indexing(X, rows)
        grams = np.stack([kernel(part) for kernel in facts.core.kernels_])
    return alignment(grams), len(rows)


def heat_map(facts: Facts, A: Array, samples: int) -> Markup:
    """The picture, its key, and the pairs that are most alike."""
    p = len(A)
    cells = _cells(facts, A) if p <= SEPARATE else [_image(A)]
    label = f"Similarity of {plural(p, 'kernel')}. {alike(facts, A)}"
    svg = tag(
        "svg",
        *cells,
        *_blocks(facts),
        *_numbers(p),
        viewBox=f"0 0 {EDGE + SIDE + 10} {EDGE + SIDE + 6}",
        role="img",
        aria_label=label,
        class_="heat",
    )
    drawn = "all" if samples == facts.n else f"{samples} randomly drawn"
    return tag(
        "figure",
        tag("div", tag("div", svg, _scale()), _key(facts), class_="beside"),
        tag(
            "figcaption",
            f"Centred alignment of each pair of kernels on {drawn} samples: 1 means "
            "that two kernels see the same likenesses among the samples, 0 that they "
            "have nothing in common. The labels play no part in it.",
        ),
    )


def alike(facts: Facts, A: Array) -> str:
    """The most alike pair, of kernels in use and of different views if there are."""
    p = len(A)
    if p == 1:
        return "There is one kernel only."
    views, used = np.array(facts.views), facts.weights > 0
    pairs, which = ~np.eye(p, dtype=bool), "kernels"
    if np.sum(used) > 1:
        pairs, which = pairs & used & used[:, None], "kernels with weight"
    different = views[:, None] != views
    if (pairs & different).any() and len(set(views)) < p:
        pairs, which = pairs & different, f"{which} of different views"
    i, j = np.unravel_index(np.argmax(np.where(pairs, A, -1)), A.shape)
    words = f"{facts.names[i]} and {facts.names[j]} ({A[i, j]:.2f})"
    if np.sum(pairs) == 2:
        return f"How alike are the two {which}: {words}."
    return (
        f"Of the {which}, the two most alike are {words}; the typical pair has "
        f"{np.median(A[pairs]):.2f}."
    )


def _cells(facts: Facts, A: Array) -> list[Markup]:
    p = len(A)
    size = SIDE / p
    cells: list[Markup] = []
    for i, j in np.ndindex(p, p):
        x, y = EDGE + j * size, EDGE + i * size
        names = f"{facts.names[i]} and {facts.names[j]}: {A[i, j]:.2f}"
        where: dict[str, Any] = {"x": x, "y": y, "width": size, "height": size}
        rect = tag("rect", tag("title", names), **where, fill=colour(float(A[i, j])))
        cells.append(rect)
        if p <= NUMBERED:
            shade = "light" if A[i, j] > 0.55 else "dark"
            middle = {"x": x + size / 2, "y": y + size / 2 + 3.5}
            cells.append(tag("text", f"{A[i, j]:.2f}", **middle, class_=shade))
    return cells


def _image(A: Array) -> Markup:
    """One pixel a cell, as a PNG inside the page."""
    ramp = np.array([_rgb(c) for c in RAMP], dtype=float)
    at = np.clip(A, 0, 1) * (len(ramp) - 1)
    low = np.minimum(at.astype(int), len(ramp) - 2)
    part = (at - low)[..., None]
    pixels = np.round((1 - part) * ramp[low] + part * ramp[low + 1]).astype(np.uint8)
    lines = b"".join(b"\0" + line.tobytes() for line in pixels)
    header = struct.pack(">IIBBBBB", len(A), len(A), 8, 2, 0, 0, 0)
    png = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data))
        + kind
        + data
        + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in (
            (b"IHDR", header),
            (b"IDAT", zlib.compress(lines, 9)),
            (b"IEND", b""),
        )
    )
    source = "data:image/png;base64," + base64.b64encode(png).decode()
    size = {"x": EDGE, "y": EDGE, "width": SIDE, "height": SIDE}
    return tag("image", **size, href=source, preserveAspectRatio="none")


def _runs(facts: Facts) -> list[tuple[str, int, int]]:
    """Neighbours of one view: its name, its first kernel, and the next's first."""
    runs: list[tuple[str, int, int]] = []
    for j, view in enumerate(facts.views):
        if runs and runs[-1][0] == view:
            runs[-1] = (view, runs[-1][1], j + 1)
        else:
            runs.append((view, j, j + 1))
    return runs


def _blocks(facts: Facts) -> list[Markup]:
    """Lines between the views, where they have several kernels."""
    runs, p = _runs(facts), len(facts.views)
    if len(runs) == p:
        return []
    lines = []
    for _, start, _ in runs[1:]:
        at, end = EDGE + SIDE * start / p, EDGE + SIDE
        lines.append(tag("line", x1=at, x2=at, y1=EDGE, y2=end, class_="between"))
        lines.append(tag("line", x1=EDGE, x2=end, y1=at, y2=at, class_="between"))
    return lines


def _numbers(p: int) -> list[Markup]:
    """Numbers of the kernels along both edges."""
    step = next(
        s
        for s in (1, 2, 5, 10, 20, 50, 100, 200, 500)
        if p / s <= (20 if p < 100 else 12)
    )
    shown = [1, *range(step, p + 1, step)] if step > 2 else range(1, p + 1, step)
    labels = []
    for k in shown:
        at = EDGE + SIDE * (k - 0.5) / p
        labels.append(tag("text", k, x=at, y=EDGE - 6.0, class_="tick"))
        labels.append(tag("text", k, x=EDGE - 5.0, y=at + 3.5, class_="tick end"))
    return labels


def _key(facts: Facts) -> Markup:
    """Which number is which kernel, or which numbers are which view."""
    if len(facts.names) <= SEPARATE:
        items = [(f"{j + 1}", name) for j, name in enumerate(facts.names)]
    else:
        items = [
            (f"{start + 1}–{end}" if end > start + 1 else f"{end}", view)
            for view, start, end in _runs(facts)
        ]
    many = " many" if len(items) > NUMBERED else ""
    return tag(
        "ul",
        *(tag("li", tag("b", number), " ", name) for number, name in items),
        class_=f"numbers{many}",
        aria_label="Numbers of the kernels",
        tabindex=0 if many else None,
    )


def _scale() -> Markup:
    steps = [tag("i", style=f"background:{colour(v / 20)}") for v in range(21)]
    return tag("div", text("0"), tag("span", *steps), text("1"), class_="scale")


def colour(value: float) -> str:
    """From nearly white for 0 to dark blue for 1."""
    at = min(max(float(value), 0.0), 1.0) * (len(RAMP) - 1)
    low = min(int(at), len(RAMP) - 2)
    pairs = zip(_rgb(RAMP[low]), _rgb(RAMP[low + 1]), strict=True)
    return "#" + "".join(f"{round(a + (at - low) * (b - a)):02x}" for a, b in pairs)


def _rgb(code: str) -> tuple[int, int, int]:
    return int(code[1:3], 16), int(code[3:5], 16), int(code[5:7], 16)
