"""--drop, --only and --positive."""

import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from kernelweave import persist
from two_tables import BOTH, tables

RNA = ["rna.a", "rna.b", "rna.c", "rna.d"]


def columns(path="model.skops"):
    return persist.metadata(path)["columns"]


@pytest.mark.parametrize(
    "options, expected",
    [
        (("--drop", "age"), ["clinic.size", *RNA]),
        (("--drop", "rna.[ab]", "--drop", "d"), ["clinic.age", "clinic.size", "rna.c"]),
        (("--only", "size", "--only", "rna.*"), ["clinic.size", *RNA]),
        (("--only", "rna.*", "--drop", "c"), ["rna.a", "rna.b", "rna.d"]),
    ],
)
def test_columns_are_left_out(folder, run, options, expected):
    code, _, err = run("fit", *BOTH, *options, "--norm", "1", "-o", "model.skops")
    assert code == 0
    assert columns() == expected
    # What was asked for needs no note.
    assert "left out" not in err
    code, out, _ = run("predict", "model.skops", "clinic.csv", "rna.csv", "--json")
    assert code == 0 and len(json.loads(out)) == 60


@pytest.mark.parametrize("option", ["--drop", "--only"])
def test_a_column_that_is_not_there(folder, run, option):
    code, _, err = run("fit", *BOTH, option, "weight")
    assert code == 2
    assert f"{option} weight: there is no such column; the columns are clinic" in err


def test_a_column_that_could_not_be_learned_from_is_dropped(folder, run):
    clinic = pd.read_csv("clinic.csv")
    clinic["visit"] = [f"2020-01-{1 + i % 28:02d}" for i in range(60)]
    clinic.to_csv("clinic.csv", index=False)
    code, _, err = run("fit", *BOTH, "--norm", "1")
    assert code == 2 and "--drop clinic.visit" in err
    assert run("fit", *BOTH, "--norm", "1", "--drop", "clinic.visit")[0] == 0


def test_one_class_against_all_others(folder, run):
    options = ("--norm", "1", "--positive", "her2")
    code, out, err = run("fit", *BOTH, *options, "-o", "model.skops", "--json")
    assert code == 0
    assert json.loads(out)["classes"] == ["her2", "not her2"]
    assert "her2 (20 rows) against all other classes of label (40 rows)" in err
    code, out, err = run("predict", "model.skops", "clinic.csv", "rna.csv")
    assert code == 0
    assert out.splitlines()[0] == "sample,label,P(her2)"
    assert "no class of the model" not in err
    accuracy = float(err.split("accuracy ")[1].split()[0])
    guessed = pd.read_csv(io.StringIO(out))["label"] == "her2"
    truth = tables()[0]["label"] == "her2"
    assert accuracy == pytest.approx(np.mean(guessed == truth), abs=1e-4)
    report = ("report", "model.skops", "clinic.csv", "rna.csv", "--folds", "0")
    code, _, err = run(*report, "-o", "r.html")
    assert code == 0


def test_of_two_classes_one_is_the_positive_one(folder, run):
    clinic = pd.read_csv("clinic.csv")
    clinic["label"] = (clinic["label"] == "her2").astype(int)
    clinic.to_csv("clinic.csv", index=False)
    options = ("--norm", "1", "--positive", "1", "-o", "model.skops", "--json")
    code, out, _ = run("fit", *BOTH, *options)
    assert code == 0 and json.loads(out)["classes"] == [0, 1]
    _, out, _ = run("predict", "model.skops", "clinic.csv", "rna.csv")
    assert out.splitlines()[0] == "sample,label,P(1)"


@pytest.mark.parametrize(
    "options, message",
    [
        (("--positive", "lumB"), "--positive lumB: label has no such class; it has"),
        (("--positive", "a", "--task", "regress"), "--positive names a class"),
    ],
)
def test_positive_classes_that_are_none(folder, run, options, message):
    code, _, err = run("fit", *BOTH, *options)
    assert code == 2 and message in err


def test_evaluation_takes_the_same_options(folder, run):
    options = ("--positive", "her2", "--drop", "age", "--norm", "1", "--folds", "2")
    code, out, err = run("evaluate", *BOTH, *options)
    assert code == 0
    assert "her2 (20 rows) against" in err and "learned combination" in out


@pytest.mark.parametrize(
    ("target", "scoring", "said"),
    [
        ("health", "r2", "'r2' is for numbers, and the target has classes"),
        ("health", "neg_mean_absolute_error", "is for numbers"),
        ("dose", "accuracy", "'accuracy' is for classes, and the target has numbers"),
        ("dose", "roc_auc", "is for classes"),
    ],
)
def test_scoring_that_does_not_suit_the_target(
    tmp_path, monkeypatch, run, target, scoring, said
):
    monkeypatch.chdir(tmp_path)
    health_table().to_csv("t.csv", index=False)
    command = ["evaluate", "t.csv", "--target", target, "--norm", "1"]
    code, _, err = run(*command, "--scoring", scoring)
    assert code == 2
    assert said in " ".join(err.split()) and "Traceback" not in err


@pytest.mark.parametrize(("options", "about"), [((), "well"), (["ill"], "ill")])
def test_scores_of_one_class(tmp_path, monkeypatch, run, options, about):
    monkeypatch.chdir(tmp_path)
    health_table().drop(columns="dose").to_csv("t.csv", index=False)
    positive = ["--positive", *options] if options else []
    learn = ["t.csv", "--target", "health", "--norm", "1", *positive]
    scoring = ["--scoring", "average_precision,f1,roc_auc", "--folds", "3"]
    code, out, err = run("evaluate", *learn, *scoring)
    assert code == 0, err
    assert f"average precision of {about}, 3 folds" in out
    assert f"f1 of {about}" in out
    code, _, err = run("fit", *learn, "-o", "m.skops")
    assert code == 0, err
    code, _, err = run("report", "m.skops", "t.csv", "-o", "r.html", *scoring)
    assert code == 0, err
    assert f"average precision of {about}" in Path("r.html").read_text("utf-8")


def test_scores_of_one_class_against_others(tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    stage = np.array(["mild", "severe", "none"])[np.arange(60) % 3]
    table = health_table().drop(columns=["dose", "health"]).assign(stage=stage)
    table.to_csv("t.csv", index=False)
    command = ["evaluate", "t.csv", "--target", "stage", "--norm", "1"]
    code, out, err = run(*command, "--positive", "mild", "--scoring", "f1")
    assert code == 0, err
    assert "f1 of mild" in out


def health_table():
    random = np.random.default_rng(0)
    ill = np.arange(60) % 3 == 0
    dose = random.normal(size=60)
    a, b = random.normal(size=(2, 60)) + ill
    health = np.where(ill, "ill", "well")
    return pd.DataFrame({"health": health, "dose": dose, "a": a, "b": b})
