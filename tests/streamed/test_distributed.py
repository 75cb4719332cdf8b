"""Dask arrays and DataFrames without a cluster: fits, lazy predictions, errors."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

from kernelweave import (
    MKLSVR,
    MKLDiscriminantAnalysis,
    MKLDiscriminantAnalysisCV,
    MKLOneClassSVM,
    MKLRidge,
)
from kernelweave.kernels import RBF, Linear, Nystroem
from kernelweave.streamed.distributed import DaskChunks
from kernelweave.streamed.sample import RowSample

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")

ROWS = 1500
KERNELS = [
    Nystroem(RBF(columns=["a", "b"]), n_components=20, name="signal"),
    Nystroem(RBF(columns=["c", "d"]), n_components=15, name="noise"),
    Linear(),
]
COLUMNS = list("abcdef")


@pytest.fixture(scope="module")
def table():
    generator = np.random.default_rng(1)
    table = pd.DataFrame(generator.normal(size=(ROWS, 6)), columns=COLUMNS)
    table["f"] = table["f"] > 0
    table["number"] = np.sin(2 * table["a"]) + table["b"]
    names = np.array(["low", "middle", "high"])
    table["label"] = names[np.digitize(table["number"], [-0.5, 0.7])]
    return table


@pytest.fixture(scope="module")
def serial(table):
    return MKLDiscriminantAnalysis(KERNELS).fit(table[COLUMNS], table["label"])


@pytest.fixture(scope="module")
def files(table, tmp_path_factory):
    """The table in ten Parquet files."""
    folder = tmp_path_factory.mktemp("parquet")
    for i in range(10):
        table.iloc[150 * i : 150 * i + 150].to_parquet(folder / f"{i}.parquet")
    return dd.read_parquet(folder)


def assert_same_weights(model, serial):
    np.testing.assert_allclose(model.weights_, serial.weights_, rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(model.intercept_, serial.intercept_, rtol=1e-8)


@pytest.mark.parametrize("sizes", [(1500,), (1, 700, 0, 799), (100,) * 15])
def test_a_pass_sees_every_row_under_its_number(sizes):
    X = np.arange(4 * ROWS, dtype=float).reshape(ROWS, 4)
    y = np.arange(ROWS) % 7
    rows = DaskChunks(
        da.from_array(X, chunks=(sizes, (3, 1))), da.from_array(y, chunks=400), True
    )
    sample = rows.accumulate(partial(RowSample, ROWS, True))
    np.testing.assert_array_equal(sample.X, X)
    np.testing.assert_array_equal(sample.y, y)
    np.testing.assert_array_equal(sample.classes, range(7))
    # Fewer rows, the same ones as without blocks.
    few, whole = rows.accumulate(partial(RowSample, 50, True)), RowSample(50, True)
    whole.add(X, y, 0)
    np.testing.assert_array_equal(few.X, whole.X)


def test_frames_of_files(table, serial, files):
    # Dask reads one column of these files in fewer partitions than the others.
    assert files["label"].optimize().npartitions < files[COLUMNS].npartitions
    model = MKLDiscriminantAnalysis(KERNELS).fit(files[COLUMNS], files["label"])
    assert_same_weights(model, serial)
    assert list(model.feature_names_in_) == COLUMNS
    assert list(model.classes_) == list(serial.classes_)
    predicted = model.predict(files[COLUMNS])
    assert (predicted == files["label"]).mean().compute() == serial.score(
        table[COLUMNS], table["label"]
    )
    kept = files.assign(predicted=predicted).compute()
    np.testing.assert_array_equal(kept["predicted"], serial.predict(table[COLUMNS]))
    assert model.score(files[COLUMNS], files["label"]) == serial.score(
        table[COLUMNS], table["label"]
    )


def test_rows_of_unknown_number(table, files):
    some = files[files["e"] > -1]
    model = MKLRidge(KERNELS).fit(some[COLUMNS], some["number"])
    here = table[table["e"] > -1]
    assert_same_weights(model, MKLRidge(KERNELS).fit(here[COLUMNS], here["number"]))
    X = da.from_array(table[COLUMNS[:5]].to_numpy(), chunks=(200, 5))
    y = da.from_array(table["number"].to_numpy(), chunks=300)
    X, y = X[X[:, 4] > -1], y[X[:, 4] > -1]
    model = MKLRidge([Linear()]).fit(X, y)
    assert np.isnan(X.shape[0])
    assert_same_weights(
        model, MKLRidge([Linear()]).fit(here[COLUMNS[:5]], here["number"])
    )


def test_several_outputs_missing_values_and_y_in_memory(table):
    gaps = table[COLUMNS].astype({"f": float})
    gaps.loc[gaps["a"] > 1, ["c", "d"]] = np.nan
    kernels = [
        Nystroem(RBF(columns=["a", "b"]), n_components=20),
        Nystroem(RBF(columns=["c", "d"], missing="mean"), n_components=20),
    ]
    Y = np.c_[table["number"], table["a"] ** 2]
    serial = MKLRidge(kernels).fit(gaps, Y)
    frame = dd.from_pandas(gaps, npartitions=4)
    model = MKLRidge(kernels).fit(frame, Y)
    assert_same_weights(model, serial)
    predicted = model.predict(frame)
    assert list(predicted.columns) == [0, 1]
    np.testing.assert_allclose(predicted.compute(), serial.predict(gaps), atol=1e-8)
    targets = dd.from_pandas(pd.DataFrame(Y, columns=["s", "t"]), npartitions=3)
    assert_same_weights(MKLRidge(kernels).fit(frame, targets), serial)


def test_sparse_blocks(table):
    X = np.maximum(table[COLUMNS[:5]].to_numpy() - 0.5, 0)
    kernels = [Linear(columns=[0, 1]), Linear(columns=[2, 3, 4])]
    serial = MKLDiscriminantAnalysis(kernels).fit(csr_matrix(X), table["label"])
    blocks = da.from_array(X, chunks=(400, 5)).map_blocks(csr_matrix)
    model = MKLDiscriminantAnalysis(kernels).fit(blocks, table["label"])
    assert_same_weights(model, serial)
    np.testing.assert_array_equal(model.predict(blocks).compute(), serial.predict(X))


METHODS = ["predict", "predict_proba", "decision_function", "transform"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("exact", [False, True], ids=["features", "Gram matrices"])
def test_predictions_are_lazy(table, serial, method, exact):
    model = serial
    if exact:
        model = MKLDiscriminantAnalysis([RBF(columns=["a", "b"])])
        model.fit(table[COLUMNS][:300], table["label"][:300])
    seen = []

    def read(part):
        seen.append(len(part))
        return part

    expected = getattr(model, method)(table[COLUMNS])
    frame = dd.from_pandas(table[COLUMNS], npartitions=4)
    frame = frame.map_partitions(read, meta=frame._meta)
    answer = getattr(model, method)(frame)
    assert not seen
    here = answer.compute(scheduler="sync")
    assert len(seen) == 4
    assert here.index.equals(table.index)
    if method == "predict_proba":
        assert list(here.columns) == list(model.classes_)
    if expected.dtype.kind == "f":
        # Of parts BLAS adds up in another order; projections are of size one to five.
        np.testing.assert_allclose(here, expected, rtol=1e-10, atol=1e-10)
    else:
        np.testing.assert_array_equal(here, expected)


def test_a_later_fit_does_not_change_earlier_predictions(table):
    X = da.from_array(table[["a", "b", "c"]].to_numpy(), chunks=(400, 3))
    y = da.from_array(table["number"].to_numpy(), chunks=400)
    model = MKLRidge([Linear()]).fit(X, y)
    lazy, before = model.predict(X), model.predict(X.compute())
    model.fit(X, -y)
    np.testing.assert_array_equal(lazy.compute(), before)


def test_blocks_without_rows_are_predicted(table, serial):
    rows = table[COLUMNS].sort_values("a")
    frame = dd.from_pandas(rows, npartitions=3, sort=False)
    some = frame[frame["a"] < rows["a"].iloc[200]]
    assert len(serial.predict(some).compute()) == 200
    assert serial.predict_proba(some).compute().shape == (200, 3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: (t, t["number"]), "hold no numbers.*'label'"),
        (
            lambda t: (t[COLUMNS], t["number"].partitions[:3]),
            "1500 rows, and y has 450",
        ),
        (lambda t: (t[COLUMNS].compute(), t["number"]), r"y\.compute\(\)"),
        (lambda t: (t["a"], t["number"]), "Dask array"),
        (lambda t: (t["a"].to_dask_array(), t["number"]), "table"),
        (lambda t: (t[COLUMNS][t["a"] > 99], t["number"][t["a"] > 99]), "no rows"),
        (
            lambda t: (t[COLUMNS], t["number"].where(t["number"] < 2)),
            "rows .* to .*: .*NaN",
        ),
        (
            lambda t: (t[COLUMNS].assign(e=(t["e"].abs() + 1) ** 9999), t["number"]),
            "rows .*infinity",
        ),
    ],
)
def test_errors_of_a_regression(files, change, message):
    with pytest.raises(ValueError, match=message):
        MKLRidge(KERNELS).fit(*change(files))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t["number"], "rows .*no classes"),
        (lambda t: t["label"].where(t["a"] < 1), "rows .*missing"),
        (lambda t: t[["label"]], "one column"),
        (lambda t: (t["a"] > 99).astype(int), "one class only"),
    ],
)
def test_errors_of_classes(files, change, message):
    with pytest.raises(ValueError, match=message):
        MKLDiscriminantAnalysis(KERNELS).fit(files[COLUMNS], change(files))


def test_machines_in_memory_predict_blocks_of_rows(table):
    X, y = table[["a", "b"]].to_numpy()[:120], table["number"].to_numpy()[:120]
    blocks = da.from_array(X, chunks=(50, 1))
    model = MKLSVR([RBF()]).fit(X, y)
    np.testing.assert_allclose(model.predict(blocks).compute(), model.predict(X))
    novelty = MKLOneClassSVM([RBF()]).fit(X)
    for method in ("predict", "decision_function", "score_samples"):
        answer = getattr(novelty, method)
        np.testing.assert_allclose(answer(blocks).compute(), answer(X))
    with pytest.raises(ValueError, match="MKLSVR learns from rows in memory"):
        MKLSVR([RBF()]).fit(blocks, y)


def test_what_dask_collections_cannot_do(files):
    X, y = files[COLUMNS], files["label"]
    with pytest.raises(ValueError, match="kernels with features"):
        MKLDiscriminantAnalysis([RBF(columns=["a"])]).fit(X, y)
    with pytest.raises(ValueError, match="cv=None"):
        MKLDiscriminantAnalysisCV(KERNELS, cv=3).fit(X, y)
    with pytest.raises(ValueError, match="square loss"):
        MKLDiscriminantAnalysis(KERNELS, scatter="within").fit(X, y)
