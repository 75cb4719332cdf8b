"""docs/performance.md from the results."""

from pathlib import Path
from typing import Any

from common import markdown
from goals import COLUMNS as GOALS
from goals import goals
from parts import PARTS
from pictures import draw, fitted

HEAD = """# Speed and memory

This page is made by

    python benchmarks/performance/run.py

and each table by the command above it. Times are medians of three, unless said
otherwise. A **floor** is what one kernel cannot do without: one product XXᵀ for the
distances, p n² exponentials (numpy's, which have one thread), and one factorisation of
an n × n matrix in place (LAPACK's dpotrf, with as many threads as BLAS takes). It is
timed before and after every fit, and the ratio is that of the medians. **gap** is the
relative duality gap, proved by the problem's own bounds. **n² doubles** is the peak of
memory beyond the data, by tracemalloc, in a run of its own; Gram matrices that are
small enough to be stored are in it.
"""

# By profiles of single fits; to be looked at again with the rows that they explain.
BOUNDS = """What bounds the rows that are not met:

- *n = 4000, ten kernels.* The solve takes two thirds, of which one dpotrf is a third
  and products with the kernels are another. The thresholds take the rest: K(θ) once
  more, and its factor in single precision, which gives half of the left-out values.
- *hinge, n = 4000.* More than half of the rows are support vectors, so no step can
  leave many of them out. Of the time a tenth goes to the statistics of the kernels, a
  fifth to the start from fewer rows, a third to the one exact inner solve (K(θ), pair
  steps, one factor), a fifth to the rough one, a tenth to small problems and the bound.
- *hinge, 793 kernels.* Of 21 steps on the simplex each computes s(A) of all kernels,
  which takes 4 ms, as long as four fits of a machine of 104 rows: a third of the time.
  The quadratic program of a step takes a sixth, products with the active kernels and
  K(θ) another.
"""


def write_page(page: Path, results: dict[str, Any]) -> None:
    """The page, and its pictures in a folder of its name."""
    drawn = draw(results, page.with_suffix(""))
    page.parent.mkdir(parents=True, exist_ok=True)
    texts = [HEAD]
    if any(result["quick"] for result in results.values()):
        texts.append("**A quick run: small sizes, which say little.**\n")
    wanted = list(goals(results))
    if wanted:
        texts += ["## What was wanted\n", markdown(wanted, GOALS) + "\n", BOUNDS]
    for name, result in results.items():
        texts += section(name, result, drawn.get(name, []), page.stem)
    texts += ["## The machine\n", computer(results)]
    gpu = page.with_name("performance_gpu.md")
    if gpu.exists():
        texts.append("#" + gpu.read_text(encoding="utf-8"))
    page.write_text("\n".join(texts))


def section(name: str, result: Any, pictures: list[str], folder: str) -> list[str]:
    part = PARTS[name]
    command = f"    python benchmarks/performance/run.py --only {name}\n"
    texts = [f"## {part.title}\n", part.text + "\n", command]
    texts += [markdown(result["rows"], part.columns) + "\n"]
    if not result["finished"]:
        texts.append(f"Not finished: {result.get('missing', 'interrupted')}.\n")
    texts += growth(name, result["rows"])
    texts += [f"![{part.title}]({folder}/{file})\n" for file in pictures]
    return texts


def growth(name: str, rows: list[Any]) -> list[str]:
    """The fitted exponents, in words."""
    if name == "floors":
        power = fitted(rows, "n", "seconds", 1000)
        alone = fitted(rows, "n", "solve", 1000)
        if power is None or alone is None:
            return []
        text = f"From n = 1000 on, fit grows like n^{power:.2f}, solve like "
        return [text + f"n^{alone:.2f}.\n"]
    if name == "kernels":
        texts = []
        for n in dict.fromkeys(row["n"] for row in rows):
            power = fitted([row for row in rows if row["n"] == n], "p", "seconds")
            if power is not None:
                texts.append(f"At n = {n}, fit grows like p^{power:.2f}.\n")
        return texts
    return []


def computer(results: dict[str, Any]) -> str:
    """The machine, and when each part was run."""
    lines = ["| | |", "|---|---|"]
    facts: dict[str, str] = {}
    for result in results.values():
        facts |= result["machine"]
    lines += [f"| {key} | {value} |" for key, value in facts.items()]
    lines += ["", "| part | run at | commit | load before | seconds |"]
    lines.append("|---|---|---|---|---|")
    for name, result in results.items():
        now = result["state"]
        took = result.get("seconds", "-")
        lines.append(
            f"| {name} | {now['time']} | {now['commit']} | {now['load']} | {took} |"
        )
    return "\n".join(lines) + "\n"
