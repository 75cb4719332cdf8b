"""What all fits together tell of a view: the numbers of its row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..evaluation.interval import sample_interval
from ..problem import Array
from .candidate import Found
from .engines import Subject

COLUMNS: tuple[str, ...] = (
    "weight",
    "weight_low",
    "weight_high",
    "selected",
    "contribution",
    "contribution_low",
    "contribution_high",
    "removed",
    "removed_low",
    "removed_high",
    "alone",
    "null_low",
    "null_high",
    "p_value",
    "permutations",
)

# A view has weight if its share is above what rounding leaves.
SELECTED = 1e-6


def row_of(
    subject: Subject, found: Mapping[Any, Sequence[Found]], view: str
) -> dict[str, float]:
    """The numbers of `COLUMNS` of a view; NaN where nothing was fitted for them.

    Parameters
    ----------
    subject : Subject
    found : mapping
        Fits by what they are for: "whole", "half", ("removed", view), ("alone", view)
        and ("null", view).
    view : str
    """
    members, whole = subject.views[view], found["whole"][0]
    row: dict[str, float] = dict.fromkeys(COLUMNS, np.nan)
    row["weight"] = weight = _share(subject.weights, members)
    row["contribution"] = own = float(np.sum(whole.shares[members]))
    if ("removed", view) in found:
        without = found["removed", view][0]
        row["removed"] = whole.score - without.score
        if whole.losses is not None and without.losses is not None:
            interval = _difference(subject, without.losses - whole.losses)
            row["removed_low"], row["removed_high"] = interval.low, interval.high
    if ("alone", view) in found:
        row["alone"] = found["alone", view][0].score
    if "half" in found:
        weights = [_share(one.weights, members) for one in found["half"]]
        parts = [np.sum(one.shares[members]) for one in found["half"]]
        ends = np.clip(_around(weight, weights), 0.0, 1.0)
        row["weight_low"], row["weight_high"] = map(float, ends)
        row["contribution_low"], row["contribution_high"] = _around(own, parts)
        row["selected"] = float(np.mean(np.array(weights) > SELECTED))
    null = [np.sum(one.shares[members]) for one in found.get(("null", view), [])]
    row["permutations"] = len(null)
    if null:
        row["null_low"], row["null_high"] = _middle(null)
        row["p_value"] = (1 + np.sum(np.array(null) >= own)) / (1 + len(null))
    return row


def _share(weights: Array, members: Array) -> float:
    """The share of some kernels in the sum of the weights."""
    total = float(np.sum(weights))
    return float(np.sum(weights[members])) / total if total > 0 else 0.0


def _difference(subject: Subject, losses: Array) -> Any:
    """The mean of differences of losses, with its interval; groups count as one."""
    groups = subject.engine.groups
    if groups is not None:
        sums = np.bincount(groups, losses)
        losses = sums * len(sums) / len(losses)
    return sample_interval(losses[None], [], subject.engine.folds)


def _around(value: float, halves: Any) -> tuple[float, float]:
    """The middle 95 % of halves, about the value of all samples.

    A half learns less than the whole, so its answers are off; their spread is not.
    """
    low, high = np.asarray(_middle(halves)) - np.median(halves)
    return float(value + min(low, 0.0)), float(value + max(high, 0.0))


def _middle(values: Any) -> tuple[float, float]:
    """The middle 95 %."""
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)
