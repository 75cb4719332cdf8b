"""kernelweave fit"""

from __future__ import annotations

import argparse
import shlex
import sys
from typing import Any

import numpy as np

from ..persist.atomic import check_output
from ..plots.text import text_bar
from ..views import view_of
from .data import Data, read_data
from .learning import learn
from .options import add_command, add_json, add_learning_options
from .output import plural, print_notes, print_table, shortened, to_json
from .streamed import approximated, learn_streamed, open_stream
from .task import make_estimator

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

Every view gets kernels that suit its columns: numbers, counts or text. Rows
without a target are left out, or with classes learned from (--task semi).
"""

# Rows of the table at most.
SHOWN = 20

# From so many rows on matrices of all pairs of them are a burden.
MANY = 10_000

MEANING = {"1": "few kernels", "inf": "all kernels alike"}


def add(commands: Any) -> None:
    parser = add_command(
        commands,
        "fit",
        run,
        "learn from tables, and say what each view is worth",
        EXAMPLES,
    )
    add_learning_options(parser)
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
    if options.output is not None:
        check_output(options.output)
    model, data = _learn(options)
    # Given matrices have no names of their own.
    model.kernel_names_ = np.array(data.names, dtype=object)
    facts = _facts(model, data)
    if options.json:
        print(to_json(facts | {"model": options.output}), end="")
    else:
        _print(model, data, facts)
    if options.output is None:
        print_notes(["", "nothing was kept: -o model.skops keeps the model"])
        return 0
    from ..persist import save

    remembered = data.metadata | {"classes": facts["classes"]}
    save(model, options.output, **remembered, command=options.command)
    name = shlex.quote(options.output)
    if facts["samples"] > MANY:
        print_notes(["", f"wrote {options.output}; to use it:"])
        print(f"  kernelweave predict {name} new.csv -o out.csv", file=sys.stderr)
        return 0
    again = " ".join(map(shlex.quote, options.tables))
    print_notes(["", f"wrote {options.output}; to look at it:"])
    print(f"  kernelweave report {name} {again} -o report.html", file=sys.stderr)
    return 0


def _learn(options: argparse.Namespace) -> tuple[Any, Data]:
    """The fitted model, and what it learned from."""
    if options.components is None:
        return _learn_exactly(options)
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
    return learn(estimator, data.X, data.y), data


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
    return learn(estimator, data.X, data.y), data


def _count(text: str) -> int:
    """A whole number of at least one."""
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of at least 1")
    return int(text)


def _facts(model: Any, data: Data) -> dict[str, Any]:
    certificate = model.solution_.certificate
    share = model.weights_ / max(float(model.weights_.sum()), np.finfo(float).tiny)
    views = dict.fromkeys(map(view_of, data.names), 0.0)
    for name, value in zip(data.names, share, strict=True):
        views[view_of(name)] += float(value)
    return {
        "task": data.task,
        "samples": model.n_samples_fit_,
        "classes": model.classes_.tolist() if data.task != "regress" else None,
        "norm": _number(getattr(model, "norm_", None)),
        "alpha": getattr(model, "alpha_", None),
        "left_out_r2": getattr(model, "best_score_", None),
        "views": views,
        "weights": dict(zip(data.names, model.weights_.tolist(), strict=True)),
        "relative_gap": certificate.relative_gap,
        "status": model.solution_.status.name,
        "iterations": model.n_iter_,
        **_errors(model, data.names),
    }


def _errors(model: Any, names: list[str]) -> dict[str, Any]:
    """How far the kernels are from what approximates them, if it is so."""
    if not hasattr(model, "approximation_error_"):
        return {}
    errors = model.approximation_error_.tolist()
    return {"approximation_error": dict(zip(names, errors, strict=True))}


def _number(norm: float | None) -> float | str | None:
    """JSON has no infinity."""
    return "inf" if norm == np.inf else norm


def _print(model: Any, data: Data, facts: dict[str, Any]) -> None:
    labels = facts["classes"]
    aim = f"to tell {len(labels)} classes apart" if labels else "to predict a number"
    print(
        f"\nLearned {aim}, {data.metadata['target']}, from "
        f"{plural(facts['samples'], 'sample')},\n{plural(len(data.names), 'kernel')} "
        f"in {plural(len(facts['views']), 'view')}.\n"
    )
    if len(facts["views"]) > 1:
        _print_views(model, data, facts["views"])
    else:
        _print_kernels(model, data)
    print()
    exact = "approximation_error" not in facts
    if facts["norm"] is not None:
        norm = str(facts["norm"]).removesuffix(".0")
        meaning = f" ({MEANING[norm]})" if norm in MEANING else ""
        alpha = f"{facts['alpha']:.3g}"
        how = "leave-one-out" if exact else "left-out folds"
        print(f"Chosen by {how}: norm {norm}{meaning}, alpha {alpha}.")
    gap = max(facts["relative_gap"], 0)
    print(
        "The weights are proved optimal: no others lower the objective by more than\n"
        f"{gap:.1e} of its value (duality gap)."
        if facts["status"] == "OPTIMAL"
        else "NOT CONVERGED: rounding is larger than the gap; nothing is proved."
        if facts["status"] == "CONTRADICTED"
        else f"NOT CONVERGED: the weights may be off by {gap:.1e} of the objective."
    )

    if not exact:
        _print_errors(facts)


def _print_errors(facts: dict[str, Any]) -> None:
    """How far the kernels that have a weight are from what approximates them."""
    weights, errors = facts["weights"], facts["approximation_error"]
    worst = max((n for n in errors if weights[n] > 0), key=lambda name: errors[name])
    print(
        "That is for the kernels as their landmarks see them: off by at most "
        f"{errors[worst]:.1%}\n({shortened(worst, 40)}; more --components: less)."
    )


def _print_views(model: Any, data: Data, shares: dict[str, float]) -> None:
    """A line a view, with the kernel that carries most of it."""
    heaviest: dict[str, tuple[float, str]] = {}
    for name, weight in zip(data.names, model.weights_, strict=True):
        view, _, kernel = name.partition(": ")
        kernel = kernel if weight > 0 else ""
        heaviest[view] = max(heaviest.get(view, (0.0, "")), (float(weight), kernel))
    order = sorted(shares, key=lambda view: -shares[view])
    rows = []
    for view in order[:SHOWN]:
        row = [shortened(view, 24), f"{shares[view]:.3f}", _bar(shares, view)]
        rows.append([*row, shortened(heaviest[view][1], 20)])
    mostly = "mostly" if any(row[-1] for row in rows) else ""
    print_table(["view", "share", "", mostly], rows)
    _print_rest([shares[view] for view in order[SHOWN:]], "view")


def _print_kernels(model: Any, data: Data) -> None:
    total = max(float(model.weights_.sum()), np.finfo(float).tiny)
    shares = dict(zip(data.names, (model.weights_ / total).tolist(), strict=True))
    order = sorted(shares, key=lambda name: -shares[name])
    rows = [
        [shortened(name, 40), f"{shares[name]:.3f}", _bar(shares, name)]
        for name in order[:SHOWN]
    ]
    print_table(["kernel", "share", ""], rows)
    _print_rest([shares[name] for name in order[SHOWN:]], "kernel")


def _bar(shares: dict[str, float], name: str) -> str:
    return text_bar(shares[name] / max(shares.values()))


def _print_rest(shares: list[float], noun: str) -> None:
    if shares:
        print(f"and {plural(len(shares), noun)} more, share {sum(shares):.3f} together")
