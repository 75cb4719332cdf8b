"""A strip of samples for each class, by how clearly they are decided."""

from __future__ import annotations

import numpy as np

from ..problem import Array
from .axes import sample_mark, span, x_axis
from .facts import Facts
from .markup import Markup, number, percent, picture, plural, shorten, tag

# Of more classes the largest are shown.
MOST_STRIPS = 30
STRIP = 52


def strips(facts: Facts, rows: Array) -> tuple[list[Markup], str]:
    """Decision values of the given samples; with many classes, how far one leads."""
    f = np.asarray(facts.core.decision_function(facts.X))
    if facts.task == "novelty":
        classes, kinds = ["all samples"], np.zeros(facts.n, int)
        wrong, x = np.zeros(facts.n, bool), f
        inside = int(np.sum(facts.core.predict(facts.X) == 1))
        caption = f"{inside} of {plural(facts.n, 'sample')} inside."
        meaning = "right of zero: inside the region"
    else:
        classes = [str(c) for c in facts.core.classes_]
        kinds, wrong, caption = facts.class_numbers(), facts.wrong, facts.right_text()
        x = f if f.ndim == 1 else _leads(f, kinds)
        meaning = "lead over the next best class"
        if f.ndim == 1:
            meaning = f"right of zero: predicted as {shorten(classes[1], 20)}"
    shown = _largest(classes, kinds)
    if len(shown) < len(classes):
        caption += f" The {len(shown)} largest of {len(classes)} classes are shown."
    if np.any(kinds < 0):
        shown.append((-1, "other classes" if facts.labelled.all() else "unlabelled"))
    low, high = span(np.append(x[rows], 0.0))
    height = STRIP * len(shown)
    zero = percent(-low / (high - low))
    parts = x_axis(low, high, height, meaning)
    parts.append(tag("line", x1=zero, x2=zero, y1=0, y2=height, class_="level"))
    jitter = np.random.default_rng(0).uniform(-9, 9, facts.n)
    for s, (kind, name) in enumerate(shown):
        parts.append(
            tag("text", shorten(name, 40), x=0, y=STRIP * s + 14, class_="strip")
        )
        for i in rows[kinds[rows] == kind]:
            at = float((x[i] - low) / (high - low))
            y = round(float(STRIP * s + 33 + jitter[i]), 1)
            title = f"sample {i + 1}: {name}, {number(float(x[i]))}"
            parts.append(sample_mark(kind, at, y, title, bool(wrong[i])))
    label = f"Decision values of {plural(len(rows), 'sample')}; {meaning}"
    return [
        tag("div", picture(height + 40, label, *parts), class_="plot inset")
    ], caption


def _leads(f: Array, kinds: Array) -> Array:
    """f of a sample's own class less the best other; of the best two if it has none."""
    own = np.where(kinds < 0, np.argmax(f, axis=1), kinds)
    rows = np.arange(len(f))
    others = f.copy()
    others[rows, own] = -np.inf
    return f[rows, own] - others.max(axis=1)


def _largest(classes: list[str], kinds: Array) -> list[tuple[int, str]]:
    counts = np.bincount(kinds[kinds >= 0], minlength=len(classes))
    chosen = np.sort(np.argsort(-counts, kind="stable")[:MOST_STRIPS])
    return [(int(k), classes[k]) for k in chosen]
