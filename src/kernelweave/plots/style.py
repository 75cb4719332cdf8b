"""What the pictures share: colours, markers, names that fit, and new axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..views import view_of

# Okabe and Ito (2008), told apart by every kind of eye; their yellow is too faint for
# lines on white. With ten markers, 70 classes have a colour and marker of their own.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">")
FAINT = "#B5B5B5"


def colour(number: int) -> str:
    return PALETTE[number % len(PALETTE)]


def marker(number: int) -> str:
    return MARKERS[number % len(MARKERS)]


def by_view(names: Sequence[str]) -> dict[str, list[int]]:
    """The numbers of the kernels of every view, in the order of the names."""
    views: dict[str, list[int]] = {}
    for j, name in enumerate(names):
        views.setdefault(view_of(name), []).append(j)
    return views


def view_colours(names: Sequence[str]) -> list[str]:
    """A colour for every kernel: that of its view, or one for all without views."""
    views = by_view(names)
    if len(views) == len(names):
        return [colour(0)] * len(names)
    number = {view: i for i, view in enumerate(views)}
    return [colour(number[view_of(name)]) for name in names]


def fitting(name: Any, width: int = 36) -> str:
    """A name as matplotlib shows it letter by letter, its middle left out if long.

    Dollars would be formulas, and legends leave out what begins with an underscore.
    """
    text = " ".join(str(name).split())
    if len(text) > width:
        end = (width - 1) // 2
        text = f"{text[: width - 1 - end]}…{text[-end:]}"
    text = text.replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def number(value: float) -> str:
    """Three decimals, or two digits of what is smaller."""
    if value == 0:
        return "0"
    return f"{value:.3f}" if abs(value) >= 0.01 else f"{value:.2g}"


def outside_legend(ax: Any, handles: Sequence[Any], labels: Sequence[str]) -> None:
    """A legend to the right of the axes, where it hides nothing."""
    ax.legend(
        handles,
        labels,
        loc="upper left",
        bbox_to_anchor=(1.03, 1.0),
        borderaxespad=0,
        frameon=False,
        fontsize=8,
        ncols=-(-len(labels) // 24),
    )


def new_axes(width: float, height: float) -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            "pictures need matplotlib: pip install 'kernelweave[plot]'"
        ) from error
    return plt.subplots(figsize=(width, height), layout="constrained")[1]


def stacked(frame: Any, shares: Sequence[float]) -> list[Any]:
    """Axes one above the other with a common x, inside the given ones.

    So that any layout of the figure makes room for them.
    """
    frame.axis("off")
    space = 0.07
    heights = np.array(shares) / sum(shares) * (1 - space * (len(shares) - 1))
    axes: list[Any] = []
    top = 1.0
    for height in heights:
        shared = {"sharex": axes[0]} if axes else {}
        axes.append(frame.inset_axes((0, top - height, 1, height), **shared))
        top -= height + space
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
        ax.tick_params(labelsize=8)
    for ax in axes[:-1]:
        ax.tick_params(labelbottom=False)
    return axes
