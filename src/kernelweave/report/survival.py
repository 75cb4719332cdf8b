"""Times to an event: curves of Kaplan and Meier by left-out risk, and surprises."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..evaluation.concordance import LeftOutRisks
from ..problem import Array
from ..survival import breslow, concordance_index, kaplan_meier
from .axes import HEIGHT, x_axis
from .facts import Facts
from .markup import Markup, fixed, number, percent, picture, plural, tag, ticks
from .tables import Column, table

GROUPS = ("low", "middle", "high")

# Fewer samples make no three groups.
LEAST = 12

# Samples that are listed.
MOST = 15

# Steps of a curve that are drawn: a picture has no more pixels to show.
STEPS = 200


def left_out_risks(facts: Facts) -> tuple[Array, Array, Array, Array] | None:
    """Rows, events, times, and the share of samples of lower risk, all left out, (m,).

    Risks of one split are ranked among themselves: only these can be compared.
    """
    left_out = facts.left_out
    if isinstance(left_out, LeftOutRisks):
        rank, n = np.zeros(len(left_out.sample)), len(left_out.truth)
        for split in np.unique(left_out.split):
            tests = np.flatnonzero(left_out.split == split)
            rank[tests] = _ranks(left_out.predicted[tests])
        mean = np.bincount(left_out.sample, rank, minlength=n) / left_out.times
        return left_out.rows, left_out.event, left_out.time, mean
    risk = getattr(facts.core, "left_out_", None)
    if risk is None or facts.y is None or facts.n != facts.core.n_samples_fit_:
        return None
    return np.arange(facts.n), facts.y["event"], facts.y["time"], _ranks(risk)


def _ranks(risk: Array) -> Array:
    """The share of samples of lower risk, ties in the middle, (m,)."""
    order = np.sort(risk)
    below = np.searchsorted(order, risk, "left") + np.searchsorted(order, risk, "right")
    return below / (2 * len(risk))


def survival_curves(facts: Facts) -> tuple[list[Markup], str] | None:
    """What became of the thirds of lowest, middle and highest left-out risk."""
    found = left_out_risks(facts)
    if found is None or len(found[0]) < LEAST:
        return None
    _, event, time, share = found
    group = np.digitize(share, [1 / 3, 2 / 3])
    end = float(np.max(time)) or 1.0
    inside = []
    for value in ticks(0.0, 1.0, 5):
        at = HEIGHT * (1 - value)
        inside.append(tag("line", x1=0, x2="100%", y1=at, y2=at, class_="grid"))
        inside.append(tag("text", number(value), x=-6, y=at, dy=4, class_="tick end"))
    said = []
    for k, name in enumerate(GROUPS):
        rows = group == k
        if not rows.any():
            continue
        curve = kaplan_meier(event[rows], time[rows])
        last = float(np.max(time[rows]))
        inside += _steps(k, curve, last, end, name)
        middle = _median(curve)
        when = "more than half were never seen to have the event"
        if middle is not None:
            when = f"half had the event by {number(middle)}"
        said.append(
            f"{name} risk: {plural(int(rows.sum()), 'sample')}, "
            f"{plural(int(event[rows].sum()), 'event')}, {when}"
        )
    label = "Share of samples without the event over time, by left-out risk. "
    label += "; ".join(said)
    plot = tag("svg", *inside, width="100%", height=HEIGHT, class_="marks")
    drawn = tag(
        "div",
        tag("p", "share without the event", class_="axis"),
        picture(HEIGHT + 40, label, *x_axis(0.0, end, HEIGHT, "time"), plot),
        class_="plot square",
    )
    caption = (
        "The curves of Kaplan and Meier of what became of the samples, in thirds of "
        "the risk that models predicted which were not fitted to them: the further "
        "apart, the better. " + ". ".join(line.capitalize() for line in said) + "."
    )
    if facts.left_out is None:
        index = concordance_index(event, time, share)
        caption += f" Concordance of left-out samples: {fixed(float(index), 3)}."
    return [drawn, _legend()], caption


def _steps(kind: int, curve: Any, last: float, end: float, name: str) -> list[Markup]:
    """A curve as lines: along time and down."""
    times = curve.times[curve.times <= last]
    if len(times) > STEPS:
        times = np.quantile(times, np.linspace(0, 1, STEPS))
    edges = np.concatenate([[0.0], times, [last]])
    levels = np.append(1.0, curve(times))
    parts = []
    for at, until, level in zip(edges[:-1], edges[1:], levels, strict=True):
        y = float(HEIGHT * (1 - level))
        places = percent(float(at) / end), percent(float(until) / end)
        parts.append(tag("line", x1=places[0], x2=places[1], y1=y, y2=y))
    for at, before, after in zip(times, levels[:-1], levels[1:], strict=True):
        x = percent(float(at) / end)
        ends = (float(HEIGHT * (1 - level)) for level in (before, after))
        parts.append(tag("line", x1=x, x2=x, y1=next(ends), y2=next(ends)))
    title = tag("title", f"{name} risk")
    return [tag("g", title, *parts, class_=f"curve c{kind}")]


def _median(curve: Any) -> float | None:
    below = np.flatnonzero(curve.values <= 0.5)
    return float(curve.times[below[0]]) if len(below) else None


def _legend() -> Markup:
    items = []
    for k, name in enumerate(GROUPS):
        line = tag("line", x1=0, x2=14, y1=7, y2=7)
        key = tag(
            "svg", line, width=14, height=14, class_=f"curve c{k}", aria_hidden="true"
        )
        items.append(tag("li", key, f" {name} risk"))
    return tag("ul", *items, class_="legend", aria_label="Thirds of the risk")


def surprising_samples(facts: Facts) -> list[Any]:
    """Samples whose event came much earlier, or later, than their risk said."""
    found = left_out_risks(facts)
    if found is None:
        note = "It takes a cross-validation to know them."
        return [tag("p", note, class_="quiet")]
    rows, event, time, share = found
    surprise = _deviances(event, time, share)
    order = np.argsort(-np.abs(surprise), kind="stable")[:MOST]
    who = facts.names_of_samples
    columns = [Column("Sample"), Column("Time", numeric=True), Column("Event")]
    columns += [Column("Of lower risk", numeric=True), Column("What surprises")]
    cells = [
        [
            who[rows[i]],
            number(float(time[i])),
            "seen" if event[i] else "not seen",
            f"{100 * share[i]:.0f} %",
            "early for its risk" if surprise[i] > 0 else "long for its risk",
        ]
        for i in order
    ]
    note = (
        f"The {len(order)} samples whose time agrees least with the risk that models "
        "predicted which were not fitted to them (the largest deviance residuals). A "
        "time or an event that was written down wrongly shows here first."
    )
    caption = "Samples whose time surprises most, left out"
    return [tag("p", note), table(caption, columns, cells)]


def _deviances(event: Array, time: Array, share: Array) -> Array:
    """Deviance residuals of a model whose log-risk is that share, spread as a normal.

    With m = event − H(t)exp(u) the martingale residual it is
    sign(m)√(−2(m + event·log(event − m))) (Therneau, Grambsch and Fleming 1990).
    """
    # From −√3 to √3: as a uniform variable of variance one.
    u = np.sqrt(3) * (2 * share - 1)
    expected = breslow(event, time, u)(time) * np.exp(u)
    m = event - expected
    logs = np.where(event, np.log(np.maximum(expected, 1e-300)), 0.0)
    return np.sign(m) * np.sqrt(np.maximum(-2 * (m + logs), 0.0))
