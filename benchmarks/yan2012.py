"""The experiments of Yan et al. (2012): prints their tables, or writes them.

    KERNELWEAVE_DATA=... python benchmarks/yan2012.py --write

puts every table into its place in docs/yan2012.md; --only names some of them, and
--quick runs a small version, to see that it works. All of them take some 20 minutes
on one core. mfeat and flower17 come from the folder KERNELWEAVE_DATA.
"""

import argparse
import re
import sys
from pathlib import Path

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from kernelweave.papers import yan2012
from kernelweave.papers.comparison import read_toml
from kernelweave.papers.yan2012 import speed
from kernelweave.papers.yan2012.protocol import LAMBDAS, NORMS, summary
from kernelweave.papers.yan2012.tasks import distance_kernel

PAGE = Path(__file__).parent.parent / "docs" / "yan2012.md"


def say(message: str) -> None:
    print(f"{message} ...", file=sys.stderr, flush=True)


def simulation(quick: bool) -> str:
    """Figure 1 (c) at λ = 1, and what other λ would have shown."""
    sizes = [1, 5, 20] if quick else [1, *range(5, 51, 5)]
    repeats = 5 if quick else 100
    errors, effective = {}, {}
    for lam in (1 / 16, 1 / 4, 1.0, 4.0, 16.0):
        say(f"λ = {lam:g}")
        rows = yan2012.simulation(sizes, repeats, lam=lam, progress=say)
        for size, p in ((size, p) for size in sizes for p in (1, 2)):
            here = [r for r in rows if r["kernels"] == size and r["p"] == p]
            errors[size, p, lam] = np.array([r["error"] for r in here])
            effective[size, p, lam] = np.mean([r["effective"] for r in here])
    table = []
    for size in sizes:
        line = [size]
        line += ["{:.3f} ± {:.3f}".format(*moments(errors[size, p, 1])) for p in (1, 2)]
        line += [f"{effective[size, p, 1]:.1f}" for p in (1, 2)]
        pairs = [(lam, lam) for lam in (1.0, 1 / 4, 4.0)]
        # The λ of the smallest mean error, for each norm its own.
        lams = sorted({lam for _, _, lam in errors})
        pairs.append(
            tuple(min(lams, key=lambda m: errors[size, p, m].mean()) for p in (1, 2))
        )
        for one, two in pairs:
            gain = errors[size, 1, one] - errors[size, 2, two]
            mean, deviation = moments(gain)
            line.append(f"{mean:+.3f} ± {deviation / np.sqrt(repeats - 1):.3f}")
        line[-1] += " ({:g}, {:g})".format(*pairs[-1])
        table.append(line)
    header = ["kernels", "ℓ1 error", "ℓ2 error", "ℓ1 effective", "ℓ2 effective"]
    header += ["ℓ1 − ℓ2, λ = 1", "λ = 1/4", "λ = 4", "each at its best λ"]
    return markdown(header, table)


def moments(values: np.ndarray) -> tuple[float, float]:
    return float(values.mean()), float(values.std())


def mfeat(quick: bool) -> str:
    """Figure 2: 30 kernels, more and more of them informative."""
    informative = [1, 30] if quick else [0, 1, 2, 4, 8, 12, 16, 20, 25, 30]
    tasks = (
        yan2012.handwritten(np.random.default_rng(seed))
        for seed in range(1 if quick else 5)
    )
    rows = yan2012.mixtures(
        tasks,
        [(count, 30 - count) for count in informative],
        norms=(1.0, 1.25, 2.0, np.inf),
        lams=LAMBDAS[::4] if quick else LAMBDAS[::2],
        progress=say,
    )
    return mixture_table(rows)


def classes(quick: bool) -> str:
    """One informative kernel and 30 random ones, by the number of classes."""
    table = []
    repeats = 2 if quick else 40
    for k in (2, 3, 4, 6, 8):
        say(f"{k} classes")
        rows = yan2012.mixtures(
            (clusters(k, seed) for seed in range(repeats)),
            [(1, 30)],
            lams=LAMBDAS[::4] if quick else LAMBDAS,
        )
        one, two = (
            np.array([row["accuracy"] for row in rows if row["p"] == p]) for p in (1, 2)
        )
        error = (one - two).std(ddof=1) / np.sqrt(repeats)
        gain = f"{(one - two).mean():+.3f} ± {error:.3f}"
        table.append([k, f"{one.mean():.3f}", f"{two.mean():.3f}", gain])
    return markdown(["classes", "p = 1", "p = 2", "difference"], table)


def clusters(k: int, seed: int) -> yan2012.Task:
    """k classes: normal clusters about normal centres of deviation 1.5, in 3-D."""
    rng = np.random.default_rng(seed)
    y = np.arange(360) % k
    X = (1.5 * rng.normal(size=(k, 3)))[y] + rng.normal(size=(360, 3))
    K = distance_kernel(euclidean_distances(X, squared=True))[None]
    train, validation, test = np.split(np.arange(360), [60, 120])
    return yan2012.Task(K, y, train, validation, test, ("all",))


def flower_noise(quick: bool) -> str:
    """Figures 2 and 6 on Flower17: ten kernels, then seven and more random ones."""
    counts = [(count, 10 - count) for count in ([1, 7] if quick else (1, 2, 4, 7))]
    counts += [(7, count) for count in ([0] if quick else (0, 10, 20))]
    rows = yan2012.mixtures(
        (yan2012.flowers(split, per_class=15) for split in range(1 if quick else 3)),
        counts,
        norms=(1.0, 1.25, 2.0, np.inf),
        lams=LAMBDAS[::4] if quick else LAMBDAS[::2],
        progress=say,
    )
    return mixture_table(rows)


