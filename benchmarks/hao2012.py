"""The experiments of Hao et al. (2012): prints their tables, or writes them.

    KERNELWEAVE_DATA=... python benchmarks/hao2012.py --write

puts every table into its place in docs/hao2012.md; --only names some of them, --repeats
sets the number of splits or repeats, and --quick runs a small version, to see that it
works. All of them take some 15 minutes on one core. The sets come from the folder
KERNELWEAVE_DATA; ringnorm and twonorm are drawn.
"""

import argparse
import re
import sys
from pathlib import Path

import numpy as np

from kernelweave.papers import hao2012
from kernelweave.papers.hao2012.protocol import TABLE1
from kernelweave.papers.hao2012.speed import FIGURE1
from kernelweave.papers.hao2012.tasks import PAIRS, UCI
from kernelweave.papers.hao2012.transduction import TABLE4
from kernelweave.papers.yan2012.protocol import summary

PAGE = Path(__file__).parent.parent / "docs" / "hao2012.md"
PRINTED = hao2012.printed()


def say(message: str) -> None:
    print(f"{message} ...", file=sys.stderr, flush=True)


def cell(mean: float, deviation: float, unit: float = 100) -> str:
    return f"{unit * mean:.2f} ± {unit * deviation:.2f}"


def means(rows: list, by: tuple, value: str = "accuracy") -> dict:
    return {
        tuple(row[key] for key in by): (row["mean"], row["deviation"])
        for row in summary(rows, by, value)
    }


def table1(quick: bool, repeats: int | None) -> str:
    names = ("heart", "thyroid") if quick else TABLE1
    rows = hao2012.trace_norms(names, repeats or (2 if quick else 40), progress=say)
    ours = means(rows, ("data", "method"))
    methods = list(dict.fromkeys(row["method"] for row in rows))
    lines = []
    for name in names:
        old = PRINTED["table1"][name]
        lines.append(
            [name, *(cell(*ours[name, method]) for method in methods)]
            + [cell(old[m][0], old[m][1], 1) for m in ("PrimalMKL", "PrimalMKL(T)")]
        )
    printed = ["printed: PrimalMKL", "PrimalMKL(T)"]
    return markdown(["data", *methods, *printed], lines)


def table2(quick: bool, repeats: int | None) -> str:
    names = UCI[:2] if quick else UCI
    rows = hao2012.six_sets(names, repeats or (2 if quick else 30), progress=say)
    accuracy, kernels = means(rows, ("data",)), means(rows, ("data",), "kernels")
    lines = []
    for name in names:
        own = f"{cell(*accuracy[name,])} ({kernels[name,][0]:.1f})"
        old = PRINTED["table2"][name]
        other = [f"{cell(v[0], v[1], 1)} ({v[2]:g})" for v in old.values()]
        lines.append([name, own, *other])
    methods = [f"printed: {m}" for m in PRINTED["table2"]["sonar"]]
    return markdown(["data", "ours", *methods], lines)


def table3(quick: bool, repeats: int | None) -> str:
    pairs = PAIRS[3:4] if quick else PAIRS
    rows = hao2012.digit_pairs(pairs, repeats or (1 if quick else 10), progress=say)
    by = ("pair", "graph", "method")
    plain, shares = means(rows, by), means(rows, by, "at_shares")
    lines = []
    for pair in dict.fromkeys(row["pair"] for row in rows):
        for graph in (None, "euclidean", "tangent"):
            for method in ("MKL", "LapMKL", "LapMKL, tied"):
                key = pair, graph, method
                if key in plain:
                    old = PRINTED["table3"][pair].get(graph, {})
                    old = cell(*old["LapMKL"], 1) if old else ""
                    line = [pair, method, graph or "", cell(*plain[key])]
                    lines.append([*line, cell(*shares[key]), old])
    header = ["pair", "method", "graph", "accuracy", "at equal shares"]
    return markdown([*header, "printed LapMKL"], lines)


