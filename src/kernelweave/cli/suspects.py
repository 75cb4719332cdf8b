"""Columns that may not be what they seem: copies of the target, numbers as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from shlex import quote
from typing import Any

from ..evaluation.leaks import copies_of_target, entries_of
from ..frames import column_kinds
from ..problem import Array
from ..tables import TableError
from ..views.text_kinds import text_kind
from ..views.unfit_texts import amounts, like_dates

SHOWN = 5


def listed(names: Iterable[Any], most: int = SHOWN) -> str:
    """The first few names, for a message."""
    names = list(map(str, names))
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")


def check_text(name: str, values: Sequence[str]) -> list[str]:
    """Refuse dates, and measurements that are written as text; note few such numbers.

    Each text would be a category of its own, whatever its value.
    """
    if like_dates(values):
        raise TableError(
            f"the column {name!r} holds dates or times, such as {values[0]!r}: turn it "
            f"into a number, such as days, or leave it out with --drop {quote(name)}"
        )
    found = amounts(values)
    if found is None:
        return []
    what = (
        f"column {name!r} holds {found.what} that are written as text, such as "
        f"{found.example!r}"
    )
    how = "write them like 1.5, without other signs"
    if found.what == "times":
        how = "write them as hours, like 14.5"
    if found.measured:
        count = f"{found.distinct} different ones in {len(values)} rows"
        drop = f"or leave it out with --drop {quote(name)}"
        raise TableError(f"{what}, {count}: {how}, {drop}")
    return [f"{what}: each is a category of its own; to use them as numbers, {how}"]


# A column names groups if it has at least GROUPS values, each in ROWS rows on average.
GROUPS, ROWS = 8, 2


def note_groups(X: Any, y: Array, target: str) -> list[str]:
    """A note about columns whose every value has one target, in several rows each.

    They name samples that were measured several times. Text and whole numbers only: a
    measurement that is equal in all rows of a sample tells of it as well.
    """
    targets = (y["time"] if y.dtype.names else y).tolist()
    kinds = zip(X.items(), column_kinds(X), strict=True)
    names = [
        name
        for (name, column), kind in kinds
        if (kind == "labels" or column.dtype.kind in "iu")
        and _names_groups(entries_of(column), targets)
    ]
    if not names:
        return []
    return [
        f"column {listed(names)} has one {target} for each of its values, in several "
        "rows each: if these are rows of one sample, such as a patient, the model "
        f"learns them by heart; use --drop {quote(names[0])}, and --groups "
        f"{quote(names[0])} in fit, evaluate, importance and report"
    ]


def _names_groups(values: list[Any], targets: list[Any]) -> bool:
    pairs = [(v, t) for v, t in zip(values, targets, strict=True) if v is not None]
    count, classes = len({v for v, _ in pairs}), len({t for _, t in pairs})
    # A column of few values may well tell the class.
    if count < max(GROUPS, 2 * min(classes, GROUPS)) or len(pairs) < ROWS * count:
        return False
    return len(set(pairs)) == count


def note_copies(X: Any, y: Array, target: str, task: str) -> list[str]:
    """A note about columns that are the target, or are one-to-one with its classes."""
    numbers = task in ("regress", "count", "survival")
    names = copies_of_target(X, y, numbers)
    if not names:
        return []
    what = "equals" if numbers else "has one value for each class of"
    return [
        f"column {listed(names)} {what} {target}: if it is a copy, or is known only "
        "afterwards, a model that uses it learns nothing else; leave it out with "
        f"--drop {quote(names[0])}"
    ]


def known_texts(X: Any) -> dict[str, list[str]]:
    """For each column of categories, its different values."""
    kinds = zip(X.columns, column_kinds(X), strict=True)
    texts = {
        name: list(map(str, X[name].dropna()))
        for name, kind in kinds
        if kind == "labels"
    }
    return {
        name: sorted(set(values))
        for name, values in texts.items()
        if text_kind(values) == "categorical"
    }


def note_unknown(X: Any, known: Mapping[str, Sequence[str]]) -> list[str]:
    """A note about each column of text in which the model knows no value."""
    notes = []
    for name, values in known.items():
        here = list(dict.fromkeys(map(str, X[name].dropna())))
        if here and not set(here) & set(values):
            notes.append(
                f"column {name!r} has no value that the model knows: it has "
                f"{listed(list(map(repr, here)), 3)}, and in training it had "
                f"{listed(list(map(repr, values)), 3)}; are they written alike?"
            )
    return notes
