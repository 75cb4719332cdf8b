"""fit --components: kernels by landmarks, of tables that are not loaded."""

import json

import numpy as np
import pandas as pd
import pytest

from kernelweave import MKLDiscriminantAnalysis, persist
from kernelweave.kernels import Linear, Nystroem
from kernelweave.streamed import checkpoint
from kernelweave.views import kernels_for
from two_tables import BOTH

NAMES = ["x1", "x2", "y1"]


def table(n=3000, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, 3))
    kind = np.where(X[:, 0] ** 2 + X[:, 1] > 0.5, "out", "in")
    frame = pd.DataFrame(X, columns=NAMES)
    # Sorted, so that the first rows tell nothing about the others.
    return frame.assign(kind=kind, size=X[:, 2] ** 2).sort_values("kind")


@pytest.fixture
def rows(tmp_path, monkeypatch):
    """The current folder, with rows.csv and new.csv of many small batches."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("kernelweave.tables.batches._BLOCK", 2**15)
    monkeypatch.setattr("kernelweave.streamed.chunk._FEW", 1)
    table().to_csv("rows.csv", index=False)
    table(500, 1).to_csv("new.csv", index=False)
    return tmp_path


FIT = ["fit", "rows.csv", "--target", "kind", "--components", "50", "--norm", "1"]
VIEWS = ["--view", "x=x*", "--view", "y=y*"]


def test_it_is_what_python_would_learn(rows, run, monkeypatch):
    monkeypatch.setattr(pd, "read_csv", None)
    code, out, err = run(*FIT, *VIEWS, "-o", "model.skops")
    monkeypatch.undo()
    assert code == 0, err
    assert "Learned to tell 2 classes apart, kind, from 3000 samples" in out
    assert "as their landmarks see them: off by at most" in out
    assert "1 column in no view, left out: size" in err
    here = persist.load(rows / "model.skops")
    data = table()
    kernels = [
        kernel if isinstance(kernel, Linear) else Nystroem(kernel, 50)
        for kernel in kernels_for(data[NAMES], {"x": ["x1", "x2"], "y": ["y1"]})
    ]
    there = MKLDiscriminantAnalysis(kernels).fit(data[NAMES], data["kind"])
    assert here.kernel_names_.tolist() == there.kernel_names_.tolist()
    np.testing.assert_allclose(here.weights_, there.weights_, atol=1e-8)
    assert here.classes_.tolist() == ["in", "out"]


def gaps(ending):
    """A table whose target has gaps, as this kind of file may have them."""
    data = table(300).reset_index(drop=True)
    labels = data["kind"].replace("in", "None").astype(object)
    labels[:50] = None
    if ending == "csv":
        labels[10:20], labels[20:30], labels[30:40] = "NA", "nan", "<NA>"
    elif ending == "parquet":
        labels[10:20] = ""
    data.assign(kind=labels).drop(columns="size").pipe(
        lambda d: (
            d.to_parquet("gaps.parquet")
            if ending == "parquet"
            else d.to_csv("gaps.csv", index=False)
        )
    )
    return f"gaps.{ending}"


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_the_same_targets_are_missing_whether_streamed_or_not(rows, run, ending):
    name = gaps(ending)
    answers = []
    for how in ([], ["--components", "50"]):
        options = ["--target", "kind", "--task", "classify", "--norm", "1"]
        command = ["fit", name, *options, *how, "-o", "model.skops", "--json"]
        code, out, err = run(*command)
        assert code == 0, err
        assert "50 rows without kind, left out" in err
        facts = json.loads(out)
        assert facts["classes"] == ["None", "out"]
        answers.append(facts["samples"])
        # Neither do they count when predictions are compared with them.
        _, _, err = run("predict", "model.skops", name, "-o", "out.csv")
        assert "on 250 rows whose kind is given" in err
    assert answers == [250, 250]


def test_a_number_that_is_missing_in_parquet(rows, run):
    import pyarrow as pa
    from pyarrow import parquet

    data = table(300)
    size = data["size"].to_numpy().copy()
    size[:7] = np.nan
    # NaN, which is not null.
    columns = {"x1": data["x1"].to_numpy(), "size": pa.array(size)}
    parquet.write_table(pa.table(columns), "gaps.parquet")
    for how in ([], ["--components", "50"]):
        options = ["--target", "size", "--task", "regress", "--norm", "1", *how]
        code, out, err = run("fit", "gaps.parquet", *options, "--json")
        assert code == 0, err
        assert "7 rows without size, left out" in err
        assert json.loads(out)["samples"] == 293


def test_predictions_are_written_batch_by_batch(rows, run, monkeypatch):
    run(*FIT, *VIEWS, "-o", "model.skops")
    monkeypatch.setattr(pd, "read_csv", None)
    code, out, err = run("predict", "model.skops", "new.csv", "-o", "out.csv")
    monkeypatch.undo()
    assert (code, out) == (0, "")
    assert "wrote 500 predictions to out.csv" in err
    written = pd.read_csv(rows / "out.csv")
    assert list(written.columns) == ["row", "kind", "P(in)", "P(out)"]
    assert written["row"].tolist() == list(range(1, 501))
    new, model = table(500, 1), persist.load(rows / "model.skops")
    assert written["kind"].tolist() == model.predict(new[NAMES]).tolist()
    accuracy = np.mean(written["kind"].to_numpy() == new["kind"].to_numpy())
    assert accuracy > 0.9
    assert f"accuracy {accuracy:.4f} on 500 rows whose kind is given" in err


def test_the_same_predictions_as_json_with_ids_and_without_a_target(rows, run):
    data = table().assign(id=[f"{i:04d}" for i in range(3000)])
    data.to_csv("rows.csv", index=False)
    run(*FIT, "--id", "id", "-o", "model.skops")
    new = data.drop(columns="kind").iloc[:40]
    new.to_csv("new.csv", index=False)
    _, plain, err = run("predict", "model.skops", "new.csv")
    assert "accuracy" not in err
    assert plain.splitlines()[1].startswith("0000,")
    _, out, _ = run("predict", "model.skops", "new.csv", "--json")
    rows_of_json = json.loads(out)
    lines = [line.split(",") for line in plain.splitlines()[1:]]
    assert [row["id"] for row in rows_of_json] == [line[0] for line in lines]
    assert [row["kind"] for row in rows_of_json] == [line[1] for line in lines]
    new.drop(columns="x2").to_csv("new.csv", index=False)
    code, _, err = run("predict", "model.skops", "new.csv")
    assert code == 2
    assert "1 of the 4 columns that the model was fitted to are not there: x2" in err
    code, _, err = run("predict", "model.skops", "new.csv", "rows.csv")
    assert code == 2
    assert "fitted to 1 table (rows), and 2 were given" in err


def test_numbers_are_regressed(rows, run):
    code, out, err = run(
        *("fit", "rows.csv", "--target", "size", "--components", "40"),
        *("--view", "y=y*", "--sampling", "kmeans", "--json", "-o", "m.skops"),
    )
    facts = json.loads(out)
    assert code == 0, err
    assert (facts["task"], facts["samples"]) == ("regress", 3000)
    assert set(facts["approximation_error"]) == set(facts["weights"])
    assert 0 < max(facts["approximation_error"].values()) < 0.1
    assert "many different numbers: regression" in err
    _, _, err = run("predict", "m.skops", "new.csv", "-o", "out.csv")
    assert "R² 0.99" in err
    table(500, 1).to_parquet("new.parquet")
    _, _, again = run("predict", "m.skops", "new.parquet", "-o", "out.csv")
    assert again == err


def test_rows_without_a_target_are_left_out(rows, run):
    data = table()
    data.loc[data.index[::3], "kind"] = None
    data.to_csv("rows.csv", index=False)
    code, out, err = run(*FIT)
    assert code == 0
    assert "from 2000 samples" in out
    assert "1000 rows without kind, left out" in err


def test_it_goes_on_from_a_checkpoint(rows, run, monkeypatch):
    run(*FIT, "-o", "whole.skops")
    monkeypatch.setattr(checkpoint, "SECONDS", 0)
    monkeypatch.setattr(checkpoint, "SHARE", 0)
    real, left = checkpoint.Checkpoint.write, [9]

    def write(self, sums, count):
        real(self, sums, count)
        left[0] -= 1
        if not left[0]:
            raise OSError("the machine is switched off")

    with monkeypatch.context() as patch:
        patch.setattr(checkpoint.Checkpoint, "write", write)
        code, _, err = run(*FIT, "--checkpoint", "c", "-o", "m.skops")
    assert code == 2 and "switched off" in err
    content = (rows / "c").read_bytes()
    (rows / "c").write_bytes(content[:-100])
    code, _, err = run(*FIT, "--checkpoint", "c")
    assert code == 2
    assert "kernelweave: the checkpoint c is damaged or cut short" in err
    (rows / "c").write_bytes(content)
    code, _, err = run(*FIT[:-1], "2", "--checkpoint", "c")
    assert code == 2 and "belongs to another command" in err
    code, _, err = run(*FIT, "--checkpoint", "c", "-o", "m.skops")
    assert code == 0, err
    assert "going on from c: pass 2, row " in err
    one, two = (persist.load(rows / f"{name}.skops") for name in ("whole", "m"))
    assert np.array_equal(one.weights_, two.weights_)
    assert not (rows / "c").exists()


def test_several_tables_and_text_are_loaded(folder, run):
    clinic = pd.read_csv("clinic.csv")
    clinic.assign(sex=["f", "m"] * 30).to_csv("clinic.csv", index=False)
    code, out, err = run("fit", *BOTH, "--components", "20", "--json")
    assert code == 0, err
    assert "clinic: overlap" in json.loads(out)["weights"]
    single = ["fit", "clinic.csv", "--id", "sample", "--target", "label"]
    assert run(*single, "--components", "20", "--json")[0] == 0
    code, _, err = run(*single, "--components", "20", "--checkpoint", "c")
    assert code == 2
    assert "--checkpoint is for one table of numbers" in err


SLIPS = {
    "no number": (["--components", "many"], "'many' is no whole number"),
    "zero": (["--components", "0"], "'0' is no whole number of at least 1"),
    "a checkpoint alone": (["--checkpoint", "c"], "are for --components N"),
    "semi": (
        ["--components", "9", "--task", "semi-supervised"],
        "compares all pairs of rows",
    ),
    "no such id": (
        ["--components", "9", "--id", "n"],
        "has no id column 'n'; it has x1",
    ),
    "no such view": (
        ["--components", "9", "--view", "z=z*"],
        "--view z=z*: there is no such column",
    ),
    "many classes": (
        ["--components", "9", "--target", "size", "--task", "classify", *VIEWS],
        "has another class in each of 3000 rows",
    ),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_slips(rows, run, slip):
    options, message = SLIPS[slip]
    code, out, err = run("fit", "rows.csv", "--target", "kind", *options)
    assert (code, out) == (2, "")
    assert message in " ".join(err.split())


def test_given_kernels_are_not_approximated(tmp_path, run):
    path = tmp_path / "k.npz"
    np.savez(path, shape=np.eye(4), label=[0, 0, 1, 1])
    code, _, err = run("fit", path, "--target", "label", "--components", "2")
    assert code == 2
    assert "those of an .npz file are used as they are" in err


def test_a_long_table_gets_a_hint(rows, run, monkeypatch):
    monkeypatch.setattr("kernelweave.cli.fit.MANY", 100)
    table(150).to_csv("rows.csv", index=False)
    code, _, err = run(*FIT[:4], "--norm", "1")
    assert code == 0
    assert "150 rows: the kernels compare all pairs" in err
    assert "--components 500" in " ".join(err.split())
    assert "--components" not in run(*FIT)[2]


def test_a_file_that_is_no_checkpoint_is_never_to_be_deleted(rows, run):
    run(*FIT, "-o", "m.skops")
    np.savez("k.npz", manifest=np.zeros(3))
    for name in ("m.skops", "new.csv", "k.npz"):
        before = (rows / name).read_bytes()
        code, _, err = run(*FIT, "--checkpoint", name)
        assert code == 2
        assert "is no checkpoint of kernelweave: choose another name" in err
        assert (rows / name).read_bytes() == before


@pytest.mark.parametrize("passes", [1, 2])
def test_rows_left_out_are_told_after_a_pass_that_was_kept(
    rows, run, monkeypatch, passes
):
    data = table()
    data.loc[data.index[::10], "kind"] = None
    data.to_csv("rows.csv", index=False)
    real, left = checkpoint.Checkpoint.finish, [passes]

    def finish(self, *arguments):
        real(self, *arguments)
        left[0] -= 1
        if not left[0]:
            raise OSError("the machine is switched off")

    with monkeypatch.context() as patch:
        patch.setattr(checkpoint.Checkpoint, "finish", finish)
        assert run(*FIT, "--checkpoint", "c")[0] == 2
    code, _, err = run(*FIT, "--checkpoint", "c")
    assert code == 0
    assert f"going on from c: pass {passes + 1}, row 0" in err
    assert "300 rows without kind, left out" in err


@pytest.mark.parametrize("how", [[], ["--components", "20"]])
def test_too_few_rows(rows, run, how):
    (rows / "two.csv").write_text("kind,a\nx,1\ny,2\n")
    (rows / "none.csv").write_text("kind,a\n")
    code, _, err = run("fit", "two.csv", "--target", "kind", *how)
    assert code == 2
    assert "2 rows with 'kind' are too few to learn from: at least 3" in err
    code, _, err = run("fit", "none.csv", "--target", "kind", *how)
    assert code == 2
    assert "none.csv" in err
    assert "header, but no rows" in err


def test_a_word_among_the_targets_of_later_rows(rows, run):
    text = "size,a\n" + "".join(f"{i / 7},{i % 5}\n" for i in range(5000))
    (rows / "late.csv").write_text(text + "12.x,3\n")
    code, _, err = run("fit", "late.csv", "--target", "size", "--components", "20")
    assert code == 2
    assert "late.csv, row 5001: column 'size' holds numbers, but '12.x' here" in (
        " ".join(err.split())
    )
