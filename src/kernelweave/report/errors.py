"""How the model errs on samples that were left out: classes, and probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..problem import Array
from .axes import scatter
from .facts import Facts
from .markup import Markup, fixed, number, plural, prose, tag
from .tables import Column, table

# A larger table of all pairs of classes says less than the recalls.
MOST_CLASSES = 15
# A share of fewer samples tells nothing about a probability.
IN_A_BIN = 15
MOST_BINS = 8
# Probabilities that differ by less make no picture.
LEAST_SPREAD = 0.02


def confusion_table(facts: Facts) -> Markup | str:
    """True classes against predicted ones; darker cells hold more of their row."""
    left_out = facts.left_out
    assert left_out is not None
    assert left_out.classes is not None
    k = len(left_out.classes)
    if k > MOST_CLASSES:
        return ""
    counts = left_out.confusion()
    names = [str(c) for c in left_out.classes]
    head = [tag("th", "true ↓ predicted →", scope="col")]
    head += [tag("th", name, scope="col", class_="number") for name in names]
    body = []
    for i, name in enumerate(names):
        cells: list[Any] = [tag("th", name, scope="row")]
        total = max(counts[i].sum(), 1.0)
        for j in range(k):
            shade = int(np.ceil(5 * counts[i, j] / total))
            kind = "right" if i == j else "wrong"
            cells.append(
                tag("td", _count(counts[i, j]), class_=f"number {kind} q{shade}")
            )
        body.append(tag("tr", *cells))
    caption = "Left-out samples by their true class and the predicted one"
    whole = tag(
        "table",
        tag("caption", tag("span", caption)),
        tag("thead", tag("tr", *head)),
        tag("tbody", *body),
        class_="confusion",
    )
    attributes = {"tabindex": 0, "role": "region", "aria_label": caption}
    return tag("div", whole, class_="scroll", **attributes)


def _count(value: float) -> str:
    return number(round(value)) if abs(value - round(value)) < 1e-9 else fixed(value, 1)


def recall_table(facts: Facts) -> Markup:
    """How many samples of every class are found, and what others are taken for."""
    evaluation, left_out = facts.evaluation, facts.left_out
    assert evaluation is not None
    assert left_out is not None
    counts = left_out.confusion()
    rows = []
    named = zip(np.asarray(left_out.classes), evaluation.recalls(), strict=True)
    for i, (name, (samples, recall, low, high)) in enumerate(named):
        others = counts[i].copy()
        others[i] = 0
        taken = ""
        if others.max() > 0:
            other = np.asarray(left_out.classes)[int(np.argmax(others))]
            taken = f"{other} ({_count(others.max())})"
        span = f"{100 * low:.0f} to {100 * high:.0f}"
        cells = [str(name), samples, f"{100 * recall:.1f} %"]
        rows.append([*cells, span, taken])
    columns = [
        Column("Class"),
        Column("Samples", numeric=True),
        Column("Found (recall)", numeric=True),
        Column("95 % interval", numeric=True),
        Column("Most often taken for"),
    ]
    return table("The share of every class that is found, left out", columns, rows)


def reliability(facts: Facts) -> Markup | str:
    """How often predictions of a probability are right, if there are enough."""
    left_out = facts.left_out
    chances = None if left_out is None else left_out.probabilities()
    if left_out is None or chances is None or len(chances) < 2 * IN_A_BIN:
        return ""
    numbers = np.argmax(chances, axis=1)
    right = np.asarray(left_out.classes)[numbers] == left_out.truth
    sure = chances[np.arange(len(chances)), numbers]
    if np.ptp(sure) < LEAST_SPREAD:
        return tag(
            "p",
            prose(
                "All left-out samples have about the same probability of the predicted "
                f"class, {fixed(float(np.mean(sure)), 2)}; it is right in "
                f"{100 * np.mean(right):.0f} %."
            ),
        )
    bins = _bins(sure)
    x = np.array([np.mean(sure[rows]) for rows in bins])
    y = np.array([np.mean(right[rows]) for rows in bins])
    marks = [
        (
            -2,
            False,
            f"{plural(len(rows), 'sample')}: probability {fixed(a, 2)}, right in "
            f"{100 * b:.0f} %",
        )
        for rows, a, b in zip(bins, x, y, strict=True)
    ]
    label = "Share of right predictions against their predicted probability: " + (
        "; ".join(f"{fixed(a, 2)} {fixed(b, 2)}" for a, b in zip(x, y, strict=True))
    )
    gap = float(np.mean(sure) - np.mean(right))
    tendency = "about as often right as it says"
    if abs(gap) > 0.03:
        tendency = "surer than it should be" if gap > 0 else "less sure than it may be"
    caption = (
        f"Left-out samples, sorted by the probability of the predicted class, in "
        f"{len(bins)} parts. On the dashed line probabilities are right. The model is "
        f"{tendency}: mean probability {fixed(float(np.mean(sure)), 2)}, right in "
        f"{100 * np.mean(right):.0f} %."
    )
    axes = ("predicted probability", "share that is right")
    picture = scatter(x, y, axes, label, marks, diagonal=True)
    return tag("figure", picture, tag("figcaption", prose(caption)))


def _bins(sure: Array) -> list[Array]:
    """Samples in parts of equal numbers, from the least sure on."""
    count = int(np.clip(len(sure) // IN_A_BIN, 2, MOST_BINS))
    return np.array_split(np.argsort(sure, kind="stable"), count)
