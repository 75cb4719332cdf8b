"""Samples that belong together, such as those of a patient: the column of --groups."""

from __future__ import annotations

from typing import Any

from ..problem import Array
from ..tables import TableError
from .output import plural
from .samples import Samples, listed
from .task import Task


def group_column(samples: Samples, target: str, name: str | None) -> str | None:
    """The column that --groups names."""
    if name is None:
        return None
    found = samples.named(name)
    if len(found) == 1 and found[0] != samples.target(target):
        return found[0]
    raise TableError(
        f"--groups {name}: it is the target"
        if len(found) == 1
        else f"--groups {name}: it is in several tables: name one of {listed(found)}"
        if found
        else f"--groups {name}: there is no such column; the columns are "
        f"{listed(samples.frame.columns)}"
    )


def groups_of(samples: Samples, name: str, task: Task) -> Array:
    """The groups of the rows that have a target, as text."""
    column = samples.frame[name].iloc[task.rows]
    missing = int(column.isna().sum())
    if missing:
        raise TableError(
            f"--groups {name}: {plural(missing, 'row')} without a group; give those "
            "that belong to nobody else a name of their own"
        )
    return column.astype(str).to_numpy(dtype=str)


def groups_again(
    samples: Samples | None, task: Task, metadata: dict[str, Any], name: str | None
) -> Array | None:
    """The groups for a model that was fitted before, and must not know the column."""
    if name is None:
        return None
    if samples is None:
        raise TableError("--groups is for tables; evaluate takes it for an .npz file")
    column = group_column(samples, metadata["target"], name)
    assert column is not None
    if column in metadata["columns"]:
        raise TableError(
            f"--groups {name}: the model has learned from this column; fit it without, "
            "with --drop"
        )
    return groups_of(samples, column, task)
