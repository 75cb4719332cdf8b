"""kernelweave fit."""

import json

import numpy as np
import pandas as pd
import pytest

from kernelweave import MKLDiscriminantAnalysis, persist
from kernelweave.views import kernels_for
from two_tables import BOTH, tables


def joined(text):
    """Without the breaks that keep lines short."""
    return " ".join(text.split())


def test_the_screen(folder, run):
    code, out, err = run("fit", *BOTH, "-o", "model.skops")
    assert code == 0
    assert "Learned to tell 3 classes apart, label, from 60 samples" in out
    assert "view" in out and "weight" in out and "rna" in out
    # Weights for prediction are not proved to be the best, and it does not say so.
    assert "predict left-out samples" in joined(out) and "proved optimal" not in out
    assert "label has 3 different values: classification" in err
    assert "wrote model.skops" in err
    assert sorted(p.name for p in folder.iterdir()) == [
        "clinic.csv",
        "model.skops",
        "rna.csv",
    ]


def test_it_is_what_python_would_learn(folder, run):
    run("fit", *BOTH, "--norm", "1", "-o", "model.skops")
    clinic = pd.read_csv("clinic.csv").set_index("sample")
    rna = pd.read_csv("rna.csv").set_index("sample").loc[clinic.index]
    table = clinic[["age", "size"]].join(rna)
    views = {"clinic": ["age", "size"], "rna": list("abcd")}
    there = MKLDiscriminantAnalysis(kernels_for(table, views))
    there.fit(table, clinic["label"])
    here = persist.load("model.skops")
    assert here.kernel_names_.tolist() == there.kernel_names_.tolist()
    np.testing.assert_allclose(here.weights_, there.weights_, atol=1e-12)
    assert here.verbose == 0
    remembered = persist.metadata("model.skops")
    assert remembered["views"]["rna"] == ["rna.a", "rna.b", "rna.c", "rna.d"]
    assert remembered["classes"] == ["basal", "her2", "lumA"]
    assert remembered["command"].startswith("kernelweave fit clinic.csv rna.csv --id")


def test_json(folder, run):
    code, out, err = run("fit", *BOTH, "--norm", "2", "--json")
    facts = json.loads(out)
    assert code == 0
    assert facts["task"] == "classify"
    assert facts["samples"] == 60
    assert set(facts["views"]) == {"clinic", "rna"}
    assert sum(facts["views"].values()) == pytest.approx(1)
    assert all(weight > 0 for weight in facts["weights"].values())
    assert facts["relative_gap"] < 1e-5
    assert "nothing was kept" in err
    assert len(list(folder.iterdir())) == 2


def test_numbers_are_regressed(folder, run):
    code, out, err = run("fit", "rna.csv", "--id", "sample", "--target", "a", "--json")
    assert code == 0
    assert json.loads(out)["task"] == "regress"
    assert "regression (else: --task classify)" in err
    assert set(json.loads(out)["views"]) == {"rna"}


def test_views_by_patterns(folder, run):
    patterns = ["--view", "body=age", "--view", "genes=[ab]", "--view", "genes=rna.c"]
    code, _, err = run("fit", *BOTH, *patterns, "--norm", "1", "-o", "model.skops")
    assert code == 0
    assert persist.metadata("model.skops")["views"] == {
        "body": ["clinic.age"],
        "genes": ["rna.a", "rna.b", "rna.c"],
    }
    assert "2 columns in no view, left out: clinic.size, rna.d" in err


def test_unlabelled_rows(folder, run):
    table = pd.read_csv("clinic.csv")
    table.loc[table.index % 4 > 0, "label"] = None
    table.to_csv("clinic.csv", index=False)
    # Rows without a label change nothing but the number of samples.
    code, out, err = run("fit", *BOTH, "--norm", "1", "--json")
    assert code == 0
    assert json.loads(out)["task"] == "classify"
    assert json.loads(out)["samples"] == 15
    said = "45 rows without label, left out (--task semi-supervised learns from them"
    assert said in joined(err)
    asked = ("--task", "semi-supervised")
    code, out, err = run("fit", *BOTH, *asked, "--json", "-o", "model.skops")
    assert code == 0
    assert json.loads(out)["task"] == "semi-supervised"
    assert json.loads(out)["samples"] == 60
    transduction = persist.load("model.skops").transduction_
    assert np.mean(transduction == tables()[0]["label"].to_numpy()) > 0.7
    code, out, _ = run("predict", "model.skops", "clinic.csv", "rna.csv", "--json")
    assert code == 0
    agree = [row["label"] for row in json.loads(out)] == transduction
    assert np.mean(agree) > 0.8


