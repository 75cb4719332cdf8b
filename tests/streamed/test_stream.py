"""Fits to chunks of rows: the answer of the whole table, from two passes."""

import contextlib
import io

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from kernelweave import (
    MKLDiscriminantAnalysis,
    MKLDiscriminantAnalysisCV,
    MKLRidge,
    MKLRidgeCV,
)
from kernelweave.kernels import RBF, Linear, Nystroem, RandomFourier
from kernelweave.persist import load, save
from kernelweave.progress import Progress
from kernelweave.streamed import ArraySource, fit_chunks
from kernelweave.streamed.chunk import gather

rng = np.random.default_rng(2)
X = rng.normal(size=(6000, 4))
CLASSES = np.digitize(X[:, 0] ** 2 + X[:, 1], [0.0, 1.5])
NUMBERS = np.c_[np.sin(X[:, 0]), X[:, 1] * X[:, 2]]
KERNELS = [Nystroem(RBF(), 80), RandomFourier(RBF(gamma=0.1), 40), Linear()]
MODELS = [
    (MKLDiscriminantAnalysis(KERNELS), CLASSES),
    (MKLDiscriminantAnalysisCV(KERNELS, norms=[1, 2], alphas=[0.1, 1]), CLASSES),
    (MKLDiscriminantAnalysisCV(KERNELS, [2], [1], scoring="accuracy"), CLASSES),
    (MKLRidge(KERNELS, normalize="spherical"), NUMBERS),
    (MKLRidge(KERNELS, normalize=None, center=False, alpha=0.1), NUMBERS[:, 0]),
    (MKLRidgeCV(KERNELS, norms=[1, 2], alphas=[0.1, 1]), NUMBERS),
]


def source(y, size=700):
    def make():
        for first in range(0, len(y), size):
            yield X[first : first + size], y[first : first + size]

    return make


@pytest.mark.parametrize(("model", "y"), MODELS, ids=lambda m: type(m).__name__)
def test_it_is_the_fit_of_the_whole(model, y, tmp_path):
    here = fit_chunks(clone(model), source(y))
    there = clone(model).fit(X, y)
    np.testing.assert_allclose(here.weights_, there.weights_, rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(here.predict(X[:9]), there.predict(X[:9]), rtol=1e-7)
    assert here.solution_.certificate.relative_gap <= 1e-6
    # It is kept, and is the same elsewhere.
    save(here, tmp_path / "model.skops")
    again = load(tmp_path / "model.skops")
    assert np.array_equal(again.predict(X[:9]), here.predict(X[:9]))


def test_the_weights_are_optimal_for_all_rows():
    model = fit_chunks(MKLRidge(KERNELS, alpha=2.0, tol=1e-8), source(NUMBERS[:, 0]))
    Z = [kernel.features(X) for kernel in model.kernels_]
    Z = [z - z.mean(axis=0) for z in Z]
    Z = [z * np.sqrt(len(z) / np.sum(z * z)) for z in Z]
    y = NUMBERS[:, 0] - NUMBERS[:, 0].mean()
    # A = (y − f)/α of K(θ) = Σθ_jZ_jZ_jᵀ, by the rows themselves.
    A = ((y - model.predict(X) + NUMBERS[:, 0].mean()) / 2.0)[:, None]
    s = np.array([np.sum((z.T @ A) ** 2) for z in Z])
    primal = y @ A[:, 0] - A[:, 0] @ A[:, 0] - 0.5 * model.weights_ @ s
    dual = y @ A[:, 0] - A[:, 0] @ A[:, 0] - 0.5 * s.max()
    assert -1e-12 * primal <= primal - dual <= 1e-6 * primal


@pytest.mark.parametrize(
    "model",
    [
        MKLDiscriminantAnalysis(KERNELS),
        MKLDiscriminantAnalysisCV(KERNELS, [2], [0.1, 1], scoring="accuracy"),
    ],
)
def test_a_model_of_partial_fits_is_kept(model, tmp_path):
    model = clone(model)
    for part, y in source(CLASSES, 2000)():
        model.partial_fit(part, y, classes=[0, 1, 2])
    save(model, tmp_path / "model.skops")
    again = load(tmp_path / "model.skops")
    again.partial_fit(X, CLASSES)
    model.partial_fit(X, CLASSES)
    np.testing.assert_allclose(again.coef_, model.coef_, rtol=1e-12)


def test_small_chunks_are_put_together():
    sizes = [len(y) for _, y in gather(source(CLASSES, 100)())]
    assert sizes == [6000]
    wide = ((np.zeros((3, 2**20)), np.zeros(3)) for _ in range(6))
    assert [len(y) for _, y in gather(wide)] == [9, 9]


def test_large_chunks_are_taken_apart():
    X, y = np.arange(140_000.0).reshape(70_000, 2), np.arange(70_000)
    parts = list(gather([(X, y)]))
    assert max(len(part) for part, _ in parts) < 40_000
    np.testing.assert_array_equal(np.vstack([part for part, _ in parts]), X)
    np.testing.assert_array_equal(np.concatenate([part for _, part in parts]), y)


def test_progress_says_how_far_it_is(monkeypatch):
    monkeypatch.setattr("kernelweave.streamed.chunk._FEW", 1)
    seen = []
    fit_chunks(
        MKLRidge([Linear()]),
        source(NUMBERS, 2000),
        progress=lambda *a: seen.append(a),
    )
    first, second = seen[:4], seen[4:]
    # How many rows there are is known after the first pass.
    assert {total for _, total, _ in first} == {0}
    assert second == [
        (0, 6000, "pass 2, 0 rows"),
        (2000, 6000, "pass 2, 2,000 rows"),
        (4000, 6000, "pass 2, 4,000 rows"),
        (6000, 6000, "pass 2, 6,000 rows"),
    ]


def test_the_time_left_counts_from_the_beginning_of_a_pass(monkeypatch):
    now = 0.0
    monkeypatch.setattr("kernelweave.progress.time.monotonic", lambda: now)

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    with contextlib.closing(Terminal()) as terminal, Progress(terminal) as progress:
        for done in (0, 2, 4, 0, 1):
            now += 100
            progress(done, 4, f"chunk {done}")
        assert "25%, 5 min left  chunk 1" in terminal.getvalue()


def test_models_that_do_not_add_up_are_refused():
    with pytest.raises(ValueError, match="LogisticRegression does not learn"):
        fit_chunks(LogisticRegression(), source(CLASSES))
    with pytest.raises(ValueError, match="need kernels with features"):
        fit_chunks(MKLRidge([RBF()]), source(NUMBERS))
    with pytest.raises(ValueError, match="use scatter='total'"):
        fit_chunks(MKLDiscriminantAnalysis(KERNELS, scatter="within"), source(CLASSES))
    with pytest.raises(ValueError, match="cv=3 fits again for every split"):
        fit_chunks(MKLRidgeCV(KERNELS, cv=3), ArraySource(X, NUMBERS))
