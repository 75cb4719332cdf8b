"""The combination against single views and the average, with intervals."""

from __future__ import annotations

from ..evaluation import Evaluation, Row
from ..evaluation.comparison import SHARES
from .markup import (
    Markup,
    marker,
    number,
    percent,
    picture,
    prose,
    shorten,
    tag,
    ticks,
)
from .tables import Column, table

# So many fit on a page of paper.
MOST_ROWS = 18
ROW = 40
KINDS = {"learned": 0, "average": 1, "view": 2}


def whiskers(evaluation: Evaluation) -> Markup:
    """A dot and its interval for each row, the best first."""
    rows = _best_first(evaluation)
    views = [row for row in rows if row.kind == "view"][: MOST_ROWS - 2]
    rows = [row for row in rows if row.kind != "view" or row in views]
    low, high = _range(evaluation, rows)
    height = ROW * (len(rows) + 1)

    def place(value: float) -> float:
        return min(max((value - low) / (high - low), 0.0), 1.0)

    axis = []
    for value in ticks(low, high):
        x = percent(place(value))
        axis.append(tag("line", x1=x, x2=x, y1=0, y2=height, class_="grid"))
        name = score_text(evaluation, value, axis=True)
        axis.append(tag("text", name, x=x, y=height + 16, class_="tick middle"))
    level = percent(place(evaluation.learned.mean))
    # The line stops at the text of every row.
    axis += [
        tag("line", x1=level, x2=level, y1=y + 19, y2=y + 35, class_="level")
        for y in range(0, height, ROW)
    ]
    drawn: list[Markup] = [
        _whisker(
            evaluation, row, ROW * i, place(row.mean), place(row.low), place(row.high)
        )
        for i, row in enumerate(rows)
    ]
    drawn.append(_chance(evaluation, ROW * len(rows), place(evaluation.chance)))
    label = f"{evaluation.metric} with 95 per cent intervals: " + "; ".join(
        f"{row.label} {score_text(evaluation, row.mean)}" for row in rows
    )
    hidden = len(evaluation.rows) - len(rows)
    more = f" The {hidden} views with lower scores are in the table." if hidden else ""
    return tag(
        "figure",
        tag("div", picture(height + 22, label, *axis, *drawn), class_="plot inset"),
        tag(
            "figcaption",
            prose(
                f"{_capital(evaluation.metric)} of all left-out samples together, and "
                f"95 % interval; the dashed line is the learned combination.{more}"
            ),
        ),
    )


def _whisker(
    evaluation: Evaluation, row: Row, y: int, mean_at: float, low: float, high: float
) -> Markup:
    mean, ends = interval_text(evaluation, row)
    name = tag("text", tag("title", row.label), shorten(row.label, 32), x=0, y=y + 14)
    value = tag("text", mean, tag("tspan", f" ({ends})", class_="wide"), x="100%")
    line = tag("line", x1=percent(low), x2=percent(high), y1=y + 26, y2=y + 26)
    return tag(
        "g",
        tag("g", name, class_=f"row {row.kind}"),
        tag("g", value, transform=f"translate(0 {y + 14})", class_="value"),
        tag("g", line, _end(low, y + 26), _end(high, y + 26), class_="whisker"),
        marker(KINDS[row.kind], mean_at, y + 26, f"{row.label}: {mean} ({ends})"),
    )


def _chance(evaluation: Evaluation, y: int, at: float) -> Markup:
    """Where a model is that knows the shares of the classes, or the mean, alone."""
    value = score_text(evaluation, evaluation.chance)
    return tag(
        "g",
        tag("g", tag("text", "chance", x=0, y=y + 14), class_="row"),
        tag("text", value, x="100%", y=y + 14, class_="value"),
        marker(6, at, y + 26, f"chance: {value}"),
    )


def _best_first(evaluation: Evaluation) -> list[Row]:
    sign = 1 if evaluation.main.lower_is_better else -1
    return sorted(evaluation.rows, key=lambda row: sign * row.mean)


def _end(x: float, y: int) -> Markup:
    at = percent(x)
    return tag("line", x1=at, x2=at, y1=y - 4, y2=y + 4)


def _range(evaluation: Evaluation, rows: list[Row]) -> tuple[float, float]:
    low = min(evaluation.chance, *(row.low for row in rows))
    high = max(evaluation.chance, *(row.high for row in rows))
    if evaluation.metric == "R²":
        low = max(low, -1.0)  # what is worse than that is off any useful scale
    if high - low < 0.02:
        low, high = low - 0.02, high + 0.02
    room = 0.02 * (high - low)
    if evaluation.metric in SHARES:
        return max(low - room, 0.0), min(high, 1.0)
    return low - room, high


def comparison_table(evaluation: Evaluation) -> Markup:
    """The same as numbers, for all views."""
    columns = [
        Column("Model"),
        Column("Pooled", numeric=True),
        Column("95 % interval", numeric=True),
        Column("Combination better by", numeric=True),
        Column("95 % interval", numeric=True),
    ]
    body = []
    for row in _best_first(evaluation):
        mean, ends = interval_text(evaluation, row)
        gain, span = "", ""
        if row.kind != "learned":
            interval = evaluation.difference(row)
            gain = evaluation.main.gain_text(interval.mean)
            low, high = map(evaluation.main.gain_text, (interval.low, interval.high))
            span = f"{low} to {high}"
        body.append([row.label, mean, ends, gain, span])
    body.append(["chance", score_text(evaluation, evaluation.chance), "", "", ""])
    metric = _capital(evaluation.metric)
    unit = "in points" if evaluation.metric in SHARES else f"in units of {metric}"
    return table(f"{metric} in cross-validation; differences {unit}", columns, body)


def other_scores(evaluation: Evaluation) -> Markup:
    """The further scores, a row a model."""
    others = evaluation.comparisons[1:]
    columns = [Column("Model")]
    columns += [Column(_capital(one.metric), numeric=True) for one in others]
    rows = [
        [row.label, *(one.score_text(one.rows[r].mean) for one in others)]
        for r, row in enumerate(evaluation.rows)
    ]
    rows.append(["chance", *(one.score_text(one.chance) for one in others)])
    return table("Other scores of the same left-out predictions", columns, rows)


def score_text(evaluation: Evaluation, value: float, axis: bool = False) -> str:
    if evaluation.metric in SHARES:
        return f"{number(100 * value)} %" if axis else f"{100 * value:.1f} %"
    return number(value) if axis else evaluation.main.score_text(value)


def interval_text(evaluation: Evaluation, row: Row) -> tuple[str, str]:
    """Mean and interval."""
    mean = score_text(evaluation, row.mean)
    if evaluation.metric in SHARES:
        return mean, f"{100 * row.low:.1f} to {100 * row.high:.1f}"
    low, high = (score_text(evaluation, value) for value in (row.low, row.high))
    return mean, f"{low} to {high}"


def _capital(metric: str) -> str:
    """The name of a score with a capital; that of a class in it stays as it is."""
    return metric[0].upper() + metric[1:]
