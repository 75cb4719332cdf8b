"""Copies predict what the original predicts."""

import io
import pickle

import joblib
import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix
from sklearn.base import clone

import problems
from kernelweave import KernelDiscriminantAnalysis, MKLDiscriminantAnalysis, MKLRidge
from kernelweave.kernels import RBF, Laplacian, Linear, Nystroem
from kernelweave.persist import load, save
from kernelweave.solvers import SILP
from kernelweave.weights import Fixed, Simplex

X, Y = problems.blobs(50, 3, 3)
NEW = np.random.default_rng(1).normal(size=(20, 3))
MODELS = [
    KernelDiscriminantAnalysis(Laplacian()),
    MKLDiscriminantAnalysis([RBF(), Linear()], weights=Simplex(), solver=SILP()),
    MKLDiscriminantAnalysis([RBF(), Linear()], alpha="learn", normalize="trace"),
    MKLDiscriminantAnalysis([RBF(), Linear()], weights=Fixed([0.2, 0.8])),
    MKLRidge([RBF(), Linear()], normalize="spherical"),
]
every_model = pytest.mark.parametrize("model", MODELS)


def through_pickle(model):
    return pickle.loads(pickle.dumps(model))


def through_joblib(model):
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    return joblib.load(file)


@every_model
@pytest.mark.parametrize("copy", [through_pickle, through_joblib])
def test_fitted_copies(model, copy):
    model = clone(model).fit(X, Y)
    other = copy(model)
    assert np.array_equal(other.predict(NEW), model.predict(NEW))
    if hasattr(model, "predict_proba"):
        assert np.array_equal(other.predict_proba(NEW), model.predict_proba(NEW))
    assert np.array_equal(other.weights_, model.weights_)
    assert other.solution_.certificate == model.solution_.certificate


@pytest.mark.parametrize("kind", [csr_array, csr_matrix])
def test_sparse_rows_in_a_model_file(kind, tmp_path):
    """Exact kernels keep the training rows, Nyström's their landmarks."""
    X, y = problems.blobs(60, d=3)
    rows = kind(np.where(np.abs(X) > 1, X, 0.0))
    model = MKLDiscriminantAnalysis([RBF(), Nystroem(RBF(name="few"), 9), Linear()])
    save(model.fit(rows, y), tmp_path / "model.skops")
    again = load(tmp_path / "model.skops")
    assert np.array_equal(again.predict_proba(rows), model.predict_proba(rows))


@every_model
def test_clones_fit_alike_and_share_nothing(model):
    model = clone(model).fit(X, Y)
    other = clone(model)
    assert not hasattr(other, "weights_")
    other.fit(X, Y)
    assert np.array_equal(other.predict(NEW), model.predict(NEW))
    # Fitting one on other rows leaves the other alone.
    before = model.predict(NEW)
    other.fit(X[:30], Y[:30])
    assert np.array_equal(model.predict(NEW), before)


@every_model
def test_fitting_again_forgets(model):
    once = clone(model).fit(X, Y)
    again = clone(model).fit(X[:30], Y[:30]).fit(X, Y)
    assert np.array_equal(once.predict(NEW), again.predict(NEW))


@every_model
def test_representation(model):
    assert type(model).__name__ in repr(model)
    assert type(model).__name__ in repr(clone(model).fit(X, Y))
