"""What was wanted, and what the results say."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from common import Columns, Row
from pictures import fitted

COLUMNS: Columns = [
    ("goal", "wanted", ""),
    ("limit", "limit", ""),
    ("measured", "measured", ""),
    ("met", "", ""),
]
# The method that sets the size; the least ratio, of which methods; in words.
PEERS = {
    "himalaya hyper_gradient, torch 32": (20, "himalaya", "himalaya's fastest route"),
    "MKLpy EasyMKL": (4, "MKLpy EasyMKL", "EasyMKL"),
    "grid search, KernelRidge": (
        10,
        "grid search, KernelRidge",
        "grid search over the kernels, KernelRidge",
    ),
    "grid search, KernelDiscriminant": (
        10,
        "grid search, KernelDiscriminant",
        "grid search over the kernels, KernelDiscriminantAnalysis",
    ),
}
LINEAR = 1.05  # exponents below are linear, for what timing can tell


def goals(results: dict[str, Any]) -> Iterator[Row]:
    rows = {name: result["rows"] for name, result in results.items()}
    one = first(rows.get("floors"), n=4000)
    yield at_most("n = 4000, ten kernels: floors", one.get("ratio"), 3) | noted(one)
    yield at_most("n = 4000, ten kernels: n² doubles", one.get("memory"), 4)
    yield at_most("n = 4000, ten kernels: gap", one.get("gap"), 1e-6, ".0e")
    one = first(rows.get("kernels"), n=8000, p=50)
    yield at_most("n = 8000, 50 kernels: n² doubles", one.get("memory"), 4)
    yield from against_peers(rows.get("peers") or [])
    one = first(rows.get("hinge"), n=4000)
    yield at_most("hinge, n = 4000: fits of one SVC", one.get("ratio"), 8) | noted(one)
    yield at_most("hinge, n = 4000: gap", one.get("gap"), 1e-3, ".0e")
    for C in (1.0, 10.0):
        one = first(rows.get("many_hinge"), weights="Simplex()", C=C)
        name = f"hinge, sonar, 793 kernels, C = {C:g}: fits of one SVC"
        yield at_most(name, one.get("ratio"), 40) | noted(one)
    for data in ("wdbc", "mfeat"):
        one = first(rows.get("choosing"), data=data)
        name = f"MKLSVCCV, n = 550, 18 kernels, {data}: grid searches of one SVC"
        yield at_most(name, one.get("ratio"), 3) | noted(one)
    for data in ("satimage", "usps"):
        one = first(rows.get("many"), data=data, n=300, p=2000)
        name = f"2000 kernels of n = 300, {data}: "
        yield at_most(name + "times np.sum(K)", one.get("ratio"), 20) | noted(one)
        yield at_most(name + "gap", one.get("gap"), 1e-5, ".0e")
    large = [row for row in rows.get("floors") or [] if row["n"] == 8000]
    power = fitted(rows["floors"], "n", "seconds", 1000) if large else None
    yield at_most("growth in n, 1000 to 8000: exponent", power, 2.6)
    for n in (1000, 4000):
        power = fitted(pick(rows.get("kernels"), n=n), "p", "seconds")
        yield at_most(f"growth in p, n = {n}: exponent", power, LINEAR)
    gaps = [
        row.get("gap")
        for part in ("floors", "kernels", "classes", "profile")
        for row in rows.get(part) or []
    ]
    worst = max((np.inf if gap is None else gap for gap in gaps), default=None)
    yield at_most("every default fit: largest gap", worst, 1e-6, ".0e")


def against_peers(rows: list[Row]) -> Iterator[Row]:
    """At the largest size that the peer was run at; of himalaya the fastest route."""
    for name, (limit, rivals, text) in PEERS.items():
        ran = [row for row in pick(rows, method=name) if row.get("ratio")]
        n = max((row["n"] for row in ran), default=None)
        here = [row for row in pick(rows, n=n) if row["method"].startswith(rivals)]
        ratio = min((row["ratio"] for row in here if row.get("ratio")), default=None)
        yield at_least(f"n = {n}: {text}, in default fits", ratio, limit)


def pick(rows: list[Row] | None, **values: Any) -> list[Row]:
    some = rows or []
    return [r for r in some if all(r.get(key) == v for key, v in values.items())]


def first(rows: list[Row] | None, **values: Any) -> Row:
    return next(iter(pick(rows, **values)), {})


def noted(row: Row) -> Row:
    """What puts a ratio in doubt goes with it."""
    return {"note": row.get("note")}


def at_most(goal: str, value: float | None, limit: float, form: str = ".2f") -> Row:
    row: Row = {"goal": goal, "limit": f"≤ {limit:g}"}
    if value is None:
        return row | {"met": "not measured"}
    met = "met" if value <= limit else "NOT MET"
    return row | {"measured": format(value, form), "met": met}


def at_least(goal: str, value: float | None, limit: float) -> Row:
    row: Row = {"goal": goal, "limit": f"≥ {limit:g}"}
    if value is None:
        return row | {"met": "not measured"}
    met = "met" if value >= limit else "NOT MET"
    return row | {"measured": f"{value:.1f}", "met": met}
