"""Tables IV and V, Figures 1 and 2, a run at a time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from itertools import islice

from kernelweave.problem import WeightSet
from kernelweave.weights import ElasticNet, Fixed

from ..data import missing, not_at_hand
from ..table import Cell, Table
from .protocol import (
    PENALTIES,
    RUNS,
    SETS,
    TOYS,
    VALUES,
    choose_penalty,
    fit,
    measured,
)
from .tasks import TABLES as NAMES
from .tasks import Task, tasks

# v of the elastic net; None for uniform weights.
METHODS = {"GMKL": 0.5, "ℓ1": 1.0, "ℓ2": 0.0, "uniform": None}
FEW = PENALTIES[2:7:2]


def _task(name: str, run: int) -> Task:
    return next(islice(tasks(name, run + 1), run, None))


def _weights(v: float | None) -> WeightSet:
    return Fixed() if v is None else ElasticNet(v)


@cache
def _penalty(name: str, v: float | None, penalties: tuple[float, ...]) -> float:
    """C, chosen on the training rows of the first run: for all runs the same."""
    return choose_penalty(_task(name, 0), _weights(v), penalties)


def _compare(
    names: Sequence[str], penalties: tuple[float, ...], run: int
) -> list[Cell]:
    out = []
    for name in names:
        if name not in TOYS and missing([NAMES[name]]):
            continue
        task = _task(name, run)
        for method, v in METHODS.items():
            C = _penalty(name, v, penalties)
            row = measured(task, fit(task.K, task.y, _weights(v), C))
            out += [
                Cell(name, method, 100 * row["accuracy"]),
                Cell(name, f"{method} kernels", row["kernels"]),
                Cell(name, f"{method} seconds", row["seconds"]),
            ]
    return out


def _average_weights(
    names: Sequence[str], penalties: tuple[float, ...], run: int
) -> list[Cell]:
    """The weights of all kernels, in the order of the figure, from 1 on."""
    out = []
    for name in names:
        task = _task(name, run)
        for method in ("ℓ1", "GMKL", "ℓ2"):
            v = METHODS[method]
            C = _penalty(name, v, penalties)
            theta = fit(task.K, task.y, _weights(v), C).weights
            row = f"{name}, {method}: {method}"
            out += [Cell(row, str(j + 1), float(w)) for j, w in enumerate(theta)]
    return out


def _sweep(
    names: Sequence[str],
    values: Sequence[float],
    penalties: tuple[float, ...],
    run: int,
) -> list[Cell]:
    out = []
    for name in names:
        task = _task(name, run)
        for v in values:
            C = _penalty(name, v, penalties)
            row = measured(task, fit(task.K, task.y, ElasticNet(v), C))
            out += [
                Cell(f"accuracy, %: {name}", f"{v:g}", 100 * row["accuracy"]),
                Cell(f"kernels selected: {name}", f"{v:g}", row["kernels"]),
            ]
    return out


TABLES = {
    "table4": Table(
        "toy examples: GMKL, ℓ1, ℓ2, uniform",
        "accuracy",
        RUNS,
        (),
        partial(_compare, TOYS, PENALTIES),
        partial(_compare, TOYS[:1], FEW),
    ),
    "table5": Table(
        "UCI sets: GMKL, ℓ1, ℓ2, uniform",
        "accuracy",
        RUNS,
        tuple(NAMES.values()),
        partial(_compare, SETS, PENALTIES),
        partial(_compare, ("liver", "heart"), FEW),
    ),
    "figure1": Table(
        "weights of the toy examples",
        "curve",
        RUNS,
        (),
        partial(_average_weights, TOYS, PENALTIES),
        partial(_average_weights, TOYS[:1], (100.0,)),
    ),
    "figure2": Table(
        "accuracy and kernels against v",
        "curve",
        RUNS,
        (),
        partial(_sweep, TOYS, VALUES, PENALTIES),
        partial(_sweep, TOYS[:1], VALUES[::5], (100.0,)),
    ),
    "figure3": Table(
        "proteins (and Figure 4, Table VI)",
        "accuracy",
        10,
        ("plant", "psortPos", "psortNeg"),
        not_at_hand,
    ),
}
