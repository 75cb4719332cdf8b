"""The experiments of Yang et al. (2011): prints their tables, or writes them.

    KERNELWEAVE_DATA=... python benchmarks/yang2011.py --write

puts every table into its place in docs/yang2011.md; --only names some of them,
--splits says how many runs, and --quick makes a small version, to see that it works.
The data sets come from the folder KERNELWEAVE_DATA; one that is not there is reported,
and left out.
"""

import argparse
import re
import sys
from pathlib import Path

import numpy as np

from kernelweave.papers import yang2011
from kernelweave.papers.yang2011 import readings
from kernelweave.papers.yang2011.protocol import (
    METHODS,
    PENALTIES,
    SETS,
    TOYS,
    VALUES,
)
from kernelweave.papers.yang2011.tasks import tasks

PAGE = Path(__file__).parent.parent / "docs" / "yang2011.md"


def say(message: str) -> None:
    print(f"{message} ...", file=sys.stderr, flush=True)


def here(names: tuple[str, ...]) -> list[str]:
    """Those of the sets that can be loaded; the others are reported."""
    found = []
    for name in names:
        try:
            next(tasks(name, 1))
            found.append(name)
        except FileNotFoundError as error:
            say(f"left out: {error}")
    return found


def toys(quick: bool, splits: int) -> str:
    """Table IV."""
    grid = PENALTIES[::4] if quick else PENALTIES
    return compared(yang2011.compare(TOYS, splits, penalties=grid, progress=say))


def uci(quick: bool, splits: int) -> str:
    """Table V."""
    grid = PENALTIES[::4] if quick else PENALTIES
    names = here(("liver", "heart") if quick else SETS)
    return compared(yang2011.compare(names, splits, penalties=grid, progress=say))


def compared(rows: list) -> str:
    """Ours and the printed figures, a line for each data set and method."""
    by = {
        (row["data"], row["method"], row["quantity"]): row
        for row in yang2011.beside(rows)
    }
    lines = []
    for data, method in dict.fromkeys((row["data"], row["method"]) for row in rows):
        C = select(rows, data=data, method=method)[0]["C"]
        line = [data, method, f"{C:.3g}"]
        for quantity in ("accuracy", "kernels", "seconds"):
            row = by[data, method, quantity]
            digits = 2 if quantity == "seconds" else 1
            line.append(f"{row['mean']:.{digits}f} ± {row['deviation']:.{digits}f}")
            known = row["printed"] is not None
            line.append(
                f"{row['printed']:g} ± {row['printed_deviation']:g}" if known else ""
            )
            if quantity == "accuracy":
                line.append("" if row["errors"] is None else f"{row['errors']:+.1f}")
        lines.append(line)
    header = ["data", "method", "C", "accuracy", "printed", "distance"]
    header += ["kernels", "printed", "seconds", "printed"]
    return markdown(header, lines)


def toy_seeds(quick: bool, splits: int) -> str:
    """Table IV again and again: which method is ahead, by other draws."""
    seeds = range(2 if quick else 10)
    grid = PENALTIES[::4] if quick else PENALTIES
    lines = []
    for name in TOYS:
        gains: dict[str, list] = {method: [] for method in METHODS}
        for seed in seeds:
            say(f"{name}, seed {seed}")
            rows = yang2011.compare([name], splits, penalties=grid, seed=seed)
            mean, C = {}, {}
            for method in METHODS:
                own = select(rows, method=method)
                mean[method], C[method] = means(own)[0], own[0]["C"]
                gains[method].append(mean[method])
            cells = [f"{mean[m]:.1f} ({C[m]:.3g})" for m in METHODS]
            lines.append([name, seed, *cells])
        averages = [f"{np.mean(gains[m]):.1f}" for m in METHODS]
        lines.append([name, "mean", *averages])
        # A table is one observation: its C is shared by its runs.
        for method in list(METHODS)[1:]:
            gain = np.array(gains["GMKL"]) - np.array(gains[method])
            error = gain.std(ddof=1) / np.sqrt(len(gain))
            lines.append(
                [name, f"GMKL − {method}", f"{gain.mean():+.2f} ± {error:.2f}"]
                + [""] * 3
            )
    return markdown(["data", "seed", *METHODS], lines)


def weights(quick: bool, splits: int) -> str:
    """Figure 1: what share of the weights the kernels of each kind get."""
    grid = PENALTIES[::4] if quick else PENALTIES
    rows = yang2011.average_weights(TOYS, splits=splits, penalties=grid)
    lines = []
    for name in TOYS:
        relevant = 3 if name == "toy 1" else 12
        for v in (1.0, 0.5, 0.0):
            own = select(rows, data=name, v=v)
            total = sum(row["weight"] for row in own)
            groups = dict.fromkeys(KINDS, 0.0)
            for row in own:
                groups[kind(row["name"], relevant)] += row["weight"] / total
            chosen = sum(row["share"] for row in own)
            shares = [f"{groups[group]:.2f}" for group in KINDS]
            lines.append([name, f"{v:g}", f"{chosen:.1f}", *shares])
    return markdown(["data", "v", "kernels", *KINDS], lines)


KINDS = tuple(
    f"{features}, {family}"
    for features in ("all", "relevant", "irrelevant")
    for family in ("Gaussian", "polynomial")
)


def kind(name: str, relevant: int) -> str:
    feature = name.split()[0]
    family = "polynomial" if "degree" in name else "Gaussian"
    if feature == "all":
        return f"all, {family}"
    of = "relevant" if int(feature[1:]) <= relevant else "irrelevant"
    return f"{of}, {family}"


