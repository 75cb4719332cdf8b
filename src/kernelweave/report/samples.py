"""Left-out samples as the model sees them: no picture of what it was fitted to."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from ..problem import Array
from .axes import scatter
from .facts import Facts
from .markup import COLOURS, SHAPES, Markup, fixed, number, plural, prose, tag
from .strips import strips
from .survival import survival_curves

# At most this many samples are drawn, chosen at random.
MOST_POINTS = 1500


def left_out_picture(facts: Facts) -> Markup | str:
    """The discriminant plane, decisions, or predicted against observed, left out."""
    found: tuple[list[Markup], str] | None
    if facts.task == "regress":
        found = _regression(facts)
    elif facts.task == "survive":
        found = survival_curves(facts)
    elif facts.task == "classify" and _spread(facts):
        found = _plane(facts)
    else:
        found = strips(facts, MOST_POINTS)
    if found is None:
        return ""
    parts, caption = found
    return tag("figure", *parts, tag("figcaption", prose(caption)))


def drawn(n: int) -> Array:
    """The samples to draw, at most MOST_POINTS."""
    if n <= MOST_POINTS:
        return np.arange(n)
    return np.sort(np.random.default_rng(0).choice(n, MOST_POINTS, replace=False))


def thinned(rows: Array, n: int) -> str:
    return f" {len(rows):,} of {n:,} samples are drawn." if len(rows) < n else ""


def _spread(facts: Facts) -> bool:
    """Whether there are left-out projections in two dimensions at least."""
    return facts.projections is not None and facts.projections.shape[1] > 1


def wrong(facts: Facts) -> Array | None:
    """Mask of samples that are predicted as another class when they are left out."""
    left_out = facts.left_out
    if left_out is None or left_out.classes is None:
        return None
    mask = np.zeros(facts.n, dtype=bool)
    mask[left_out.rows] = left_out.answer() != left_out.truth
    return mask


def _plane(facts: Facts) -> tuple[list[Markup], str]:
    f = facts.projections
    assert f is not None
    kinds = facts.class_numbers()
    names = [str(c) for c in facts.core.classes_]
    # Axes along which the left-out samples of the classes differ most.
    axes = LinearDiscriminantAnalysis(n_components=2)
    Z = axes.fit(f, kinds).transform(f)
    mask, rows = wrong(facts), drawn(facts.n)
    label = (
        f"Scatter plot of {plural(len(rows), 'left-out sample')} of {len(names)} "
        "classes on two discriminant axes"
    )
    who = facts.names_of_samples
    marks = [
        (
            int(kinds[i]),
            bool(mask is not None and mask[i]),
            f"sample {who[i]}: {names[kinds[i]]}",
        )
        for i in rows
    ]
    caption = (
        "Each sample is projected by the model without it, at the learned weights, on "
        "the two axes along which the classes differ most; units are the spread within "
        "a class."
    )
    if mask is not None:
        caption += " Hollow marks are predicted as another class in cross-validation."
    plot = scatter(Z[rows, 0], Z[rows, 1], ("axis 1", "axis 2"), label, marks)
    return [plot, _legend(names)], caption + thinned(rows, facts.n)


def regression_left_out(facts: Facts) -> tuple[Array, Array, Array] | None:
    """Rows, observed and left-out predicted numbers (m, outputs)."""
    assert facts.y is not None
    observed = np.asarray(facts.y, dtype=float).reshape(facts.n, -1)
    left_out = facts.left_out
    if left_out is not None:
        predicted = left_out.answer().reshape(len(left_out.rows), -1)
        return left_out.rows, observed[left_out.rows], predicted
    if facts.projections is not None:
        return np.arange(facts.n), observed, facts.projections
    return None


def _regression(facts: Facts) -> tuple[list[Markup], str] | None:
    found = regression_left_out(facts)
    if found is None:
        return None
    samples, observed, predicted = found
    chosen = drawn(len(samples))
    x, y = predicted[chosen, 0], observed[chosen, 0]
    who = facts.names_of_samples
    marks = [
        (0, False, f"sample {who[i]}: observed {number(b)}, predicted {number(a)}")
        for i, a, b in zip(samples[chosen], x, y, strict=True)
    ]
    label = f"Observed against predicted values of {plural(len(x), 'left-out sample')}"
    errors = predicted[:, 0] - observed[:, 0]
    total = np.sum((observed[:, 0] - np.mean(observed[:, 0])) ** 2)
    r2 = 1 - np.sum(errors**2) / total if total > 0 else np.nan
    caption = (
        "Every sample is predicted by a model that was not fitted to it. On the dashed "
        f"line prediction and observation agree; R² is {fixed(float(r2), 2)}, and the "
        f"mean absolute error {number(float(np.mean(np.abs(errors))))}."
    )
    if observed.shape[1] > 1:
        caption += f" The first of {observed.shape[1]} outputs."
    names = ("predicted", "observed")
    caption += thinned(chosen, len(samples))
    return [scatter(x, y, names, label, marks, True)], caption


def _legend(classes: list[str]) -> Markup:
    items: list[Any] = []
    for k, name in enumerate(classes):
        path = tag("path", d=SHAPES[k % len(SHAPES)], transform="translate(7 7)")
        colour = f"mark c{k % len(COLOURS)}"
        key = tag("svg", path, width=14, height=14, class_=colour, aria_hidden="true")
        items.append(tag("li", key, " ", name, data_k=k))
    return tag("ul", *items, class_="legend", aria_label="Classes")
