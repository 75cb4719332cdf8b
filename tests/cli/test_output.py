"""Files that commands write: never lost, and never over those that they read."""

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from kernelweave import persist
from kernelweave.streamed.checkpoint import Checkpoint
from two_tables import BOTH

FIT = ("fit", *BOTH, "--norm", "1")
STREAMED = ("fit", "rows.csv", "--target", "kind", "--components", "9", "--norm", "1")


def shell(arguments, redirected):
    program = [sys.executable, "-m", "kernelweave.cli", *arguments]
    command = f"set -o pipefail; {' '.join(map(shlex.quote, program))} {redirected}"
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True)


@pytest.fixture
def rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X = np.random.default_rng(0).normal(size=(300, 2))
    kind = np.where(X[:, 0] > 0, "a", "b")
    pd.DataFrame(X, columns=["x", "y"]).assign(kind=kind).to_csv("rows.csv")
    return tmp_path


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize(
    ("redirected", "code"),
    [("| true", 0), ("2>&1 | true", 0), ("> /dev/full", 2), ("2> /dev/full", 0)],
)
def test_the_model_is_kept_whoever_reads_the_answer(folder, redirected, code):
    done = shell([*FIT, "-o", "m.skops"], redirected)
    assert done.returncode == code, done.stderr
    assert persist.metadata("m.skops")["target"] == "label"


def test_the_picture_of_the_demo_is_written_before_the_answer(folder):
    done = shell(["demo", "--plot", "weights.png"], "| true")
    assert done.returncode == 0, done.stderr
    assert Path("weights.png").stat().st_size > 0


def test_the_checkpoint_stays_until_the_model_is_written(rows, run, monkeypatch):
    def full(*_, **__):
        assert Path("c").exists()
        raise OSError(28, "No space left on device", "m.skops")

    with monkeypatch.context() as patch:
        patch.setattr("kernelweave.persist.save", full)
        code, out, err = run(*STREAMED, "--checkpoint", "c", "-o", "m.skops")
    assert (code, out) == (2, "")
    assert "m.skops: No space left on device" in err
    code, _, err = run(*STREAMED, "--checkpoint", "c", "-o", "m.skops")
    assert code == 0
    assert "going on from c: pass 3" in err
    assert sorted(os.listdir()) == ["m.skops", "rows.csv"]
    # Where nothing is kept, the printed answer is what must not be lost.
    code, _, _ = run(*STREAMED, "--checkpoint", "c")
    assert (code, sorted(os.listdir())) == (0, ["m.skops", "rows.csv"])


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_a_signal_as_the_checkpoint_goes_finds_the_model(rows, run, monkeypatch):
    def remove(self):
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(Checkpoint, "remove", remove)
    code, _, _ = run(*STREAMED, "--checkpoint", "c", "-o", "m.skops")
    assert code == 143
    assert persist.metadata("m.skops")["target"] == "kind"


def test_no_output_over_an_input(model, run, folder):
    Path("link.csv").symlink_to("rna.csv")
    os.link("clinic.csv", "hard.csv")
    tables = ("clinic.csv", "rna.csv")
    before = {name: Path(name).read_bytes() for name in os.listdir()}
    fit = (*FIT, "--components", "9")
    for command in (
        (*FIT, "-o", "rna.csv"),
        (*FIT, "-o", f"../{folder.name}/link.csv"),
        (*FIT, "-o", "hard.csv"),
        ("predict", "model.skops", *tables, "-o", "clinic.csv"),
        ("predict", "model.skops", "clinic.csv", "rna=rna.csv", "-o", "rna.csv"),
        ("predict", "model.skops", *tables, "-o", "model.skops"),
        ("report", "model.skops", *tables, "--folds", "0", "-o", "rna.csv"),
        ("report", "model.skops", *tables, "--folds", "0", "-o", "model.skops"),
        (*fit, "--checkpoint", "rna.csv"),
        (*fit, "--checkpoint", "new", "-o", "new"),
    ):
        code, out, err = run(*command)
        assert (code, out, err.count("\n")) == (2, "", 1), command
        assert "would write over it: choose another name" in err
    assert {name: Path(name).read_bytes() for name in os.listdir()} == before


@pytest.mark.skipif(sys.platform != "linux", reason="names of any bytes")
def test_names_that_are_not_utf8(folder, run):
    odd = os.fsdecode(b"r\xff.csv")
    os.rename("rna.csv", odd)
    arguments = ("clinic.csv", odd, "--id", "sample", "--target", "label")
    code, out, err = run("fit", *arguments, "--norm", "1", "-o", "m.skops")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "is not UTF-8" in err
    # The names of other files are in the command that the model remembers.
    os.rename(odd, "rna.csv")
    out = os.fsdecode(b"m\xff.skops")
    assert run(*FIT, "-o", out)[0] == 0
    assert r"m\udcff.skops" in persist.metadata(out)["command"]
