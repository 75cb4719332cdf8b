"""kernelweave predict"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, TextIO

import numpy as np

from ..persist.atomic import written_whole
from ..problem import Array
from ..tables import TableError, row_names
from ..tables.batches import TableBatches, matrix
from ..tables.finite import refuse_infinite
from .data import check_lacking, read_again
from .match import match_tables
from .model_file import read_model
from .options import add_command, add_json
from .output import output_file, print_notes, to_json, warnings_as_notes
from .score import Score
from .target import ConcordanceScore, Target, trained_target
from .task import against_others, lacking_targets

EXAMPLES = """\
examples:
  kernelweave predict model.skops new.csv
      a table of ids, predictions and probabilities, to the screen
  kernelweave predict model.skops clinic2.csv rna2.csv -o predictions.csv
      several tables, in any order: known by their names, or by their columns
  kernelweave predict model.skops clinic=new1.csv rna=new2.csv
      the same, where neither names nor columns tell which table is which

The tables need the columns that the model was fitted to; others do no harm.
Where the target is among them, the accuracy (or R², or concordance) is said.
For a model that was fitted with --components the table is read in chunks.
"""


def add(commands: Any) -> None:
    parser = add_command(
        commands, "predict", run, "predict with a model that `fit -o` kept", EXAMPLES
    )
    parser.add_argument("model", help="a file that `kernelweave fit -o` wrote")
    parser.add_argument("tables", nargs="+", metavar="table", help="new samples")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to this file")
    parser.add_argument(
        "--at",
        metavar="TIMES",
        help="of a model of times to an event: also the probability to have had none "
        "by these times, such as 12,24,60; after the last event that the model learned "
        "from it stays as it is, as nothing is known of later times",
    )
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    output = None
    if options.output is not None:
        output = output_file(options.output, [options.model, *options.tables])
    model, metadata = read_model(options.model)
    classes = getattr(model, "classes_", None)
    target = trained_target(metadata)
    score: Any = Score(metadata["target"], classes)
    if target.event is not None:
        score = ConcordanceScore(target)
    at = times_of(options.at, target)
    by_sums = hasattr(model, "approximation_error_")
    if by_sums and not options.json and _of_numbers(metadata):
        chunks = _streamed(model, options.tables, metadata)
    else:
        chunks = _loaded(model, options.tables, metadata, at)
    with ExitStack() as stack:
        file = sys.stdout
        if output is not None:
            part = stack.enter_context(written_whole(output))
            file = stack.enter_context(open(part, "w", encoding="utf-8"))
        count = _write(chunks, file, options.json, score)
    if output is not None:
        print_notes([f"wrote {count} predictions to {options.output}"])
    notes = [*_beyond(model, at), *score.notes()]
    if score.rows == model.n_samples_fit_:
        notes.append(REMEMBERED)
    print_notes(notes)
    return 0


# What a score says of as many rows as the model learned from.
REMEMBERED = (
    "the model learned from as many rows: if they are these, that says how well it "
    "remembers, and `kernelweave evaluate` how well it predicts new rows"
)

Row = dict[str, Any]


@dataclass(frozen=True)
class Chunk:
    """Predictions for some rows, and their targets where they are known."""

    rows: list[Row]
    predicted: Array
    known: Any


def times_of(text: str | None, target: Target) -> list[float]:
    """The times of --at, at which the probability to survive is asked for."""
    if text is None:
        return []
    if target.event is None:
        raise ValueError(
            "--at asks for the probability to have had no event by these times, which "
            "a model has that was fitted with --time and --event"
        )
    try:
        times = [float(part) for part in text.split(",")]
    except ValueError as error:
        raise ValueError(f"--at {text}: write times like 12,24,60") from error
    if not all(0 <= time < np.inf for time in times):
        raise ValueError(f"--at {text}: times are not negative")
    return times


def _beyond(model: Any, at: list[float]) -> list[str]:
    """What to know of times at which nobody was seen to have the event."""
    last = max(getattr(model, "event_times_", [np.inf]))
    late = [f"{time:g}" for time in at if time > last]
    if not late:
        return []
    return [
        f"after the last event that the model learned from (time {last:g}) the curve "
        f"stays as it is: nothing is known of time {', '.join(late)}"
    ]


def _write(chunks: Iterator[Chunk], file: TextIO, json: bool, score: Any) -> int:
    """Write the rows as they come; how many there were."""
    count, writer, all = 0, None, []
    for chunk in chunks:
        if chunk.known is not None:
            score.add(chunk.predicted, chunk.known)
        count += len(chunk.rows)
        if json:
            all += chunk.rows
            continue
        if writer is None:
            writer = csv.DictWriter(file, list(chunk.rows[0]), lineterminator="\n")
            writer.writeheader()
        writer.writerows(chunk.rows)
    if json:
        file.write(to_json(all))
    return count


def _loaded(
    model: Any, tables: list[str], metadata: dict[str, Any], at: list[float]
) -> Iterator[Chunk]:
    X, samples, _ = read_again(tables, metadata)
    known = None
    if samples is not None:
        print_notes(samples.notes)
        names = trained_target(metadata).columns
        found = [samples.named(name) for name in names]
        if all(len(there) == 1 for there in found):
            known = samples.frame[[there[0] for there in found]].set_axis(names, axis=1)
            known = known[names[0]] if len(names) == 1 else known
        positive = str(metadata.get("positive"))
        if known is not None and f"not {positive}" in (metadata["classes"] or []):
            known = against_others(known, lacking_targets(known), positive)
    name = "row" if samples is None or samples.id is None else samples.id
    ids = None if samples is None else samples.ids
    yield _chunk(model, X, name, ids, known, metadata, at)


def _streamed(
    model: Any, tables: list[str], metadata: dict[str, Any]
) -> Iterator[Chunk]:
    """Predictions for one table of numbers, a batch of rows at a time."""
    import pandas as pd

    (path,) = match_tables(tables, metadata).values()
    columns, target = metadata["columns"], metadata["target"]
    text = [c for c in (metadata["id"], row_names(path)) if c is not None]
    labels = getattr(model, "classes_", np.zeros(0))
    text += [target] if labels.dtype.kind not in "iuf" else []
    table = TableBatches(path, text)
    check_lacking(columns, table.kinds)
    name = next((c for c in text if c in table.kinds and c != target), None)
    others = [c for c in (name, target) if c is not None and c in table.kinds]
    seen = 0
    for batch in table.read([*columns, *others], exact=[target]):
        rest = batch.select(others).to_pandas(integer_object_nulls=True)
        X = pd.DataFrame(matrix(batch, columns), columns=columns)
        ids = [str(i) for i in range(seen + 1, seen + len(X) + 1)]
        ids = ids if name is None else rest[name].tolist()
        for column in columns:
            refuse_infinite(X[column].to_numpy(), column, ids)
        seen += len(X)
        known = rest[target] if target in others else None
        yield _chunk(model, X, name or "row", ids, known, metadata)
    if not seen:
        raise TableError(f"{path} has a header, but no rows")


def _of_numbers(metadata: dict[str, Any]) -> bool:
    """Whether the model was fitted to one table, without text."""
    text = metadata["text"]
    return text is not None and len(text) == 1 and not any(text.values())


def _chunk(
    model: Any,
    X: Any,
    name: str,
    ids: Any,
    known: Any,
    metadata: dict[str, Any],
    at: Sequence[float] = (),
) -> Chunk:
    """For every sample: id, prediction, probabilities."""
    with warnings_as_notes():
        predicted = model.predict(X)
        shares = model.predict_proba(X) if hasattr(model, "predict_proba") else None
    ids = list(range(1, len(predicted) + 1)) if ids is None else ids
    classes = list(getattr(model, "classes_", []))
    if at:
        shares, classes = model.predict_survival_function(X, at), []
    if classes and shares is not None and metadata.get("positive") is not None:
        # One probability says all about two classes.
        wanted = [str(label) for label in classes].index(metadata["positive"])
        classes, shares = [classes[wanted]], shares[:, [wanted]]
    labels = [f"P({label})" for label in classes if shares is not None]
    labels += [f"S({time:g})" for time in at]
    what = metadata["target"] if metadata.get("event") is None else "risk"
    target, first, *others = _column_names(what, name, *labels)
    rows = [
        {first: i, target: value}
        for i, value in zip(ids, predicted.tolist(), strict=True)
    ]
    if shares is not None:
        for row, probabilities in zip(rows, shares.tolist(), strict=True):
            row |= zip(others, (round(p, 6) for p in probabilities), strict=True)
    return Chunk(rows, predicted, known)


def _column_names(*wanted: str) -> list[str]:
    """The names, each once: of two that are the same the later one gets a mark."""
    names: list[str] = []
    for name in wanted:
        while name in names:
            name += "_"
        names.append(name)
    return names
