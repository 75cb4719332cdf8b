"""kernelweave importance"""

from __future__ import annotations

import argparse
from typing import Any

from ..progress import Progress
from .data import read_again
from .groups import groups_again
from .model_file import read_model
from .options import add_command, add_groups, add_json
from .output import print_notes, print_table, shortened, to_json, warnings_as_notes
from .report import as_classes

EXAMPLES = """\
example:
  kernelweave importance model.skops clinic.csv rna.csv
      what each view tells, and how sure that is
  kernelweave importance model.skops scans.csv --groups patient
      the same, with all rows of a patient left out together

Give the tables that the model was fitted to. The model is learned again without
each view, with the view alone, on halves of the samples, and with the rows of
the view shuffled.
"""

WORDS = """\
contribution  what the view adds to the share of the target that is predicted
              for left-out samples, with a 95 % interval
removed       what the score ({score}) loses without the view
alone         the score of the view alone; of all views it is {value:.3f}
p             how often a view that tells nothing contributes as much: of
              {count} permutations, so at least {least:.3f}"""


def add(commands: Any) -> None:
    parser = add_command(
        commands, "importance", run, "what each view tells, and how sure", EXAMPLES
    )
    parser.add_argument("model", help="a file that `kernelweave fit -o` wrote")
    parser.add_argument("tables", nargs="+", metavar="table", help="as given to fit")
    add_groups(parser)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    from ..importance import view_importance

    model, metadata = read_model(options.model)
    X, samples, task = read_again(options.tables, metadata, target=True)
    assert task is not None
    print_notes(([] if samples is None else samples.notes) + task.notes)
    y = as_classes(model, task.y)
    groups = groups_again(samples, task, metadata, options.groups)
    with warnings_as_notes(), Progress() as progress:
        frame = view_importance(model, X, y, groups=groups, progress=progress)
    if options.json:
        answer = {str(view): _plain(row) for view, row in frame.iterrows()}
        print(to_json({"views": answer, **_plain(frame.attrs)}), end="")
        return 0
    _print(frame)
    return 0


def _plain(values: Any) -> dict[str, Any]:
    """Numbers that JSON knows."""
    items = ((key, getattr(v, "item", lambda v=v: v)()) for key, v in values.items())
    return {str(key): None if value != value else value for key, value in items}


def _print(frame: Any) -> None:
    print()
    rows = [
        [
            shortened(str(view), 24),
            _fixed(row["weight"]),
            _fixed(row["contribution"]),
            f"{_fixed(row['contribution_low'])} to {_fixed(row['contribution_high'])}",
            _fixed(row["removed"]),
            _fixed(row["alone"]),
            _fixed(row["p_value"]),
        ]
        for view, row in frame.iterrows()
    ]
    names = ["view", "weight", "contribution", "", "removed", "alone", "p"]
    print_table(names, rows)
    print()
    score, value = frame.attrs["score_name"], frame.attrs["score"]
    count = int(frame["permutations"].max())
    least = 1 / (1 + count)
    print(WORDS.format(score=score, value=value, count=count, least=least))


def _fixed(value: float) -> str:
    """Three decimals, and no sign before zero; nothing where there is no number."""
    return "" if value != value else f"{round(float(value), 3) + 0.0:.3f}"
