"""Columns that are not what they seem are named: copies, numbers and dates as text."""

import numpy as np
import pandas as pd
import pytest

from kernelweave import persist
from kernelweave.cli.suspects import note_copies, note_groups

HOW = pytest.mark.parametrize("how", [[], ["--components", "20"]])


def noise(n=60):
    random = np.random.default_rng(0)
    label = np.array(["basal", "her2", "lumA"])[np.arange(n) % 3]
    columns = {"label": label, "a": random.normal(size=n), "b": random.normal(size=n)}
    return pd.DataFrame(columns)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def said(run):
    """Fit a table: the exit code, and what was said, in one line."""

    def said(data, *options, name="t.csv", target="label"):
        if name.endswith("parquet"):
            data.to_parquet(name)
        else:
            data.to_csv(name, index=False, sep="\t" if ".tsv" in name else ",")
        fit = ["fit", name, "--target", target, "--norm", "1", "-o", "model.skops"]
        code, _, err = run(*fit, *options)
        return code, " ".join(err.split())

    return said


@pytest.mark.parametrize("view", [[], ["--view", "all=*"], ["--view", "r=r.*"]])
def test_the_twin_of_the_target_is_left_out(run, view):
    ids = [f"p{i}" for i in range(60)]
    noise().assign(sample=ids)[["sample", "label", "a"]].to_csv("c.csv", index=False)
    noise().assign(sample=ids)[["sample", "label", "b"]].to_csv("r.csv", index=False)
    fit = ["fit", "c.csv", "r.csv", "--id", "sample", "--norm", "1", *view]
    code, _, err = run(*fit, "--target", "c.label", "-o", "model.skops")
    assert code == 0, err
    assert "r.label: called like the target, left out" in err
    assert "r.label" not in persist.metadata("model.skops")["columns"]


@HOW
def test_a_copy_under_another_name(said, how):
    data = noise()
    code, err = said(data, *how)
    assert code == 0
    assert "one value for each class" not in err
    copy = data["label"].map({"basal": 7, "her2": 3, "lumA": 1.5})
    _, err = said(data.assign(other=copy), *how)
    assert "column other has one value for each class of label: if it is a copy" in err
    # The target is a number, and so is its copy.
    _, err = said(data.assign(copy=data["a"]), *how, target="a")
    assert "column copy equals a: if it is a copy" in err
    _, err = said(data.assign(copy=data["a"] + 1), *how, target="a")
    assert "equals" not in err


def test_what_is_one_to_one():
    y = np.array(["x", "x", "y", "y", "y"])

    def found(*column):
        return bool(note_copies(pd.DataFrame({"c": column}), y, "t", "classify"))

    assert found(1, 1, 0, 0, 0)
    assert found("u", "u", None, "v", "v")
    assert found(True, True, False, False, False)
    assert not found(1, 1, 1, 1, 1)
    assert not found(1, 2, 0, 0, 0)
    assert not found(1, 1, 0, 0, 1)
    # One row a class says nothing.
    assert not found(1, None, 0, None, None)
    semi = np.array(["x", None, "y", "x", "y"])
    frame = pd.DataFrame({"c": [1, 5, 0, 1, 0]})
    assert note_copies(frame, semi, "t", "semi-supervised")


def test_what_names_groups():
    y = np.repeat(["u", "v"], 20)

    def found(column):
        return bool(note_groups(pd.DataFrame({"c": column}), y, "t"))

    patient = np.repeat([f"p{i}" for i in range(10)], 4)
    assert found(patient)
    assert found(np.repeat(np.arange(10), 4))
    # One row a value; few values; a value with two classes; measurements.
    assert not found([f"p{i}" for i in range(40)])
    assert not found(np.repeat(["a", "b", "c", "d"], 10))
    assert not found(np.repeat([f"p{i}" for i in range(14)], 3)[:40])
    assert not found(np.repeat(np.linspace(0.1, 0.9, 10), 4))


def test_patients_are_no_column_to_learn_from(said):
    data = noise().assign(patient=[f"p{i % 3}-{i // 6}" for i in range(60)])
    code, err = said(data)
    assert code == 0
    assert "column patient has one label for each of its values" in err
    assert "--drop patient, and --groups patient in fit, evaluate" in err


def test_copies_are_noted_before_learning(said):
    data = pd.concat([noise()] * 3, ignore_index=True)
    _, err = said(data)
    assert "100 % of the rows are equal to other rows" in err
    _, err = said(noise())
    assert "equal to other rows" not in err


TEXTS = {
    "decimal commas": (["1,5", "0,3", "2,0"], "1,5"),
    "per cent": (["12%", "7%", "30 %"], "12%"),
    "thousands": (["3,000", "1,000", "12,000"], "3,000"),
    "limits": (["<0.1", "<0.2", "0.5"], "<0.1"),
    "a unit": (["71.1 kg", "80 kg", "65.5 kg"], "71.1 kg"),
    "a currency": (["$7,110", "$812", "$90"], "$7,110"),
    "times": (["14:30", "09:05", "23:59"], "14:30"),
}


