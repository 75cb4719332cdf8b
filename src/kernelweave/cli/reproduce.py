"""kernelweave reproduce"""

from __future__ import annotations

import argparse
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from .options import add_command, add_json

EXAMPLES = """\
examples:
  kernelweave reproduce
      list the papers and their tables
  kernelweave reproduce yang2011 table5 --jobs 2
      all splits as printed; interrupt it and run it again, and it goes on
  kernelweave reproduce all --quick
      every table in a smaller form, which is not comparable with print
  kernelweave reproduce --write-docs reproduction
      docs/reproduction.md from the results in the folder reproduction

A number is "within" if it lies within two standard errors of the difference
from the printed one. Data sets come from the folder KERNELWEAVE_DATA, from
scikit-learn, or from OpenML; one that is not available is left out, and
kernelweave.datasets.load_table(NAME) says why.
"""


def add(commands: Any) -> None:
    parser = add_command(
        commands,
        "reproduce",
        run,
        "run the tables of the papers, beside what they print",
        EXAMPLES,
    )
    parser.add_argument("paper", nargs="?", help="such as ye2008, or all")
    parser.add_argument("table", nargs="?", help="such as table2; all, if not given")
    parser.add_argument(
        "--splits", type=int, metavar="N", help="how many; as printed, if not given"
    )
    parser.add_argument(
        "--quick", action="store_true", help="a smaller form, not comparable"
    )
    parser.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="splits at a time"
    )
    parser.add_argument(
        "--out",
        default="reproduction",
        metavar="DIR",
        help="where results are kept, and found again; default: reproduction",
    )
    parser.add_argument(
        "--write-docs", metavar="DIR", help="write the page from the results in DIR"
    )
    parser.add_argument(
        "--page",
        default="docs/reproduction.md",
        metavar="FILE",
        help="the page of --write-docs; default: docs/reproduction.md",
    )
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    if find_spec("kernelweave_papers") is None:
        raise ImportError(
            "kernelweave reproduce needs the papers' experiments, which are a package "
            "of their own: pip install 'kernelweave[papers]', or, in a clone, "
            "pip install ./papers"
        )
    return import_module("kernelweave_papers.command").run(options)
