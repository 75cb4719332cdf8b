"""kernelweave report"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from sklearn.base import clone

from ..problem import Array
from ..progress import Progress
from ..tables import TableError
from .data import read_again
from .evaluate import positive_of, scores
from .groups import groups_again
from .model_file import read_model
from .options import add_command, add_fold_options
from .output import output_file, plural, print_notes, warnings_as_notes
from .score import ClassLabels

EXAMPLES = """\
example:
  kernelweave report model.skops clinic.csv rna.csv -o report.html
      what was learned, how sure it is, and how to get it again: one HTML
      file, for a browser, without network

Give the tables that the model was fitted to: the cross-validation in the report
learns from them anew.
"""


def add(commands: Any) -> None:
    parser = add_command(
        commands, "report", run, "write a report of a model: one HTML file", EXAMPLES
    )
    parser.add_argument("model", help="a file that `kernelweave fit -o` wrote")
    parser.add_argument("tables", nargs="+", metavar="table", help="as given to fit")
    parser.add_argument(
        "-o", "--output", metavar="FILE", required=True, help="the HTML file to write"
    )
    add_fold_options(parser, none=True)


def run(options: argparse.Namespace) -> int:
    output = output_file(options.output, [options.model, *options.tables])
    from ..report import write_report

    model, metadata = read_model(options.model)
    X, samples, task = read_again(options.tables, metadata, target=True)
    assert task is not None
    y = as_classes(model, task.y)
    print_notes(([] if samples is None else samples.notes) + task.notes)
    learned = model.n_samples_fit_
    if len(task.y) != learned:
        print_notes(
            [
                f"the model was fitted to {plural(learned, 'sample')}, and these are "
                f"{len(task.y)}: weights and their proof are of the former, scores and "
                "pictures of the latter; give the tables that were given to fit"
            ]
        )
    groups = groups_again(samples, task, metadata, options.groups)
    with warnings_as_notes(), Progress() as progress:
        evaluation = None
        if options.folds:
            from ..evaluation import evaluate

            plain, rows = _for_folds(model, X, metadata)
            evaluation = evaluate(
                plain,
                rows,
                y,
                cv=options.folds,
                repeats=options.repeats,
                groups=groups,
                scoring=scores(options.scoring),
                positive=positive_of(metadata["positive"], metadata["task"], y),
                progress=progress,
            )
        write_report(
            model,
            X,
            y,
            output,
            evaluation=evaluation,
            groups=groups,
            title=f"{metadata['target']}: kernelweave report",
            command=f"{metadata['command']}\n{options.command}",
        )
    print_notes([f"wrote {options.output}; open it in a browser"])
    return 0


def as_classes(model: Any, y: Array) -> Array:
    """Targets as classes of the model, if all of them are, and it has any."""
    if not hasattr(model, "classes_"):
        return y
    import pandas as pd

    known = np.array([label is not None for label in y])
    labels = np.full(len(y), None)
    labels[known] = ClassLabels(model.classes_).of(pd.Series(y[known]))
    strange = known & np.array([label is None for label in labels])
    return y if np.any(strange) else np.array(labels.tolist())


def _for_folds(model: Any, X: Any, metadata: dict[str, Any]) -> tuple[Any, Any]:
    """The model unfitted, and X, whose rows can be taken apart."""
    if metadata["columns"] is not None:
        return clone(model), X
    if X.shape[1] != X.shape[2]:
        raise TableError("a report needs the kernels that the model was fitted to")
    from ..kernels import Precomputed

    kernels = [
        Precomputed(K, name=name)
        for K, name in zip(X, metadata["kernels"], strict=True)
    ]
    return clone(model).set_params(kernels=kernels), np.arange(X.shape[1])[:, None]
