"""Learning from one table that need not fit into memory."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from ..estimators.streaming import fit_to_chunks
from ..kernels import Featured, Kernel, Nystroem
from ..progress import Progress
from ..streamed import FileSource
from ..streamed.checkpoint import Checkpoint
from ..streamed.stream import Stream
from ..tables import TableError, row_names
from ..tables.batches import TableBatches
from ..tables.read import NOT_TEXT
from ..views import kernels_for
from .check_columns import check_columns
from .data import Data, columns_of, make_data, note_unused
from .estimator import make_estimator, set_class_weight
from .learning import learn_by
from .output import plural, print_notes
from .samples import Samples, find_ids, listed, stem
from .survey import Survey, Surveyed
from .target import asked_target
from .task import SEMI, find_task, mark_positive

NUMERIC = ("numbers", "whole", "flags")


def approximated(kernel: Kernel, components: int, sampling: str) -> Any:
    """The kernel by landmarks, under its own name; as it is, if it has few features."""
    columns = kernel.columns
    if isinstance(kernel, Featured) and len(columns) <= components:
        return kernel
    # Means of rows are rows only where distances are between points.
    how = sampling if sampling != "kmeans" or hasattr(kernel, "gamma") else "uniform"
    return Nystroem(kernel, components, how)


def open_stream(options: argparse.Namespace) -> tuple[FileSource, Samples] | None:
    """The rows of the table, if it is one of numbers; and its columns by name."""
    kind = Path(options.tables[0]).suffix.lower()
    if len(options.tables) > 1 or kind in (".npz", *NOT_TEXT):
        return None
    path = options.tables[0]
    table = TableBatches(path)
    names, named = list(table.kinds), row_names(path)
    if options.id not in (None, named, *names):
        raise TableError(
            f"{path} has no id column {options.id!r}; it has {listed(names)}"
        )
    id, notes = find_ids({stem(path): named}, options.id)
    import pandas as pd

    columns = [name for name in names if name not in (id, named)]
    frame = pd.DataFrame(columns=columns)
    samples = Samples(frame, {stem(path): columns}, [], id, notes)
    target = samples.target(options.target)
    without = samples.left_out(options.drop, options.only)
    used = columns_of(samples.views(options.view, target, without))
    if not used:
        raise TableError(
            f"there is no column to learn from beside the target {options.target!r}"
        )
    if any(table.kinds[name] not in NUMERIC for name in used):
        return None
    return FileSource(path, target, used), samples


def learn_streamed(
    options: argparse.Namespace, source: FileSource, samples: Samples
) -> tuple[Any, Data, Checkpoint | None]:
    """Two passes over the file: a survey, and the sums; then the fit.

    The checkpoint is to be removed when the model is where it is to stay.
    """
    if options.task == SEMI:
        raise ValueError(
            f"--task {SEMI} compares all pairs of rows: leave --components out, or use "
            "--task classify, which leaves out rows without a target"
        )
    checkpoint = _checkpoint(options, source)
    print_notes(samples.notes)
    stream = Stream(source, None, checkpoint)
    with Progress() as progress:
        stream.progress = progress
        survey = stream.accumulate(Survey)
    data = _data(options, source, samples, survey)
    print_notes(data.notes)
    model = make_estimator(data.task, options.norm, data.kernels)
    set_class_weight(model, options.class_weight, data.task)
    stream.classes = data.task == "classify"
    survey.sample.classes = survey.distinct if stream.classes else None

    def fit(progress: Progress) -> None:
        stream.progress = progress
        chunks = Surveyed(stream, survey.sample)
        fit_to_chunks(model, chunks, source.width, source.columns)

    learn_by(model, fit)
    return model, data, checkpoint


def _checkpoint(options: argparse.Namespace, source: FileSource) -> Checkpoint | None:
    if options.checkpoint is None:
        return None
    asked = (
        "target",
        "id",
        "view",
        "drop",
        "only",
        "task",
        "positive",
        "norm",
        "missing",
        "components",
        "sampling",
    )
    about = {name: getattr(options, name) for name in asked}
    checkpoint = Checkpoint(
        options.checkpoint,
        {"command": json.dumps(about), "source": source.fingerprint()},
    )
    if checkpoint.finished or checkpoint.current is not None:
        number = len(checkpoint.finished) + 1
        where = f"pass {number}, row {checkpoint.rows}"
        print_notes([f"going on from {options.checkpoint}: {where}"])
    return checkpoint


def _data(
    options: argparse.Namespace, source: FileSource, samples: Samples, survey: Survey
) -> Data:
    import pandas as pd

    X = pd.DataFrame(survey.sample.X, columns=source.columns)
    y = survey.sample.y
    if survey.distinct is not None:
        # All classes count, also those that are too rare to be in the sample.
        y = np.concatenate([y, survey.distinct])
    elif y.dtype.kind not in "iuf":
        raise TableError(
            f"the target {options.target!r} has too many different texts to be classes "
            f"({listed(np.unique(y), 3)}): is it the right column?"
        )
    task = find_task(pd.Series(y), options.target, options.task, survey.sample.count)
    if options.positive is not None:
        _, several = mark_positive(
            pd.Series(y),
            np.zeros(len(y), bool),
            options.target,
            task.name,
            options.positive,
        )
        if several:
            raise ValueError(
                f"--positive {options.positive} makes one class of several others, "
                "which a table that is read in chunks does not allow: make a column "
                "of two classes, or leave --components out"
            )
    if task.name == "classify" and survey.distinct is None:
        raise ValueError(
            f"the target {options.target!r} has too many different numbers to be "
            "classes: use --task regress"
        )
    without = samples.left_out(options.drop, options.only)
    views = samples.views(options.view, source.target, without)
    notes = task.notes + check_columns(X)
    if source.lacking:
        notes.append(
            f"{plural(source.lacking, 'row')} without {options.target}, left out"
        )
    notes += note_unused(samples, [*source.columns, source.target, *without])
    kernels = [
        approximated(kernel, options.components, options.sampling)
        for kernel in kernels_for(X, views, missing=options.missing)
    ]
    text: dict[str, list[str]] = {name: [] for name in samples.tables}
    y = survey.sample.y
    asked = asked_target(options)
    return make_data(
        asked, options.missing, samples, views, kernels, X, y, task, notes, text
    )
