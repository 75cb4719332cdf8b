"""Names of files and of views may hold any sign, and are shown as text."""

import pandas as pd
import pytest

from kernelweave.cli.importance import _fixed

# The first turns the direction of text, the second the colour, the third is NAME=FILE.
NAMES = ["\u202eturned", "\x1b[31mred", "clinic=old"]


@pytest.mark.parametrize("name", NAMES)
def test_any_name(folder, run, name):
    clinic, rna = pd.read_csv("clinic.csv"), pd.read_csv("rna.csv")
    clinic.to_csv(f"{name}.csv", index=False)
    tables = f"{name}.csv", "rna.csv"
    how = "--id", "sample", "--target", "label"
    code, out, err = run("fit", *tables, *how, "--norm", "1", "-o", "model.skops")
    assert code == 0, err
    for command in (
        ("evaluate", *tables, *how, "--folds", "2"),
        ("importance", "model.skops", *tables),
        ("report", "model.skops", *tables, "-o", "report.html", "--folds", "0"),
    ):
        code, more, told = run(*command)
        assert code == 0, told
        out, err = out + more, err + told
    shown = name.replace("\u202e", "\ufffd").replace("\x1b", "\ufffd")
    assert shown in out
    for sign in "\u202e\x1b":
        assert sign not in out
    assert len(rna) > 0


def test_importance_says_how_small_p_can_be(model, run):
    code, out, _ = run("importance", model, "clinic.csv", "rna.csv")
    assert code == 0
    assert "39 permutations, so at least 0.025" in " ".join(out.split())


def test_no_sign_before_zero():
    assert [_fixed(v) for v in (-0.0004, 0.0, -0.0006, float("nan"))] == [
        "0.000",
        "0.000",
        "-0.001",
        "",
    ]
