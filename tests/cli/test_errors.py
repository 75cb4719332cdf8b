"""Every slip gets one clear line, exit code 2, and leaves no file behind."""

import errno
import os
import pickle
import shlex
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import pandas as pd
import pytest

from two_tables import BOTH


def change(path, row=None, **columns):
    table = pd.read_csv(path)
    for column, value in columns.items():
        if row is None:
            table[column] = value
        else:
            table[column] = table[column].astype(object)
            table.loc[row, column] = value
    table.to_csv(path, index=False)


def malformed():
    with open("rna.csv", "a") as file:
        file.write("p999,1,2\n")


SLIPS = {
    "malformed CSV": (
        malformed,
        (),
        "rna.csv, line 62: 3 fields, but the header has 5",
    ),
    "duplicate ids": (
        lambda: change("rna.csv", 3, sample="p000"),
        (),
        "rna: some ids of 'sample' are there more than once: p000; keep one row",
    ),
    "missing target column": (
        lambda: (
            pd.read_csv("clinic.csv")
            .drop(columns="label")
            .to_csv("clinic.csv", index=False)
        ),
        (),
        "no target column 'label'; the columns are clinic.age, clinic.size, rna.a",
    ),
    "text in a numeric view": (
        lambda: change("rna.csv", 3, b="n.d."),
        (),
        "column 'rna.b' holds numbers, but 'n.d.' in row p056: correct it",
    ),
    "empty view": (
        lambda: None,
        ("--view", "x=nothing*"),
        "--view x=nothing*: there is no such column; the columns are clinic.label",
    ),
    "view without values": (
        lambda: change("rna.csv", a="", b="", c="", d=""),
        (),
        "view 'rna' is empty: none of its columns has a value",
    ),
    "missing values": (
        lambda: change("rna.csv", 3, b=""),
        (),
        "view 'rna': 1 of 60 rows",
    ),
    "no common ids": (
        lambda: change("rna.csv", sample=[f"q{i}" for i in range(60)]),
        (),
        "no 'sample' is in every table (clinic: p000",
    ),
    "one class": (lambda: change("clinic.csv", label="a"), (), "one class only (a)"),
    "empty target": (lambda: change("clinic.csv", label=""), (), "empty in every row"),
    "a target that is text": (
        lambda: None,
        ("--task", "regress"),
        "--task regress needs numbers, but the target 'label' holds 'basal'",
    ),
    "semi without unlabelled rows": (
        lambda: None,
        ("--task", "semi-supervised"),
        "learns from rows without a label, too, but every row has a 'label'",
    ),
    "a target in two tables": (
        lambda: change("rna.csv", label=1),
        (),
        "target 'label' is in several tables: name one of clinic.label, rna.label",
    ),
    "an infinite value": (
        lambda: change("rna.csv", 3, b="inf"),
        (),
        "column 'rna.b' is infinite in 1 row, such as p056: correct it",
    ),
    "a constant target": (
        lambda: change("clinic.csv", label=3.5),
        (),
        "the target 'label' is 3.5 in every row: there is nothing to predict",
    ),
    "two rows": (
        lambda: pd.read_csv("clinic.csv")[:2].to_csv("clinic.csv", index=False),
        (),
        "2 rows with 'label' are too few to learn from: at least 3 are needed",
    ),
    "two columns of one name": (
        lambda: (
            pd.read_csv("rna.csv")
            .rename(columns={"d": "b"})
            .to_csv("rna.csv", index=False)
        ),
        (),
        "rna.csv: two columns are called 'b' (3 and 5): rename one",
    ),
    "an empty file": (
        lambda: Path("rna.csv").write_text(""),
        (),
        "rna.csv is empty: a table begins with the names of columns",
    ),
    "a binary file": (
        lambda: Path("rna.csv").write_bytes(bytes(range(256))),
        (),
        "rna.csv is not UTF-8 text",
    ),
    "a wrong view": (lambda: None, ("--view", "rna"), "write NAME=PATTERN"),
    "a wrong norm": (lambda: None, ("--norm", "0.5"), "--norm 0.5: write 1 (few"),
    "a wrong task": (lambda: None, ("--task", "guess"), "invalid choice: 'guess'"),
    "ids that are not given": (
        lambda: change("clinic.csv", name=[f"n{i}" for i in range(60)]),
        (),
        "'clinic.name' has another text in every row (n0, n1, n2, n3, n4, ...)",
    ),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_slips(folder, run, slip):
    prepare, options, message = SLIPS[slip]
    prepare()
    for command in (("fit", "-o", "model.skops"), ("evaluate",)):
        code, out, err = run(command[0], *BOTH, *command[1:], *options)
        assert (code, out) == (2, "")
        last = err.splitlines()[-1]
        assert last.startswith("kernelweave")
        assert message in last
        assert "Traceback" not in err
    assert sorted(os.listdir()) == ["clinic.csv", "rna.csv"]


def test_several_tables_without_an_id(folder, run):
    code, _, err = run("fit", "clinic.csv", "rna.csv", "--target", "label")
    assert code == 2
    assert "with --id (in all of them: sample)" in err
    code, _, err = run("fit", "rna.csv", "rna.csv", "--target", "a", "--id", "sample")
    assert code == 2
    assert "two of the tables are called rna" in err


def test_one_column_and_folders(folder, run):
    clinic = pd.read_csv("clinic.csv")
    clinic[["sample"]].to_csv("ids.csv", index=False)
    clinic[["label"]].to_csv("labels.csv", index=False)
    (folder / "folder.csv").mkdir()
    for arguments, message in (
        (("ids.csv", "--id", "sample"), "the columns are none beside the ids"),
        (("labels.csv",), "there is no column to learn from beside the target"),
        (("folder.csv",), "folder.csv is a folder, not a table"),
    ):
        code, out, err = run("fit", *arguments, "--target", "label")
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert message in err


def test_a_full_disk(model, run, folder, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    before = sorted(os.listdir())
    monkeypatch.setattr(os, "replace", full)
    tables = ("clinic.csv", "rna.csv")
    for command, output in (
        (("predict", "model.skops", *tables), "out.csv"),
        (("report", "model.skops", *tables, "--folds", "0"), "out.html"),
        (("fit", *BOTH, "--norm", "1"), "out.skops"),
    ):
        code, _, err = run(*command, "-o", output)
        assert code == 2
        last = err.splitlines()[-1]
        assert last.startswith("kernelweave: ")
        assert last.endswith(f"{output}: No space left on device")
    assert sorted(os.listdir()) == before


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX limits")
def test_a_file_that_is_too_large(model, folder):
    arguments = "predict model.skops clinic.csv rna.csv -o out.csv"
    program = f"{shlex.quote(sys.executable)} -m kernelweave.cli"
    done = subprocess.run(
        ["bash", "-c", f"ulimit -f 1; exec {program} {arguments}"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith("out.csv: File too large")
    assert not any(name.startswith((".out", "out")) for name in os.listdir())


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (MemoryError(), "out of memory: learn from fewer rows, or with --components"),
        (MemoryError("unable to allocate 8 GB"), "out of memory: unable to allocate"),
        (OSError(errno.EIO, "Input/output error"), "the output: Input/output error"),
        (ValueError(), "ValueError"),
    ],
    ids=repr,
)
def test_errors_without_words(folder, run, monkeypatch, error, message):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr("kernelweave.cli.fit.read_data", fail)
    code, out, err = run("fit", *BOTH)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"kernelweave: {message}")


def test_a_folder_that_cannot_be_written(folder, run, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    code, out, err = run("fit", *BOTH, "-o", "model.skops")
    # Said before the work, not after it.
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "cannot write model.skops into the folder .: Permission denied" in err


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_streams_that_are_full_closed_or_narrow(folder):
    command = [sys.executable, "-m", "kernelweave.cli", "methods"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert "the output: No space left on device" in done.stderr
        done = subprocess.run([*command[:-1], "fit", "x"], stderr=full)
        assert done.returncode == 2
    shell = " ".join(map(shlex.quote, command))
    # NumPy 2.0, of which array-api-compat takes all, needs a standard error.
    alone = f"{shlex.quote(sys.executable)} -c 'import numpy.f2py' 2>&-"
    both = [">&- 2>&-"] if subprocess.run(["bash", "-c", alone]).returncode == 0 else []
    for redirected in (">&-", *both, "| true"):
        done = subprocess.run(
            ["bash", "-c", f"set -o pipefail; {shell} {redirected}"],
            capture_output=True,
            text=True,
        )
        assert (done.returncode, done.stderr) == (0, "")
    # As where the output of Windows goes to a file.
    done = subprocess.run(
        [*command[:-1], "fit", *BOTH, "--norm", "1"],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert done.returncode == 0
    assert b"???" in done.stdout


def test_model_files(model, run, folder):
    content = model.read_bytes()
    (folder / "half.skops").write_bytes(content[: len(content) // 2])
    # A byte of an array: those of the archive's own headers need not mean anything.
    with zipfile.ZipFile(model) as archive:
        part = max(archive.infolist(), key=lambda part: part.compress_size)
    at = part.header_offset + 30 + len(part.filename) + part.compress_size // 2
    changed = content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]
    (folder / "changed.skops").write_bytes(changed)
    (folder / "pickle.skops").write_bytes(pickle.dumps(os.getcwd))
    before = sorted(os.listdir())
    for name, message in (
        ("half.skops", "damaged or cut short"),
        ("changed.skops", "damaged"),
        ("pickle.skops", "is a pickle, which can run any code"),
        ("none.skops", "there is no model file none.skops"),
        ("clinic.csv", "is no model file"),
    ):
        for command, output in (("predict", "out.csv"), ("report", "out.html")):
            code, out, err = run(command, name, "clinic.csv", "rna.csv", "-o", output)
            assert (code, out) == (2, "")
            assert err.startswith("kernelweave: ")
            assert err.count("\n") == 1
            assert message in err
    assert sorted(os.listdir()) == before


def test_outputs_that_cannot_be_written(model, run, folder):
    for output, message in (
        ("none/out.csv", "there is no folder none to write out.csv into"),
        (".", "is not a plain file"),
    ):
        tables = ("clinic.csv", "rna.csv", "-o", output)
        for command in (
            ("predict", "model.skops", *tables),
            ("fit", *BOTH, *tables[2:]),
        ):
            code, out, err = run(*command)
            assert (code, out) == (2, "")
            assert message in err


def test_usage_errors_are_one_line(run):
    for arguments in ((), ("fit",), ("sew",), ("predict", "model")):
        code, out, err = run(*arguments)
        assert code == 2
        if arguments:
            assert err.count("\n") == 1
            assert "--help" in err
        else:
            assert "examples" in out or "kernelweave fit" in out


# What a shell starts in the background ignores SIGINT, and so do its children. A signal
# that another thread gets does not end a sleep: naps let Python see it.
INTERRUPTIBLE = (
    "import signal, sys, time\n"
    "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    "def slow(*_):\n"
    "    print('begun', flush=True)\n"
    "    for _ in range(600):\n"
    "        time.sleep(0.1)\n"
    "from kernelweave.cli import main\n"
)


def signalled(script, command, number):
    """Exit status and output of a program that gets a signal once it says "begun"."""
    script = f"{INTERRUPTIBLE}{script}sys.exit(main({command!r}))\n"
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    program = [sys.executable, "-c", script]
    with subprocess.Popen(program, **pipes, text=True) as process:
        try:
            assert process.stdout.readline() == "begun\n"
            before = sorted(os.listdir())
            process.send_signal(number)
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    return process.returncode, out, err, before


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_ends_quietly(folder, number):
    # The signal comes while the problem is solved.
    script = "import kernelweave\nkernelweave.Problem.at = slow\n"
    command = ["fit", *BOTH, "-o", "model.skops"]
    code, out, err, _ = signalled(script, command, number)
    assert (code, out) == (128 + number, "")
    assert err == "label has 3 different values: classification\n"
    assert sorted(os.listdir()) == ["clinic.csv", "rna.csv"]


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_leaves_no_half_of_a_file(model, folder, number):
    # The command writes while it is interrupted.
    script = (
        "from kernelweave.cli import predict\n"
        "predict._write = lambda chunks, file, *_: slow(file.write('half'))\n"
    )
    command = ["predict", "model.skops", "clinic.csv", "rna.csv", "-o", "out.csv"]
    code, _, _, before = signalled(script, command, number)
    assert code == 128 + number
    assert [name for name in before if name.endswith(".part")]
    assert not [name for name in os.listdir() if "out.csv" in name]
