"""What a table holds reaches the kernels as it is, or is refused: never as less."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csc_matrix, csr_matrix

import problems
from kernelweave import MKLSVC, MKLDiscriminantAnalysis, MKLOneClassSVM, MKLRidge
from kernelweave.kernels import RBF, Linear, Nystroem, Overlap
from kernelweave.streamed import FunctionSource, fit_chunks
from kernelweave.views import kernels_for

N = 30
X, Y = problems.blobs(N, 3, 2)
DAYS = np.datetime64("2020-01-01") + np.arange(N).astype("timedelta64[D]")
GAP = DAYS.copy()
GAP[5] = np.datetime64("NaT", "D")
HOLES = X.copy()
HOLES[::4, 1] = np.nan
IMPUTING = [RBF(gamma=0.5, missing="impute")]


def twice(X, kind):
    """A sparse X whose entries stand there in two halves each."""
    n, d = X.shape
    halves = np.repeat(X[:, None, :] / 2, 2, axis=1).ravel()
    columns = np.tile(np.arange(d), 2 * n)
    double = csr_matrix((halves, columns, 2 * d * np.arange(n + 1)), shape=X.shape)
    return double if kind is csr_matrix else _columnwise(double)


def _columnwise(rows):
    """The same by columns: its transpose read as rows keeps the duplicates."""
    turned = csr_matrix(rows.T.tocoo().toarray())
    d, n = turned.shape
    halves = np.repeat(turned.toarray()[:, None, :] / 2, 2, axis=1).ravel()
    index = np.tile(np.arange(n), 2 * d)
    return csc_matrix((halves, index, 2 * n * np.arange(d + 1)), shape=(n, d))


@pytest.mark.parametrize(
    "times",
    [
        DAYS[:, None],
        GAP[:, None],
        (GAP - DAYS[0])[:, None],
        [[day] for day in GAP],
        [[day.item()] for day in DAYS],
        np.array([[pd.Timestamp(day)] for day in GAP], dtype=object),
        np.array([[pd.Timedelta(i, "D"), 1.0] for i in range(N)], dtype=object),
    ],
    ids=["dates", "NaT", "differences", "list", "datetime", "Timestamp", "objects"],
)
@pytest.mark.parametrize("use", ["fit", "predict", "one class", "kernel", "views"])
def test_dates_in_arrays(times, use):
    width = np.shape(times)[1]
    with pytest.raises(ValueError, match=r"holds dates or times.*into numbers"):
        if use == "fit":
            MKLRidge([Linear()]).fit(times, Y)
        elif use == "predict":
            MKLRidge([Linear()]).fit(X[:, :width], Y).predict(times)
        elif use == "one class":
            MKLOneClassSVM().fit(times)
        elif use == "kernel":
            Linear().fit(times)
        else:
            kernels_for(times)


def test_differences_of_time_in_a_column_of_objects():
    waits = pd.Series([np.timedelta64(i, "D") for i in range(N)], dtype=object)
    spans = waits.to_frame("wait")
    assert isinstance(spans["wait"][3], np.timedelta64)
    with pytest.raises(ValueError, match="'wait' holds text or categories"):
        MKLRidge([Linear()]).fit(spans, Y)


@pytest.mark.parametrize("kind", [csr_matrix, csc_matrix])
@pytest.mark.parametrize("scale", [False, True])
def test_entries_that_stand_twice_are_added(kind, scale):
    kernels = [RBF(scale=scale), Linear(scale=scale)]
    double, once = twice(X, kind), csr_matrix(X)
    assert double.nnz == 2 * once.nnz
    assert_allclose(double.toarray(), X)
    expected = MKLRidge(kernels).fit(once, Y).predict(once)
    assert_allclose(MKLRidge(kernels).fit(double, Y).predict(once), expected)
    assert_allclose(MKLRidge(kernels).fit(once, Y).predict(double), expected)
    assert double.nnz == 2 * once.nnz  # the caller's matrix is as it was
    kernel = RBF(scale=scale)
    assert_allclose(kernel.fit(double)(double), kernel.fit(once)(once))


def test_entries_that_stand_twice_in_chunks():
    kernels = [Nystroem(RBF(gamma=0.3), 10), Linear()]
    double, once = twice(X, csr_matrix), csr_matrix(X)
    expected = MKLRidge(kernels).partial_fit(once, Y).predict(X)
    found = MKLRidge(kernels).partial_fit(double, Y).predict(X)
    assert_allclose(found, expected)
    streamed = [
        fit_chunks(MKLRidge(kernels), FunctionSource([(table, Y)])).predict(X)
        for table in (double, once)
    ]
    assert_allclose(*streamed)


def test_masked_entries():
    masked = np.ma.masked_invalid(HOLES)
    model = MKLRidge(IMPUTING).fit(HOLES, Y)
    count = f"X has {np.isnan(HOLES).sum()} masked entries.*filled\\(np.nan\\)"
    with pytest.raises(ValueError, match=count):
        MKLRidge(IMPUTING).fit(masked, Y)
    with pytest.raises(ValueError, match=count):
        model.predict(masked)
    with pytest.raises(ValueError, match=r"the table has .* masked entries"):
        kernels_for(masked)
    with pytest.raises(ValueError, match="masked entries"):
        MKLRidge([Linear(missing="impute")]).partial_fit(masked, Y)
    K = np.ma.array(X @ X.T, mask=np.eye(N))
    with pytest.raises(ValueError, match="masked entries"):
        MKLRidge("precomputed").fit([K], Y)
    filled = masked.filled(np.nan)
    assert_allclose(model.predict(filled), model.predict(HOLES))


@pytest.mark.parametrize("model", [MKLRidge(), MKLDiscriminantAnalysis(), MKLSVC()])
def test_masked_targets(model):
    with pytest.raises(ValueError, match=r"y has 3 masked entries.*leave their rows"):
        model.fit(X, np.ma.array(Y, mask=np.arange(N) < 3))


def test_masked_weights():
    weight = np.ma.array(np.ones(N), mask=np.arange(N) < 3)
    with pytest.raises(ValueError, match="sample_weight has 3 masked entries"):
        MKLSVC().fit(X, Y, sample_weight=weight)


def test_masks_that_hide_nothing():
    whole = MKLRidge().fit(np.ma.array(X), np.ma.array(Y)).predict(np.ma.array(X))
    assert_allclose(whole, MKLRidge().fit(X, Y).predict(X))


def with_na(kind):
    table = pd.DataFrame(HOLES, columns=list("abc")).astype(object)
    table = table.where(table.notna(), pd.NA)
    if kind == "frame":
        return table
    return table.to_numpy() if kind == "array" else table.to_numpy().tolist()


@pytest.mark.parametrize("kind", ["frame", "array", "list"])
def test_pandas_na_is_missing(kind):
    table = with_na(kind)
    plain = pd.DataFrame(HOLES, columns=list("abc")) if kind == "frame" else HOLES
    expected = MKLRidge(IMPUTING).fit(plain, Y).predict(plain)
    assert_allclose(MKLRidge(IMPUTING).fit(table, Y).predict(plain), expected)
    assert_allclose(MKLRidge(IMPUTING).fit(plain, Y).predict(table), expected)
    assert_allclose(IMPUTING[0].fit(table)(table), IMPUTING[0].fit(plain)(plain))
    with pytest.raises(ValueError, match=r"8 of 30 rows have missing values"):
        MKLRidge([RBF()]).fit(table, Y)
    with pytest.raises(ValueError, match=r"8 of 30 rows have missing values"):
        kernels_for(table)
    kernels = kernels_for(table, missing="impute")
    assert_allclose(
        MKLRidge(kernels).fit(table, Y).predict(table),
        MKLRidge(kernels_for(plain, missing="impute")).fit(plain, Y).predict(plain),
    )


def test_pandas_na_among_flags():
    flags = pd.DataFrame({"f": [True, False, pd.NA] * 10, "x": X[:, 0]}, dtype=object)
    floats = pd.DataFrame({"f": [1.0, 0.0, np.nan] * 10, "x": X[:, 0]})
    assert_allclose(
        MKLRidge(IMPUTING).fit(flags, Y).predict(flags),
        MKLRidge(IMPUTING).fit(floats, Y).predict(floats),
    )


@pytest.mark.parametrize("dtype", [str, object])
def test_text_in_an_array(dtype):
    text = np.array([["a"], ["b"]] * 15, dtype=dtype)
    with pytest.raises(ValueError, match=r"text in it, such as 'a': pass a DataFrame"):
        MKLDiscriminantAnalysis([Overlap()]).fit(text, Y)
    with pytest.raises(ValueError, match=r"text in it, such as 'a': pass a DataFrame"):
        Overlap().fit(text)


def test_means_are_not_taken_off_sparse_rows():
    for kernel in (RBF(scale=True), Nystroem(RBF(scale=True), 10)):
        model = MKLRidge([kernel]).fit(X, Y)
        with pytest.raises(ValueError, match=r"dense table.*pass X.toarray\(\)"):
            model.predict(csr_matrix(X))
    kernels = [RBF(scale=True)]
    model = MKLRidge(kernels).fit(csr_matrix(X), Y)
    assert_allclose(model.predict(csr_matrix(X)), model.predict(X))
