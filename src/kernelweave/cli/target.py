"""What is to be predicted: one column, or times and whether the event was seen."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..problem import Array
from ..survival import concordance_index, survival_array
from .output import plural
from .suspects import listed
from .task import Task, find_task, lacking_targets

SURVIVAL = "survival"

# What people write for an event that was seen, and for one that was not.
SEEN = ("1", "true", "yes", "dead", "deceased")
NOT_SEEN = ("0", "false", "no", "alive", "living", "censored")


@dataclass(frozen=True)
class Target:
    """The columns to predict, as the user named them.

    Attributes
    ----------
    name : str
        The column of --target, or that of --time.
    event : str or None
        The column of --event.
    task : str or None
        What was asked for, or what a model was fitted for.
    positive : str or None
        The class of --positive; with --event the value of an event that was seen.
    """

    name: str
    event: str | None = None
    task: str | None = None
    positive: str | None = None

    @property
    def columns(self) -> list[str]:
        return [self.name] if self.event is None else [self.name, self.event]

    @property
    def remembered(self) -> dict[str, Any]:
        """What a model file keeps of it, but for the task."""
        return {"target": self.name, "event": self.event, "positive": self.positive}

    def task_of(self, column: Callable[[str], Any]) -> Task:
        """The task, from the Series of every column."""
        if self.event is None:
            return find_task(
                column(self.name), self.name, self.task, positive=self.positive
            )
        times, events = column(self.name), column(self.event)
        return survival_task(times, events, self.name, self.event, self.positive)


def asked_target(options: argparse.Namespace) -> Target:
    """The target that the options of a command name."""
    time, event = options.time, options.event
    if time is None and event is None:
        if options.target is None:
            raise ValueError(
                "what is to be predicted? Pass --target COLUMN, or --time COLUMN and "
                "--event COLUMN for times to an event"
            )
        return Target(options.target, None, options.task, options.positive)
    if time is None or event is None:
        there, lacks = ("--event", "--time") if time is None else ("--time", "--event")
        raise ValueError(
            f"{there} goes with {lacks}: the one column holds the times, the other "
            "whether the event was seen then"
        )
    if options.target is not None or options.task is not None:
        other = "--target" if options.target is not None else "--task"
        raise ValueError(f"--time and --event say what to predict: leave {other} out")
    if time == event:
        raise ValueError(f"--time and --event are the same column, {time}")
    return Target(time, event, SURVIVAL, options.positive)


def trained_target(metadata: dict[str, Any]) -> Target:
    """The target that a model was fitted for."""
    return Target(
        metadata["target"],
        metadata.get("event"),
        metadata["task"],
        metadata["positive"],
    )


def survival_task(
    times: Any, events: Any, time: str, event: str, positive: str | None = None
) -> Task:
    """The task of two columns, times and events; rows that lack one are left out."""
    lacking = lacking_targets(times) | lacking_targets(events)
    if lacking.all():
        raise ValueError(f"no row has both a {time!r} and a {event!r}")
    rows = np.flatnonzero(~lacking)
    numbers = _times(times.iloc[rows], time)
    seen = events_of(events.iloc[rows], event, positive)
    if not seen.any():
        raise ValueError(
            f"no event was seen: {event!r} says so of no row, so nothing can be learned"
        )
    if np.sum(seen) < 2 or len(rows) < 4:
        raise ValueError(
            f"{plural(int(seen.sum()), 'event')} in {plural(len(rows), 'row')} are too "
            "few to learn from: at least 2 events in 4 rows are needed, and many more "
            "to learn well"
        )
    notes = [
        f"{event} was seen in {int(seen.sum())} of {plural(len(rows), 'row')}; the "
        f"others are censored at their {time}"
    ]
    if lacking.any():
        count = plural(int(lacking.sum()), "row")
        notes.append(f"{count} without {time} or {event}, left out")
    return Task(SURVIVAL, survival_array(seen, numbers), rows, notes)


def _times(values: Any, name: str) -> Array:
    import pandas as pd

    numbers = pd.to_numeric(values, errors="coerce").to_numpy(dtype=float)
    wrong = ~np.isfinite(numbers)
    if wrong.any():
        row = values.index[int(np.argmax(wrong))]
        raise ValueError(
            f"--time {name} holds {str(values.iloc[int(np.argmax(wrong))])!r} in row "
            f"{row}: write numbers, such as months since the beginning"
        )
    if np.any(numbers < 0):
        at = int(np.argmax(numbers < 0))
        raise ValueError(
            f"--time {name} is negative ({numbers[at]:g}) in row {values.index[at]}: "
            "times are counted from the beginning of the observation"
        )
    return numbers


def events_of(values: Any, name: str, positive: str | None = None) -> Array:
    """Whether the event was seen, (n,), from a Series of numbers, words or truths."""
    texts = [_text(value) for value in values]
    different = list(dict.fromkeys(texts))
    if positive is not None:
        if positive.lower() not in different:
            raise ValueError(
                f"--positive {positive}: {name} has no such value; it has "
                f"{listed(different)}"
            )
        return np.array([text == positive.lower() for text in texts])
    strange = [text for text in different if text not in SEEN + NOT_SEEN]
    if strange:
        raise ValueError(
            f"--event {name} holds {listed(strange)}: write 1 where the event was seen "
            "and 0 where it was not, or name the value of an event that was seen with "
            "--positive"
        )
    return np.array([text in SEEN for text in texts])


def _text(value: Any) -> str:
    whole = isinstance(value, float) and value.is_integer()
    return str(int(value) if whole else value).strip().lower()


class ConcordanceScore:
    """The concordance of risks with events and times, where these are known."""

    def __init__(self, target: Target):
        self._target = target
        self._notes: list[str] = []
        # How many rows the score is of; 0 where there is none.
        self.rows = 0

    def add(self, predicted: Array, known: Any) -> None:
        """Compare with a DataFrame of the columns of the target."""
        times, events = (known[name] for name in self._target.columns)
        there = ~(lacking_targets(times) | lacking_targets(events))
        if not there.any():
            return
        try:
            numbers = _times(times[there], self._target.name)
            name = self._target.event or ""
            seen = events_of(events[there], name, self._target.positive)
            index = concordance_index(seen, numbers, np.asarray(predicted)[there])
        except ValueError as error:
            self._notes = [f"no concordance: {error}"]
            return
        self.rows = int(there.sum())
        rows = plural(self.rows, "row")
        names = " and ".join(self._target.columns)
        self._notes = [f"concordance {index:.4f} on {rows} whose {names} are given"]

    def notes(self) -> list[str]:
        """A line, if any target was known."""
        return self._notes
