"""Which problem it is, and which estimator solves it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..problem import Array
from ..tables.exact import EXACT, is_number
from ..tables.finite import refuse_infinite
from ..views.unfit_texts import like_numbers
from .output import plural
from .suspects import listed

SEMI = "semi-supervised"

# Targets of these tasks are those of the tasks beside them.
LIKE = {"probability": "classify", "count": "regress"}
TASKS = ("classify", "regress", SEMI, *LIKE)

# So many different whole numbers still look like classes.
MOST_CLASSES = 20


@dataclass(frozen=True)
class Task:
    """What to learn.

    Attributes
    ----------
    name : {"classify", "regress", "semi-supervised", "probability", "count", \
            "survival"}
    y : ndarray
        Targets of the rows to learn from; None for unlabelled ones. Of survival a
        structured array of events and times.
    rows : ndarray of int
        Which rows these are.
    notes : list of str
        Why, for the user.
    """

    name: str
    y: Array
    rows: Array
    notes: list[str]


def find_task(
    values: Any,
    target: str,
    wanted: str | None,
    count: int | None = None,
    positive: str | None = None,
) -> Task:
    """The task that a column of targets is for.

    Parameters
    ----------
    values : Series, with missing values for rows without a target
    target : str
    wanted : one of `TASKS`, optional
        What the user asked for.
    count : int, optional
        How many rows have a target, where `values` are not theirs one by one.
    positive : str, optional
        A class: all others become one, "not CLASS", if there are several.
    """
    asked, wanted = wanted, LIKE.get(wanted or "", wanted)
    lacking = lacking_targets(values)
    marked: list[str] = []
    if positive is not None:
        values, marked = mark_positive(values, lacking, target, wanted, positive)
    present = values[~lacking]
    missing = int(lacking.sum())
    if len(present) == 0:
        raise ValueError(f"the target column {target!r} is empty in every row")
    count = len(present) if count is None else count
    numbers = present.to_numpy() if present.dtype.kind in "iuf" else None
    if numbers is not None:
        refuse_infinite(numbers, target, present.index)
    distinct = present.nunique()
    notes = marked
    name = wanted
    if numbers is None and name in (None, "regress"):
        _refuse_slips(list(map(str, present)), target, name, count)
    if name is None:
        name, why = _guess(numbers, distinct, count)
        notes.append(f"{target} has {why}")
    if name != "regress" and distinct < 2:
        raise ValueError(
            f"the target {target!r} has one class only ({present.iloc[0]}): there is "
            "nothing to tell apart"
        )
    if name == "regress" and distinct < 2:
        raise ValueError(
            f"the target {target!r} is {present.iloc[0]} in every row: there is "
            "nothing to predict"
        )
    if name == "classify" and distinct >= count > 2:
        other = "" if numbers is None else ", or use --task regress"
        raise ValueError(
            f"the target {target!r} has another class in each of {count} rows, such as "
            f"{present.iloc[0]}: is it the right column? Name another one{other}"
        )
    # Distances of two rows, or the spread within a class, need one row more.
    least = {"regress": 3, "classify": distinct + 1, SEMI: 0}[name]
    if count < least:
        raise ValueError(
            f"{plural(count, 'row')} with {target!r} are too few to learn from: "
            f"at least {least} are needed, and many more to learn well"
        )
    labels = values if name == "regress" else _labels(values, lacking, target)
    if name == SEMI:
        if not missing:
            raise ValueError(
                f"--task {SEMI} learns from rows without a label, too, but every row "
                f"has a {target!r}: leave some empty, or use --task classify"
            )
        # As text, since the estimator takes the number -1 for no label.
        y = np.array([None if label is None else str(label) for label in labels])
        return Task(name, y, np.arange(len(values)), notes)
    if missing:
        also = f" (--task {SEMI} learns from them, too)"
        also = "" if name == "regress" or count != len(present) else also
        notes.append(f"{plural(missing, 'row')} without {target}, left out{also}")
    rows = np.flatnonzero(~lacking)
    if name == "regress":
        y = present.to_numpy(dtype=float)
        if asked == "count" and np.any(y < 0):
            raise ValueError(
                f"--task count: {target} is negative ({y.min():g}) in row "
                f"{present.index[int(np.argmin(y))]}; counts are not: use --task "
                "regress"
            )
        return Task(asked or name, y, rows, notes)
    y = np.array(labels[rows].tolist())
    if y.dtype.kind in "fO" and any(isinstance(v, int) and v >= EXACT for v in labels):
        # Integers too large for numpy's are told apart as text.
        y = labels[rows].astype(str)
    return Task(asked or name, y, rows, notes)


def mark_positive(
    values: Any, lacking: Array, target: str, wanted: str | None, positive: str
) -> tuple[Any, list[str]]:
    """Targets with one class "not CLASS" for all but the positive one; and a note.

    Two classes stay as they are.
    """
    if wanted == "regress":
        raise ValueError("--positive names a class: it goes with --task classify")
    texts = class_texts(values)
    there = texts[~lacking]
    if positive not in set(there):
        raise ValueError(
            f"--positive {positive}: {target} has no such class; it has "
            f"{listed(dict.fromkeys(there))}"
        )
    if there.nunique() <= 2:
        return values, []
    count = int((there == positive).sum())
    note = (
        f"{positive} ({plural(count, 'row')}) against all other classes of {target} "
        f"({plural(len(there) - count, 'row')})"
    )
    return against_others(values, lacking, positive), [note]


def against_others(values: Any, lacking: Array, positive: str) -> Any:
    """A Series of targets with "not CLASS" for all classes but one."""
    texts = class_texts(values).where(lambda text: text == positive, f"not {positive}")
    return texts.astype(object).where(~lacking, None)


def class_texts(values: Any) -> Any:
    """Labels as a user would write them: 1 also where gaps have made it 1.0."""
    return values.astype(object).map(
        lambda v: str(int(v)) if isinstance(v, float) and v.is_integer() else str(v)
    )


def lacking_targets(values: Any) -> Array:
    """Where a Series of targets has none: a missing value, or an empty text."""
    lacking = values.isna()
    if values.dtype.kind not in "biuf":
        lacking |= values.astype(object) == ""
    return lacking.to_numpy(dtype=bool)


def _refuse_slips(
    values: list[str], target: str, wanted: str | None, count: int
) -> None:
    """Refuse a target of text that was meant to be one of numbers."""
    odd = [value for value in values if not is_number(value)]
    different = list(dict.fromkeys(map(repr, odd or values)))
    if wanted == "regress":
        what = f"--task regress needs numbers, but the target {target!r} holds"
    elif len(set(values)) > _few(count) and like_numbers(values):
        what = f"the target {target!r} looks like numbers, but holds"
    else:
        return
    # A sample of the rows does not tell in how many.
    where = f" in {len(odd)} of {plural(count, 'row')}" if count == len(values) else ""
    raise ValueError(
        f"{what} {listed(different)}{where}: write numbers like 1.5, and leave fields "
        "empty where the value is missing; if it holds classes, pass --task classify"
    )


def _few(count: int) -> float:
    """So many different values may be classes."""
    return min(MOST_CLASSES, max(2, count / 5))


def _guess(numbers: Array | None, distinct: int, count: int) -> tuple[str, str]:
    """The task, and what in the target tells it."""
    whole = numbers is not None and bool(np.all(numbers == np.rint(numbers)))
    few = numbers is None or (whole and distinct <= _few(count))
    if not few:
        return "regress", "many different numbers: regression (else: --task classify)"
    what = f"{distinct} different {'values' if numbers is None else 'whole numbers'}"
    other = "" if numbers is None else " (else: --task regress)"
    return "classify", f"{what}: classification{other}"


def _labels(values: Any, lacking: Array, target: str) -> Array:
    """Labels as text, numbers or truth values, and None where there is none."""
    out = np.full(len(values), None)
    for i in np.flatnonzero(~lacking):
        label = values.iloc[i]
        label = label.item() if hasattr(label, "item") else label
        # Missing values turn a column of whole numbers into floats.
        whole = isinstance(label, float) and label.is_integer()
        if whole and abs(label) >= EXACT:
            raise ValueError(
                f"the classes of {target!r} are whole numbers so large ({label:.0f}) "
                "that they were rounded where they were stored as decimal numbers: "
                "store them as text or integers"
            )
        out[i] = int(label) if whole else label
    return out