@HOW
@pytest.mark.parametrize("kind", TEXTS)
def test_numbers_as_text(said, how, kind):
    cells, example = TEXTS[kind]
    data = noise().assign(c=[cells[i % 7 % 3] for i in range(60)])
    code, err = said(data, *how, name="t.tsv")
    assert code == 0
    what = "times" if ":" in example else "numbers"
    assert f"'c' holds {what} that are written as text, such as '{example}'" in err
    assert err.count("written as text") == 1
    code, err = said(noise().assign(c=[f"{i},5" for i in range(60)]), name="t.tsv")
    assert code == 2
    assert "such as '0,5', 60 different ones in 60 rows: write them" in err
    assert "without other signs, or leave it out with --drop c" in err


FORMS = ["%Y-%m-%d", "%d.%m.%Y", "%d %b %Y", "%m/%d/%Y %H:%M", "%Y-%m", "%m/%d/%y"]


@HOW
@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "days.parquet"])
@pytest.mark.parametrize("form", FORMS)
def test_dates(said, how, name, form):
    days = pd.to_datetime(["2021-01-05", "2021-02-07", "2022-11-30"] * 20)
    data = noise().assign(day=days.date if "days" in name else days.strftime(form))
    code, err = said(data, *how, name=name)
    assert code == 2
    assert "'day' holds dates or times" in err
    assert "turn it into a number, such as days, or leave it out" in err


def test_words_and_codes_are_categories(said):
    data = noise().assign(
        c=[["E11", "I10", "250"][i % 7 % 3] for i in range(60)],
        d=[["v1.2", "v1.3"][i % 5 % 2] for i in range(60)],
    )
    code, err = said(data)
    assert code == 0
    assert "written as text" not in err


@HOW
def test_a_slip_among_numbers_to_predict(said, how):
    ages = pd.Series(np.arange(300) % 47 + 20).astype(object)
    ages[[17, 40]] = "unk"
    data = noise(300).assign(label=ages)
    code, err = said(data, *how)
    assert code == 2
    assert "the target 'label' looks like numbers, but holds 'unk'" in err
    assert "pass --task classify" in err
    if not how:
        assert "'unk' in 2 of 300 rows" in err
    assert said(data, *how, "--task", "classify")[0] == 0
    code, err = said(data, *how, "--task", "regress")
    assert code == 2
    assert "needs numbers, but the target 'label' holds 'unk'" in err
    commas = data.assign(label=[f"{i % 47},5" for i in range(300)])
    code, err = said(commas, *how, name="t.tsv")
    assert code == 2
    assert "looks like numbers, but holds '0,5', '1,5', " in err


def test_few_numbers_and_a_word_are_classes(said):
    stages = pd.Series(np.arange(60) % 4).astype(object)
    stages[3] = "x"
    stages[7] = "x"
    code, err = said(noise().assign(label=stages))
    assert code == 0
    assert "5 different values: classification" in err


def test_texts_that_the_model_does_not_know(said, run):
    data = noise().assign(g=[["u", "v", "w"][i % 7 % 3] for i in range(60)])
    assert said(data)[0] == 0
    for change in (str.upper, lambda text: text + " "):
        data.assign(g=data["g"].map(change)).to_csv("new.csv", index=False)
        code, _, err = run("predict", "model.skops", "new.csv")
        assert code == 0
        seen = f"{change('u')!r}, {change('v')!r}, {change('w')!r}"
        assert f"'g' has no value that the model knows: it has {seen}" in " ".join(
            err.split()
        )
    data.assign(g=["u"] + ["z"] * 59).to_csv("new.csv", index=False)
    assert "no value" not in run("predict", "model.skops", "new.csv")[2]


def test_names_are_quoted_where_they_are_to_be_typed(said):
    data = noise()
    index = pd.Series(range(60), name="Unnamed: 0")
    _, err = said(pd.concat([index, data], axis=1))
    assert "pass --id 'Unnamed: 0'" in err
    names = data.assign(**{"my name": [f"n{i}" for i in range(60)]})
    _, err = said(names)
    assert "pass --id 'my name'; else leave it out with --drop 'my name'" in err
    _, err = said(data.assign(**{"my copy": data["a"]}), target="a")
    assert "leave it out with --drop 'my copy'" in err


def test_an_ending_in_capitals(said, run):
    code, err = said(noise(), name="T.CSV")
    assert code == 0, err
    code, err = said(noise(), "--components", "20", name="U.CSV")
    assert code == 0, err


def test_codes_that_are_one_as_numbers(said):
    data = noise().assign(code=["01", "1", "001", "2"] * 15, plain=["01", "02"] * 30)
    code, err = said(data)
    assert code == 0
    assert "column 'code' has 001 and 01 and 1, read as one number: if they are" in err
    assert "'plain'" not in err
    _, err = said(data.assign(code=[None, "1", "01", "2"] * 15), "--missing", "impute")
    assert "column 'code' has 01 and 1, read as one number" in err
    data = noise().assign(label=["01", "1", "2"] * 20)
    _, err = said(data, name="t.tsv")
    assert "column 'label' has 01 and 1, read as one number" in err
    _, err = said(noise().assign(n=range(60)))
    assert "one number" not in err
