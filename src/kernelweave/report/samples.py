"""The samples as the model sees them."""

from __future__ import annotations

import numpy as np

from ..problem import Array
from .axes import scatter
from .facts import Facts
from .markup import COLOURS, SHAPES, Markup, number, plural, tag
from .strips import strips

# Of more samples a random choice is drawn.
MOST_POINTS = 1500


def samples_picture(facts: Facts) -> Markup:
    """The discriminant plane; predicted against observed; or decision values."""
    rows = np.arange(facts.n)
    if facts.n > MOST_POINTS:
        chosen = np.random.default_rng(0).choice(facts.n, MOST_POINTS, replace=False)
        rows = np.sort(chosen)
    if facts.task == "regress":
        parts, caption = _regression(facts, rows)
    elif facts.task == "classify" and len(facts.core.classes_) > 2 and _projects(facts):
        parts, caption = _plane(facts, rows)
    else:
        parts, caption = strips(facts, rows)
    if len(rows) < facts.n:
        caption += f" {len(rows):,} of {facts.n:,} samples are drawn."
    return tag("figure", *parts, tag("figcaption", caption))


def _projects(facts: Facts) -> bool:
    return hasattr(facts.core, "transform")


def _plane(facts: Facts, rows: Array) -> tuple[list[Markup], str]:
    Z = facts.core.transform(facts.X)
    classes = [str(c) for c in facts.core.classes_]
    kinds, wrong = facts.class_numbers(), facts.wrong
    label = (
        f"Scatter plot of {plural(len(rows), 'sample')} of {len(classes)} classes on "
        "the first two discriminant axes"
    )
    assert facts.y is not None
    marks = [
        (int(kinds[i]), bool(wrong[i]), f"sample {i + 1}: {facts.y[i]}") for i in rows
    ]
    axes = ("discriminant axis 1", "discriminant axis 2")
    caption = f"{facts.right_text()} Units are the spread within a class."
    if Z.shape[1] > 2:
        caption += f" The first two of {Z.shape[1]} axes, which separate best."
    plot = scatter(Z[rows, 0], Z[rows, 1], axes, label, marks)
    return [plot, _legend(classes)], caption


def _regression(facts: Facts, rows: Array) -> tuple[list[Markup], str]:
    assert facts.y is not None
    observed = np.asarray(facts.y, dtype=float).reshape(facts.n, -1)
    predicted = np.asarray(facts.core.predict(facts.X)).reshape(facts.n, -1)
    x, y = predicted[rows, 0], observed[rows, 0]
    marks = [
        (0, False, f"sample {i + 1}: observed {number(b)}, predicted {number(a)}")
        for i, a, b in zip(rows, x, y, strict=True)
    ]
    label = f"Observed against predicted values of {plural(len(rows), 'sample')}"
    error = float(np.sqrt(np.mean((predicted[:, 0] - observed[:, 0]) ** 2)))
    caption = (
        "On the dashed line prediction and observation agree; on these samples they "
        f"differ by {number(error)} (root mean square)."
    )
    if observed.shape[1] > 1:
        caption += f" The first of {observed.shape[1]} outputs."
    return [scatter(x, y, ("predicted", "observed"), label, marks, True)], caption


def _legend(classes: list[str]) -> Markup:
    items = []
    for k, name in enumerate(classes):
        path = tag("path", d=SHAPES[k % len(SHAPES)], transform="translate(7 7)")
        colour = f"mark c{k % len(COLOURS)}"
        key = tag("svg", path, width=14, height=14, class_=colour, aria_hidden="true")
        items.append(tag("li", key, " ", name, data_k=k))
    return tag("ul", *items, class_="legend", aria_label="Classes")
