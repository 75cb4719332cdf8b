"""How much each view and each kernel is worth."""

from __future__ import annotations

from typing import Any

import numpy as np

from .facts import Facts
from .markup import Markup, number, percent, picture, plural, shorten, tag, text
from .tables import Column, table

# So many fit on a page of paper.
MOST_BARS = 14
ROW = 38


def view_bars(facts: Facts) -> Markup:
    """A bar for each view, of pieces that are its kernels."""
    shares = facts.view_shares
    used = [view for view, share in shares.items() if share > 0]
    shown = used[:MOST_BARS]
    top = max(shares.values())
    # A full bar is all of the weight, unless all bars would be short.
    full = 1.0 if top >= 0.25 else top
    rows = [_bar(facts, view, shares[view], full, i) for i, view in enumerate(shown)]
    label = "Weight by view: " + ", ".join(
        f"{view} {100 * shares[view]:.1f} per cent" for view in shown
    )
    notes = []
    if full < 1:
        notes.append(f"A full bar is {100 * full:.1f} % of the weight.")
    if len(used) > len(shown):
        rest = sum(shares[view] for view in used[MOST_BARS:])
        more = plural(len(used) - len(shown), facts.noun)
        notes.append(f"{more} more have {100 * rest:.1f} % of the weight together.")
    unused = [view for view in shares if shares[view] == 0]
    if unused:
        which = ", ".join(unused[:12])
        more = f" and {len(unused) - 12} more" if len(unused) > 12 else ""
        notes.append(f"Without weight: {which}{more}.")
    return tag(
        "figure",
        tag("div", picture(ROW * len(shown), label, *rows), class_="plot"),
        tag("figcaption", " ".join(notes)) if notes else "",
    )


def _bar(facts: Facts, view: str, share: float, full: float, row: int) -> Markup:
    y = ROW * row
    pieces, x = [], 0.0
    # Edges of so many pieces would be all there is to see.
    fine = facts.views.count(view) > 12
    for name, of, part in zip(facts.names, facts.views, facts.shares, strict=True):
        if of == view and part > 0:
            title = tag("title", f"{name}: {100 * part:.2f} % of the weight")
            pieces.append(
                tag(
                    "rect",
                    title,
                    x=percent(x / full),
                    y=y + 20,
                    width=percent(part / full),
                    height=12,
                    class_="piece fine" if fine else "piece",
                )
            )
            x += float(part)
    return Markup(
        tag("text", tag("title", view), shorten(view, 40), x=0, y=y + 14)
        + tag("text", f"{100 * share:.1f} %", x="100%", y=y + 14, class_="value")
        + tag("rect", x=0, y=y + 20, width="100%", height=12, class_="track")
        + "".join(pieces)
    )


def kernel_table(facts: Facts) -> Markup:
    """Every kernel with its weight, the heaviest first."""
    order = np.argsort(-facts.weights, kind="stable")
    columns = [
        Column("No.", numeric=True),
        Column("Kernel"),
        Column("Weight", numeric=True),
        Column("Share", numeric=True),
    ]
    own = np.ndim(facts.core.weights_) == 2
    if own:
        columns += [Column(f"{c}", numeric=True) for c in facts.core.classes_]
    rows = []
    for j in order:
        weight, share = float(facts.weights[j]), 100 * facts.shares[j]
        row: list[Any] = [j + 1, facts.names[j], weight_text(weight), f"{share:.1f} %"]
        if own:
            row += [weight_text(w) for w in facts.core.weights_[:, j]]
        rows.append(row)
    caption = f"The weights of {plural(len(rows), 'kernel')}"
    if own:
        caption += ", the mean over the classes, and those of every class"
    return table(caption, columns, rows)


def weight_text(weight: float) -> str:
    return (
        number(round(float(weight), 4)) if weight == 0 or weight >= 1e-4 else "<0.0001"
    )


def scale_note(facts: Facts) -> Markup:
    """Whether weights of different kernels may be compared."""
    if facts.comparable:
        return text(
            "All kernels were brought to the same scale before, so their weights can "
            "be compared."
        )
    return text(
        "The kernels were taken as they are (normalize=None), so a weight also depends "
        "on the scale of its kernel: compare with care."
    )
