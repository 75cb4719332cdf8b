"""Fits on a Dask cluster of two processes, one of which may be killed."""

import os
import signal

import numpy as np
import pytest

from kernelweave import (
    MKLDiscriminantAnalysis,
    MKLDiscriminantAnalysisCV,
    MKLRidge,
    MKLRidgeCV,
)
from kernelweave.kernels import RBF, Linear, Nystroem, RandomFourier

da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")

ROWS, BLOCK = 2400, 300

KERNELS = [
    Nystroem(RBF(columns=[0, 1]), n_components=20, name="signal"),
    Nystroem(RBF(columns=[2, 3]), n_components=15, sampling="kmeans", name="noise"),
    RandomFourier(RBF(), n_components=20, name="all"),
    Linear(columns=[1, 2]),
]


@pytest.fixture(scope="module")
def client():
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0"
    )
    with cluster, distributed.Client(cluster) as client:
        yield client


@pytest.fixture(scope="module")
def table():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(ROWS, 4))
    score = np.sin(2 * X[:, 0]) + X[:, 1]
    return X, score + 0.1 * generator.normal(size=ROWS)


def classes(y):
    return np.array(["low", "middle", "high"])[np.digitize(y, [-0.5, 0.7])]


def assert_same(model, serial):
    assert model.n_samples_fit_ == serial.n_samples_fit_ == ROWS
    np.testing.assert_allclose(model.weights_, serial.weights_, rtol=1e-8)
    scale = np.abs(serial.coef_).max()
    np.testing.assert_allclose(model.coef_, serial.coef_, rtol=0, atol=1e-8 * scale)
    assert model.solution_.certificate.relative_gap <= model.tol


@pytest.mark.parametrize(
    "model",
    [
        MKLDiscriminantAnalysis(KERNELS),
        MKLRidge(KERNELS),
        MKLDiscriminantAnalysisCV(KERNELS, norms=[1, 2], alphas=[1, 10]),
        MKLRidgeCV(KERNELS, norms=[1, 2], alphas=[0.1, 1, 10]),
    ],
    ids=lambda model: type(model).__name__,
)
def test_two_workers_learn_what_one_process_learns(client, table, model):
    X, y = table
    y = classes(y) if "Discriminant" in type(model).__name__ else y
    serial = type(model)(**model.get_params(deep=False)).fit(X, y)
    model.fit(da.from_array(X, chunks=(BLOCK, 4)), da.from_array(y, chunks=500))
    assert_same(model, serial)
    new = da.from_array(X[:1000], chunks=(300, 2))
    answer = model.predict(new)
    assert isinstance(answer, da.Array) and answer.chunks == ((300, 300, 300, 100),)
    expected = serial.predict(X[:1000])
    if expected.dtype.kind == "f":
        np.testing.assert_allclose(answer.compute(), expected, rtol=0, atol=1e-8)
    else:
        np.testing.assert_array_equal(answer.compute(), expected)


def test_a_worker_killed_in_the_second_pass_changes_nothing(client, table, tmp_path):
    X, y = table
    serial = MKLDiscriminantAnalysis(KERNELS).fit(X, classes(y))
    number = ROWS // BLOCK - 2
    folder = str(tmp_path)

    def read(rows, block_info):
        """The rows; the second time that it is asked for a late block, death."""
        if block_info[0]["chunk-location"][0] == number:
            times = len(os.listdir(folder))
            open(os.path.join(folder, f"{times} {os.getpid()}"), "x").close()
            if times == 1:
                os.kill(os.getpid(), signal.SIGKILL)
        return rows

    source = da.from_array(X, chunks=(BLOCK, 4)).map_blocks(read, dtype=float)
    before = set(client.scheduler_info()["workers"])
    model = MKLDiscriminantAnalysis(KERNELS)
    model.fit(source, da.from_array(classes(y), chunks=BLOCK))
    readers = dict(name.split() for name in os.listdir(folder))
    # Once in the first pass, once by the worker that died of it, and once again.
    assert sorted(readers) == ["0", "1", "2"]
    assert readers["2"] != readers["1"]
    assert before != set(client.scheduler_info()["workers"])
    assert_same(model, serial)
