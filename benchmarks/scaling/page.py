"""docs/scale-measured.md from the results."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from performance.common import Columns, Part, Row, markdown
from scaling import command, components
from scaling import rows as million

MODULES = {"rows": million, "components": components, "csv": command}
PARTS = {
    name: Part(module.rows, module.TABLE, module.TITLE, module.TEXT)
    for name, module in MODULES.items()
}
GOALS: Columns = [
    ("goal", "wanted", ""),
    ("limit", "limit", ""),
    ("measured", "measured", ""),
    ("met", "", ""),
]
# Okabe and Ito (2008), told apart by every kind of eye.
STYLES = {"uniform": ("#0072B2", "o"), "kmeans": ("#E69F00", "s")}
STYLES["leverage"] = ("#009E73", "^")

HEAD = """# Measured at scale

What is [said of very many rows](scale.md), measured. This page is made by

    python benchmarks/scale.py

and each table by the command above it. Ratios are of times in one run.
"""


def write_page(page: Path, results: dict[str, Any]) -> None:
    """The page, and its picture in a folder of its name."""
    page.parent.mkdir(parents=True, exist_ok=True)
    texts = [HEAD]
    if any(result["quick"] for result in results.values()):
        texts.append(
            "**A quick run, with fewer rows and components than the texts say: it "
            "shows that the commands work, and no more.**\n"
        )
    else:
        texts += ["## What was wanted\n", markdown(list(goals(results)), GOALS) + "\n"]
    for name, result in results.items():
        part = PARTS[name]
        texts += [f"## {part.title}\n", part.text + "\n"]
        texts.append(f"    python benchmarks/scale.py --only {name}\n")
        texts.append(markdown(result["rows"], part.columns) + "\n")
        if not result["finished"]:
            texts.append(f"Not finished: {result.get('missing', 'interrupted')}.\n")
        if name == "components" and result["rows"]:
            draw(result["rows"], page.with_suffix("") / "components.png")
            texts.append(f"![{part.title}]({page.stem}/components.png)\n")
    texts += ["## The machine\n", *_machine(results)]
    page.write_text("\n".join(texts))


def goals(results: dict[str, Any]) -> Iterator[Row]:
    found = {name: result["rows"] for name, result in results.items()}
    one = next((r for r in found.get("rows", []) if r["n"] == 1_000_000), {})
    text = "1,000,000 rows, ten kernels of 200: "
    yield _at_most(text + "plain passes", one.get("ratio"), 3)
    yield _at_most(text + "MB above the table", one.get("memory"), 2000, ".0f")
    yield _at_most(text + "gap", one.get("gap"), 1e-6, ".0e")
    yield _at_most(text + "norm × λ grid / passes", one.get("grid_ratio"), 1)
    default = one.get("default_ratio")
    yield _at_most(text + "default grid, 120 points / passes", default, 1)
    for name in ("letter", "usps"):
        less = [
            row["less"]
            for row in found.get("components", [])
            if row["data"] == name
            and row["sampling"] == "uniform"
            and abs(row["share"] - 0.1) < 0.001
        ]
        text = f"{name}, 10 % of the rows as landmarks: points less than exact"
        yield _at_most(text, less[0] if less else None, 0.5)
    runs = found.get("csv", [])
    whole = sum(r["seconds"] for r in runs) if len(runs) == 2 else None
    yield _at_most("letter, CSV to accuracy: seconds", whole, 180, ".0f")
    most = max((r["memory"] for r in runs), default=None)
    yield _at_most("letter, CSV to accuracy: MB", most, 3000, ".0f")


def _at_most(goal: str, value: float | None, limit: float, form: str = ".2f") -> Row:
    row: Row = {"goal": goal, "limit": f"≤ {limit:g}"}
    if value is None:
        return row | {"met": "not measured"}
    met = "met" if value <= limit else "NOT MET"
    return row | {"measured": format(value, form), "met": met}


def draw(rows: list[Row], file: Path) -> None:
    """Accuracy over components, a panel a set; the exact kernels as a line."""
    names = list(dict.fromkeys(row["data"] for row in rows))
    figure = Figure(figsize=(4.6 * len(names), 3.8), layout="constrained")
    panels = figure.subplots(1, len(names), squeeze=False)
    for axes, name in zip(panels[0], names, strict=True):
        some = [row for row in rows if row["data"] == name]
        exact = next(row["accuracy"] for row in some if row["sampling"] == "exact")
        axes.axhspan(exact - 0.5, exact, color="#dddddd", label="within 0.5 points")
        axes.axhline(exact, color="black", label="exact kernels")
        for sampling, (colour, marker) in STYLES.items():
            line = [row for row in some if row["sampling"] == sampling]
            axes.semilogx(
                [row["components"] for row in line],
                [row["accuracy"] for row in line],
                color=colour,
                marker=marker,
                label=sampling,
            )
        ticks = sorted({r["components"] for r in some if r["sampling"] in STYLES})
        axes.set_xticks(ticks, [f"{tick:d}" for tick in ticks])
        axes.minorticks_off()
        axes.set(xlabel="components of each kernel", ylabel="accuracy on new rows, %")
        axes.set_title(f"{name}, {some[0]['n']:,} rows")
        axes.grid(alpha=0.3)
    panels[0][0].legend(fontsize="small")
    file.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(file, dpi=150)


def _machine(results: dict[str, Any]) -> Iterator[str]:
    facts: dict[str, str] = {}
    for result in results.values():
        facts |= result["machine"]
    yield "| | |\n|---|---|"
    yield "\n".join(f"| {key} | {value} |" for key, value in facts.items())
    yield "\n| part | run at | commit | load before | seconds |\n|---|---|---|---|---|"
    for name, result in results.items():
        now, took = result["state"], result.get("seconds", "-")
        yield f"| {name} | {now['time']} | {now['commit']} | {now['load']} | {took} |"
    yield ""
