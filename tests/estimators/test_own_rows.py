"""Arrays that are changed after `fit` do not change the model."""

import inspect

import numpy as np
import pandas as pd
import pytest
import scipy.sparse

import problems
from kernelweave import (
    MKLSVC,
    MKLSVCCV,
    MKLSVR,
    MKLSVRCV,
    KernelDiscriminantAnalysis,
    LaplacianMKLSVC,
    MKLDiscriminantAnalysis,
    MKLDiscriminantAnalysisCV,
    MKLOneClassSVM,
    MKLRidge,
    MKLRidgeCV,
)
from kernelweave.arrays import host
from kernelweave.fitted.represent import own
from kernelweave.kernels import RBF, Linear, Nystroem, Precomputed
from kinds import KINDS

N = 40
ROWS, LABELS = problems.blobs(N, 3, 2)
NEW, _ = problems.blobs(15, 3, 2, seed=5)
LABELS = (LABELS > 0).astype(int)
METHODS = ("predict", "decision_function", "predict_proba", "transform")

ESTIMATORS = {
    MKLDiscriminantAnalysis: {},
    MKLRidge: {},
    MKLSVC: {},
    MKLSVR: {},
    MKLOneClassSVM: {"normalize": None},
    LaplacianMKLSVC: {"metric": "kernels"},
    MKLDiscriminantAnalysisCV: {"alphas": [0.1, 1.0]},
    MKLRidgeCV: {"alphas": [0.1, 1.0]},
    MKLSVCCV: {"Cs": [1.0]},
    MKLSVRCV: {"Cs": [1.0]},
}
every_estimator = pytest.mark.parametrize(
    "Estimator", ESTIMATORS, ids=lambda e: e.__name__
)


def made(Estimator, kernels):
    return Estimator(kernels, **ESTIMATORS[Estimator])


def fitted(model, X, new, change):
    """What the model says before and after `change` and other y and weights."""
    y, weight = LABELS.copy(), np.ones(N)
    if "MKLR" in type(model).__name__ or "SVR" in type(model).__name__:
        y = y.astype(float)
    given = {}
    if "sample_weight" in inspect.signature(model.fit).parameters:
        given["sample_weight"] = weight
    model.fit(X, y, **given)
    before = said(model, new)
    change()
    y[:] = 1 - y
    weight[:] = 7.0
    return before, said(model, new)


def said(model, new):
    methods = [name for name in METHODS if hasattr(model, name)]
    return {name: np.array(host(getattr(model, name)(new))) for name in methods}


def assert_unchanged(before, after):
    assert before
    for name, values in before.items():
        assert np.array_equal(values, after[name]), name


def tables():
    """Tables, each with the array that holds its numbers."""
    plain, numbers = ROWS.copy(), ROWS.copy()
    columns, single = np.asfortranarray(ROWS), ROWS.astype(np.float32)
    sparse = scipy.sparse.csr_array(ROWS)
    frame = pd.DataFrame(numbers, columns=[*"abc"], copy=False)
    return {
        "array": (plain, plain),
        "columns first": (columns, columns),
        "single precision": (single, single),
        "sparse": (sparse, sparse.data),
        "frame": (frame, numbers),
    }


def scale(X):
    X *= 100


@pytest.mark.parametrize("store", [2**25, 0], ids=["stored", "lazy"])
@pytest.mark.parametrize("kind", tables())
@every_estimator
def test_tables(Estimator, kind, store, monkeypatch):
    monkeypatch.setattr(Estimator, "_store", store)
    X, numbers = tables()[kind]
    new = pd.DataFrame(NEW, columns=X.columns) if kind == "frame" else NEW
    model = made(Estimator, [RBF(), RBF(factor=2)])
    assert_unchanged(*fitted(model, X, new, lambda: scale(numbers)))


@every_estimator
def test_rows_that_lack_a_view(Estimator):
    X, new = ROWS.copy(), NEW.copy()
    X[:5], new[:3] = np.nan, np.nan
    model = made(Estimator, [RBF(missing="mean"), Linear(missing="mean")])
    assert_unchanged(*fitted(model, X, new, lambda: scale(X)))


@every_estimator
def test_landmarks(Estimator):
    X = ROWS.copy()
    model = made(Estimator, [Nystroem(RBF(), 1000), Nystroem(RBF(gamma=1.0), 10)])
    assert_unchanged(*fitted(model, X, NEW, lambda: scale(X)))


def test_landmarks_of_a_kernel_alone():
    X = ROWS.copy()
    kernel = Nystroem(RBF(), 1000).fit(X)
    before = kernel(NEW)
    X *= 100
    assert np.array_equal(kernel(NEW), before)


@every_estimator
def test_given_matrices(Estimator):
    kernels = [RBF(gamma=g).fit(ROWS) for g in (0.1, 1.0)]
    K = np.stack([kernel(ROWS) for kernel in kernels])
    new = np.stack([kernel(NEW, ROWS) for kernel in kernels])
    model = made(Estimator, "precomputed")
    assert_unchanged(*fitted(model, K, new, lambda: scale(K)))


@every_estimator
def test_matrices_as_kernels(Estimator):
    K = np.stack([RBF(gamma=g).fit(ROWS)(ROWS) for g in (0.1, 1.0)])
    X, new = np.arange(N, dtype=float)[:, None], np.arange(15.0)[:, None]

    def change():
        K[...] *= -100
        X[...] = X[::-1].copy()

    model = made(Estimator, [Precomputed(K[0]), Precomputed(K[1])])
    assert_unchanged(*fitted(model, X, new, change))


def test_one_kernel():
    X, K = ROWS.copy(), RBF(gamma=0.5).fit(ROWS)(ROWS)
    model = KernelDiscriminantAnalysis()
    assert_unchanged(*fitted(model, X, NEW, lambda: scale(X)))
    cross = RBF(gamma=0.5).fit(ROWS)(NEW, ROWS)
    model = KernelDiscriminantAnalysis("precomputed")
    assert_unchanged(*fitted(model, K, cross, lambda: scale(K)))


@KINDS
@pytest.mark.parametrize("Estimator", [MKLDiscriminantAnalysis, MKLRidge])
def test_arrays_of_any_kind(Estimator, kind):
    X, new = kind(ROWS.copy()), kind(NEW)

    def change():
        X[...] = 100 * X

    assert_unchanged(*fitted(Estimator([RBF(), Linear()]), X, new, change))


def test_no_second_copy(tmp_path):
    converted = ROWS.astype(np.float64)
    assert own(converted, ROWS.astype(np.float32)) is converted
    assert not np.shares_memory(own(ROWS, ROWS), ROWS)
    assert not np.shares_memory(own(ROWS[:], ROWS), ROWS)
    fresh = scipy.sparse.csr_array(ROWS)
    assert own(fresh, ROWS) is fresh


def test_mapped_tables_stay_in_their_files(tmp_path):
    np.save(tmp_path / "X.npy", ROWS)
    X = np.load(tmp_path / "X.npy", mmap_mode="r")
    model = MKLRidge([RBF()]).fit(X, LABELS)
    assert np.shares_memory(model._fitted.expansion.terms[0].rows, X)
    assert model.predict(NEW) == pytest.approx(
        MKLRidge([RBF()]).fit(ROWS, LABELS).predict(NEW)
    )
