"""Every block of code in the documentation runs, and prints what the page shows.

A page is read from top to bottom in a folder of its own. Python blocks share their
names; in console blocks a line that begins with "$ " is a command of kernelweave, and
what follows is all that it prints. "..." stands for any text; duality gaps, such as
1.2e-07, need not be the same.
"""

import contextlib
import doctest
import importlib
import io
import re
import shlex
from pathlib import Path

import pytest

from kernelweave.cli import main

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted(
    page
    for page in [*DOCS.glob("*.md"), *DOCS.glob("guide/*.md")]
    if re.search(r"^```(python|console)$", page.read_text("utf-8"), re.M)
)
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", re.M | re.S)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def same(wanted, got):
    """Whether the output is the wanted one, but for duality gaps."""
    wanted, got = (re.sub(r"\b\d\.[\d.]+e[+-]\d\d\b", "GAP", s) for s in (wanted, got))
    return doctest.OutputChecker().check_output(wanted, got, FLAGS)


def commands(block):
    """The commands of a console block, each with what it should print."""
    parts = re.split(r"^\$ ", block, flags=re.M)[1:]
    for part in parts:
        lines = part.split("\n")
        count = 1
        while lines[count - 1].endswith("\\"):
            count += 1
        command = " ".join(line.rstrip("\\").strip() for line in lines[:count])
        yield command, "\n".join(lines[count:])


def run(command):
    """What a command prints, on both streams."""
    program, *arguments = shlex.split(command)
    assert program == "kernelweave", f"not a command of kernelweave: {command}"
    screen = io.StringIO()
    with contextlib.redirect_stdout(screen), contextlib.redirect_stderr(screen):
        main(arguments)
    return screen.getvalue()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    names = {"__name__": "__main__"}
    for kind, block in BLOCK.findall(page.read_text("utf-8")):
        if kind == "console":
            for command, wanted in commands(block):
                got = run(command)
                # An error is one line, however long.
                screen = [s for s in got.splitlines() if s[:13] != "kernelweave: "]
                assert all(len(line) <= 80 for line in screen), command
                assert same(wanted, got), f"{command}\n{got}"
        elif ">>>" in block:
            test = doctest.DocTestParser().get_doctest(block, names, page.name, "", 0)
            runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
            screen = io.StringIO()
            runner.run(test, out=screen.write, clear_globs=False)
            assert runner.failures == 0, screen.getvalue()
            names = test.globs
        else:
            exec(compile(block, page.name, "exec"), names)


PARTS = ("evaluation", "grams", "kernels", "losses", "plots", "report", "streamed")


@pytest.mark.parametrize("part", ["", *PARTS, "solvers", "tables", "weights"])
def test_every_public_name_is_in_the_reference(part):
    reference = set((DOCS / "api.rst").read_text("utf-8").replace("`", " ").split())
    module = importlib.import_module(f"kernelweave.{part}".rstrip("."))
    prefix = f"{part}." if part else ""
    assert {prefix + name for name in module.__all__} <= reference


def test_flowchart_fits_a_phone():
    """360 units of text of 13 px and more, on a screen of 390 px without scrolling."""
    chart = (DOCS / "guide" / "choosing.svg").read_text("utf-8")
    assert float(re.search(r'viewBox="0 0 (\d+) ', chart)[1]) <= 360
    for x, width in re.findall(r'<rect x="(\d+)" .*?width="(\d+)"', chart):
        assert float(x) + float(width) <= 360
    # Monospaced letters of 13.5 px are 8.1 px wide, and bold ones of 15 px about 9.
    assert all(8.1 * len(t) <= 220 for t in re.findall(r'"code">([^<]+)<', chart))
    assert all(9 * len(t) <= 360 for t in re.findall(r'class="q">([^<]+)<', chart))
    style = (DOCS / "_static" / "kernelweave.css").read_text("utf-8")
    rules = re.findall(r"^\.kw-flow.*?\}", style, re.M | re.S)
    assert rules
    assert not any("min-width" in r or "overflow" in r for r in rules)
    for name in re.findall(r"api/kernelweave\.([\w.]+)\.html", chart):
        *parts, last = name.split(".")
        module = importlib.import_module(".".join(["kernelweave", *parts]))
        assert hasattr(module, last)