def table4(quick: bool, repeats: int | None) -> str:
    names = ("sonar", "heart") if quick else TABLE4
    rows = hao2012.few_labels(names, repeats or (1 if quick else 10), progress=say)
    ours = means(rows, ("data", "method"))
    lines, wins = [], 0
    for name in names:
        gain = np.array([row["accuracy"] for row in rows if row["data"] == name])
        gain = 100 * (gain[1::2] - gain[::2])
        error = gain.std(ddof=1) / np.sqrt(len(gain)) if len(gain) > 1 else np.nan
        wins += gain.mean() >= 0
        old = PRINTED["table4"][name]
        lines.append(
            [name, cell(*ours[name, "MKL"]), cell(*ours[name, "LapMKL"])]
            + [f"{gain.mean():+.2f} ± {error:.2f}"]
            + [cell(value[0], value[1], 1) for value in old.values()]
        )
    methods = [f"printed: {m}" for m in PRINTED["table4"]["sonar"]]
    header = ["data", "MKL", "LapMKL", "difference", *methods]
    end = f"\n\nLapMKL is at least as good as MKL on {wins} of {len(lines)} sets."
    return markdown(header, lines) + end


def figure1(quick: bool, repeats: int | None) -> str:
    names = FIGURE1[:1] if quick else FIGURE1
    sizes = [(200, 11)] if quick else [(1000, 33)]
    rows = hao2012.directions(names, sizes, time_limit=15, progress=say)
    lines: dict[tuple, list] = {}
    for row in rows:
        text = f"{row['seconds']:.2f} s, {row['iterations']}"
        if row["products"] is not None:
            text += f", {row['products']}"
        text += f", {row['gap']:.0e}"
        lines.setdefault((row["data"], row["n"], row["kernels"]), []).append(text)
    methods = list(dict.fromkeys(row["method"] for row in rows))
    return markdown(
        ["data", "n", "kernels", *methods],
        [[*key, *line] for key, line in lines.items()],
    )


def machines(quick: bool, repeats: int | None) -> str:
    names = FIGURE1[:1] if quick else FIGURE1
    rows = hao2012.machines(names, 200 if quick else 1000, progress=say)
    lines: dict[tuple, list] = {}
    for row in rows:
        text = f"{row['products']}, {row['seconds']:.2f} s"
        lines.setdefault((row["data"], row["lam"]), []).append(text)
    methods = list(dict.fromkeys(row["method"] for row in rows))
    return markdown(
        ["data", "λ", *methods], [[*key, *line] for key, line in lines.items()]
    )


def figure2(quick: bool, repeats: int | None) -> str:
    rows = hao2012.evolution(UCI[:1] if quick else UCI)
    lines: dict[tuple, list] = {}
    for row in rows:
        key = row["data"], f"{row['width']:.3g}"
        lines.setdefault(key, []).append(f"{row['weight']:.2f}")
    return markdown(
        ["data", "width σ", "weight after each iteration"],
        [[*key, ", ".join(line)] for key, line in lines.items()],
    )


def figure3(quick: bool, repeats: int | None) -> str:
    counts = (1, 11, 33) if quick else (1, 3, 6, 11, 17, 22, 28, 33)
    n = 200 if quick else 1000
    runs = repeats or (1 if quick else 5)
    rows = hao2012.kernel_counts(counts=counts, n=n, runs=runs, progress=say)
    by = ("data", "solver", "kernels")
    seconds = means(rows, by, "seconds")
    lines = []
    for data, solver in dict.fromkeys(key[:2] for key in seconds):
        times = [seconds[data, solver, count][0] for count in counts]
        slope = np.polyfit(np.log(counts), np.log(times), 1)[0]
        lines.append([data, solver, *(f"{t:.2f}" for t in times), f"{slope:.2f}"])
    return markdown(["data", "solver", *counts, "exponent"], lines)


def markdown(header: list, rows: list) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


TABLES = {
    f.__name__: f
    for f in (machines, figure1, table1, table2, table3, table4, figure2, figure3)
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=TABLES, default=list(TABLES))
    parser.add_argument("--repeats", type=int, help="splits or repeats")
    parser.add_argument("--quick", action="store_true", help="a small version")
    parser.add_argument("--write", action="store_true", help="into docs/hao2012.md")
    options = parser.parse_args()
    for name in options.only:
        table = TABLES[name](options.quick, options.repeats)
        print(f"{name}\n\n{table}\n", flush=True)
        if options.write:
            page = PAGE.read_text(encoding="utf-8")
            place = rf"(<!-- {name} -->\n).*?(<!-- end -->)"
            page, found = re.subn(
                place, lambda m, t=table: f"{m[1]}\n{t}\n\n{m[2]}", page, flags=re.S
            )
            if not found:
                raise SystemExit(f"docs/hao2012.md has no place for {name}")
            PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
