"""Type checkers read a user's program as we do."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent / "typing" / "user_program.py"
SRC = Path(__file__).parents[1] / "src"


WRONG = PROGRAM.with_name("wrong_program.py")


def wrong_lines():
    lines = WRONG.read_text("utf-8").splitlines()
    return {i for i, line in enumerate(lines, 1) if line.endswith("# wrong")}


def run(*command, cwd):
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)


def test_the_program_runs():
    answer = run(sys.executable, str(PROGRAM), cwd=PROGRAM.parent)
    assert answer.returncode == 0, answer.stderr


def test_pyright(tmp_path):
    pyright = shutil.which("pyright", path=Path(sys.executable).parent)
    if pyright is None:
        pytest.skip("pyright is not installed: pip install -e '.[lint]'")
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"extraPaths": [str(SRC)]}))
    (tmp_path / "program.py").write_text(PROGRAM.read_text("utf-8"), "utf-8")
    answer = run(pyright, "--pythonpath", sys.executable, "program.py", cwd=tmp_path)
    assert answer.returncode == 0, answer.stdout
    (tmp_path / "program.py").write_text(WRONG.read_text("utf-8"), "utf-8")
    answer = run(pyright, "--pythonpath", sys.executable, "program.py", cwd=tmp_path)
    found = re.findall(r"program.py:(\d+):\d+ - error", answer.stdout)
    assert set(map(int, found)) == wrong_lines(), answer.stdout


def test_mypy(tmp_path):
    mypy = shutil.which("mypy", path=Path(sys.executable).parent)
    if mypy is None:
        pytest.skip("mypy is not installed: pip install -e '.[test]'")
    options = ["--follow-imports=silent", "--disable-error-code=import-untyped"]
    command = [mypy, *options, f"--cache-dir={tmp_path}"]
    answer = run(*command, str(PROGRAM), cwd=tmp_path)
    assert answer.returncode == 0, answer.stdout
    answer = run(*command, str(WRONG), cwd=tmp_path)
    found = re.findall(r"wrong_program.py:(\d+): error", answer.stdout)
    assert set(map(int, found)) == wrong_lines(), answer.stdout
