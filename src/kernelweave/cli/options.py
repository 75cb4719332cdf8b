"""Arguments that several commands share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, NoReturn

from .task import TASKS


class Parser(argparse.ArgumentParser):
    """Errors in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")


def add_command(
    commands: Any,
    name: str,
    run: Callable[[argparse.Namespace], int],
    summary: str,
    examples: str = "",
) -> argparse.ArgumentParser:
    """A subcommand, with its help in 80 columns."""
    parser = commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=examples,
        formatter_class=Help,
    )
    parser.set_defaults(run=run)
    return parser


class Help(argparse.RawDescriptionHelpFormatter):
    def __init__(self, prog: str, **options: Any):
        super().__init__(prog, max_help_position=26, width=79, **options)


def add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON, for machines")


def add_learning_options(parser: argparse.ArgumentParser) -> None:
    """What to learn from, and how: for fit and evaluate."""
    parser.add_argument(
        "tables",
        nargs="+",
        metavar="table",
        help=".csv, .tsv, .parquet, .xlsx, .h5ad or .h5mu, a view each; or one .npz of "
        "kernels",
    )
    parser.add_argument("--target", metavar="COLUMN", help="the column to predict")
    parser.add_argument(
        "--time",
        metavar="COLUMN",
        help="in the place of --target: times to an event, or to the last sight",
    )
    parser.add_argument(
        "--event",
        metavar="COLUMN",
        help="with --time: whether the event was seen then, 1 or 0, yes or no",
    )
    parser.add_argument(
        "--id", metavar="COLUMN", help="the column by which tables are joined"
    )
    parser.add_argument(
        "--view",
        action="append",
        default=[],
        metavar="NAME=PATTERN",
        help="columns of a view, such as rna='rna_*'; may be repeated; other columns "
        "are then not used",
    )
    parser.add_argument(
        "--drop",
        action="append",
        default=[],
        metavar="COLUMN",
        help="leave a column out, or all that match, such as 'date_*'; may be repeated",
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="COLUMN",
        help="use this column, or all that match, and no other; may be repeated",
    )
    parser.add_argument(
        "--task",
        choices=TASKS,
        metavar="TASK",
        help="classify or regress, found out from the target if not given; "
        "semi-supervised: learn from rows without a class, too; probability: classify "
        "by logistic regression; count: regress by Poisson regression",
    )
    parser.add_argument(
        "--positive",
        metavar="CLASS",
        help="this class against all others; predictions have its probability, and "
        "scores such as f1 are about it; with --event the value of an event that was "
        "seen",
    )
    parser.add_argument(
        "--norm",
        metavar="NORM",
        help="auto, the default: weights that predict left-out samples best; or "
        "weights that are proved optimal: 1 (few kernels), 1.5, 2 (more of them), "
        "elastic:0.5",
    )
    parser.add_argument(
        "--missing",
        choices=("error", "mean", "impute"),
        default="error",
        help="values that are missing: an error; mean: samples that lack a whole view "
        "are kept, and it tells nothing about them; impute: medians",
    )


def add_fold_options(parser: argparse.ArgumentParser, none: bool = False) -> None:
    """How to cross-validate."""
    parser.add_argument(
        "--folds",
        type=int,
        default=5,
        metavar="N",
        help="folds of the cross-validation" + (" (0: without)" if none else ""),
    )
    parser.add_argument(
        "--repeats", type=int, default=1, metavar="N", help="of all folds, to be surer"
    )
    add_groups(parser)
    parser.add_argument(
        "--scoring",
        metavar="NAMES",
        help="scores by their names in scikit-learn, such as "
        "balanced_accuracy,roc_auc; the first is the main one",
    )


def add_groups(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--groups",
        metavar="COLUMN",
        help="rows with the same value there, such as a patient's, are left out "
        "together; nothing is learned from the column",
    )


def add_class_weight(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--class-weight",
        choices=("balanced",),
        help="balanced: all classes count the same, however many samples they have",
    )
