"""Tables in Excel files, and of AnnData and MuData."""

import json

import pandas as pd
import pytest

from kernelweave.tables import TableError, read_table
from kernelweave.tables.batches import TableBatches
from two_tables import BOTH, tables

FIT = ("--id", "sample", "--target", "label", "--norm", "1", "--json")


def weights(run, *arguments):
    code, out, err = run("fit", *arguments, *FIT, "-o", "model.skops")
    assert code == 0, err
    return json.loads(out)["weights"]


def test_excel(folder, run):
    pytest.importorskip("openpyxl")
    expected = weights(run, "clinic.csv", "rna.csv")
    clinic, rna = tables()
    clinic.to_excel("clinic.xlsx", index=False)
    rna.iloc[::-1].to_excel("rna.xlsx", index=False)
    assert weights(run, "clinic.xlsx", "rna.xlsx") == pytest.approx(expected)
    code, out, _ = run("predict", "model.skops", "rna.xlsx", "clinic.csv", "--json")
    assert code == 0 and len(json.loads(out)) == 60


def test_excel_is_read_as_text_is(tmp_path):
    pytest.importorskip("openpyxl")
    path = tmp_path / "a.xlsx"
    pd.DataFrame(
        {"id": ["007", "008"], "x": [1.5, None], "t": ["NA", "None"]}
    ).to_excel(path, index=False)
    table = read_table(path, id="id")
    assert table["id"].tolist() == ["007", "008"]
    assert table["x"].isna().tolist() == [False, True]
    assert table["t"].isna().tolist() == [True, False]
    with pytest.raises(TableError, match="cannot be read in batches"):
        TableBatches(path)
    with pd.ExcelWriter(path) as file:
        for name in ("first", "second"):
            pd.DataFrame({"x": [1]}).to_excel(file, sheet_name=name, index=False)
    with pytest.raises(TableError, match=r"2 sheets \(first, second\): save each"):
        read_table(path)
    path.write_text("x,y\n1,2\n")
    with pytest.raises(TableError, match=r"a\.xlsx cannot be read"):
        read_table(path)


def test_a_package_that_is_not_there(folder, run, monkeypatch):
    import sys

    for package in ("openpyxl", "anndata"):
        monkeypatch.setitem(sys.modules, package, None)
    for name, package in (("a.xlsx", "'kernelweave[excel]'"), ("a.h5ad", "anndata")):
        (folder / name).write_bytes(b"")
        code, _, err = run("fit", name, "--target", "label")
        assert code == 2
        assert f"pip install {package}" in err


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("a.csv", "needs pandas: pip install 'kernelweave[tables]'"),
        ("a.parquet", "needs pandas and pyarrow: pip install 'kernelweave[parquet]'"),
        ("a.xlsx", "needs pandas and openpyxl: pip install 'kernelweave[excel]'"),
    ],
)
def test_without_pandas_what_is_asked_for_has_the_reader(
    folder, run, monkeypatch, name, how
):
    import sys

    monkeypatch.setitem(sys.modules, "pandas", None)
    (folder / name).write_bytes(b"x,label\n1,2\n")
    code, _, err = run("fit", name, "--target", "label")
    assert code == 2 and how in " ".join(err.split())


@pytest.mark.parametrize("options", [(), ("--components", 5)])
def test_parquet_without_pyarrow(folder, run, monkeypatch, options):
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (folder / "a.parquet").write_bytes(b"")
    code, _, err = run("fit", "a.parquet", "--target", "label", *options)
    assert code == 2 and "pip install 'kernelweave[parquet]'" in " ".join(err.split())


def by_sample(table):
    """With text as objects, which all versions of anndata write."""
    table = table.set_index("sample").rename_axis(None)
    table.index = table.index.astype(object)
    table.columns = table.columns.astype(object)
    texts = table.select_dtypes(exclude="number").columns
    return table.astype(dict.fromkeys(texts, object))


def test_annotated_data(folder, run):
    """Of obs the target is used, and nothing else."""
    anndata = pytest.importorskip("anndata")
    clinic, rna = tables()
    expected = weights(run, "clinic.csv", "rna.csv", "--only", "rna.*")
    anndata.AnnData(by_sample(rna), obs=by_sample(clinic)).write_h5ad("rna.h5ad")
    found = weights(run, "rna.h5ad")
    assert found == pytest.approx(expected)
    code, out, _ = run("predict", "model.skops", "rna.h5ad", "--json")
    assert code == 0 and json.loads(out)[0]["sample"] == "p000"


def test_several_modalities(folder, run):
    anndata = pytest.importorskip("anndata")
    mudata = pytest.importorskip("mudata")
    clinic, rna = tables()
    clinic, rna = by_sample(clinic), by_sample(rna)
    parts = {
        "clinic": anndata.AnnData(clinic[["age", "size"]], obs=clinic[["label"]]),
        "rna": anndata.AnnData(rna),
    }
    with anndata.settings.override(allow_write_nullable_strings=True):
        mudata.MuData(parts).write("all.h5mu")
    expected = weights(run, "clinic.csv", "rna.csv")
    assert weights(run, "all.h5mu") == pytest.approx(expected)
    code, out, _ = run("predict", "model.skops", "all.h5mu", "--json")
    assert code == 0 and len(json.loads(out)) == 60
    code, _, _ = run("fit", *BOTH, "--norm", "1")
    assert code == 0
