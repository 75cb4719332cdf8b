"""Columns that name rows: the ids, whether a table is loaded or streamed."""

import json

import numpy as np
import pandas as pd
import pytest

HOW = pytest.mark.parametrize("how", [[], ["--components", "20"]])


def table(n=60):
    random = np.random.default_rng(0)
    kind = np.arange(n) % 2
    return pd.DataFrame(
        {
            "label": np.array(["no", "yes"])[kind],
            "index": kind + random.normal(size=n),
            "b": random.normal(size=n),
        }
    )


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def columns(run, name, how, *more):
    """The columns that a model learns from, the notes, and the first prediction."""
    fit = ["fit", name, "--target", "label", "--norm", "1", *how, *more]
    code, _, err = run(*fit, "-o", "model.skops")
    assert code == 0, err
    from kernelweave import persist

    code, out, said = run("predict", "model.skops", name)
    assert code == 0, said
    return persist.metadata("model.skops")["columns"], err, out.splitlines()[1]


@HOW
def test_a_column_called_index_is_data(run, how):
    table().to_csv("t.csv", index=False)
    used, err, _ = columns(run, "t.csv", how)
    assert used == ["index", "b"]
    assert "no name" not in err


@HOW
def test_a_first_column_without_a_name(run, how):
    table()[["label", "b"]].set_axis([f"p{i}" for i in range(60)]).to_csv("t.csv")
    used, err, first = columns(run, "t.csv", how)
    assert used == ["b"]
    assert "the first column has no name: it is taken for the ids" in err
    assert first.startswith("p0,")


@HOW
def test_names_that_occur_twice_are_no_data_either(run, how):
    table()[["label", "b"]].set_axis([i % 30 for i in range(60)]).to_csv("t.csv")
    used, err, _ = columns(run, "t.csv", how)
    assert used == ["b"]
    assert "taken for the ids" in err or "'index' names rows twice: left out" in err


@HOW
@pytest.mark.parametrize("numbers", ["counted", "in disorder"])
def test_an_index_of_parquet(run, how, numbers):
    data = table()[["label", "b"]]
    if numbers == "in disorder":
        data.index = np.random.default_rng(0).permutation(60) * 7 + 3
    data.rename_axis("sample").to_parquet("t.parquet")
    used, err, first = columns(run, "t.parquet", how)
    assert used == ["b"]
    assert "the index is 'sample': it is taken for the ids" in err
    if not how or numbers == "in disorder":
        assert first.startswith(f"{data.index[0]},")
    # It can be asked for, and it is no data if it is not.
    assert columns(run, "t.parquet", how, "--id", "sample")[0] == ["b"]
    data.assign(name=[f"q{i}" for i in range(60)]).rename_axis("sample").to_parquet(
        "t.parquet"
    )
    used, err, _ = columns(run, "t.parquet", how, "--id", "name")
    assert used == ["b"]
    assert "t: the column 'sample' names rows, left out" in err


@HOW
def test_an_exact_name_of_a_column_wins(run, how):
    data = table().rename(columns={"index": "t.label"})
    data["t.label"] += 5
    data.to_csv("t.csv", index=False)
    used, _, _ = columns(run, "t.csv", how)
    assert used == ["t.label", "b"]


def test_an_index_joins_tables(run):
    for name, column in (("clinic", "label"), ("rna", "b")):
        part = table()[[column]].set_axis([f"p{i}" for i in range(60)])
        part.iloc[:: -1 if name == "rna" else 1].rename_axis("sample").to_parquet(
            f"{name}.parquet"
        )
    fit = ["fit", "clinic.parquet", "rna.parquet", "--target", "label", "--norm", "1"]
    code, out, err = run(*fit, "--json")
    assert code == 0, err
    assert json.loads(out)["samples"] == 60
