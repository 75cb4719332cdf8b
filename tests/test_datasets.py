"""Data sets by name."""

import gzip

import numpy as np
import pytest

from kernelweave.datasets import load_table


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
