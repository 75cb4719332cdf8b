"""Large stacks are computed when they are used; new rows come in parts."""

import tracemalloc

import numpy as np
import pytest
from sklearn.datasets import load_digits

from kernelweave import (
    MKLSVC,
    MKLSVR,
    LaplacianMKLSVC,
    MKLDiscriminantAnalysis,
    MKLOneClassSVM,
    MKLRidge,
)
from kernelweave.estimators.base import KernelEstimator
from kernelweave.kernels import RBF, Laplacian, Linear, Polynomial, rbf_grid

X, y = load_digits(n_class=3, return_X_y=True)
X = X[:300] / 16
y = y[:300]
KERNELS = [*rbf_grid(), RBF(columns=slice(0, 32), scale=True), Linear(), Polynomial()]


@pytest.mark.parametrize(
    "model",
    [
        MKLDiscriminantAnalysis(KERNELS),
        MKLDiscriminantAnalysis(KERNELS, normalize="spherical", center=False),
        MKLDiscriminantAnalysis(KERNELS, normalize="trace", alpha=1e-3),
        MKLRidge(KERNELS),
        MKLSVC(KERNELS, tol=1e-6),
        MKLSVR(KERNELS, tol=1e-6),
        MKLOneClassSVM(KERNELS, tol=1e-6),
    ],
)
def test_stored_or_not_is_the_same(model, monkeypatch):
    stored = model.fit(X, y)
    weights, predicted = stored.weights_, stored.predict(X[::7])
    monkeypatch.setattr(KernelEstimator, "_store", 0)
    lazy = model.fit(X, y)
    assert lazy.weights_ == pytest.approx(weights, abs=2e-3)
    # The optimum is one, its weights need not be.
    gap = 2e-6 * abs(stored.solution_.certificate.primal)
    assert lazy.solution_.certificate.primal == pytest.approx(
        stored.solution_.certificate.primal, abs=gap
    )
    if predicted.dtype.kind == "f":
        assert lazy.predict(X[::7]) == pytest.approx(predicted, rel=1e-3, abs=1e-3)
    else:
        assert np.array_equal(lazy.predict(X[::7]), predicted)


def test_kernels_that_are_dear_are_stored(monkeypatch):
    monkeypatch.setattr(KernelEstimator, "_store", 0)
    model = MKLRidge([Laplacian(), RBF()])
    assert hasattr(model._begin(X, y)[0].stack, "matrices")
    cheap = MKLRidge([Linear(), RBF()])
    assert not hasattr(cheap._begin(X, y)[0].stack, "matrices")


def test_memory_does_not_grow_with_the_kernels(monkeypatch):
    rng = np.random.default_rng(0)
    n = 1500
    table = rng.normal(size=(n, 5))
    labels = (table[:, 0] + 0.5 * rng.normal(size=n) > 0).astype(int)
    monkeypatch.setattr(KernelEstimator, "_store", 0)
    for p in (10, 30):
        kernels = [RBF(gamma=g) for g in np.logspace(-2, 1, p)]
        tracemalloc.start()
        model = MKLDiscriminantAnalysis(kernels).fit(table, labels)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert model.solution_.converged
        assert peak <= 4 * 8 * n * n


@pytest.mark.parametrize(
    "model", [MKLDiscriminantAnalysis(), MKLRidge(), MKLSVC(), LaplacianMKLSVC()]
)
@pytest.mark.parametrize("given", [False, True])
def test_parts_of_new_rows(model, given, monkeypatch):
    K = np.stack([kernel.fit(X)(X) for kernel in rbf_grid()])
    model.set_params(kernels="precomputed" if given else rbf_grid())
    model.fit(K if given else X, y)
    new = K[:, :50] if given else X[:50]
    method = model.predict if isinstance(model, MKLRidge) else model.decision_function
    whole = method(new)
    # 7 rows a part: 50 is no multiple.
    monkeypatch.setattr("kernelweave.fitted.expansion.PART", 6 * len(y))
    assert method(new) == pytest.approx(whole, rel=1e-12, abs=1e-12)


def test_training_rows_are_selected_once(monkeypatch):
    """Ten parts of new rows: ten selections of new rows, none of training rows."""
    model = MKLRidge(rbf_grid()).fit(X, y)
    selected = []
    select = RBF.select
    monkeypatch.setattr(
        RBF, "select", lambda self, X: (selected.append(len(X)), select(self, X))[1]
    )
    monkeypatch.setattr("kernelweave.fitted.expansion.PART", 4 * len(y))
    model.predict(X[:50])
    # Kernels of five widths share what they select.
    assert selected == [5] * 10
