"""Ids as people mean them, tables turned round, and tables that are not there."""

import json

import pandas as pd
import pytest

from two_tables import BOTH


def rewrite(name, change):
    table = pd.read_csv(name, dtype={"sample": str})
    change(table).to_csv(name, index=False)


def with_ids(write):
    return lambda table: table.assign(sample=[write(i) for i in table["sample"]])


@pytest.mark.parametrize(
    "write", [lambda i: int(i[1:]), lambda i: f" {i[1:]}", lambda i: f"{int(i[1:])}.0"]
)
def test_ids_that_are_written_differently(folder, run, write):
    rewrite("clinic.csv", with_ids(lambda i: i[1:]))
    rewrite("rna.csv", with_ids(write))
    code, out, err = run("fit", *BOTH, "--norm", "1", "--json", "-o", "model.skops")
    assert code == 0
    assert json.loads(out)["samples"] == 60
    assert "60 ids of 'sample' are written differently, and taken for the same" in err
    assert "left out" not in err
    _, out, _ = run("predict", "model.skops", "clinic.csv", "rna.csv", "--json")
    assert [row["sample"] for row in json.loads(out)][:2] == ["000", "001"]


def test_only_some_ids_are_written_differently(folder, run):
    """From 10 on both write the same: a fit on 50 samples would look all right."""
    rewrite("clinic.csv", with_ids(lambda i: f"{int(i[1:]):02d}"))
    rewrite("rna.csv", with_ids(lambda i: int(i[1:])))
    code, out, err = run("fit", *BOTH, "--norm", "1", "--json")
    assert code == 0 and json.loads(out)["samples"] == 60
    assert "10 ids of 'sample' are written differently" in err


def test_ids_that_cannot_be_told_apart(folder, run):
    rewrite("clinic.csv", with_ids(lambda i: {"p000": "01"}.get(i, i[2:].lstrip("0"))))
    rewrite("rna.csv", with_ids(lambda i: i[1:]))
    code, _, err = run("fit", *BOTH)
    assert code == 2
    assert "clinic has ids that mean the same (" in err and "in one way" in err


def test_a_table_that_is_turned_round(folder, run):
    rna = pd.read_csv("rna.csv").set_index("sample").T.rename_axis("gene")
    rna.reset_index().to_csv("rna.csv", index=False)
    code, _, err = run("fit", *BOTH)
    assert code == 2
    assert "rna has no id column 'sample'" in err
    assert "rna seems to be transposed: 60 of its columns are called like" in err
    rna.rename_axis("sample").reset_index().to_csv("rna.csv", index=False)
    code, _, err = run("fit", *BOTH)
    assert code == 2
    assert "no 'sample' is in every table" in err and "transposed" in err


def test_one_table_that_is_turned_round(folder, run):
    clinic = pd.read_csv("clinic.csv").set_index("sample").T.rename_axis("what")
    clinic.reset_index().to_csv("clinic.csv", index=False)
    code, _, err = run("fit", "clinic.csv", "--target", "label")
    assert code == 2
    assert "'label' is in the first column" in err and "transposed" in err


@pytest.fixture
def sparing(folder, run):
    """A model that allows samples without a table; and new files."""
    options = ("--norm", "1", "--missing", "mean", "-o", "model.skops")
    assert run("fit", *BOTH, *options)[0] == 0
    clinic = pd.read_csv("clinic.csv").drop(columns="label")
    clinic.to_csv("new.csv", index=False)
    pd.read_csv("rna.csv")[:0].to_csv("none.csv", index=False)


@pytest.mark.parametrize(
    "files", [("new.csv",), ("clinic.csv",), ("new.csv", "none.csv")]
)
def test_a_table_that_new_samples_lack(sparing, run, files):
    code, out, err = run("predict", "model.skops", *files, "--json")
    assert code == 0
    assert len(json.loads(out)) == 60
    assert "rna: not there, and tells nothing about these rows" in err
    code, out, err = run("predict", "model.skops", "rna.csv", "--json")
    assert code == 0 and len(json.loads(out)) == 60
    assert "clinic: not there" in err


def test_a_table_that_must_be_there(model, folder, run):
    code, _, err = run("predict", "model.skops", "clinic.csv")
    assert code == 2
    assert "fitted to 2 tables (clinic, rna), and 1 was given" in err
    pd.read_csv("rna.csv")[:0].to_csv("rna.csv", index=False)
    code, _, err = run("predict", "model.skops", "clinic.csv", "rna.csv")
    assert code == 2 and "has a header, but no rows" in err


def test_all_tables_are_empty(sparing, run):
    code, _, err = run("predict", "model.skops", "none.csv")
    assert code == 2 and "headers, but no rows" in err
