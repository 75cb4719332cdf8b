"""kernelweave fit"""

from __future__ import annotations

import argparse
import shlex
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import has_fit_parameter

from ..evaluation.copies import copied_share
from ..streamed.checkpoint import Checkpoint
from .data import Data, read_data
from .estimator import make_estimator, set_class_weight
from .learned import NOT_CONVERGED, OPTIMAL, REMEDY, facts_of, print_facts
from .learning import learn
from .options import (
    add_class_weight,
    add_command,
    add_groups,
    add_json,
    add_learning_options,
)
from .output import output_file, print_notes, tell, to_json
from .samples import stem
from .streamed import approximated, learn_streamed, open_stream
from .target import asked_target
from .task import LIKE

EXAMPLES = """\
examples:
  kernelweave fit clinic.csv rna.csv --id sample --target label -o model.skops
      two tables of the same samples, a view each, joined by their ids
  kernelweave fit all.csv --target age --view blood='b_*' --view rna='rna_*'
      one table, two views by the names of columns, and a number to predict
  kernelweave fit kernels.npz --target label --norm 2
      ready-made Gram matrices: K (p, n, n), or one array (n, n) for each
  kernelweave fit large.parquet --target label --components 500 -o model.skops
      many rows: kernels by 500 landmarks; the table is read twice, in chunks

  kernelweave fit clinic.csv rna.csv --id sample --time os_months --event dead
      times to an event, of which some are censored: who is at risk

Every view gets kernels that suit its columns: numbers, counts or text. Rows
without a target are left out; --task semi-supervised learns from them, too.
"""

# Matrices of all pairs of rows are a burden from this many rows on.
MANY = 10_000


def add(commands: Any) -> None:
    parser = add_command(
        commands,
        "fit",
        run,
        "learn from tables how to combine their views",
        EXAMPLES,
    )
    add_learning_options(parser)
    add_class_weight(parser)
    add_groups(parser)
    parser.add_argument(
        "--components",
        type=_count,
        metavar="N",
        help="approximate each kernel by N landmarks (Nyström), for many rows: memory "
        "does not grow with them; a table of numbers is read in chunks",
    )
    parser.add_argument(
        "--sampling",
        choices=("uniform", "kmeans", "leverage"),
        help="how the landmarks are chosen; uniform is the default",
    )
    parser.add_argument(
        "--checkpoint",
        metavar="FILE",
        help="with --components: keep what was counted in this file, and go on from it "
        "after an interruption",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="keep the model: .skops")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    _check_files(options)
    model, data, checkpoint = _learn(options)
    if isinstance(data.kernels, str):
        # Given matrices have no names of their own.
        model.kernel_names_ = np.array(data.names, dtype=object)
    else:
        # A kernel may have been learned beside those that were given.
        data = replace(data, names=model.kernel_names_.tolist())
    facts = facts_of(model, data)
    # The reader of a pipe may leave, and a signal come, at any time: the model is in
    # its file before anything is printed, and before the checkpoint is removed.
    if options.output is None:
        _answer(options, model, data, facts)
        print_notes(["", "nothing was kept: -o model.skops keeps the model"])
    else:
        from ..persist import save

        remembered = data.metadata | {
            "classes": facts["classes"],
            "converged": facts["status"] == OPTIMAL,
        }
        save(model, options.output, **remembered, command=options.command)
    if checkpoint is not None:
        checkpoint.remove()
    if options.output is not None:
        _answer(options, model, data, facts)
        _next_step(options, facts["samples"])
    if facts["status"] == OPTIMAL:
        return 0
    print_notes(["", REMEDY])
    return NOT_CONVERGED


def _answer(
    options: argparse.Namespace, model: Any, data: Data, facts: dict[str, Any]
) -> None:
    if options.json:
        print(to_json(facts | {"model": options.output}), end="")
    else:
        print_facts(model, data, facts)


