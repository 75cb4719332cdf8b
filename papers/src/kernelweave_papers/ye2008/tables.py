"""The tables and figures of the paper, to be run split by split."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np

from ..table import Cell, Table
from .images import run_images
from .protocol import MACHINES, SPLITS, learn_at, learn_machine, run_split
from .tasks import BINARY, MULTICLASS, source, task
from .timing import ALL, SIX, time_cells

LAMBDAS = tuple(10 ** (-10 + 12 * i / 29) for i in range(30))
# Rows a class of the smaller forms.
FEW = 30


def comparison(split: int, name: str, rows: int | None = None) -> list[Cell]:
    """One of Tables 2 to 15."""
    return run_split(task(name, split, rows))


def times(
    split: int,
    names: Iterable[str],
    methods: Iterable[str],
    rows: int | None = None,
) -> list[Cell]:
    """Table 16 or Figure 1: seconds, a column a data set."""
    methods = tuple(methods)
    return [
        cell
        for name in names
        for cell in time_cells(name, task(name, split, rows), methods)
    ]


def support_vectors(split: int, rows: int | None = None) -> list[Cell]:
    """Table 17; a C that is infinite is left out."""
    cells: list[Cell] = []
    for name in BINARY:
        data = task(name, split, rows)
        n = len(data.y)
        cells.append(Cell(name, "training size", n))
        for method in MACHINES:
            result = learn_machine(data, method)
            vectors = float(result.vectors or 0)
            if np.isfinite(result.regularisation):
                cells.append(Cell(name, f"{method} C", result.regularisation))
            cells.append(Cell(name, f"{method} vectors", vectors))
            cells.append(Cell(name, f"{method} PCT", 100 * vectors / n))
    return cells


def over_lambda(
    split: int,
    names: Iterable[str],
    quantity: str,
    rows: int | None = None,
    step: int = 1,
) -> list[Cell]:
    """Figures 3 and 4: "accuracy", or the "gap" as its logarithm, for every λ.

    With two classes SDP_θ and QCQP_θ have the same optimum, and one curve.
    """
    cells: list[Cell] = []
    for name in names:
        curves = {"SDP_θ and QCQP_θ": "ye2008"}
        if name in MULTICLASS:
            curves = {"SDP_θ": "ye2008-approximate", "QCQP_θ": "ye2008"}
        data = task(name, split, rows)
        for curve, method in curves.items():
            results = learn_at(data, LAMBDAS[::step], method)
            for i, result in enumerate(results):
                value = 100 * result.accuracy
                if quantity == "gap":
                    value = float(np.log10(max(abs(result.gap), 1e-16)))
                cells.append(Cell(f"{name}: {curve}", str(1 + i * step), value))
    return cells


def _table(name: str) -> Table:
    kinds = "twelve" if name in BINARY else "eight"
    return Table(
        f"{kinds} methods on {name}",
        "weights",
        SPLITS,
        (source(name),),
        partial(comparison, name=name),
        partial(comparison, name=name, rows=FEW),
    )


def _figure(title: str, names: tuple[str, ...], quantity: str) -> Table:
    run = partial(over_lambda, names=names, quantity=quantity)
    quick = partial(run, rows=FEW, step=6)
    return Table(title, "curve", SPLITS, tuple(map(source, names)), run, quick)


def _sources(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(source, names)))


TABLES: dict[str, Table] = {
    f"table{number}": _table(name)
    for number, name in enumerate((*BINARY, *MULTICLASS), start=2)
}
TABLES |= {
    "table16": Table(
        "seconds to learn, several classes",
        "seconds",
        SPLITS,
        _sources(MULTICLASS),
        partial(times, names=MULTICLASS, methods=ALL),
        partial(times, names=("wine(3)", "USPS(3)"), methods=ALL, rows=10),
        unit="SILP_θ",
    ),
    "table17": Table(
        "support vectors",
        "count",
        SPLITS,
        BINARY,
        support_vectors,
        partial(support_vectors, rows=FEW),
    ),
    "figure1": Table(
        "seconds to learn, two classes",
        "seconds",
        SPLITS,
        BINARY,
        partial(times, names=BINARY, methods=(*SIX, "Newton_θ", "Newton_θ,λ")),
        partial(times, names=BINARY, methods=(*SIX, "Newton_θ"), rows=10),
        unit="SILP_θ",
    ),
    "figure3": _figure("accuracy over λ, two classes", ("sonar", "heart"), "accuracy"),
    "figure3-gap": _figure(
        "duality gap over λ, two classes", ("sonar", "heart"), "gap"
    ),
    "figure4": _figure(
        "accuracy over λ, several classes", ("satimage(6)", "waveform(3)"), "accuracy"
    ),
    "figure4-gap": _figure(
        "duality gap over λ, several classes",
        ("satimage(6)", "waveform(3)"),
        "gap",
    ),
    "section53": Table(
        "48 log-Gabor kernels, on digits",
        "accuracy",
        SPLITS,
        (),
        run_images,
        partial(run_images, every=8),
    ),
}
