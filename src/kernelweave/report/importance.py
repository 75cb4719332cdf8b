"""Which views matter, and how sure that is: a picture and a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from .facts import Facts
from .markup import (
    Markup,
    fixed,
    number,
    percent,
    picture,
    plural,
    prose,
    shorten,
    tag,
    ticks,
)
from .tables import Column, table

# So many fit on a page of paper.
MOST_BARS = 14
ROW = 42


def importance_picture(facts: Facts) -> Markup:
    """A bar for each view: what it contributes, with interval and null."""
    frame = facts.importance
    shown = frame.iloc[:MOST_BARS]
    columns = ["contribution", "contribution_low", "contribution_high"]
    columns += ["null_low", "null_high"]
    values = shown[columns].to_numpy()
    values = values[np.isfinite(values)]
    low, high = min(0.0, float(values.min())), max(0.01, float(values.max()))
    low -= 0.02 * (high - low) if low < 0 else 0.0

    def place(value: float) -> float:
        return (value - low) / (high - low)

    height = ROW * len(shown)
    parts = []
    for value in ticks(low, high):
        at = percent(place(value))
        parts.append(tag("line", x1=at, x2=at, y1=0, y2=height, class_="grid"))
        parts.append(
            tag("text", number(value), x=at, y=height + 16, class_="tick middle")
        )
    for i, (view, row) in enumerate(shown.iterrows()):
        parts.append(_bar(str(view), row, ROW * i, place))
    label = "Contribution to left-out predictions by view: " + ", ".join(
        f"{view} {fixed(value, 2)}" for view, value in shown["contribution"].items()
    )
    more = len(frame) - len(shown)
    notes = [
        "Bar: the part of the targets that the view predicts in left-out samples.",
    ]
    if frame["contribution_low"].notna().any():
        notes.append("Line: how far random halves of the samples spread (95 %).")
    if frame["permutations"].any():
        notes.append("Grey: the middle 95 % when the rows of the view are permuted.")
    if more:
        notes.append(f"{plural(more, facts.noun)} with less are in the table.")
    return tag(
        "figure",
        tag("div", picture(height + 22, label, *parts), class_="plot inset"),
        tag("figcaption", prose(" ".join(notes))),
    )


def _bar(view: str, row: Any, y: int, place: Any) -> Markup:
    def span(low: float, high: float, **how: Any) -> Markup:
        left, right = sorted((place(low), place(high)))
        return tag("rect", x=percent(left), width=percent(right - left), **how)

    value = float(row["contribution"])
    parts = [
        tag("text", tag("title", view), shorten(view, 40), x=0, y=y + 14, class_="row"),
        tag("text", fixed(value), x="100%", y=y + 14, class_="value"),
    ]
    if np.isfinite(row["null_low"]):
        ends = float(row["null_low"]), float(row["null_high"])
        parts.append(span(*ends, y=y + 20, height=18, class_="null"))
    parts.append(span(0.0, value, y=y + 23, height=12, class_="piece"))
    zero, ends = percent(place(0.0)), {"y1": y + 19, "y2": y + 39}
    parts.append(tag("line", x1=zero, x2=zero, **ends, class_="zero"))
    if np.isfinite(row["contribution_low"]):
        low, high = (
            place(float(row[f"contribution_{end}"])) for end in ("low", "high")
        )
        at = {"y1": y + 29, "y2": y + 29}
        parts.append(
            tag("line", x1=percent(low), x2=percent(high), **at, class_="whisker")
        )
    return tag("g", *parts)


def importance_table(facts: Facts) -> Markup:
    """The same as numbers, with what is lost without a view, and its weight."""
    frame = facts.importance
    halves = frame["contribution_low"].notna().any()
    several = len(frame) > 1
    columns = [Column(facts.noun.capitalize()), Column("Contributes", numeric=True)]
    if halves:
        columns.append(Column("95 %", numeric=True))
    if several:
        columns += [Column("Lost if removed", numeric=True)]
    columns.append(Column("Alone", numeric=True))
    columns.append(Column("p", numeric=True))
    columns.append(Column("Weight", numeric=True))
    if halves:
        columns.append(Column("95 %", numeric=True))
        columns.append(Column("Selected", numeric=True))
    rows = []
    for view, row in frame.iterrows():
        cells: list[Any] = [str(view), fixed(row["contribution"])]
        if halves:
            cells.append(_span(row, "contribution", 2))
        if several:
            cells.append(_score(facts, row["removed"]))
        cells.append(_score(facts, row["alone"]))
        count = int(row["permutations"])
        p = f"{row['p_value']:.3f}" if count else ""
        cells += [p, f"{100 * row['weight']:.0f} %"]
        if halves:
            cells.append(_span(row, "weight", 0, 100))
            cells.append(f"{100 * row['selected']:.0f} %")
        rows.append(cells)
    name = frame.attrs.get("score_name", "score")
    caption = (
        f"What each {facts.noun} is good for, the largest contribution first. Losses "
        f"and scores alone are in {name}; "
    )
    count = int(frame["permutations"].max())
    caption += f"p is from {count} permutations, " if count else ""
    caption += "weights are shares in per cent"
    if halves:
        n = frame.attrs.get("n_subsamples", 0)
        caption += (
            f", and a view is selected in a half if it has weight there ({n} halves)"
        )
    return table(caption, columns, rows)


def _score(facts: Facts, value: float) -> str:
    if not np.isfinite(value):
        return ""
    if facts.importance.attrs.get("score_name") == "accuracy":
        return f"{fixed(100 * value, 1)} %"
    return fixed(value)


def _span(row: Any, name: str, digits: int, times: float = 1.0) -> str:
    low, high = (
        fixed(times * float(row[f"{name}_{e}"]), digits) for e in ("low", "high")
    )
    return f"{low} to {high}"


def importance_words(facts: Facts) -> list[str]:
    """What the table says, in sentences."""
    frame = facts.importance
    attrs = frame.attrs
    score, name = attrs.get("score", np.nan), attrs.get("score_name", "score")
    first = (
        f"With {attrs.get('splits', 'samples left out')} the model reaches {name} = "
    )
    first += f"{fixed(score, 2)}."
    if len(frame) == 1:
        return [f"{first} There is one view only, so all of it is due to that."]
    best = frame.index[0]
    value = fixed(frame["contribution"].iloc[0], 2)
    sentences = [f"{first} Most of it comes from {best}, which contributes {value}."]
    if frame["permutations"].any():
        silent = [str(view) for view in frame.index[frame["p_value"] > 0.05]]
        if silent:
            listed = ", ".join(silent[:6]) + (", ..." if len(silent) > 6 else "")
            what = "is" if len(silent) == 1 else "are"
            sentences.append(
                f"{listed} {what} not told from {facts.noun}s whose rows are permuted "
                "(p > 0.05), whatever the weight."
            )
        else:
            sentences.append(
                f"Every {facts.noun} tells something about the target (p ≤ 0.05)."
            )
    heavy = frame["weight"].idxmax()
    if heavy != best:
        sentences.append(
            f"{heavy} has the largest weight, {100 * frame['weight'].max():.0f} %, and "
            f"contributes {fixed(frame.loc[heavy, 'contribution'])}: weights serve the "
            "training objective and do not measure what matters."
        )
    return sentences
