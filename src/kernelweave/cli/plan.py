"""kernelweave plan"""

from __future__ import annotations

import argparse
from typing import Any

from .options import add_command, add_json
from .output import plural, print_notes, print_table, to_json

EXAMPLES = """\
examples:
  kernelweave plan --rows 1e9 --kernels 10 --components 200 --nodes 100
      a billion rows on a hundred machines
  kernelweave plan --rows 1e6 --nodes 1 --cores 2 --measure
      a million rows here, by the speed of a core of this machine

For the square loss (discriminants, ridge) and Nystroem kernels. Sums over blocks
of rows are made on all cores and added up; then one core solves a small problem.
"""

# What an option counts.
UNITS = {"flops": 1e9, "values": 1e6, "read": 1e6, "network": 1e6}


def add(commands: Any) -> None:
    parser = add_command(
        commands, "plan", run, "say what a fit of very many rows costs", EXAMPLES
    )
    counts = {
        "--rows": (float, None, "of the table, such as 1e9"),
        "--columns": (int, 20, "of the table, numbers of 8 bytes"),
        "--kernels": (int, 10, "to learn the weights of"),
        "--components": (int, 200, "landmarks of a kernel"),
        "--classes": (int, 3, "to tell apart; or outputs, if numbers are predicted"),
        "--nodes": (int, 1, "machines"),
        "--cores": (int, 16, "of a machine"),
        "--block": (float, 100_000, "rows of a task"),
    }
    for name, (kind, default, text) in counts.items():
        if default is not None:
            text += f"; default: {default}"
        parser.add_argument(
            name,
            type=kind,
            default=default,
            required=default is None,
            metavar="N",
            help=text,
        )
    speeds = {
        "gflops": "1e9 operations a second, of a core",
        "values": "1e6 kernel values a second, of a core",
        "read": "MB a second that a machine reads",
        "network": "MB a second that a machine sends",
    }
    for name, text in speeds.items():
        dest = "flops" if name == "gflops" else name
        parser.add_argument(f"--{name}", dest=dest, type=float, metavar="N", help=text)
    parser.add_argument(
        "--measure",
        action="store_true",
        help="measure --gflops and --values here, in a few seconds",
    )
    add_json(parser)


def run(options: argparse.Namespace) -> int:
    from ..streamed.plan import Plan, Work

    work = Work(
        rows=options.rows,
        columns=options.columns,
        kernels=options.kernels,
        components=options.components,
        targets=options.classes,
        block=min(options.block, options.rows),
    )
    node, origins = _node(options)
    plan = Plan(work, options.nodes, node)
    if options.json:
        print(to_json(_facts(plan)), end="")
        return 0
    _print(plan, origins)
    print_notes(_notes(plan))
    return 0


def _node(options: argparse.Namespace) -> tuple[Any, dict[str, str]]:
    """The machine, and where each of its constants comes from."""
    from ..streamed.plan import Node

    known: dict[str, float] = {}
    origins = {"flops": "an EPYC core", "values": "an EPYC core"}
    origins |= {"read": "assumed", "network": "assumed"}
    if options.measure:
        from ..streamed.measure import measure

        known["flops"], known["values"] = measure(options.columns, options.components)
        origins |= dict.fromkeys(known, "measured here")
    for name, unit in UNITS.items():
        value = getattr(options, name)
        if value is not None:
            known[name], origins[name] = value * unit, "given"
    return Node(cores=options.cores, **known), origins


def _facts(plan: Any) -> dict[str, Any]:
    work, node = plan.work, plan.node
    return {
        "rows": work.rows,
        "features": work.features,
        "nodes": plan.nodes,
        "node": vars(node),
        "a_row": {
            "kernel_values": work.values,
            "operations": work.map_operations + work.product_operations,
            "bytes_read": 2 * work.row_bytes,
        },
        "a_node_sends_bytes": plan.sent,
        "bytes": {
            "sums": work.sum_bytes,
            "process": plan.process_bytes,
            "node": plan.node_bytes,
            "solver": work.solve_bytes,
            "gram_matrices": work.gram_bytes,
        },
        "seconds": {
            "reading": plan.reading,
            "features": plan.mapping,
            "products": plan.products,
            "adding": plan.adding,
            "solving": plan.solving,
            "all": plan.seconds,
            "grid": plan.grid,
        },
    }


