"""Rows of files, for fits that never load them."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kernelweave import MKLDiscriminantAnalysis
from kernelweave.kernels import RBF, Linear, Nystroem
from kernelweave.streamed import FileSource, fit_chunks
from kernelweave.tables import TableError

rng = np.random.default_rng(1)
TABLE = pd.DataFrame(rng.normal(size=(3000, 3)), columns=["a", "b", "c"])
TABLE["kind"] = np.where(TABLE["a"] ** 2 + TABLE["b"] > 0.5, "out", "in")
KERNELS = [Nystroem(RBF(columns=["a", "b"]), 60), Linear(columns=["c"])]


@pytest.fixture(params=["csv", "parquet"])
def path(request, tmp_path, monkeypatch):
    monkeypatch.setattr("kernelweave.tables.batches._BLOCK", 2**15)
    monkeypatch.setattr("kernelweave.tables.batches._VALUES", 4000)
    path = tmp_path / f"t.{request.param}"
    write(TABLE, path)
    return path


def write(table, path):
    if path.suffix == ".csv":
        table.to_csv(path, index=False)
    else:
        table.to_parquet(path)


def test_the_answer_is_that_of_the_table_in_memory(path):
    here = fit_chunks(MKLDiscriminantAnalysis(KERNELS), FileSource(path, "kind"))
    there = MKLDiscriminantAnalysis(KERNELS).fit(TABLE[["a", "b", "c"]], TABLE["kind"])
    np.testing.assert_allclose(here.weights_, there.weights_, rtol=1e-9)
    X = TABLE[["a", "b", "c"]].iloc[:50]
    np.testing.assert_allclose(here.transform(X), there.transform(X), rtol=1e-6)
    assert here.predict(X).tolist() == there.predict(X).tolist()
    assert here.feature_names_in_.tolist() == ["a", "b", "c"]


def test_several_files_are_one(path):
    other = path.with_stem("u")
    write(TABLE.iloc[:1000], path)
    write(TABLE.iloc[1000:], other)
    X, y = zip(*FileSource([path, other], "kind"), strict=True)
    np.testing.assert_array_equal(np.vstack(X), TABLE[["a", "b", "c"]])
    assert np.concatenate(y).tolist() == TABLE["kind"].tolist()
    source = FileSource([path, other], "kind", columns=["c", "a"])
    assert next(iter(source))[0].shape[1] == 2
    assert len(list(source)) > 2 and source.rows == 3000


def test_targets_of_every_type(path):
    def target(values):
        write(TABLE.assign(kind=values), path)
        source = FileSource(path, "kind")
        return np.concatenate([y for _, y in source]).tolist(), source.lacking

    whole = np.arange(3000) % 3
    assert target(whole) == (whole.tolist(), 0)
    assert target(whole / 2) == ((whole / 2).tolist(), 0)
    gaps = [None if i % 3 else "x" for i in range(3000)]
    assert target(gaps) == (["x"] * 1000, 2000)
    # Whole at first: the numbers behind the first megabytes are as good.
    later = np.r_[np.arange(2999), 0.5]
    assert target(later) == (later.tolist(), 0)
    assert set(target(whole > 0)[0]) <= {"True", "False", "true", "false"}


def test_fingerprints_see_changes(path):
    before = FileSource(path, "kind").fingerprint()
    assert FileSource(path, "kind").fingerprint() == before
    assert FileSource(path, "kind", columns=["a"]).fingerprint() != before
    write(TABLE.iloc[1:], path)
    assert FileSource(path, "kind").fingerprint() != before


def test_slips(path):
    with pytest.raises(TableError, match="no target column 'y'; it has a, b, c, kind"):
        FileSource(path, "y")
    with pytest.raises(TableError, match="has no column 'd'"):
        FileSource(path, "kind", columns=["a", "d"])
    with pytest.raises(TableError, match="must be some, and not the target"):
        FileSource(path, "kind", columns=["kind"])
    with pytest.raises(TableError, match="column 'kind' holds text"):
        FileSource(path, "a")
    with pytest.raises(ValueError, match="no file"):
        FileSource([], "a")
    other = path.with_stem("u")
    write(TABLE.drop(columns="b"), other)
    with pytest.raises(TableError, match="has no column 'b': all files need"):
        FileSource([path, other], "kind")
    write(TABLE.assign(kind=1), other)
    with pytest.raises(TableError, match="'kind' holds whole, but text in"):
        FileSource([path, other], "kind")


SCRIPT = """
import sys
from kernelweave import MKLRidge
from kernelweave.kernels import Linear
from kernelweave.streamed import FileSource, fit_chunks


def peak():
    # Not ru_maxrss: a new process inherits that of the one that started it.
    status = open("/proc/self/status").read()
    return int(status.split("VmHWM:")[1].split()[0])


next(iter(FileSource(sys.argv[1], "y")))
before = peak()
fit_chunks(MKLRidge([Linear()]), FileSource(sys.argv[2], "y"))
print((peak() - before) // 1024)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc")
def test_memory_does_not_grow_with_the_file(tmp_path):
    X = rng.normal(size=(50_000, 20)).round(1)
    names = [f"x{j}" for j in range(20)]
    table = pa.Table.from_pandas(pd.DataFrame(X, columns=names).assign(y=X[:, 0]))
    pq.write_table(table, tmp_path / "small.parquet")
    # 200 MB as doubles.
    with pq.ParquetWriter(tmp_path / "large.parquet", table.schema) as file:
        for _ in range(25):
            file.write_table(table)
    paths = [str(tmp_path / name) for name in ("small.parquet", "large.parquet")]
    command = [sys.executable, "-c", SCRIPT, *paths]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 150