def _next_step(options: argparse.Namespace, samples: int) -> None:
    """What to do with the model."""
    name = shlex.quote(options.output)
    if samples > MANY:
        print_notes(["", f"wrote {options.output}; to use it:"])
        tell(f"  kernelweave predict {name} new.csv -o out.csv")
        return
    again = " ".join(map(shlex.quote, options.tables))
    print_notes(["", f"wrote {options.output}; to look at it:"])
    tell(f"  kernelweave report {name} {again} -o report.html")


def _check_files(options: argparse.Namespace) -> None:
    """Refuse, before the work, files that cannot be written, or must not be."""
    inputs = list(options.tables)
    if options.output is not None:
        output_file(options.output, inputs)
        inputs.append(options.output)
        for name in (*map(stem, options.tables), *options.view):
            # A name of bytes that are no UTF-8 cannot be encoded.
            if name != name.encode("utf-8", "replace").decode("utf-8"):
                raise ValueError(
                    f"the name {name} is not UTF-8, and the model file keeps it as the "
                    "name of a view: rename it"
                )
    if options.checkpoint is not None:
        output_file(options.checkpoint, inputs)


def _learn(options: argparse.Namespace) -> tuple[Any, Data, Checkpoint | None]:
    """The fitted model, what it learned from, and the checkpoint of it, if any."""
    if options.components is None:
        return *_learn_exactly(options), None
    asked = asked_target(options)
    if asked.event is not None or asked.task in LIKE:
        what = "--time and --event" if asked.event else f"--task {asked.task}"
        raise ValueError(
            f"--components goes with --task classify and regress: leave it out for "
            f"{what}, which compares all pairs of rows"
        )
    if options.groups is not None:
        raise ValueError(
            "--groups is for fits that compare all pairs of rows: leave --components "
            "out, which keeps sums over rows in folds by their numbers"
        )
    options.sampling = options.sampling or "uniform"
    opened = open_stream(options)
    if opened is not None:
        return learn_streamed(options, *opened)
    if options.checkpoint is not None:
        raise ValueError(
            "--checkpoint is for one table of numbers, which is read in chunks; "
            "several tables, or text, are loaded at once"
        )
    data = read_data(options)
    if isinstance(data.kernels, str):
        raise ValueError(
            "--components approximates kernels of tables; those of an .npz file are "
            "used as they are"
        )
    print_notes(data.notes)
    kernels = [
        approximated(kernel, options.components, options.sampling)
        for kernel in data.kernels
    ]
    estimator = make_estimator(data.task, options.norm, kernels)
    set_class_weight(estimator, options.class_weight, data.task)
    return learn(estimator, data.X, data.y), data, None


def _learn_exactly(options: argparse.Namespace) -> tuple[Any, Data]:
    if options.sampling is not None or options.checkpoint is not None:
        raise ValueError("--sampling and --checkpoint are for --components N")
    data = read_data(options)
    print_notes(data.notes)
    if len(data.y) > MANY and not isinstance(data.kernels, str):
        print_notes(
            [
                f"{len(data.y)} rows: the kernels compare all pairs of them, which "
                "takes long; --components 500 approximates them in much less time"
            ]
        )
    estimator = make_estimator(data.task, options.norm, data.kernels)
    set_class_weight(estimator, options.class_weight, data.task)
    if data.groups is None:
        print_notes(_note_copies(estimator, data))
    elif not has_fit_parameter(estimator, "groups"):
        raise ValueError(
            "--groups is for fits that choose norm and alpha by left-out rows: leave "
            "--norm out, or choose another --task; --drop leaves the column out"
        )
    return learn(estimator, data.X, data.y, data.groups), data


def _note_copies(estimator: Any, data: Data) -> list[str]:
    """A note if leaving one row out leaves its copies in."""
    if data.task == "semi-supervised":
        return []
    share = copied_share(estimator, data.X, data.y)
    if not share:
        return []
    return [
        f"{100 * share:.0f} % of the rows are equal to other rows: what is chosen by "
        "leaving rows out then favours a model that remembers; keep one row of each "
        "sample, or their mean, or name the column of samples: --groups COLUMN"
    ]


def _count(text: str) -> int:
    """A whole number of at least one."""
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of at least 1")
    return int(text)
