"""kernelweave predict"""

from __future__ import annotations

import argparse
import csv
import io
from typing import Any

from ..atomic import check_output, written_whole
from .data import read_again
from .model_file import read_model
from .options import add_command, add_json
from .output import print_notes, to_json, warnings_as_notes

EXAMPLES = """\
examples:
  kernelweave predict model.skops new.csv
      a table of ids, predictions and probabilities, to the screen
  kernelweave predict model.skops clinic2.csv rna2.csv -o predictions.csv
      several tables: named as in training, or else in the same order

The tables need the columns that the model was fitted to; others do no harm.
"""


def add(commands: Any) -> None:
    parser = add_command(
        commands, "predict", run, "predict with a model that `fit -o` kept", EXAMPLES
    )
    parser.add_argument("model", help="a file that `kernelweave fit -o` wrote")
    parser.add_argument("tables", nargs="+", metavar="table", help="new samples")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to this file")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    output = None if options.output is None else check_output(options.output)
    model, metadata = read_model(options.model)
    X, samples, _ = read_again(options.tables, metadata)
    if samples is not None:
        print_notes(samples.notes)
    with warnings_as_notes():
        rows = _rows(model, X, samples, metadata)
    content = to_json(rows) if options.json else _csv(rows)
    if output is None:
        print(content, end="")
        return 0
    with written_whole(output) as part:
        part.write_text(content, encoding="utf-8")
    print_notes([f"wrote {len(rows)} predictions to {options.output}"])
    return 0


Row = dict[str, Any]


def _rows(model: Any, X: Any, samples: Any, metadata: dict[str, Any]) -> list[Row]:
    """For every sample: id, prediction, probabilities."""
    predicted = model.predict(X).tolist()
    count = len(predicted)
    ids = list(range(1, count + 1)) if samples is None else samples.ids
    name = "row" if samples is None or samples.id is None else samples.id
    rows = [
        {name: i, metadata["target"]: value}
        for i, value in zip(ids, predicted, strict=True)
    ]
    if hasattr(model, "predict_proba"):
        for row, probabilities in zip(rows, model.predict_proba(X), strict=True):
            for label, probability in zip(model.classes_, probabilities, strict=True):
                row[f"P({label})"] = round(float(probability), 6)
    return rows


def _csv(rows: list[Row]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
