"""Where rows come from: the same rows every time, or a clear word."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from kernelweave import MKLDiscriminantAnalysis, MKLRidge
from kernelweave.kernels import Linear
from kernelweave.streamed import ArraySource, FunctionSource, fit_chunks
from kernelweave.streamed.sources import as_source

X = np.random.default_rng(0).normal(size=(1200, 3))
Y = X[:, 0] - X[:, 1]


def chunks(X=X, Y=Y, size=500):
    for first in range(0, len(Y), size):
        yield X[first : first + size], Y[first : first + size]


def fit(source, model=None):
    return fit_chunks(MKLRidge([Linear()]) if model is None else model, source)


def test_arrays_are_read_in_parts(monkeypatch, tmp_path):
    monkeypatch.setattr("kernelweave.streamed.sources._CHUNK", 8 * 3 * 500)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    parts = list(ArraySource(mapped, Y))
    assert [len(y) for _, y in parts] == [500, 500, 200]
    assert isinstance(parts[0][0], np.memmap)
    np.testing.assert_array_equal(np.vstack([part for part, _ in parts]), X)


def test_fingerprints_tell_arrays_apart(tmp_path):
    other = X.copy()
    other[0, 0] += 1e-9
    one = ArraySource(X, Y).fingerprint()
    assert one == ArraySource(X.copy(), Y.copy()).fingerprint()
    assert one != ArraySource(other, Y).fingerprint()
    assert one != ArraySource(X[:-1], Y[:-1]).fingerprint()
    assert one != ArraySource(X, Y + 1).fingerprint()


def test_fingerprints_of_functions_see_the_first_chunk():
    one = FunctionSource(chunks).fingerprint()
    assert one == FunctionSource(lambda: chunks(X.copy())).fingerprint()
    assert one != FunctionSource(lambda: chunks(X + 1)).fingerprint()
    labels = np.array(["a", "b"] * 600, dtype=object)
    assert as_source([(X, labels)]).fingerprint()


@pytest.mark.parametrize(
    "source",
    [
        lambda: chunks(sp.csr_matrix(X)),
        lambda: chunks(pd.DataFrame(X, columns=list("abc"))),
        lambda: chunks(pl.DataFrame(X, schema=list("abc"))),
        chunks,
        list(chunks()),
        ArraySource(sp.csc_matrix(X), Y),
    ],
    ids=["sparse", "pandas", "polars", "function", "list", "sparse array"],
)
def test_what_chunks_may_be(source):
    here, there = fit(source), MKLRidge([Linear()]).fit(X, Y)
    np.testing.assert_allclose(here.coef_, there.coef_, rtol=1e-9, atol=1e-12)
    assert here.n_features_in_ == 3


def test_names_of_columns_are_kept():
    model = fit(lambda: chunks(pd.DataFrame(X, columns=list("abc"))))
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    table = pd.DataFrame(X, columns=list("abc"))
    assert model.score(table, Y) > 0.999
    with pytest.raises(ValueError, match="feature names"):
        model.predict(table[["b", "a", "c"]])
    # Fitted again, to rows without names.
    assert not hasattr(fit(chunks, model), "feature_names_in_")


def changing(first, second):
    def make():
        yield first
        yield second

    return make


FRAME = pd.DataFrame(X, columns=list("abc"))
BAD = {
    "an iterator": (chunks(), "a function that returns a new iterator"),
    "a number": (7, "a function that returns a new iterator"),
    "no chunk": (list, "no chunk of rows"),
    "no rows": ([(X[:0], Y[:0])], "has no rows"),
    "no pair": (lambda: [X], "a chunk is a pair"),
    "a vector": ([(X[0], Y[:3])], r"must be \(m, d\)"),
    "other lengths": ([(X, Y[1:])], "X has 1200 rows, and y 1199"),
    "another width": (changing((X, Y), (X[:, :2], Y)), "row 1200 has 2 columns"),
    "another name": (
        changing((FRAME, Y), (FRAME.rename(columns={"b": "B"}), Y)),
        "row 1200 lacks the column 'b'",
    ),
    "a new column": (
        changing((FRAME, Y), (FRAME.assign(d=1.0), Y)),
        "has a new column 'd'",
    ),
    "another order": (changing((FRAME, Y), (FRAME[list("bac")], Y)), "another order"),
    "another type": (changing((FRAME, Y), (X, Y)), "some chunks are DataFrames"),
    "a column of text": ([(FRAME.assign(c="red"), Y)], "column 'c' holds 'red'"),
    "an array of text": ([(X.astype(str), Y)], "holds text, not numbers"),
    "infinity": ([(np.full_like(X, np.inf), Y)], "infinity"),
    "a target of text": ([(X, Y.astype(str))], "target must be numbers"),
    "a missing target": ([(X, np.where(Y > 0, Y, np.nan))], "y is missing"),
}


@pytest.mark.parametrize("slip", BAD)
def test_slips(slip):
    source, message = BAD[slip]
    with pytest.raises(ValueError, match=message):
        fit(source)


def test_an_iterator_that_is_used_up_is_noticed():
    once = chunks()
    with pytest.raises(ValueError, match="same iterator as before"):
        fit(lambda: once)


def test_fewer_rows_the_second_time_are_noticed():
    times = iter([3, 3, 2])

    def make():
        return list(chunks())[: next(times)]

    with pytest.raises(ValueError, match="gave 1000 rows, and the first one 1200"):
        fit(make)


CLASSES = {
    "numbers that are no classes": (Y, "classes are text or whole numbers"),
    "mixed types": (np.array(["a", 1] * 600, dtype=object), "of one type, got int and"),
    "missing": (np.array(["a", None] * 600, dtype=object), "y is missing"),
    "dates": (np.array(["2020-01-01"] * 1200, dtype="datetime64[D]"), "text or whole"),
    "two columns": (np.zeros((1200, 2)), "classes are one column"),
    "one class": (np.zeros(1200), "one class only"),
}


@pytest.mark.parametrize("slip", CLASSES)
def test_slips_in_classes(slip):
    y, message = CLASSES[slip]
    with pytest.raises(ValueError, match=message):
        fit([(X, y)], MKLDiscriminantAnalysis([Linear()]))


def test_arrays_must_match():
    with pytest.raises(ValueError, match="X has 1200 rows, and y 1199"):
        ArraySource(X, Y[1:])
    with pytest.raises(ValueError, match=r"an array \(n, d\)"):
        ArraySource(Y, Y)


def test_the_former_name_of_the_package():
    from kernelweave import scale, streamed

    assert scale.__all__ == streamed.__all__
    assert all(getattr(scale, n) is getattr(streamed, n) for n in scale.__all__)
