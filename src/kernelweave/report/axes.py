"""Axes, and marks of samples."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..problem import Array
from .markup import Markup, marker, number, percent, picture, tag, ticks

HEIGHT = 400


def span(values: Array) -> tuple[float, float]:
    """From the least to the largest, with some room."""
    low, high = float(np.min(values)), float(np.max(values))
    room = 0.04 * (high - low) or 1.0
    return low - room, high + room


def sample_mark(kind: int, x: float, y: Any, title: str, wrong: bool) -> Markup:
    """A mark whose shape and colour tell the class; −1 is none, −2 no sample."""
    if kind < -1:
        return marker(0, x, y, title)
    if kind < 0:
        return marker(0, x, y, title, "unlabelled")
    return marker(kind, x, y, title, f"k{kind} wrong" if wrong else f"k{kind}")


def scatter(
    x: Array,
    y: Array,
    names: tuple[str, str],
    label: str,
    marks: Iterable[tuple[int, bool, str]],
    diagonal: bool = False,
) -> Markup:
    """Points on two axes; class, whether wrong, and title of each are its marks.

    With a diagonal both axes have one range.
    """
    x_range, y_range = span(x), span(y)
    if diagonal:
        x_range = y_range = span(np.concatenate([x, y]))
    (x0, x1), (y0, y1) = x_range, y_range
    inside = []
    for value in ticks(y0, y1):
        at = percent(1 - (value - y0) / (y1 - y0))
        inside.append(tag("line", x1=0, x2="100%", y1=at, y2=at, class_="grid"))
        inside.append(tag("text", number(value), x=-6, y=at, dy=4, class_="tick end"))
    if diagonal:
        inside.append(tag("line", x1=0, y1="100%", x2="100%", y2=0, class_="level"))
    for a, b, (kind, wrong, title) in zip(x, y, marks, strict=True):
        at = percent(1 - (b - y0) / (y1 - y0))
        inside.append(sample_mark(kind, (a - x0) / (x1 - x0), at, title, wrong))
    # Per cent along y are of the height of the plot, not of the whole picture.
    plot = tag("svg", *inside, width="100%", height=HEIGHT, class_="marks")
    return tag(
        "div",
        tag("p", names[1], class_="axis"),
        picture(HEIGHT + 40, label, *x_axis(x0, x1, HEIGHT, names[0]), plot),
        class_="plot square",
    )


def x_axis(low: float, high: float, height: int, name: str) -> list[Markup]:
    """Lines of a grid, numbers below them, and the name of the axis."""
    parts = []
    for value in ticks(low, high):
        at = percent((value - low) / (high - low))
        parts.append(tag("line", x1=at, x2=at, y1=0, y2=height, class_="grid"))
        place = {"x": at, "y": height + 16, "class_": "tick middle"}
        parts.append(tag("text", number(value), **place))
    parts.append(tag("text", name, x="50%", y=height + 36, class_="axis middle"))
    return parts
