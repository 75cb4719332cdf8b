"""Data sets by name."""

import gzip

import numpy as np
import pytest

from kernelweave.datasets import load_distances, load_table, load_views


def test_from_the_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNELWEAVE_DATA", str(tmp_path))
    with gzip.open(tmp_path / "tiny.csv.gz", "wt") as file:
        file.write("a,b,target\n0.5,1,2\n1.5,2,1\n")
    X, y = load_table("tiny")
    assert np.array_equal(X, [[0.5, 1], [1.5, 2]])
    assert np.array_equal(y, [2, 1]) and y.dtype.kind == "i"


@pytest.mark.parametrize("folder", [None, "empty"])
def test_bundled_and_missing(folder, tmp_path, monkeypatch):
    if folder is None:
        monkeypatch.delenv("KERNELWEAVE_DATA", raising=False)
    else:
        monkeypatch.setenv("KERNELWEAVE_DATA", str(tmp_path))
    assert load_table("wine")[0].shape == (178, 13)
    with pytest.raises(FileNotFoundError, match=r"'nothing'.*wine"):
        load_table("nothing")


def test_views_from_arrays(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNELWEAVE_DATA", str(tmp_path))
    (tmp_path / "views").mkdir()
    b, a = np.ones((2, 3), np.float32), np.zeros((2, 1), np.float32)
    y = np.array(["u", "v"])
    np.savez(tmp_path / "views" / "two.npz", X_a=a, X_b=b, views=["b", "a"], y=y)
    views, labels = load_views("two")
    assert list(views) == ["b", "a"]
    assert np.array_equal(views["b"], b) and views["b"].dtype == float
    assert np.array_equal(labels, y)


def test_views_from_prefixes(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNELWEAVE_DATA", str(tmp_path))
    with gzip.open(tmp_path / "table.csv.gz", "wt") as file:
        file.write("z_0,z_1,a_b_0,target\n1,2,3,0\n4,5,6,1\n")
    views, y = load_views("table")
    assert list(views) == ["z", "a_b"]
    assert np.array_equal(views["z"], [[1, 2], [4, 5]])
    assert np.array_equal(views["a_b"], [[3], [6]])
    assert np.array_equal(y, [0, 1]) and y.dtype.kind == "i"
    with gzip.open(tmp_path / "plain.csv.gz", "wt") as file:
        file.write("a,b,target\n1,2,0\n")
    with pytest.raises(ValueError, match="load_table"):
        load_views("plain")


def test_distances(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNELWEAVE_DATA", str(tmp_path))
    (tmp_path / "kernels").mkdir()
    parts = {f"{part}{i}": [i] for part in ("trn", "val", "tst") for i in (1, 2)}
    file = tmp_path / "kernels" / "tiny.npz"
    np.savez(file, D=[[1, 2, 3.0]], names=["d"], y=[5, 6, 7], n=3, **parts)
    data = load_distances("tiny")
    assert np.array_equal(data.D, [[[0, 1, 2], [1, 0, 3], [2, 3, 0]]])
    assert data.names == ("d",) and np.array_equal(data.y, [5, 6, 7])
    assert len(data.splits) == 2
    assert [part.tolist() for part in data.splits[1]] == [[2], [2], [2]]


@pytest.mark.parametrize("load", [load_views, load_distances])
def test_missing_views_and_distances(load, tmp_path, monkeypatch):
    monkeypatch.setenv("KERNELWEAVE_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"'nothing'.*nothing\.npz"):
        load("nothing")
    monkeypatch.delenv("KERNELWEAVE_DATA")
    with pytest.raises(FileNotFoundError, match="KERNELWEAVE_DATA is not set"):
        load("nothing")


def test_the_real_sets():
    try:
        views, y = load_views("mfeat")
        data = load_distances("flower17")
    except FileNotFoundError as error:
        pytest.skip(str(error))
    assert {name: X.shape[1] for name, X in views.items()} == {
        "fou": 76,
        "fac": 216,
        "kar": 64,
        "pix": 240,
        "zer": 47,
        "mor": 6,
    }
    assert np.bincount(y).tolist() == [200] * 10
    assert data.D.shape == (7, 1360, 1360) and "osift" in data.names
    assert np.array_equal(data.D, data.D.transpose(0, 2, 1)) and data.D.min() == 0
    for split in data.splits:
        assert [len(part) for part in split] == [680, 340, 340]
        assert len(np.unique(np.concatenate(split))) == 1360
