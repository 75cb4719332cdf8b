"""Which views matter, and how sure that is: a picture and a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from .facts import Facts
from .markup import (
    Markup,
    fixed,
    join,
    number,
    percent,
    picture,
    plural,
    prose,
    shorten,
    tag,
    text,
    ticks,
)
from .tables import Column, table

# So many fit on a page of paper.
MOST_BARS = 14
ROW = 42

# Views with larger p-values are not told from views that tell nothing.
LEVEL = 0.05

# Among this many views that tell nothing, one or more seem to tell something.
MANY = 15

# What R² is of where there are classes.
CODED = "of the classes, written as numbers"


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
    columns = [Column(facts.noun.capitalize())]
    numbers = ["Contributes", "Lost if removed", "Alone", "p", "Weight", "Selected"]
    halves = frame["selected"].notna().any()
    left = {"Lost if removed": len(frame) == 1, "Selected": not halves}
    numbers = [name for name in numbers if not left.get(name)]
    columns += [Column(name, numeric=True) for name in numbers]
    rows = []
    for view, row in frame.iterrows():
        weight = f"{100 * row['weight']:.0f} %"
        cells = {
            "Contributes": _with_ends(fixed(row["contribution"]), row, "contribution"),
            "Lost if removed": _with_ends(_score(facts, row["removed"]), row, "removed")
            if np.isfinite(row["removed"])
            else "",
            "Alone": _score(facts, row["alone"]),
            "p": f"{row['p_value']:.3f}" if row["permutations"] else "",
            "Weight": _with_ends(weight, row, "weight", 0, 100),
            "Selected": f"{100 * row['selected']:.0f} %" if halves else "",
        }
        rows.append([str(view), *(cells[name] for name in numbers)])
    return table(_caption(facts), columns, rows)


def _caption(facts: Facts) -> str:
    frame = facts.importance
    name = frame.attrs.get("score_name", "score")
    caption = (
        f"What each {facts.noun} is good for, the largest contribution first. Losses "
        f"and scores alone are in {name}; "
    )
    count = int(frame["permutations"].max())
    caption += f"p is from {count} permutations, " if count else ""
    caption += "weights are shares in per cent"
    if frame["selected"].notna().any():
        n = frame.attrs.get("n_subsamples", 0)
        caption += (
            f", and a view is selected in a half if it has weight there ({n} halves)"
        )
    return f"{caption}. Small numbers are 95 % intervals."


def _score(facts: Facts, value: float) -> str:
    if not np.isfinite(value):
        return ""
    if facts.importance.attrs.get("score_name") == "accuracy":
        return f"{fixed(100 * value, 1)} %"
    return fixed(value)


def _with_ends(
    value: str, row: Any, name: str, digits: int = 2, times: float = 1.0
) -> Markup | str:
    """A number, and its interval in small print below, if it has one."""
    if f"{name}_low" not in row or not np.isfinite(row[f"{name}_low"]):
        return value
    low, high = (
        fixed(times * float(row[f"{name}_{e}"]), digits) for e in ("low", "high")
    )
    return join([text(value), " ", tag("small", f"{low} to {high}")])


def importance_words(facts: Facts) -> list[str]:
    """What the table says, in sentences."""
    frame = facts.importance
    attrs = frame.attrs
    name = attrs.get("score_name", "score")
    first = (
        f"With {attrs.get('splits', 'samples left out')} the model reaches {name} = "
        f"{fixed(attrs.get('score', np.nan), 2)}"
    )
    coded = name == "R²" and facts.task == "classify"
    first += f" ({CODED})." if coded else "."
    if len(frame) == 1:
        return [f"{first} There is one view only, so all of it is due to that."]
    best = _listed(frame.index[:1])
    value = fixed(frame["contribution"].iloc[0], 2)
    sentences = [f"{first} Most of it comes from {best}, which contributes {value}."]
    if frame["permutations"].any():
        sentences += _told_apart(facts)
    heavy = frame["weight"].idxmax()
    if heavy != frame.index[0]:
        sentences.append(
            f"{_listed([heavy])} has the largest weight, "
            f"{100 * frame['weight'].max():.0f} %, and contributes "
            f"{fixed(frame.loc[heavy, 'contribution'])}: weights do not measure what "
            "matters."
        )
    return sentences


def _told_apart(facts: Facts) -> list[str]:
    """Which views tell nothing, and which tell nothing of their own."""
    frame = facts.importance
    silent = frame.index[frame["p_value"] > LEVEL]
    if len(silent):
        sentences = [
            f"{_listed(silent)} {'is' if len(silent) == 1 else 'are'} not told from "
            f"{facts.noun}s whose rows are permuted (p > {LEVEL}), whatever the weight."
        ]
    else:
        sentences = [f"Every {facts.noun} tells something about the target (p ≤ 0.05)."]
    if len(frame) >= MANY:
        chance = round(LEVEL * len(frame))
        sentences.append(
            f"Of {len(frame)} {facts.noun}s that tell nothing, about {chance} would "
            f"have p ≤ {LEVEL} by chance."
        )
    if "removed_low" not in frame:
        return sentences
    spare = frame.index[(frame["removed_low"] <= 0) & (frame["p_value"] <= LEVEL)]
    if len(spare):
        one = len(spare) == 1
        sentences.append(
            f"What {_listed(spare)} {'tells' if one else 'tell'} may be in the others "
            f"as well: learned again without {'it' if one else 'any one of them'}, the "
            "model is not surely worse."
        )
    return sentences


def _listed(views: Any) -> str:
    """The first names, and that there are more."""
    names = [shorten(str(view), 40) for view in views[:6]]
    return ", ".join(names) + (", ..." if len(views) > 6 else "")
