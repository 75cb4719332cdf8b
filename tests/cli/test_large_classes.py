"""Classes that are whole numbers beyond 2^53, such as SNOMED codes, are exact."""

import json

import numpy as np
import pandas as pd
import pytest

CODES = [999000011000001104, 999000011000001117, 999000041000000102]
CLASSIFY = ["--target", "code", "--task", "classify", "--norm", "1"]


def table(n=60):
    random = np.random.default_rng(0)
    kind = np.arange(n) % 3
    codes = np.array(CODES)[kind]
    a = 3 * kind + random.normal(size=n) / 5
    return pd.DataFrame({"code": codes, "a": a, "b": random.normal(size=n)})


def classes(run, *arguments):
    code, out, err = run("fit", *arguments, *CLASSIFY, "-o", "model.skops", "--json")
    assert code == 0, err
    return json.loads(out)["classes"]


@pytest.mark.parametrize("how", [[], ["--components", "20"]])
@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
@pytest.mark.parametrize("gaps", [False, True])
def test_one_table(tmp_path, monkeypatch, run, name, how, gaps):
    monkeypatch.chdir(tmp_path)
    data = table().astype({"code": "Int64"})
    if gaps:
        data.loc[5, "code"] = None
    if name == "t.csv":
        data.to_csv(name, index=False)
    else:
        data.to_parquet(name)
    assert classes(run, name, *how) == CODES
    code, out, err = run("predict", "model.skops", name)
    assert code == 0, err
    assert out.splitlines()[1].split(",")[1] == str(CODES[0])
    assert "accuracy 1.0000" in err


def test_codes_with_gaps_by_a_join(tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    data = table().assign(id=[f"p{i}" for i in range(60)])
    data[["id", "code", "a"]][:58].to_csv("one.csv", index=False)
    data[["id", "b"]].to_csv("two.csv", index=False)
    found = classes(run, "one.csv", "two.csv", "--id", "id", "--missing", "mean")
    assert found == CODES


def test_codes_that_are_no_integers_of_a_machine(tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    data = table().assign(code=[10**20 + i % 3 for i in range(60)])
    data.to_csv("t.csv", index=False)
    assert classes(run, "t.csv") == [str(10**20 + i) for i in range(3)]
    # In chunks they are doubles, which would make them one.
    code, _, err = run("fit", "t.csv", *CLASSIFY, "--components", "20")
    assert code == 2
    assert "were rounded" in err or "one class only" in err


def test_codes_that_come_late(tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("kernelweave.tables.batches._BLOCK", 1000)
    data = pd.concat([table().assign(code=""), table()])
    data.to_csv("t.csv", index=False)
    assert classes(run, "t.csv", "--components", "20") == CODES


def test_a_large_feature_is_rounded(tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    table().assign(c=np.arange(60)[::-1] ** 2 + 2**60 + 1).to_parquet("t.parquet")
    assert classes(run, "t.parquet", "--components", "20") == CODES
