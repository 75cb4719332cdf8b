"""HTML and SVG from Python: elements, numbers, axes and markers.

Pictures have no viewBox: what lies along x is in per cent and what lies along y in
pixels, so a picture is as wide as the page lets it be and its text keeps its size.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

import numpy as np

# Okabe and Ito's colours for every kind of eye, but yellow, which fades on white.
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#7a7a7a")

# Shapes around the origin, of about the same area.
SHAPES = (
    "M-4 0A4 4 0 1 0 4 0A4 4 0 1 0 -4 0Z",  # circle
    "M-3.6 -3.6H3.6V3.6H-3.6Z",  # square
    "M0 -5L4.6 3.4H-4.6Z",  # triangle
    "M0 -5.2L5.2 0L0 5.2L-5.2 0Z",  # diamond
    "M0 5L4.6 -3.4H-4.6Z",  # triangle on its point
    "M-1.5 -5H1.5V-1.5H5V1.5H1.5V5H-1.5V1.5H-5V-1.5H-1.5Z",  # plus
    "M-5 -2.5H5V2.5H-5Z",  # bar
    "M-2.5 -5H2.5V5H-2.5Z",  # upright bar
)


class Markup(str):
    """Text that is markup already; any other text is escaped where it is put in."""


# Marks that turn the direction of all text after them, and where it ends.
TURNS = [*range(0x202A, 0x202F), *range(0x2066, 0x206A)]
DIRECTION = dict.fromkeys(TURNS, "\N{REPLACEMENT CHARACTER}")


def text(value: Any) -> Markup:
    """Markup that shows the value."""
    if isinstance(value, Markup):
        return value
    return Markup(escape(str(value).translate(DIRECTION)))


def prose(sentence: str) -> Markup:
    """A sentence in which no line breaks before a per cent sign."""
    return text(sentence.replace(" %", "\N{NO-BREAK SPACE}%"))


def join(parts: Iterable[Any], between: str = "") -> Markup:
    return Markup(between.join(text(part) for part in parts))


def tag(name: str, *children: Any, **attributes: Any) -> Markup:
    """An element; `class_` and `font_size` stand for class and font-size.

    Attributes that are None are left out, and so is what True stands for.

    Examples
    --------
    >>> print(tag("p", "1 < 2", class_="note"))
    <p class="note">1 &lt; 2</p>
    """
    words = [name]
    for key, value in attributes.items():
        if value is not None:
            value = f"{value:.4g}" if isinstance(value, float) else value
            shown = escape(str(value).translate(DIRECTION))
            words.append(f'{key.rstrip("_").replace("_", "-")}="{shown}"')
    return Markup(f"<{' '.join(words)}>{join(children)}</{name}>")


def percent(share: float) -> str:
    """A place along x, from a number between 0 and 1."""
    return f"{100 * share:.2f}%"


def picture(height: float, label: str, *children: Any, class_: str = "") -> Markup:
    """An SVG picture; `label` is what a screen reader says in its place."""
    return tag(
        "svg",
        *children,
        class_=f"picture {class_}".strip(),
        width="100%",
        height=height,
        role="img",
        aria_label=label,
    )


def marker(kind: int, x: float, y: float | str, title: str, class_: str = "") -> Markup:
    """A shape at (x, y): x a share of the width."""
    # A nested picture is a way to move a shape by per cent.
    shape = tag("path", tag("title", title), d=SHAPES[kind % len(SHAPES)])
    return tag(
        "svg",
        shape,
        x=percent(x),
        y=y,
        class_=f"mark c{kind % len(COLOURS)} {class_}".strip(),
    )


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers between low and high."""
    if not high > low:
        return [low]
    rough = (high - low) / most
    unit = 10.0 ** np.floor(np.log10(rough))
    step = float(unit * next(m for m in (1, 2, 2.5, 5, 10) if m * unit >= rough))
    first = np.ceil(low / step - 1e-9)
    last = np.floor(high / step + 1e-9)
    return [float(k * step) for k in np.arange(first, last + 1)]


def number(value: float) -> str:
    """Short, with a real minus."""
    long = 1e4 <= abs(value) < 1e7
    text = f"{value:,.0f}" if long else f"{value:.4g}"
    return ("0" if text == "-0" else text).replace("-", "−")


def fixed(value: float, digits: int = 3) -> str:
    """So many digits after the point, with a real minus, and no minus before zero."""
    text = f"{value:.{digits}f}"
    zero = not float(text)
    return (text.lstrip("-") if zero else text).replace("-", "−")


def shorten(name: str, most: int) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"


def plural(count: int, noun: str, nouns: str | None = None) -> str:
    """`plural(2, "class", "classes")` is "2 classes"."""
    return f"{count:,} {noun if count == 1 else nouns or noun + 's'}"
