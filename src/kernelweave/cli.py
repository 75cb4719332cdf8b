"""The command line: kernelweave methods, kernelweave demo."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from . import __version__


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.run is None:
        parser.print_help()
        return 2
    try:
        return options.run(options)
    except (OSError, ValueError, ImportError) as error:
        print(f"kernelweave: {error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="kernelweave",
        description="Multiple kernel learning that is exact, certified and fast.",
    )
    parser.add_argument("--version", action="version", version=__version__)
    parser.set_defaults(run=None)
    commands = parser.add_subparsers(title="commands", metavar="")

    demo = commands.add_parser(
        "demo",
        help="learn the weights of ten kernels on five views of digits",
        description="Fit five views of scikit-learn's digits (one of them is noise), "
        "and compare with the plain average and with each kernel alone.",
        epilog="example: kernelweave demo --plot weights.png",
    )
    demo.add_argument("--plot", metavar="FILE", help="write a picture of the weights")
    demo.add_argument("--json", action="store_true", help="print JSON, not a table")
    demo.set_defaults(run=_demo)

    methods = commands.add_parser(
        "methods",
        help="list the papers' methods",
        description="List the methods of the papers: METHODS[name].estimator(kernels)"
        " makes the estimator of a row.",
    )
    methods.add_argument("--json", action="store_true", help="print JSON, not a table")
    methods.set_defaults(run=_methods)
    return parser


def _methods(options: argparse.Namespace) -> int:
    from .methods import METHODS

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
        print(json.dumps(rows, indent=2, ensure_ascii=False))
        return 0
    # In 80 columns: the name tells the paper, and with it the loss.
    columns = ["name", "weights", "solver", "lambda", "reference"]
    table = [[row[c] for c in columns] for row in rows]
    _print_table(
        [*columns[:-1], "equations"],
        [[*row[:-1], row[-1].partition(", ")[2]] for row in table],
    )
    return 0


def _lambda(method: Any) -> str:
    """λ of a method, or its C."""
    if method.learn_lambda:
        return "learned"
    return f"C = {method.C:g}" if method.is_svm else f"{method.alpha:g}"


def _demo(options: argparse.Namespace) -> int:
    from .demo import run_demo
    from .plots import WeightsDisplay, text_bar

    picture = Path(options.plot) if options.plot else None
    if picture is not None and not picture.parent.is_dir():
        raise ValueError(f"--plot: there is no folder {picture.parent}")
    result = run_demo(lambda message: print(f"{message} ...", file=sys.stderr))
    model = result.model
    certificate = model.solution_.certificate
    best = int(np.argmax(result.single))
    if options.json:
        report: dict[str, Any] = {
            "weights": dict(
                zip(model.kernel_names_, model.weights_.tolist(), strict=True)
            ),
            "relative_gap": certificate.relative_gap,
            "iterations": model.n_iter_,
            "seconds": result.seconds,
            "accuracy": {
                "learned": result.accuracy,
                "average": result.average,
                "single": dict(
                    zip(model.kernel_names_, result.single.tolist(), strict=True)
                ),
            },
        }
        print(json.dumps(report, indent=2))
    else:
        print()
        print(
            f"Digits, {result.n_train} to learn from and {result.n_test} to test, ten "
            "kernels on five views;\nthe last view is noise.\n"
        )
        heaviest = model.weights_.max()
        rows = [
            [name, f"{weight:.3f}", f"{alone:.3f}", text_bar(weight / heaviest)]
            for name, weight, alone in zip(
                model.kernel_names_, model.weights_, result.single, strict=True
            )
        ]
        _print_table(["kernel", "weight", "alone", ""], rows)
        print(
            f"""
accuracy   learned weights   {result.accuracy:.3f}
           plain average     {result.average:.3f}
           best kernel alone {result.single[best]:.3f}  ({model.kernel_names_[best]})

The weights are optimal: no others lower the objective by more than
{max(certificate.relative_gap, 0):.1e} of its value (duality gap). It took \
{model.n_iter_} iterations and {result.seconds:.2f} s."""
        )
    if picture is not None:
        import matplotlib

        matplotlib.use("Agg")
        WeightsDisplay.from_estimator(model).figure_.savefig(picture, dpi=150)
        print(f"\nwrote {picture}", file=sys.stderr)
    return 0


def _print_table(header: list[str], rows: list[list[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    for row in [header, ["-" * width for width in widths], *rows]:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        print("  ".join(cells).rstrip())


if __name__ == "__main__":
    sys.exit(main())
