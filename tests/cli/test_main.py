"""The other commands, and the help."""

import contextlib
import json
import os
import subprocess
import sys

import pytest

from kernelweave import METHODS, __version__
from kernelweave.cli import main


@pytest.mark.parametrize("command", ["fit", "predict", "evaluate", "report"])
def test_help_has_examples_in_80_columns(run, command):
    code, out, _ = run(command, "--help")
    assert code == 0
    assert "example" in out
    assert f"kernelweave {command} " in out


def test_help(run):
    code, out, _ = run("--help")
    assert code == 0
    for command in ("fit", "predict", "evaluate", "report", "methods", "demo"):
        assert command in out
    assert "Exit code: 0" in out
    assert run("--version")[1].strip() == __version__


@pytest.mark.parametrize("module", ["kernelweave", "kernelweave.cli"])
def test_as_a_module(module):
    command = [sys.executable, "-m", module]
    done = subprocess.run([*command, "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, __version__)
    # The exit code comes through.
    assert subprocess.run([*command, "fit"], capture_output=True).returncode == 2


def test_methods(run):
    code, out, _ = run("methods")
    assert code == 0
    assert all(name in out for name in METHODS)
    rows = json.loads(run("methods", "--json")[1])
    assert [row["name"] for row in rows] == list(METHODS)


def test_a_reader_that_has_seen_enough(capsys):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as pipe, contextlib.redirect_stdout(pipe):
        assert main(["methods"]) == 0
    assert capsys.readouterr().err == ""


def test_demo(run, tmp_path):
    code, out, err = run("demo", "--plot", tmp_path / "weights.png")
    assert code == 0
    assert "learned weights" in out
    assert (tmp_path / "weights.png").read_bytes().startswith(b"\x89PNG")
    code, _, err = run("demo", "--plot", tmp_path / "none" / "weights.png")
    assert code == 2
    assert "there is no folder" in err
