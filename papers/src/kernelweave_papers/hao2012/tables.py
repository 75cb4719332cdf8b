"""Tables 1 to 4 and Figures 1 to 3, a split at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial

import numpy as np

from ..data import missing
from ..table import Cell, Table
from .protocol import CHOOSING, LAMBDAS, LARGE, TABLE1, Rows, six_sets, trace_norms
from .speed import FIGURE1, directions, evolution, kernel_counts, penalty_times
from .tasks import PAIRS, RAETSCH, UCI
from .transduction import GAMMAS, TABLE4, digit_pairs, few_labels

METHODS = {"MKL": "PrimalMKL"}
FIGURE3C = ("sonar", "ionosphere", "liver", "heart", "thyroid")
# N and M of Figure 1.
SIZES = tuple((n, m) for n in (1000, 1500) for m in (11, 22, 33))


def _here(names: Sequence[str]) -> list[str]:
    """Those of the sets that can be loaded or drawn."""
    return [name for name in names if not missing(_files([name]))]


def _files(names: Sequence[str]) -> tuple[str, ...]:
    """Names of the files of sets; nothing for those that are drawn."""
    found = (RAETSCH.get(name, (name, 0))[0] for name in names)
    return tuple(name for name in found if name is not None)


def _accuracies(rows: Rows) -> list[Cell]:
    out = []
    for row in rows:
        name = str(row["data"])
        method = str(row.get("method", "PrimalMKL"))
        method = METHODS.get(method, method)
        out.append(Cell(name, method, 100 * row["accuracy"]))
        if "kernels" in row:
            out.append(Cell(name, f"{method} kernels", row["kernels"]))
    return out


@cache
def _lambdas(name: str, lams: tuple[float, ...]) -> Mapping[str, float]:
    """λ of every method of Table 1: the median of those of the first splits."""
    rows = trace_norms([name], 1 if RAETSCH[name][1] > LARGE else CHOOSING, lams)
    by: dict[str, list[float]] = {}
    for row in rows:
        by.setdefault(row["method"], []).append(row["lam"])
    return {method: float(np.median(found)) for method, found in by.items()}


@cache
def _lambdas2(name: str, lams: tuple[float, ...]) -> Mapping[str, float]:
    """λ of every method of Table 2, chosen on the first split."""
    return {row["method"]: row["lam"] for row in six_sets([name], 1, lams)}


def _table1(names: Sequence[str], lams: tuple[float, ...], run: int) -> list[Cell]:
    rows: Rows = []
    for name in _here(names):
        rows += trace_norms([name], 1, first=run, chosen=_lambdas(name, lams))
    return _accuracies(rows)


def _table2(names: Sequence[str], lams: tuple[float, ...], run: int) -> list[Cell]:
    rows: Rows = []
    for name in _here(names):
        rows += six_sets([name], 1, first=run, chosen=_lambdas2(name, lams))
    return _accuracies(rows)


def _table3(pairs: Sequence[tuple[int, int]], each: int, run: int) -> list[Cell]:
    """Accuracies, and for LapMKL that at equal shares of the classes as well."""
    out = []
    for row in digit_pairs(pairs, 1, each=each, first=run):
        graph = "" if row["graph"] is None else f", {row['graph']}"
        column = row["method"].replace(", tied", " (tied)") + graph
        out.append(Cell(row["pair"], column, 100 * row["accuracy"]))
        if row["method"] == "LapMKL":
            shares = f"{column}, at shares"
            out.append(Cell(row["pair"], shares, 100 * row["at_shares"]))
    return out


def _table4(names: Sequence[str], gammas: Sequence[float], run: int) -> list[Cell]:
    return _accuracies(few_labels(_here(names), 1, gammas=gammas, first=run))


def _figure1(
    names: Sequence[str], sizes: Sequence[tuple[int, int]], run: int
) -> list[Cell]:
    return [
        Cell(
            f"N = {row['n']}, M = {row['kernels']}: {row['method']}",
            row["data"],
            row["seconds"],
        )
        for row in directions(_here(names), sizes, time_limit=15, seed=run)
    ]


def _figure2(names: Sequence[str], run: int) -> list[Cell]:
    return [
        Cell(
            f"{row['data']}: σ = {row['width']:.3g} (kernel {row['kernel'] + 1})",
            str(row["iteration"]),
            row["weight"],
        )
        for row in evolution(_here(names), seed=run)
    ]


def _figure3(counts: Sequence[int], n: int, run: int) -> list[Cell]:
    rows = kernel_counts(_here(("waveform", "spambase")), counts, n, runs=1, first=run)
    return [
        Cell(f"{row['data']}: {row['solver']}", str(row["kernels"]), row["seconds"])
        for row in rows
    ]


def _figure3b(names: Sequence[str], lams: Sequence[float], run: int) -> list[Cell]:
    return [
        Cell(f"{row['data']}: {row['solver']}", f"{row['lam']:g}", row["seconds"])
        for row in penalty_times(_here(names), lams, seed=run)
    ]


def _figure3c(
    names: Sequence[str], counts: Sequence[int], gammas: Sequence[float], run: int
) -> list[Cell]:
    return [
        Cell(row["data"], str(k), 100 * row["accuracy"])
        for k in counts
        for row in few_labels(
            _here(names), 1, gammas=gammas, lams=(1.0,), first=run, neighbours=k
        )
        if row["method"] == "LapMKL"
    ]


TABLES = {
    "table1": Table(
        "kernels as they are, and of unit trace",
        "accuracy",
        40,
        _files(TABLE1),
        partial(_table1, TABLE1, LAMBDAS[::2]),
        partial(_table1, ("heart", "thyroid"), LAMBDAS[6:7]),
    ),
    "table2": Table(
        "six sets: accuracy and kernels",
        "accuracy",
        30,
        UCI,
        partial(_table2, UCI, LAMBDAS),
        partial(_table2, ("sonar", "liver"), LAMBDAS[9:10]),
    ),
    "table3": Table(
        "USPS digits, six labels a class",
        "accuracy",
        10,
        ("usps",),
        partial(_table3, PAIRS, 200),
        partial(_table3, PAIRS[3:4], 50),
    ),
    "table4": Table(
        "a fifth of the rows labelled",
        "accuracy",
        20,
        _files(TABLE4),
        partial(_table4, TABLE4, GAMMAS),
        partial(_table4, ("sonar", "thyroid"), GAMMAS[1:2]),
    ),
    "figure1": Table(
        "seconds of truncated Newton and PCG",
        "curve",
        1,
        _files(FIGURE1),
        partial(_figure1, FIGURE1, SIZES),
        partial(_figure1, FIGURE1[:2], ((200, 11),)),
        timed=True,
    ),
    "figure2": Table(
        "the five largest weights, as learned",
        "curve",
        1,
        UCI,
        partial(_figure2, UCI),
        partial(_figure2, UCI[:1]),
    ),
    "figure3": Table(
        "seconds against the number of kernels",
        "curve",
        5,
        ("waveform", "spambase"),
        partial(_figure3, (1, 3, 6, 11, 17, 22, 28, 33), 1000),
        partial(_figure3, (1, 11, 33), 200),
        timed=True,
    ),
    "figure3b": Table(
        "seconds against λ",
        "curve",
        5,
        UCI,
        partial(_figure3b, UCI, LAMBDAS),
        partial(_figure3b, UCI[:1], LAMBDAS[::6]),
        timed=True,
    ),
    "figure3c": Table(
        "LapMKL against the neighbours in the graph",
        "curve",
        5,
        FIGURE3C,
        partial(_figure3c, FIGURE3C, (2, 5, 10, 15, 20, 30), GAMMAS),
        partial(_figure3c, FIGURE3C[-1:], (5, 20), GAMMAS[1:2]),
    ),
}
