"""kernelweave predict, evaluate and report."""

import csv
import io
import json
import re
import subprocess
import sys

import pandas as pd
import pytest

from kernelweave import persist
from two_tables import BOTH


def read(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_predictions(model, run):
    code, out, _ = run("predict", "model.skops", "clinic.csv", "rna.csv")
    rows = read(out)
    assert code == 0
    assert [row["sample"] for row in rows] == [f"p{i:03d}" for i in range(60)]
    truth = pd.read_csv("clinic.csv")["label"]
    assert sum(r["label"] == t for r, t in zip(rows, truth, strict=True)) > 45
    for row in rows:
        shares = {c: float(row[f"P({c})"]) for c in ("basal", "her2", "lumA")}
        assert sum(shares.values()) == pytest.approx(1, abs=1e-5)
        assert max(shares, key=shares.__getitem__) == row["label"]


def test_another_process_writes_the_same(model, run, folder):
    _, here, _ = run("predict", "model.skops", "clinic.csv", "rna.csv")
    command = ["predict", "model.skops", "clinic.csv", "rna.csv", "-o", "out.csv"]
    subprocess.run([sys.executable, "-m", "kernelweave.cli", *command], check=True)
    assert (folder / "out.csv").read_text() == here


def test_new_tables_by_other_names(model, run, folder):
    # Without the target, with a column more, in another order.
    clinic = pd.read_csv("clinic.csv").drop(columns="label").assign(more="x")
    clinic[["size", "more", "sample", "age"]].iloc[:5].to_csv("c2.csv", index=False)
    pd.read_csv("rna.csv").to_csv("r2.csv", index=False)
    _, old, _ = run("predict", "model.skops", "clinic.csv", "rna.csv", "--json")
    code, new, err = run("predict", "model.skops", "c2.csv", "r2.csv", "--json")
    assert code == 0
    assert json.loads(new) == json.loads(old)[:5]
    assert "r2" not in err
    assert "rna: 55 rows not in every table, left out: p059" in err


def test_one_table_needs_no_ids(folder, run):
    run("fit", "rna.csv", "--id", "sample", "--target", "a", "--norm", "1", "-o", "m")
    pd.read_csv("rna.csv").drop(columns=["sample", "a"]).to_csv("new.csv", index=False)
    code, out, _ = run("predict", "m", "new.csv")
    assert code == 0
    assert [row["row"] for row in read(out)] == [str(i) for i in range(1, 61)]


def test_refusals(model, run, folder):
    pd.read_csv("rna.csv").drop(columns=["b", "c"]).to_csv("short.csv", index=False)
    table = pd.read_csv("rna.csv").astype({"b": object})
    table.loc[3, "b"] = "n.d."
    table.to_csv("text.csv", index=False)
    for tables, message in (
        (["clinic.csv"], r"was fitted to 2 tables \(clinic, rna\), and 1 was given"),
        (["clinic.csv", "short.csv"], "2 of the 6 columns .* not there: rna.b, rna.c"),
        (["clinic.csv", "text.csv"], "column 'rna.b' holds numbers, but 'n.d.' in row"),
        (["clinic.csv", "none.csv"], "there is no file none.csv"),
    ):
        code, out, err = run("predict", "model.skops", *tables, "-o", "out.csv")
        assert (code, out) == (2, "")
        assert re.search(message, err)
        assert err.count("\n") == 1
    assert not (folder / "out.csv").exists()
    persist.save(persist.load("model.skops"), "plain.skops")
    code, _, err = run("predict", "plain.skops", "clinic.csv", "rna.csv")
    assert code == 2
    assert "was kept from Python" in err


def test_evaluate(folder, run):
    code, out, _ = run("evaluate", *BOTH, "--norm", "1", "--folds", "3")
    assert code == 0
    for words in ("combination", "average", "clinic alone", "rna alone", "95 %"):
        assert words in out
    options = ("--norm", "1", "--folds", "3", "--repeats", "2", "--json")
    code, out, _ = run("evaluate", *BOTH, *options)
    facts = json.loads(out)
    assert code == 0
    assert [row["kind"] for row in facts["rows"]] == [
        "learned",
        "average",
        "view",
        "view",
    ]
    assert all(len(row["scores"]) == 6 for row in facts["rows"])
    assert "combination" in facts["verdict"]
    code, _, err = run("evaluate", *BOTH, "--norm", "1", "--folds", "30")
    assert code == 2
    assert "too few" in err


def test_report(model, run, folder):
    options = ("clinic.csv", "rna.csv", "--folds", "2", "-o", "report.html")
    code, _, err = run("report", "model.skops", *options)
    assert code == 0
    assert "wrote report.html" in err
    page = (folder / "report.html").read_text("utf-8")
    assert "rna alone" in page
    assert "kernelweave fit clinic.csv rna.csv --id sample" in page
    options = ("clinic.csv", "rna.csv", "--folds", "0", "-o", "short.html")
    assert run("report", "model.skops", *options)[0] == 0
    assert "rna alone" not in (folder / "short.html").read_text("utf-8")
