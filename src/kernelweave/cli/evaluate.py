"""kernelweave evaluate"""

from __future__ import annotations

import argparse
import dataclasses
from typing import Any

from ..progress import Progress
from .data import Data, read_data
from .options import add_command, add_fold_options, add_json, add_learning_options
from .output import print_notes, to_json, warnings_as_notes
from .task import make_estimator

EXAMPLES = """\
examples:
  kernelweave evaluate clinic.csv rna.csv --id sample --target label
      five folds: the learned combination, each view alone, the plain average
  kernelweave evaluate clinic.csv rna.csv --id sample --target label --repeats 5
      25 splits: it takes five times as long, and chance has less say in the
      scores; the intervals, which are of the samples, get a little narrower

All are compared on the same splits, and everything is learned anew in each.
"""


def add(commands: Any) -> None:
    parser = add_command(
        commands,
        "evaluate",
        run,
        "cross-validate: the combination against each view alone",
        EXAMPLES,
    )
    add_learning_options(parser)
    add_fold_options(parser)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    data = read_data(options)
    print_notes(data.notes)
    evaluation = cross_validate(data, options.norm, options.folds, options.repeats)
    if options.json:
        answer = dataclasses.asdict(evaluation) | {"verdict": evaluation.verdict}
        print(to_json(answer), end="")
    else:
        print()
        print(evaluation)
    return 0


def cross_validate(data: Data, norm: str | None, folds: int, repeats: int) -> Any:
    """The evaluation of the estimator that these options stand for."""
    from ..evaluation import evaluate

    kernels, X = data.for_folds()
    model = make_estimator(data.task, norm, kernels)
    with warnings_as_notes(), Progress() as progress:
        return evaluate(model, X, data.y, cv=folds, repeats=repeats, progress=progress)