def test_samples_that_lack_a_view(folder, run):
    rna = pd.read_csv("rna.csv")
    rna.iloc[:50].to_csv("rna.csv", index=False)
    for missing, count in (("error", 50), ("mean", 60)):
        options = ("--norm", "1", "--missing", missing, "-o", f"{missing}.skops")
        code, out, err = run("fit", *BOTH, *options, "--json")
        assert code == 0
        assert json.loads(out)["samples"] == count
        said = {
            "error": "clinic: 10 rows not in every table, left out: p000, p001",
            "mean": "rna lacks 10 of 60 samples, kept: p000, p001",
        }
        assert said[missing] in joined(err)
    code, out, err = run("predict", "mean.skops", "clinic.csv", "rna.csv", "--json")
    assert code == 0
    assert len(json.loads(out)) == 60


def test_text_columns(folder, run):
    table = pd.read_csv("clinic.csv")
    table["grade"] = np.where(table["label"] == "her2", "2", "low")
    table.to_csv("clinic.csv", index=False)
    options = ("--norm", "1", "--json", "-o", "model.skops")
    code, out, _ = run("fit", *BOTH, *options)
    assert code == 0
    assert json.loads(out)["weights"]["clinic: overlap"] > 0
    # All texts of the new rows look like numbers; they are texts all the same.
    table[table["label"] == "her2"].to_csv("clinic.csv", index=False)
    code, out, _ = run("predict", "model.skops", "clinic.csv", "rna.csv", "--json")
    assert code == 0
    assert {row["label"] for row in json.loads(out)} == {"her2"}


def test_a_first_column_without_a_name(folder, run):
    for name in ("clinic.csv", "rna.csv"):
        pd.read_csv(name).rename(columns={"sample": None}).to_csv(name, index=False)
    options = ("--target", "label", "--norm", "1")
    code, _, err = run("fit", "clinic.csv", "rna.csv", *options)
    assert code == 0
    assert "the first column has no name: it is taken for the ids" in err


def test_kernels_from_a_file(folder, run):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), np.arange(40) % 2
    X[:, 0] += 4 * y
    K = np.stack([np.outer(x, x) + 0.1 * np.eye(40) for x in X.T])
    train = np.arange(30)
    np.savez("kernels.npz", K=K[:, :30, :30], names=["x", "y", "z"], label=y[:30])
    code, out, _ = run(
        "fit", "kernels.npz", "--target", "label", "-o", "model.skops", "--json"
    )
    assert code == 0
    assert set(json.loads(out)["weights"]) == {"x", "y", "z"}
    np.savez("new.npz", K=K[:, 30:, train], names=["x", "y", "z"])
    code, out, _ = run("predict", "model.skops", "new.npz", "--json")
    assert code == 0
    guessed = [row["label"] for row in json.loads(out)]
    assert np.mean(guessed == y[30:]) > 0.6
    code, out, _ = run("evaluate", "kernels.npz", "--target", "label", "--norm", "1")
    assert code == 0
    assert "x alone" in out
    code, _, _ = run("report", "model.skops", "kernels.npz", "-o", "r.html")
    assert code == 0
    page = (folder / "r.html").read_text("utf-8")
    assert "x alone" in page
    code, _, err = run("report", "model.skops", "new.npz", "-o", "s.html")
    assert code == 2
    np.savez("other.npz", K=K[:2, 30:, train])
    code, _, err = run("predict", "model.skops", "other.npz")
    assert code == 2
    assert "needs the kernels x, y, z against 30 training rows" in err


def test_class_weight(folder, run):
    assert run("fit", *BOTH, "--class-weight", "balanced", "-o", "m.skops")[0] == 0
    model = persist.load("m.skops")
    assert model.class_weight == "balanced"
    np.testing.assert_allclose(model.priors_, 1 / 3)
    code, _, err = run("report", "m.skops", *BOTH[:2], "-o", "r.html", "--folds", "2")
    assert code == 0, err
    code, _, err = run(
        "fit", *BOTH[:-1], "age", "--drop", "label", "--class-weight", "balanced"
    )
    assert code == 2 and "--task classify" in joined(err)