def sweep(quick: bool, splits: int) -> str:
    """Figure 2: C chosen for every v, and C = 100 for all of them."""
    values = VALUES[::5] if quick else VALUES
    grids = {"chosen": PENALTIES[::4] if quick else PENALTIES, "= 100": (100.0,)}
    lines: dict[float, list] = {v: [] for v in values}
    header = ["v"]
    for label, grid in grids.items():
        rows = yang2011.sweep(TOYS, values, splits, grid, progress=say)
        for name in TOYS:
            header += [f"{name}, C {label}: accuracy", "kernels"]
            for v in values:
                own = select(rows, data=name, v=v)
                accuracy, kernels = means(own)
                note = f" (C = {own[0]['C']:.3g})" if label == "chosen" else ""
                lines[v] += [f"{accuracy:.1f}{note}", f"{kernels:.1f}"]
    return markdown(header, [[f"{v:g}", *line] for v, line in lines.items()])


def uci_sweep(quick: bool, splits: int) -> str:
    """Accuracy and number of kernels against v on the sets of Table V."""
    values = (0.0, 0.25, 0.5, 0.75, 1.0)
    names = here(("liver",) if quick else SETS)
    grid = PENALTIES[::4] if quick else PENALTIES
    rows = yang2011.sweep(names, values, splits, grid, progress=say)
    lines = [
        [name, *(cell(select(rows, data=name, v=v)) for v in values)] for name in names
    ]
    return markdown(["data", *(f"v = {v:g}" for v in values)], lines)


def penalties(quick: bool, splits: int) -> str:
    """Accuracy on the test rows for every C: what the choice of C can do."""
    grid = PENALTIES[::4] if quick else PENALTIES[1:-1]
    names = here(("liver",) if quick else (*TOYS, *SETS))
    rows = readings.by_penalty(names, splits, grid, progress=say)
    known = yang2011.printed()
    lines = []
    for name in names:
        for method in METHODS:
            line = [name, method]
            for C in grid:
                line.append(cell(select(rows, data=name, method=method, C=C)))
            accuracy, kernels = (known[name][method][q][0] for q in QUANTITIES)
            lines.append([*line, f"{accuracy:.1f} ({kernels:.0f})"])
    return markdown(["data", "method", *(f"{C:.3g}" for C in grid), "printed"], lines)


def stopping(quick: bool, splits: int) -> str:
    """The paper's solvers with its stopping rules, at C = 100."""
    names = here(("liver",) if quick else (*TOYS, *SETS))
    rows = readings.by_stopping_rule(names, splits, progress=say)
    lines = []
    for name in names:
        for method in ("GMKL", "ℓ1"):
            line = [name, method]
            for rule in readings.RULES:
                own = select(rows, data=name, method=method, rule=rule)
                accuracy, kernels = means(own)
                line.append(f"{kernels:.1f} ({accuracy:.1f})")
                if rule == "paper's":
                    line.append(f"{np.mean([row['gap'] for row in own]):.1e}")
            count = yang2011.printed()[name][method]["kernels"][0]
            lines.append([*line, f"{count:g}"])
    header = ["data", "method", "gap 1e-3", "gap 1e-6", "paper's rule", "its gap"]
    return markdown([*header, "printed"], lines)


def variants(quick: bool, splits: int) -> str:
    """Other readings of what is not printed, each with C chosen anew."""
    grid = PENALTIES[::4] if quick else PENALTIES
    names = here(TOYS[:1] if quick else (*TOYS, "breast", "sonar", "wdbc", "wpbc"))
    rows = readings.by_reading(names, splits, grid, progress=say)
    lines = []
    for name, reading in dict.fromkeys((r["data"], r["reading"]) for r in rows):
        own = select(rows, data=name, reading=reading)
        lines.append([name, reading, *(cell(select(own, method=m)) for m in METHODS)])
    return markdown(["data", "reading", *METHODS], lines)


QUANTITIES = ("accuracy", "kernels")


def select(rows: list, **values: object) -> list:
    return [row for row in rows if all(row[k] == v for k, v in values.items())]


def means(rows: list) -> tuple[float, float]:
    """Accuracy in percent and number of kernels."""
    accuracy, kernels = (float(np.mean([r[q] for r in rows])) for q in QUANTITIES)
    return 100 * accuracy, kernels


def cell(rows: list) -> str:
    return "{:.1f} ({:.0f})".format(*means(rows))


def markdown(header: list, rows: list) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


TABLES = {
    f.__name__: f
    for f in (
        toys,
        toy_seeds,
        weights,
        sweep,
        uci,
        uci_sweep,
        penalties,
        stopping,
        variants,
    )
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=TABLES, default=list(TABLES))
    parser.add_argument("--splits", type=int, help="runs, 20 unless --quick")
    parser.add_argument("--quick", action="store_true", help="a small version")
    parser.add_argument("--write", action="store_true", help="into docs/yang2011.md")
    options = parser.parse_args()
    splits = options.splits or (3 if options.quick else 20)
    for name in options.only:
        text = TABLES[name](options.quick, splits)
        print(f"{name}\n\n{text}\n", flush=True)
        if options.write:
            page = PAGE.read_text(encoding="utf-8")
            place = rf"(<!-- {name} -->\n).*?(<!-- end -->)"
            page, found = re.subn(
                place, lambda m, t=text: f"{m[1]}\n{t}\n\n{m[2]}", page, flags=re.S
            )
            if not found:
                raise SystemExit(f"docs/yang2011.md has no place for {name}")
            PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
