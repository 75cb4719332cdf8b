"""The pictures of the front and start pages, docs/_static, by the code of start.md.

    make pictures

The report is a page in a browser: a `chromium` on the path takes its picture.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import tempfile
from pathlib import Path

import matplotlib
from PIL import Image

from kernelweave.evaluation import evaluate
from kernelweave.importance import view_importance
from kernelweave.plots import ImportanceDisplay, PerSampleDisplay
from kernelweave.report import write_report

DOCS = Path(__file__).resolve().parent
STATIC = DOCS / "_static"

# Pixels of the report that are shown: its beginning.
WIDTH, HEIGHT = 920, 2000


def learned() -> dict[str, object]:
    """The names that the Python blocks of the page leave behind."""
    names: dict[str, object] = {}
    page = (DOCS / "start.md").read_text("utf-8")
    for block in re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S):
        if ">>>" not in block:
            exec(block, names)
            continue
        for example in doctest.DocTestParser().get_examples(block):
            exec(example.source, names)
    return names


def draw(display: object, name: str) -> None:
    """A display of kernelweave as a file."""
    figure = display.ax_.figure  # type: ignore[attr-defined]
    figure.savefig(STATIC / name, dpi=150, bbox_inches="tight")


def main() -> None:
    matplotlib.use("agg")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        names = learned()
        fitted = names["model"], names["views"], names["y"]
        importance = view_importance(*fitted)
        draw(ImportanceDisplay(importance).plot(), "importance.png")
        draw(PerSampleDisplay.from_estimator(*fitted).plot(), "per_sample.png")
        told = {"evaluation": evaluate(*fitted), "title": "Three growers of wine"}
        page = write_report(*fitted, "wine.html", importance=importance, **told)
        command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu"]
        command += ["--hide-scrollbars", f"--user-data-dir={folder}/profile"]
        command += [f"--window-size={WIDTH},{HEIGHT}"]
        picture = f"--screenshot={STATIC / 'report.png'}"
        subprocess.run([*command, picture, page.resolve().as_uri()], check=True)
        with Image.open(STATIC / "report.png") as whole:
            few_colours = whole.convert("RGB").quantize(64)
        few_colours.save(STATIC / "report.png", optimize=True)
        os.chdir(DOCS)


if __name__ == "__main__":
    main()
