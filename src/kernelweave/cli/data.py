"""What the commands learn from, and what they predict for."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..problem import Array
from ..tables import TableError, read_kernels
from ..tables.finite import refuse_infinite
from ..views import kernels_for
from .check_columns import check_columns
from .groups import group_column, groups_of
from .match import match_tables
from .output import plural
from .samples import Samples, listed, named_files, read_samples
from .suspects import known_texts, note_copies, note_groups, note_unknown
from .target import Target, asked_target, trained_target
from .task import Task
from .text_columns import read_as_text, text_columns, texts_of


@dataclass(frozen=True)
class Data:
    """Samples with targets.

    Attributes
    ----------
    X : DataFrame, or Gram matrices (p, n, n)
    kernels : list of kernels, or "precomputed"
    names : list of str (p,)
        Of the kernels.
    y : ndarray (n,)
        Of a table that is read in chunks, X and y are a sample of the rows.
    task : str
        As in `Task`.
    views : dict
        From the name of a view to the number of its columns; 0 for a given matrix.
    notes : list of str
    metadata : dict
        What a model file remembers of all this.
    groups : ndarray (n,) or None
        The values of the column that --groups names.
    """

    X: Any
    kernels: Any
    names: list[str]
    y: Array
    task: str
    views: dict[str, int]
    notes: list[str]
    metadata: dict[str, Any]
    groups: Array | None = None

    def for_folds(self) -> tuple[Any, Any]:
        """Kernels and X whose rows can be taken apart, with names for all kernels."""
        if not isinstance(self.kernels, str):
            return self.kernels, self.X
        from ..kernels import Precomputed

        pairs = zip(self.X, self.names, strict=True)
        kernels = [Precomputed(K, name=name) for K, name in pairs]
        return kernels, np.arange(len(self.y))[:, None]


def read_data(options: argparse.Namespace) -> Data:
    """What `fit` and `evaluate` learn from."""
    if any(path.lower().endswith(".npz") for path in options.tables):
        return _from_kernels(options)
    keep, asked = options.missing == "mean", asked_target(options)
    also = [*asked.columns, *filter(None, [getattr(options, "groups", None)])]
    files = named_files(options.tables)
    samples = read_samples(files, options.id, keep=keep, also=also)
    target = samples.target(asked.name)
    task = asked.task_of(lambda name: samples.frame[samples.target(name)])
    without = samples.left_out(options.drop, options.only)
    group = group_column(samples, asked.name, getattr(options, "groups", None))
    without += [] if group is None else [group]
    if asked.event is not None:
        event = samples.target(asked.event)
        without += [event, *samples.twins(event)]
    views = samples.views(options.view, target, without)
    if not views:
        raise TableError(
            f"there is no column to learn from beside the target {asked.name!r}"
        )
    used = columns_of(views)
    X = samples.frame[used].iloc[task.rows]
    notes = samples.notes + task.notes + check_columns(X)
    twins = samples.twins(target)
    notes += note_unused(samples, [*used, target, *twins, *without])
    if twins:
        notes.append(
            f"{listed(twins)}: called like the target, left out; rename it to learn "
            "from it"
        )
    for name, columns in views.items():
        if X[columns].isna().all(axis=None):
            raise TableError(f"view {name!r} is empty: none of its columns has a value")
    with warnings.catch_warnings():
        # `check_columns` has said so.
        warnings.filterwarnings("ignore", message="view .* written as text")
        kernels = kernels_for(X, views, missing=options.missing)
    text = text_columns(samples, X)
    data = make_data(
        asked, options.missing, samples, views, kernels, X, task.y, task, notes, text
    )
    if group is None:
        return data
    return replace(data, groups=groups_of(samples, group, task))


def columns_of(views: dict[str, list[str]]) -> list[str]:
    """The columns of all views, each once."""
    return list(dict.fromkeys(c for columns in views.values() for c in columns))


def note_unused(samples: Samples, used: Sequence[str | None]) -> list[str]:
    """A note about the columns that are not used, if there are any."""
    unused = [c for c in samples.frame.columns if c not in used]
    what = f"{plural(len(unused), 'column')} in no view, left out: {listed(unused)}"
    return [what] if unused else []


def make_data(
    asked: Target,
    missing: str,
    samples: Samples,
    views: dict[str, list[str]],
    kernels: list[Any],
    X: Any,
    y: Array,
    task: Task,
    notes: list[str],
    text: dict[str, list[str]],
) -> Data:
    """Samples with targets, and what a model file remembers of their columns."""
    metadata = {
        "tables": samples.tables,
        "text": text,
        "values": known_texts(X),
        "columns": columns_of(views),
        "views": views,
        "id": samples.id,
        "task": task.name,
        "missing": missing,
        **asked.remembered,
    }
    notes = notes + note_copies(X, y, asked.name, task.name)
    notes = notes + note_groups(X, y, asked.name)
    sizes = {name: len(columns) for name, columns in views.items()}
    names = [kernel.label for kernel in kernels]
    return Data(X, kernels, names, y, task.name, sizes, notes, metadata)


def read_again(
    paths: Sequence[str], metadata: dict[str, Any], target: bool = False
) -> tuple[Any, Samples | None, Task | None]:
    """X of new rows for a model with this metadata; the samples; their targets.

    With `target` the rows without one are left out, as in training.
    """
    if metadata["columns"] is None:
        return _kernels_again(paths, metadata, target)
    samples = read_samples(
        match_tables(paths, metadata),
        metadata["id"],
        keep=metadata["missing"] == "mean",
        text=read_as_text(metadata),
        trained=list(metadata["tables"]),
        also=trained_target(metadata).columns,
    )
    absent = _absent_columns(metadata, samples)
    check_lacking(metadata["columns"], {*samples.frame.columns, *absent})
    X = samples.frame.reindex(columns=metadata["columns"])
    texts = texts_of(metadata)
    others = X.select_dtypes(exclude="number").columns
    check_columns(X[[c for c in others if c not in texts]])
    for name, column in X.select_dtypes(include="number").items():
        values = column.to_numpy(dtype=float, na_value=np.nan)
        refuse_infinite(values, str(name), samples.ids)
    samples.notes.extend(note_unknown(X, metadata.get("values", {})))
    if not target:
        return X, samples, None
    frame = samples.frame
    task = trained_target(metadata).task_of(lambda name: frame[samples.target(name)])
    return X.iloc[task.rows], samples, task


def _absent_columns(metadata: dict[str, Any], samples: Samples) -> list[str]:
    """Columns of the tables that new rows lack altogether, which a note names."""
    used = set(metadata["columns"])
    absent = {
        name: [c for c in columns if c in used]
        for name, columns in metadata["tables"].items()
        if name not in samples.tables and used & {*columns}
    }
    if absent:
        names = listed(absent)
        samples.notes.append(f"{names}: not there, and tells nothing about these rows")
    return [c for columns in absent.values() for c in columns]


def check_lacking(columns: Sequence[str], there: Container[str]) -> None:
    """Refuse a table that lacks columns of the training tables."""
    lacking = [c for c in columns if c not in there]
    if lacking:
        raise TableError(
            f"{len(lacking)} of the {len(columns)} columns that the model was fitted "
            f"to are not there: {listed(lacking)}"
        )


def _from_kernels(options: argparse.Namespace) -> Data:
    if len(options.tables) > 1 or options.view or options.drop or options.only:
        raise TableError(
            "an .npz file of kernels is used alone, without other tables, --view, "
            "--drop or --only; put all kernels and the target into one file"
        )
    file = read_kernels(options.tables[0])
    m, n = file.K.shape[1:]
    if m != n:
        raise TableError(
            f"{options.tables[0]}: to learn, the kernels must be square, got {m} × {n}"
        )
    asked = asked_target(options)
    task = _kernel_task(file, asked)
    K = file.K[:, task.rows[:, None], task.rows]
    metadata = {
        "tables": None,
        "text": None,
        "columns": None,
        "kernels": file.names,
        "samples": n,
        "rows": task.rows.tolist(),
        "id": None,
        "task": task.name,
        "missing": "error",
        **asked.remembered,
    }
    views = dict.fromkeys(file.names, 0)
    names, kind = file.names, task.name
    group = getattr(options, "groups", None)
    if group is not None and group not in file.targets:
        raise TableError(
            f"--groups {group}: there is no such array with one value a row; there "
            f"are: {listed(file.targets)}"
        )
    groups = None if group is None else file.targets[group][task.rows].astype(str)
    shared = (task.y, kind, views, task.notes, metadata, groups)
    return Data(K, "precomputed", names, *shared)


def _kernels_again(
    paths: Sequence[str], metadata: dict[str, Any], target: bool
) -> tuple[Any, None, Task | None]:
    if len(paths) > 1 or not paths[0].lower().endswith(".npz"):
        raise TableError(
            "the model was fitted to kernels: give one .npz file with K (p, m, n), the "
            "new rows against the training rows"
        )
    file = read_kernels(paths[0])
    n = metadata["samples"]
    names = metadata["kernels"]
    if sorted(file.names) != sorted(names) or file.K.shape[2] != n:
        raise TableError(
            f"{paths[0]}: the model needs the kernels {listed(names)} "
            f"against {n} training rows; the file has {listed(file.names)} against "
            f"{file.K.shape[2]}"
        )
    K = file.K[[file.names.index(name) for name in names]][:, :, metadata["rows"]]
    if not target:
        return K, None, None
    task = _kernel_task(file, trained_target(metadata))
    return K[:, task.rows], None, task


def _kernel_task(file: Any, target: Target) -> Task:
    import pandas as pd

    lacking = [name for name in target.columns if name not in file.targets]
    if lacking:
        raise TableError(
            f"there is no target array {lacking[0]!r} with one value a row; there are: "
            f"{listed(file.targets) or 'none'}"
        )
    return target.task_of(lambda name: pd.Series(file.targets[name].tolist()))