def _print(plan: Any, origins: dict[str, str]) -> None:
    work, node = plan.work, plan.node
    print(
        f"{work.rows:,.0f} rows of {plural(work.columns, 'column')}, "
        f"{plural(work.kernels, 'kernel')} of {work.components} components: "
        f"{work.features} features.\n{plural(plan.nodes, 'node')} of "
        f"{plural(node.cores, 'core')}; {plural(work.blocks, 'block')} of "
        f"{work.block:,.0f} rows.\n"
    )
    operations = work.map_operations + work.product_operations
    print_table(
        ["", "a row", "a node", "in all"],
        [
            ["kernel values", *_shares(plan, work.values, _count)],
            ["operations", *_shares(plan, operations, _count)],
            ["bytes read, two passes", *_shares(plan, 2 * work.row_bytes, _bytes)],
            ["bytes sent, at most", *_shares(plan, _sent(plan), _bytes)],
        ],
    )
    print()
    print_table(
        ["seconds", "", "at"],
        [
            [
                "reading",
                _seconds(plan.reading),
                f"{_bytes(node.read)}/s a node, {origins['read']}",
            ],
            [
                "features",
                _seconds(plan.mapping),
                f"{_count(node.values)} values/s a core, {origins['values']}",
            ],
            [
                "products",
                _seconds(plan.products),
                f"{_count(node.flops)} operations/s a core, {origins['flops']}",
            ],
            [
                "adding up",
                _seconds(plan.adding),
                f"{_bytes(node.network)}/s a node, {origins['network']}",
            ],
            ["solving", _seconds(plan.solving), "on one core"],
            ["in all", _seconds(plan.seconds), ""],
            ["norm × λ grid, on top", _seconds(plan.grid), "on one core"],
        ],
    )
    print()
    print_table(
        ["memory", ""],
        [
            ["sums of a block", _bytes(work.sum_bytes)],
            ["a process, at most", _bytes(plan.process_bytes)],
            ["a node, a process a core", _bytes(plan.node_bytes)],
            ["the process that solves", _bytes(work.solve_bytes)],
            ["kernel matrices (not formed)", _bytes(work.gram_bytes)],
        ],
    )


def _sent(plan: Any) -> float:
    """Bytes sent, a row."""
    return plan.sent * plan.nodes / plan.work.rows


def _shares(plan: Any, a_row: float, show: Any) -> list[str]:
    """What one row needs, what a node needs, and what all rows need."""
    rows = plan.work.rows
    return [show(a_row), show(a_row * rows / plan.nodes), show(a_row * rows)]


def _notes(plan: Any) -> list[str]:
    work = plan.work
    notes = []
    cores = plan.nodes * plan.node.cores
    if plan.workers < cores:
        notes.append(
            f"note: {plural(work.blocks, 'block')} for {cores} cores: "
            f"--block {max(1, work.rows // cores):.0f} or fewer rows uses all of them"
        )
    if plan.adding > plan.mapping + plan.products:
        notes.append(
            "note: adding up takes longer than the arithmetic: blocks of more rows "
            "have fewer sums to send"
        )
    if 2 * work.features > work.rows:
        notes.append(
            f"note: {work.features} features are not few against {work.rows:,.0f} "
            "rows: the kernel matrices themselves cost less"
        )
    return notes


def _count(value: float) -> str:
    for size, unit in ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g}{unit}"
    return f"{value:.3g}"


def _bytes(value: float) -> str:
    sizes = ((1e18, "EB"), (1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"))
    for size, unit in (*sizes, (1e3, "kB")):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value:.3g} B"


def _seconds(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
