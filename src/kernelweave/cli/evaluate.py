"""kernelweave evaluate"""

from __future__ import annotations

import argparse
import dataclasses
import warnings
from difflib import get_close_matches
from typing import Any

from ..progress import Progress
from .data import Data, read_data
from .estimator import make_estimator, set_class_weight
from .options import (
    add_class_weight,
    add_command,
    add_fold_options,
    add_json,
    add_learning_options,
)
from .output import print_notes, to_json, visible, warnings_as_notes
from .target import SURVIVAL

EXAMPLES = """\
examples:
  kernelweave evaluate clinic.csv rna.csv --id sample --target label
      five folds: the learned combination, each view alone, the plain average
  kernelweave evaluate clinic.csv rna.csv --id sample --target label --repeats 5
      25 splits: it takes five times as long, and chance has less say in the
      scores; the intervals, which are of the samples, get a little narrower
  kernelweave evaluate scans.csv --target label --groups patient \\
      --scoring balanced_accuracy,roc_auc
      patients with several rows: all rows of one are left out together

  kernelweave evaluate clinic.csv rna.csv --id sample \\
      --time os_months --event dead
      times to an event: the concordance of left-out risks

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
    add_class_weight(parser)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    data = read_data(options)
    print_notes(data.notes)
    evaluation = cross_validate(data, options)
    if options.json:
        print(to_json(as_dict(evaluation)), end="")
    else:
        print()
        print(visible(str(evaluation)))
    return 0


def cross_validate(data: Data, options: argparse.Namespace) -> Any:
    """The evaluation of the estimator that these options stand for."""
    from ..evaluation import evaluate

    kernels, X = data.for_folds()
    model = make_estimator(data.task, options.norm, kernels)
    set_class_weight(model, options.class_weight, data.task)
    with warnings_as_notes(), Progress() as progress:
        # The tables have been looked at, and a note says so with the option to use.
        warnings.filterwarnings("ignore", message="column .* the target")
        return evaluate(
            model,
            X,
            data.y,
            cv=options.folds,
            repeats=options.repeats,
            groups=data.groups,
            scoring=scores(options.scoring),
            positive=positive_of(options.positive, data.task, data.y),
            progress=progress,
        )


def positive_of(positive: str | None, task: str, y: Any) -> Any:
    """The class that --positive names.

    With --event it names a value of an event.
    """
    if positive is None or task == SURVIVAL:
        return None
    return next((c for c in y.tolist() if str(c) == positive), None)


def scores(names: str | None) -> list[str] | None:
    """The scores that the text of --scoring stands for."""
    if names is None:
        return None
    from sklearn.metrics import get_scorer_names

    wanted = [name.strip() for name in names.split(",")]
    known = [*get_scorer_names(), "concordance"]
    unknown = [name for name in wanted if name not in known]
    if unknown:
        near = get_close_matches(unknown[0], known, 3)
        such = ", ".join(near or ["accuracy", "balanced_accuracy", "roc_auc", "r2"])
        raise ValueError(
            f"--scoring {unknown[0]}: there is no such score; there are {such} and "
            "others, see sklearn.metrics.get_scorer_names()"
        )
    return wanted


def as_dict(evaluation: Any) -> dict[str, Any]:
    """The evaluation for machines; the first score stands at the top as well."""
    by_score = [dataclasses.asdict(one) for one in evaluation.comparisons]
    for row in (row for one in by_score for row in one["rows"]):
        row["pooled"] = row.pop("mean")
    answer = by_score[0] | {
        "cv": evaluation.cv,
        "n_groups": evaluation.n_groups,
        "verdict": evaluation.verdict,
        "scores": by_score,
    }
    if evaluation.left_out.classes is not None:
        confusion, recall = evaluation.confusion(), evaluation.recall()
        answer["classes"] = confusion.index.tolist()
        answer["confusion"] = confusion.to_numpy().tolist()
        answer["recall"] = recall["recall"].tolist()
    return answer
