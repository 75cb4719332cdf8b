"""kernelweave demo"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from ..persist.atomic import check_output, written_whole
from .options import add_command, add_json
from .output import print_notes, print_table, to_json

EXAMPLES = """\
example:
  kernelweave demo --plot weights.png

Five views of scikit-learn's digits, one of them noise, two kernels each: the
learned weights against the plain average and against each kernel alone.
"""


def add(commands: Any) -> None:
    parser = add_command(
        commands,
        "demo",
        run,
        "learn the weights of ten kernels on five views of digits",
        EXAMPLES,
    )
    parser.add_argument("--plot", metavar="FILE", help="write a picture of the weights")
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    from ..demo import run_demo

    picture = None if options.plot is None else check_output(options.plot)
    result = run_demo(lambda message: print_notes([f"{message} ..."]))
    if picture is not None:
        import matplotlib

        from ..plots import WeightsDisplay

        matplotlib.use("Agg")
        figure = WeightsDisplay.from_estimator(result.model).figure_
        with written_whole(picture) as part:
            figure.savefig(part, dpi=150, format=picture.suffix[1:] or "png")
    # The reader of a pipe may leave: the picture is there before it does.
    if options.json:
        print(to_json(_facts(result)), end="")
    else:
        _print(result)
    if picture is not None:
        print_notes([f"\nwrote {options.plot}"])
    return 0


def _facts(result: Any) -> dict[str, Any]:
    model = result.model
    names = model.kernel_names_
    return {
        "weights": dict(zip(names, model.weights_.tolist(), strict=True)),
        "relative_gap": model.solution_.certificate.relative_gap,
        "iterations": model.n_iter_,
        "seconds": result.seconds,
        "accuracy": {
            "learned": result.accuracy,
            "average": result.average,
            "single": dict(zip(names, result.single.tolist(), strict=True)),
        },
    }


def _print(result: Any) -> None:
    from ..plots import text_bar

    model = result.model
    best = int(np.argmax(result.single))
    gap = max(model.solution_.certificate.relative_gap, 0)
    print(
        f"\nDigits, {result.n_train} to learn from and {result.n_test} to test, ten "
        "kernels on five views;\nthe last view is noise.\n"
    )
    heaviest = model.weights_.max()
    print_table(
        ["kernel", "weight", "alone", ""],
        [
            [name, f"{weight:.3f}", f"{alone:.3f}", text_bar(weight / heaviest)]
            for name, weight, alone in zip(
                model.kernel_names_, model.weights_, result.single, strict=True
            )
        ],
    )
    print(
        f"""
accuracy   learned weights   {result.accuracy:.3f}
           plain average     {result.average:.3f}
           best kernel alone {result.single[best]:.3f}  ({model.kernel_names_[best]})

The weights are optimal: no others lower the objective by more than
{gap:.1e} of its value (duality gap). It took \
{model.n_iter_} iterations and {result.seconds:.2f} s.
What a view is good for is another question: see kernelweave importance --help"""
    )
