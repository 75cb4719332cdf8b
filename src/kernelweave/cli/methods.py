"""kernelweave methods"""

from __future__ import annotations

import argparse
from typing import Any

from .options import add_command, add_json
from .output import print_table, to_json

EXAMPLES = """\
METHODS[name].estimator(kernels) makes the estimator of a row, in Python:
  from kernelweave import METHODS
  model = METHODS["ye2008-qcqp"].estimator().fit(X, y)
"""


def add(commands: Any) -> None:
    parser = add_command(commands, "methods", run, "list the papers' methods", EXAMPLES)
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    from ..methods import METHODS

    rows = [
        {
            "name": name,
            "loss": method.loss.__name__,
            "weights": type(method.weights).__name__,
            "solver": type(method.solver).__name__,
            "lambda": _lambda(method),
            "reference": method.reference,
        }
        for name, method in METHODS.items()
    ]
    if options.json:
        print(to_json(rows), end="")
        return 0
    # In 80 columns: the name tells the paper, and with it the loss.
    columns = ["name", "weights", "solver", "lambda", "reference"]
    table = [[row[c] for c in columns] for row in rows]
    print_table(
        [*columns[:-1], "equations"],
        [[*row[:-1], row[-1].partition(", ")[2]] for row in table],
    )
    return 0


def _lambda(method: Any) -> str:
    """λ of a method, or its C."""
    if method.learn_lambda:
        return "learned"
    return f"C = {method.C:g}" if method.has_C else f"{method.alpha:g}"
