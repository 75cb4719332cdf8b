"""kernelweave predict, evaluate and report."""

import csv
import io
import json
import re
import subprocess
import sys

import numpy as np
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
    assert all(row["low"] <= row["pooled"] <= row["high"] for row in facts["rows"])
    assert "combination" in facts["verdict"]
    code, _, err = run("evaluate", *BOTH, "--norm", "1", "--folds", "30")
    assert code == 2
    assert "too few" in err


def test_evaluate_by_groups_and_scores(folder, run):
    clinic = pd.read_csv("clinic.csv")
    clinic["patient"] = [f"p{i // 2}" for i in range(len(clinic))]
    clinic.to_csv("clinic.csv", index=False)
    options = ("--norm", "1", "--folds", "3", "--groups", "patient", "--json")
    names = ("--scoring", "neg_log_loss, balanced_accuracy")
    code, out, _ = run("evaluate", *BOTH, *options, *names)
    facts = json.loads(out)
    assert code == 0
    assert facts["metric"] == "log loss"
    assert [score["metric"] for score in facts["scores"]] == [
        "log loss",
        "balanced accuracy",
    ]
    assert facts["n_groups"] == -(-len(clinic) // 2)
    assert np.sum(facts["confusion"]) == pytest.approx(facts["n_samples"])
    # Text that is different in every second row would be refused as a column to learn
    # from, and ids that tell the label would be learned.
    for change, message in (
        (("--groups", "nobody"), "there is no such column"),
        (("--groups", "label"), "it is the target"),
        (("--scoring", "acuracy"), "there are accuracy"),
    ):
        code, _, err = run("evaluate", *BOTH, "--norm", "1", *change)
        assert code == 2
        assert message in err


def test_fit_by_groups(folder, run):
    clinic = pd.read_csv("clinic.csv")
    clinic["patient"] = [f"p{i // 2}" for i in range(len(clinic))]
    clinic.to_csv("clinic.csv", index=False)
    groups = ("--groups", "patient", "-o", "model.skops")
    code, out, err = run("fit", *BOTH, *groups)
    assert code == 0, err
    assert "Chosen by left-out groups: norm" in out
    model = persist.load("model.skops")
    # The groups are left out of the choice, and are nothing to learn from.
    assert "split4_test_score" in model.cv_results_
    assert not any("patient" in name for name in model.feature_names_in_)
    assert (
        run("importance", "model.skops", "clinic.csv", "rna.csv", *groups[:2])[0] == 0
    )
    for change in (("--components", "9"), ("--norm", "1")):
        code, _, err = run("fit", *BOTH, *groups, *change)
        assert code == 2
        assert "--groups is for" in " ".join(err.split())


def test_report_and_importance_by_groups(folder, run):
    clinic = pd.read_csv("clinic.csv")
    clinic["patient"] = [f"p{i // 2}" for i in range(len(clinic))]
    clinic.to_csv("clinic.csv", index=False)
    drop = ("--drop", "patient", "--norm", "1", "-o", "model.skops")
    assert run("fit", *BOTH, *drop)[0] == 0
    given = ("model.skops", "clinic.csv", "rna.csv")
    groups = ("--groups", "patient")
    code, _, err = run("report", *given, *groups, "--folds", "0", "-o", "r.html")
    assert code == 0, err
    page = (folder / "r.html").read_text("utf-8")
    assert "With each group left out in turn" in page
    code, out, err = run("importance", *given, *groups, "--json")
    assert code == 0, err
    assert json.loads(out)["splits"] == "each group left out in turn"
    code, _, err = run("importance", *given, "--groups", "nobody")
    assert code == 2
    assert "there is no such column" in err


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


@pytest.mark.parametrize("components", [[], ["--components", "9"]])
@pytest.mark.parametrize("labels", [("01", "02", "x"), ("TRUE", "FALSE", "maybe")])
def test_the_target_has_the_type_of_the_training(folder, run, labels, components):
    data = pd.read_csv("rna.csv")[["a", "b"]]
    data["a"] += 9 * (data.index % 3)
    data["kind"] = [labels[i % 3] for i in range(len(data))]
    data.to_csv("all.csv", index=False)
    command = ["fit", "all.csv", "--target", "kind", "--norm", "1", *components]
    assert run(*command, "-o", "m")[0] == 0
    # Without the third class these look like numbers, or truth values.
    data[data["kind"] != labels[2]].to_csv("new.csv", index=False)
    code, _, err = run("predict", "m", "new.csv", "-o", "out.csv")
    assert code == 0
    written = pd.read_csv("out.csv", dtype=str)["kind"]
    known = data["kind"][data["kind"] != labels[2]]
    accuracy = (written.to_numpy() == known.to_numpy()).mean()
    assert accuracy > 0.9
    assert f"accuracy {accuracy:.4f} on 40 rows" in err


def test_a_target_called_row(folder, run):
    data = pd.read_csv("rna.csv")[["a", "b"]]
    data.assign(row=["u", "v"] * 30).to_csv("all.csv", index=False)
    run("fit", "all.csv", "--target", "row", "--norm", "1", "-o", "m")
    _, out, _ = run("predict", "m", "all.csv")
    rows = read(out)
    assert list(rows[0]) == ["row_", "row", "P(u)", "P(v)"]
    assert [row["row_"] for row in rows] == [str(i) for i in range(1, 61)]
    assert {row["row"] for row in rows} == {"u", "v"}
    # Nor does a probability take the place of the prediction.
    data.assign(**{"P(u)": ["u", "v"] * 30}).to_csv("all.csv", index=False)
    run("fit", "all.csv", "--target", "P(u)", "--norm", "1", "-o", "m")
    rows = json.loads(run("predict", "m", "all.csv", "--json")[1])
    assert list(rows[0]) == ["row", "P(u)", "P(u)_", "P(v)"]
    assert rows[0]["P(u)"] in ("u", "v")


def test_a_report_on_other_rows_says_so(model, run, folder):
    pd.read_csv("clinic.csv").iloc[:30].to_csv("clinic.csv", index=False)
    options = ("clinic.csv", "rna.csv", "--folds", "0", "-o", "report.html")
    code, _, err = run("report", "model.skops", *options)
    assert code == 0
    assert "the model was fitted to 60 samples, and these are 30" in err
    page = (folder / "report.html").read_text("utf-8")
    assert "From 60 samples and 2 views" in page
    assert "Scores and pictures are of 30 samples, not of these" in page


@pytest.mark.parametrize("components", [[], ["--components", "9"]])
def test_gaps_and_infinity_are_named(folder, run, components):
    data = pd.read_csv("rna.csv").drop(columns="sample")
    data.to_csv("all.csv", index=False)
    fit = ["fit", "--target", "a", "--norm", "1", *components, "-o", "m"]
    assert run(*fit, "all.csv")[0] == 0
    for column, value in (("b", "inf"), ("a", "-inf"), ("b", "")):
        change = data.astype(object)
        change.loc[6, column] = value
        change.to_csv("new.csv", index=False)
        for command in (fit, ["predict", "m"]):
            code, _, err = run(*command, "new.csv")
            if value and column == "b":
                words = "column 'b' is infinite in 1 row, such as 7: correct it"
            elif value:
                known = command == fit
                words = "'a' is infinite in 1 row, such as 7" if known else "no R²: a"
            else:
                words = "leave the rows out, or fit with --missing impute"
                assert "missing=" not in err
            assert code == (0 if words == "no R²: a" else 2), err
            assert words in " ".join(err.split()), err


@pytest.mark.parametrize("gaps", [0, 6])
def test_a_report_knows_the_classes_by_any_spelling(folder, run, gaps):
    data = pd.read_csv("rna.csv")[["a", "b"]]
    data["a"] += 9 * (data.index % 2)
    # With gaps the fit is semi-supervised, whose classes are text.
    kind = [str(i % 2) if i >= gaps else None for i in range(60)]
    data.assign(kind=kind).to_csv("all.csv", index=False)
    run("fit", "all.csv", "--target", "kind", "--norm", "1", "-o", "m")
    spelled = [None if k is None else f"{k}.0" for k in kind]
    data.assign(kind=spelled).to_csv("all.csv", index=False)
    code, _, err = run("report", "m", "all.csv", "--folds", "2", "-o", "r.html")
    assert code == 0, err
    page = (folder / "r.html").read_text("utf-8")
    # Left-out samples are compared with the classes that the file spells otherwise.
    right, total = map(int, re.findall(r"(\d+) of (\d+) samples rightly", page)[0])
    assert total == 60 - gaps
    assert right > 0.9 * total
