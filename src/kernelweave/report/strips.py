"""A strip of left-out samples for each class, by how clearly they are decided."""

from __future__ import annotations

import numpy as np

from ..evaluation import LeftOut
from ..problem import Array
from .axes import sample_mark, span, x_axis
from .facts import Facts
from .markup import Markup, fixed, percent, picture, plural, shorten, tag

# At most this many classes are shown, the largest.
MOST_STRIPS = 30
STRIP = 52


def strips(facts: Facts, most: int) -> tuple[list[Markup], str] | None:
    """Left-out probabilities or decision values; with many classes, how far one leads.

    None without a cross-validation, or of samples without classes.
    """
    left_out = facts.left_out
    if facts.task != "classify" or left_out is None or left_out.classes is None:
        return None
    classes = [str(c) for c in left_out.classes]
    kinds = np.searchsorted(left_out.classes, left_out.truth)
    found = _clarity(left_out, kinds, classes)
    if found is None:
        return None
    x, level, meaning = found
    answer = left_out.answer()
    wrong = answer != left_out.truth
    n = len(kinds)
    rows = np.arange(n)
    if n > most:
        rows = np.sort(np.random.default_rng(0).choice(n, most, replace=False))
    caption = (
        "Every sample is predicted by models that were not fitted to it: "
        f"{n - int(np.sum(wrong)):,} of {plural(n, 'sample')} rightly; hollow marks "
        "are predicted as another class."
    )
    if len(rows) < n:
        caption += f" {len(rows):,} of {n:,} samples are drawn."
    shown = _largest(classes, kinds)
    if len(shown) < len(classes):
        caption += f" The {len(shown)} largest of {len(classes)} classes are shown."
    low, high = span(np.append(x[rows], level))
    height = STRIP * len(shown)
    at = percent((level - low) / (high - low))
    parts = x_axis(low, high, height, meaning)
    parts += [
        tag("line", x1=at, x2=at, y1=y + 19, y2=y + 48, class_="level")
        for y in range(0, height, STRIP)
    ]
    jitter = np.random.default_rng(0).uniform(-9, 9, n)
    who = facts.names_of_samples
    for s, (kind, name) in enumerate(shown):
        for i in rows[kinds[rows] == kind]:
            place = float((x[i] - low) / (high - low))
            y = round(float(STRIP * s + 33 + jitter[i]), 1)
            title = f"sample {who[left_out.rows[i]]}: {name}, {fixed(float(x[i]), 2)}"
            parts.append(sample_mark(kind, place, y, title, bool(wrong[i])))
        parts.append(
            tag("text", shorten(name, 40), x=0, y=STRIP * s + 14, class_="strip")
        )
    label = f"{plural(len(rows), 'left-out sample')}; {meaning}"
    return [
        tag("div", picture(height + 40, label, *parts), class_="plot inset")
    ], caption


def _clarity(
    left_out: LeftOut, kinds: Array, classes: list[str]
) -> tuple[Array, float, str] | None:
    """A number for every sample, where it decides, and what it means."""
    chances = left_out.probabilities()
    n, two = len(kinds), len(classes) == 2
    if chances is not None and two:
        return chances[:, 1], 0.5, f"probability of {shorten(classes[1], 20)}"
    if chances is not None:
        return _leads(chances, kinds), 0.0, "lead of the true class, in probability"
    if left_out.decision is None:
        return None
    flat = left_out.decision.reshape(len(left_out.sample), -1)
    mean = np.zeros((n, flat.shape[1]))
    np.add.at(mean, left_out.sample, flat)
    mean /= left_out.times[:, None]
    if mean.shape[1] == 1:
        return mean[:, 0], 0.0, f"right of zero: predicted as {shorten(classes[1], 20)}"
    return _leads(mean, kinds), 0.0, "lead of the true class over the next best"


def _leads(f: Array, kinds: Array) -> Array:
    """f of a sample's own class less the best other."""
    rows = np.arange(len(f))
    others = f.copy()
    others[rows, kinds] = -np.inf
    return f[rows, kinds] - others.max(axis=1)


def _largest(classes: list[str], kinds: Array) -> list[tuple[int, str]]:
    counts = np.bincount(kinds, minlength=len(classes))
    chosen = np.sort(np.argsort(-counts, kind="stable")[:MOST_STRIPS])
    return [(int(k), classes[k]) for k in chosen]
