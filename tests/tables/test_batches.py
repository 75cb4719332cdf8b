"""Tables read a batch at a time: what pandas reads at once, or the same complaints."""

import gzip

import numpy as np
import pandas as pd
import pytest

from kernelweave.tables import TableError
from kernelweave.tables.batches import TableBatches, matrix

TABLE = pd.DataFrame(
    {
        "id": [f"{i:03d}" for i in range(400)],
        "a": np.arange(400.0) / 3,
        "b": np.arange(400),
        "flag": np.arange(400) % 2 == 0,
        "empty": np.nan,
        "word": ["x,y", 'a "b"'] * 200,
    }
)
TABLE.loc[5, "a"] = np.nan
NUMBERS = ["b", "a", "flag", "empty"]


@pytest.fixture(params=["t.csv", "t.tsv", "t.csv.gz", "t.parquet"])
def path(request, tmp_path, monkeypatch):
    monkeypatch.setattr("kernelweave.tables.batches._BLOCK", 2000)
    monkeypatch.setattr("kernelweave.tables.batches._VALUES", 400)
    path = tmp_path / request.param
    if path.suffix == ".parquet":
        TABLE.to_parquet(path)
    else:
        TABLE.to_csv(path, index=False, sep="\t" if ".tsv" in path.name else ",")
    return path


def test_it_is_what_pandas_reads(path):
    table = TableBatches(path, text=["id"])
    assert table.kinds == {
        "id": "text",
        "a": "numbers",
        "b": "whole",
        "flag": "flags",
        "empty": "numbers",
        "word": "text",
    }
    batches = list(table.read([*NUMBERS, "id", "word"]))
    assert len(batches) > 3
    assert table.rows == 400
    X = np.vstack([matrix(batch, NUMBERS) for batch in batches])
    np.testing.assert_array_equal(X, TABLE[NUMBERS].to_numpy(dtype=float))
    for name in ("id", "word"):
        values = [v for batch in batches for v in batch.column(name).to_pylist()]
        assert values == TABLE[name].tolist()


def test_the_number_of_rows_is_estimated_on_the_way(path):
    table = TableBatches(path)
    next(table.read(["b"]))
    assert table.rows is not None
    assert 0 < table.rows <= 2000


def test_the_index_that_pandas_adds_is_no_column(tmp_path):
    TABLE.iloc[::2].to_parquet(tmp_path / "t.parquet")
    table = TableBatches(tmp_path / "t.parquet")
    assert list(table.kinds) == list(TABLE.columns)
    categories = TABLE.assign(word=TABLE["word"].astype("category"))
    categories.to_parquet(tmp_path / "c.parquet")
    table = TableBatches(tmp_path / "c.parquet")
    (batch,) = table.read(["word"])
    assert batch.column("word").to_pylist() == TABLE["word"].tolist()


BAD = {
    "text among numbers": ("a,b\n1,2\n3,n.d.\n", "line 3: column 'b' holds .*'n.d.'"),
    "too few fields": ("a,b\n1,2\n3\n", "line 3: 1 fields, but the header has 2"),
    "too many fields": ("a,b\n1,2\n3,4,5\n", "line 3: 3 fields, but the header has 2"),
    "a name twice": ("a,a\n1,2\n", "two columns are called 'a'"),
    "semicolons": ("a;b\n1;2\n", "separated by semicolons"),
    "nothing": ("", "is empty"),
}


@pytest.mark.parametrize("slip", BAD)
def test_slips(slip, tmp_path, monkeypatch):
    text, message = BAD[slip]
    # The slip lies behind the rows by which the types are found.
    monkeypatch.setattr("kernelweave.tables.batches._BLOCK", 8)
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(TableError, match=message):
        list(TableBatches(path).read(["a", "b"]))


def test_files_that_are_no_tables(tmp_path):
    for name in ("t.csv", "t.parquet"):
        with pytest.raises(TableError, match="there is no file"):
            TableBatches(tmp_path / name)
    (tmp_path / "t.parquet").write_text("a,b\n1,2\n")
    with pytest.raises(TableError, match="no Parquet file"):
        TableBatches(tmp_path / "t.parquet")
    with pytest.raises(TableError, match="rename it"):
        TableBatches(__file__)
    whole = gzip.compress(b"a,b\n" + b"".join(b"%d,2\n" % i for i in range(5000)))
    (tmp_path / "t.csv.gz").write_bytes(whole[:-200])
    with pytest.raises(TableError, match="damaged or cut short"):
        list(TableBatches(tmp_path / "t.csv.gz").read(["a", "b"]))
