"""Gram matrices from .npz files."""

import io
import tracemalloc
import zipfile

import numpy as np
import pytest

from kernelweave.tables import TableError, read_kernels

K = np.stack([np.eye(3), np.ones((3, 3))])


def saved(tmp_path, **arrays):
    np.savez(tmp_path / "kernels.npz", **arrays)
    return tmp_path / "kernels.npz"


def test_one_array(tmp_path):
    path = saved(tmp_path, K=K, y=["a", "b", "a"], ids=["s1", "s2", "s3"])
    file = read_kernels(path)
    assert np.array_equal(file.K, K)
    assert file.names == ["kernel 0", "kernel 1"]
    assert file.ids == ["s1", "s2", "s3"]
    assert file.targets["y"].tolist() == ["a", "b", "a"]
    named = read_kernels(saved(tmp_path, K=K, names=["shape", "colour"]))
    assert named.names == ["shape", "colour"]
    assert named.ids is None


def test_an_array_for_each_kernel(tmp_path):
    file = read_kernels(saved(tmp_path, shape=K[0], colour=K[1], label=[0, 1, 1]))
    assert file.names == ["shape", "colour"]
    assert np.array_equal(file.K, K)
    assert file.targets["label"].tolist() == [0, 1, 1]


def test_new_rows_against_training_rows(tmp_path):
    assert read_kernels(saved(tmp_path, K=K[:, :2])).K.shape == (2, 2, 3)


def test_refusals(tmp_path):
    for arrays, message in (
        ({"K": K[0]}, r"K must be of shape \(kernels, rows, rows\), got \(3, 3\)"),
        ({"a": K[0], "b": np.eye(2)}, r"of one shape; shapes .* \(2, 2\), \(3, 3\)"),
        ({"y": [1, 2]}, "shapes of its matrices: none"),
        ({"K": K * np.nan}, "must be finite numbers"),
        ({"K": K, "names": ["one"]}, "1 names for 2 kernels"),
        ({"K": K, "names": ["one", "one"]}, "two kernels are called one"),
        ({"K": K, "ids": ["a", "a", "b"]}, "more than once"),
        ({"K": K, "y": np.array([1j, 2, 3])}, "neither numbers nor text"),
        ({"K": K, "y": np.array([{}, 2, 3], dtype=object)}, "no .npz file of plain"),
    ):
        with pytest.raises(TableError, match=message) as error:
            read_kernels(saved(tmp_path, **arrays))
        assert "\n" not in str(error.value)
    content = saved(tmp_path, K=K).read_bytes()
    (tmp_path / "cut.npz").write_bytes(content[: len(content) // 2])
    for name, message in (("cut.npz", "damaged"), ("none.npz", "there is no file")):
        with pytest.raises(TableError, match=message):
            read_kernels(tmp_path / name)


def npy_claiming(shape):
    """The header of an array of this shape, and eight bytes."""
    file = io.BytesIO()
    facts = {"descr": "<f8", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, facts)
    return file.getvalue() + bytes(8)


def test_sizes_are_looked_at_first(tmp_path, monkeypatch):
    path = tmp_path / "kernels.npz"
    for name, content, message in (
        ("K.npy", npy_claiming((10**6, 10**6)), "claims 8000000000128 bytes, but"),
        ("K.npy", npy_claiming((1,)) + bytes(2**28), "claims 136 bytes, but there are"),
        ("K.txt", bytes(2**28), "holds 'K.txt', which is no array"),
    ):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr(name, content)
        tracemalloc.start()
        with pytest.raises(TableError, match=message):
            read_kernels(path)
        assert tracemalloc.get_traced_memory()[1] < 2**24
        tracemalloc.stop()
    monkeypatch.setattr("kernelweave.persist.sealed_zip.machine_memory", lambda: 100)
    with pytest.raises(TableError, match=r"too large: it takes .* of memory"):
        read_kernels(saved(tmp_path, K=K))
