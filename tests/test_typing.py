"""Type checkers read a user's program as we do."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent / "typing" / "user_program.py"
SRC = Path(__file__).parents[1] / "src"


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


def test_mypy(tmp_path):
    mypy = shutil.which("mypy", path=Path(sys.executable).parent)
    if mypy is None:
        pytest.skip("mypy is not installed: pip install -e '.[lint]'")
    answer = run(
        mypy,
        "--follow-imports=silent",
        "--disable-error-code=import-untyped",
        f"--cache-dir={tmp_path}",
        str(PROGRAM),
        cwd=tmp_path,
    )
    assert answer.returncode == 0, answer.stdout
