"""Which file is which table: by its name, by its columns, or as the user says."""

import csv
import io
import itertools
import re

import numpy as np
import pandas as pd
import pytest

from two_tables import BOTH, tables


@pytest.fixture
def alike(tmp_path, monkeypatch, run):
    """Predictions of a model of a.csv and b.csv, whose columns have the same names."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    ids = [f"p{i:03d}" for i in range(60)]
    label = np.array(["no", "yes"])[y]
    for name, sign in (("a", 1), ("b", -1)):
        X = rng.normal(size=(60, 3)) + 3 * sign * y[:, None]
        table = pd.DataFrame(X, columns=list("uvw")).assign(sample=ids)
        table.assign(label=label).to_csv(f"{name}.csv", index=False)
        table.to_csv(f"new_{name}.csv", index=False)
    options = ("--id", "sample", "--target", "a.label", "--norm", "1")
    views = ("--view", "a=a.[uvw]", "--view", "b=b.[uvw]")
    code, _, err = run("fit", "a.csv", "b.csv", *options, *views, "-o", "model.skops")
    assert code == 0, err
    return output(run, "a.csv", "b.csv")


def output(run, *files):
    """Predictions by their ids."""
    code, out, err = run("predict", "model.skops", *files)
    assert code == 0, err
    rows = list(csv.DictReader(io.StringIO(out)))
    return {row.pop("sample"): row for row in rows}


def test_names_decide_and_not_the_order(alike, run):
    for files in (
        ("b.csv", "a.csv"),
        ("b=new_b.csv", "a=new_a.csv"),
        ("a=new_a.csv", "b.csv"),
        # What is left is the other one.
        ("b.csv", "new_a.csv"),
        ("new_b.csv", "a.csv"),
        ("b=new_b.csv", "new_a.csv"),
    ):
        assert output(run, *files) == alike, files


def test_files_that_cannot_be_told_apart_are_refused(alike, run, tmp_path):
    for files in (("new_a.csv", "new_b.csv"), ("new_b.csv", "new_a.csv")):
        for command in (["predict"], ["report", "-o", "report.html"]):
            code, out, err = run(command[0], "model.skops", *files, *command[1:])
            assert (code, out) == (2, "")
            assert "cannot be told apart by their columns: each could be a or b" in err
            assert f"such as a={files[0]} b={files[1]}" in err
            assert not (tmp_path / "report.html").exists()
    for files, message in (
        (("a=new_a.csv", "a=new_b.csv"), "two files are given for the table a"),
        (("a=new_a.csv", "c=new_b.csv"), "no table 'c'; there are: a, b"),
        (("a=new_a.csv", "b=none.csv"), "there is no file none.csv"),
        (("a.csv", "b.csv", "new_a.csv"), "2 tables .* 3 were given"),
    ):
        code, _, err = run("predict", "model.skops", *files)
        assert code == 2
        assert re.search(message, err), err


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "parquet"])
def test_columns_tell_what_a_renamed_file_is(model, run, folder, ending):
    expected = output(run, "clinic.csv", "rna.csv")
    for old, new in (("clinic", "spring"), ("rna", "autumn")):
        table = pd.read_csv(f"{old}.csv")
        if ending == "parquet":
            table.to_parquet(f"{new}.parquet")
        else:
            table.to_csv(f"{new}.{ending}", index=False)
    files = (f"spring.{ending}", f"autumn.{ending}")
    for order in itertools.permutations(files):
        assert output(run, *order) == expected
    options = ("--folds", "0", "-o", "report.html")
    assert run("report", "model.skops", *files[::-1], *options)[0] == 0


def test_a_file_of_no_table(model, run, folder):
    pd.read_csv("rna.csv").drop(columns="d").to_csv("new.csv", index=False)
    pd.read_csv("clinic.csv").to_csv("other.csv", index=False)
    code, _, err = run("predict", "model.skops", "other.csv", "new.csv")
    assert code == 2
    assert "new.csv has the columns of none of the tables clinic, rna" in err
    assert "of rna it lacks d" in err


def test_files_of_one_name_in_several_folders(model, run, folder):
    expected = output(run, "clinic.csv", "rna.csv")
    for name in ("clinic", "rna"):
        (folder / name).mkdir()
        (folder / f"{name}.csv").rename(folder / name / "new.csv")
    assert output(run, "rna/new.csv", "clinic/new.csv") == expected


def test_one_table_has_all_columns_of_the_other(folder, run):
    clinic, rna = tables()
    wide = rna.assign(e=rna["a"] ** 2)
    rna.to_csv("narrow.csv", index=False)
    wide.merge(clinic[["sample", "label"]]).to_csv("wide.csv", index=False)
    options = ("--id", "sample", "--target", "label", "--norm", "1")
    run("fit", "narrow.csv", "wide.csv", *options, "-o", "model.skops")
    expected = output(run, "narrow.csv", "wide.csv")
    (folder / "narrow.csv").rename("x.csv")
    (folder / "wide.csv").rename("y.csv")
    assert output(run, "y.csv", "x.csv") == expected


def test_a_table_of_targets_is_not_needed(folder, run):
    clinic, rna = tables()
    clinic[["sample", "label"]].to_csv("labels.csv", index=False)
    options = ("--id", "sample", "--target", "label", "--norm", "1")
    code, _, err = run("fit", "labels.csv", "rna.csv", *options, "-o", "model.skops")
    assert code == 0, err
    expected = output(run, "labels.csv", "rna.csv")
    rna.to_csv("new.csv", index=False)
    assert output(run, "new.csv") == expected
    rna.drop(columns="b").to_csv("short.csv", index=False)
    code, _, err = run("predict", "model.skops", "short.csv")
    assert code == 2
    assert "of none of the tables labels, rna: of rna it lacks b" in err
    (folder / "labels.csv").rename("known.csv")
    code, _, err = run("predict", "model.skops", "new.csv", "known.csv", "-o", "out")
    assert code == 0
    assert "on 60 rows whose label is given" in err
    # These rows are those that were learned from; 20 of them need not be.
    assert "the model learned from as many rows" in err
    rna[:20].to_csv("new.csv", index=False)
    code, _, err = run("predict", "model.skops", "new.csv", "known.csv", "-o", "out")
    assert code == 0
    assert "on 20 rows whose label is given" in err and "as many rows" not in err


def test_kernels_are_known_by_their_names(folder, run):
    clinic, rna = tables()
    Z = rna[list("abcd")].to_numpy()
    arrays = {"linear": Z @ Z.T, "square": (Z @ Z.T) ** 2}
    np.savez("train.npz", **arrays, label=clinic["label"].to_list())
    run("fit", "train.npz", "--target", "label", "--norm", "1", "-o", "model.skops")
    _, expected, _ = run("predict", "model.skops", "train.npz")
    np.savez("new.npz", **dict(reversed(arrays.items())))
    code, out, _ = run("predict", "model.skops", "new.npz")
    assert (code, out) == (0, expected)
    np.savez("new.npz", linear=arrays["linear"], other=arrays["square"])
    code, _, err = run("predict", "model.skops", "new.npz")
    assert code == 2
    assert "needs the kernels linear, square against 60 training rows" in err


def test_a_file_whose_name_has_an_equals_sign(model, run, folder):
    expected = output(run, *BOTH[:2])
    (folder / "rna.csv").rename(folder / "rna=1.csv")
    assert output(run, "rna=1.csv", "clinic.csv") == expected
    (folder / "rna=1.csv").rename(folder / "x=1.csv")
    assert output(run, "rna=x=1.csv", "clinic.csv") == expected


def test_a_file_that_is_given_twice(model, run, folder):
    pd.read_csv("rna.csv").to_csv("r2.csv", index=False)
    pd.read_csv("rna.csv").to_csv("r3.csv", index=False)
    for files, message in (
        (("r2.csv", "./r2.csv"), "r2.csv and r2.csv are the same file: give each"),
        (("r2.csv", "r3.csv"), "r3.csv is not clinic, which is the table left: it lac"),
    ):
        code, out, err = run("predict", "model.skops", *files)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert message in err
    both = pd.read_csv("clinic.csv").merge(pd.read_csv("rna.csv"), on="sample")
    both.to_csv("both.csv", index=False)
    expected = output(run, "clinic.csv", "rna.csv")
    assert output(run, "clinic=both.csv", "rna=both.csv") == expected