def mixture_table(rows: list) -> str:
    """Accuracies, a line for each mixture and a column for each norm."""
    means = summary(rows, ("informative", "random", "p"), "accuracy")
    share = summary(rows, ("informative", "random", "p"), "informative_share")
    norms = list(dict.fromkeys(row["p"] for row in means))
    lines: dict[tuple, list] = {}
    for row, part in zip(means, share, strict=True):
        line = lines.setdefault((row["informative"], row["random"]), [])
        line.append(f"{row['mean']:.3f}")
        if row["p"] in (1, 2):
            line[-1] += f" ({part['mean']:.2f})"
    header = ["informative", "random", *(norm(p) for p in norms)]
    return markdown(header, [[*key, *line] for key, line in lines.items()])


def flower17(quick: bool) -> str:
    """Table 2."""
    rows = yan2012.flower_methods(
        [yan2012.flowers(0, per_class=5)] if quick else None,
        norms=(1.0, 2.0, np.inf) if quick else NORMS,
        lams=LAMBDAS[::4] if quick else LAMBDAS,
        progress=say,
    )
    cells = read_toml("yan2012", "printed.toml")["table2"]["cells"]
    printed = {
        method: (columns["accuracy"]["mean"], columns["accuracy"]["sd"])
        for method, columns in cells.items()
    }
    table = []
    for row in summary(rows, ("method",), "accuracy"):
        method = row["method"]
        here = [r for r in rows if r["method"] == method]
        chosen = ", ".join(norm(r["p"]) for r in here) if method == "ℓp" else ""
        table.append(
            [
                method,
                f"{100 * row['mean']:.1f} ± {100 * row['deviation']:.1f}",
                f"{np.mean([r['effective'] for r in here]):.1f}",
                chosen,
                "{:.1f} ± {:.1f}".format(*printed[method]) if method in printed else "",
            ]
        )
    return markdown(["method", "accuracy", "effective", "chosen", "printed"], table)


def times(quick: bool) -> str:
    """Figures 7 and 8: two classes (simulation), then ten (mfeat)."""
    rng = np.random.default_rng(0)
    sizes = [(50, 3)] if quick else [(400, p) for p in (3, 6, 12, 24, 48, 96)]
    sizes += [] if quick else [(n, 14) for n in (75, 150, 300, 600, 1200)]
    tasks = (yan2012.simulated(p, rng, n, 2) for n, p in sizes)
    table = time_lines("2", speed.training_time(tasks, repeats=1, progress=say))
    tasks = (
        yan2012.handwritten(rng, n, 10, 10, (0.5, 1.0))
        for n in ([50] if quick else [100, 200, 400, 800, 1600])
    )
    table += time_lines("10", speed.training_time(tasks, repeats=1, progress=say))
    names = list(speed.SOLVERS)
    header = ["classes", "n", "kernels", "norm", f"{names[0]}, s"]
    return markdown([*header, *(f"{name}, × Newton" for name in names[1:])], table)


def time_lines(classes: str, rows: list) -> list:
    lines: dict[tuple, list] = {}
    for row in rows:
        line = lines.setdefault((row["n"], row["kernels"], norm(row["p"])), [])
        time = row["seconds"] if not line else row["seconds"] / line[0][0]
        text = f"{time:.0f}" if time >= 10 else f"{time:.2g}"
        text = f"{text} ({row['iterations']})"
        if row["gap"] > 1e-4:
            text += f", gap {row['gap']:.0e}"
        line.append((row["seconds"], text))
    return [[classes, *key, *(text for _, text in v)] for key, v in lines.items()]


def curves(quick: bool) -> str:
    """Figure 9: seconds and accuracy for every tolerance."""
    rng = np.random.default_rng(0)
    task = yan2012.handwritten(rng, 50 if quick else 500, 10)
    rows = yan2012.time_accuracy(task, progress=say)
    lines: dict[tuple, list] = {}
    for row in rows:
        cell = f"{row['seconds']:.2f} s, {row['accuracy']:.3f}"
        lines.setdefault((norm(row["p"]), f"{row['tol']:.2g}"), []).append(cell)
    header = ["norm", "tolerance", *speed.SOLVERS]
    return markdown(header, [[*key, *line] for key, line in lines.items()])


def norm(p: float) -> str:
    if p == np.inf:
        return "p = ∞"
    step = p - 1
    return f"p = 1 + 2^{np.log2(step):.0f}" if 0 < step < 1 else f"p = {p:g}"


def markdown(header: list, rows: list) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


TABLES = {
    f.__name__: f
    for f in (simulation, mfeat, flower_noise, classes, flower17, times, curves)
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=TABLES, default=list(TABLES))
    parser.add_argument("--quick", action="store_true", help="a small version")
    parser.add_argument("--write", action="store_true", help="into docs/yan2012.md")
    options = parser.parse_args()
    for name in options.only:
        table = TABLES[name](options.quick)
        print(f"{name}\n\n{table}\n", flush=True)
        if options.write:
            page = PAGE.read_text(encoding="utf-8")
            place = rf"(<!-- {name} -->\n).*?(<!-- end -->)"
            page, found = re.subn(
                place, lambda m, t=table: f"{m[1]}\n{t}\n\n{m[2]}", page, flags=re.S
            )
            if not found:
                raise SystemExit(f"docs/yan2012.md has no place for {name}")
            PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
