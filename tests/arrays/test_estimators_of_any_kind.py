"""Estimators learn from arrays where they are, predict there, and come back."""

import copy
import pickle

import numpy as np
import pytest
import sklearn

import problems
from kernelweave import (
    MKLSVC,
    MKLSVCCV,
    MKLSVR,
    KernelDiscriminantAnalysis,
    LaplacianMKLSVC,
    MKLDiscriminantAnalysis,
    MKLDiscriminantAnalysisCV,
    MKLOneClassSVM,
    MKLRidge,
    MKLRidgeCV,
    persist,
)
from kernelweave.arrays import host, is_foreign, on_host
from kernelweave.estimators.base import KernelEstimator
from kernelweave.kernels import Laplacian, Linear, Nystroem, rbf_grid
from kinds import KINDS

X, y = problems.blobs(n=40, k=3, seed=1)
NEW, _ = problems.blobs(n=25, k=3, seed=2)
FAMILY = rbf_grid(factors=[0.5, 2])
KERNELS = [*FAMILY, Laplacian(), Linear()]
TWO = (y > 0).astype(int)
SMOOTH = X[:, 0] ** 2
BOTH = np.column_stack([SMOOTH, X[:, 1]])

MODELS = {
    "discriminant": (MKLDiscriminantAnalysis(KERNELS), y),
    "default kernels": (MKLDiscriminantAnalysis(), TWO),
    "alpha learned": (MKLDiscriminantAnalysis(KERNELS, alpha="learn"), y),
    "within": (MKLDiscriminantAnalysis(KERNELS, scatter="within"), TWO),
    "spherical": (MKLDiscriminantAnalysis(KERNELS, normalize="spherical"), y),
    "not centred": (MKLDiscriminantAnalysis(KERNELS, center=False), y),
    "one kernel": (KernelDiscriminantAnalysis(), y),
    "ridge": (MKLRidge(KERNELS), SMOOTH),
    "two outputs": (MKLRidge(KERNELS), BOTH),
    "given": (MKLDiscriminantAnalysis("precomputed"), y),
    "given, ridge": (MKLRidge("precomputed"), SMOOTH),
}

STORED = ("discriminant", "alpha learned", "one kernel", "two outputs")


def _tables(model):
    """Training and new rows, as the model takes them."""
    if model.kernels != "precomputed":
        return X, NEW
    kernels = [kernel.fit(X) for kernel in FAMILY]
    return np.stack([k(X) for k in kernels]), np.stack([k(NEW, X) for k in kernels])


@KINDS
@pytest.mark.parametrize("name", MODELS)
def test_the_same_as_with_numpy(kind, name, monkeypatch):
    model, target = MODELS[name]
    # Some with stored matrices, some with tiles.
    monkeypatch.setattr(KernelEstimator, "_store", 2**25 if name in STORED else 0)
    monkeypatch.setattr("kernelweave.grams.lazy.ARRAY_TILE", 32)
    monkeypatch.setattr("kernelweave.fitted.expansion.ARRAY_PART", 7 * len(X))
    train, new = _tables(model)
    theirs = copy.copy(model).fit(train, target)
    ours = copy.copy(model).fit(kind(train), kind(target))
    assert ours.weights_ == pytest.approx(theirs.weights_, abs=1e-9)
    assert isinstance(ours.weights_, np.ndarray)
    assert kind.owns(ours.dual_coef_)
    for method in ("predict", "predict_proba", "decision_function", "transform"):
        if hasattr(model, method):
            found = getattr(ours, method)(kind(new))
            expected = getattr(theirs, method)(new)
            assert kind.owns(found)
            assert found.shape == expected.shape
            np.testing.assert_allclose(host(found), expected, rtol=1e-7, atol=1e-8)


@KINDS
@pytest.mark.parametrize("given", [False, True])
@pytest.mark.parametrize("options", [{}, {"multiclass": "per_class"}, {"center": True}])
def test_support_vectors(kind, options, given):
    kernels = "precomputed" if given else FAMILY
    model = MKLSVC(kernels, loss="squared_hinge", tol=1e-6, **options)
    train, new = _tables(model)
    weight = np.linspace(0.5, 2, len(y))
    theirs = copy.copy(model).fit(train, y, sample_weight=weight)
    ours = copy.copy(model).fit(kind(train), kind(y), sample_weight=kind(weight))
    found, expected = ours.decision_function(kind(new)), theirs.decision_function(new)
    assert kind.owns(found) and kind.owns(ours.dual_coef_)
    np.testing.assert_allclose(host(found), expected, atol=1e-2)
    assert kind.owns(ours.predict(kind(new)))
    assert np.array_equal(host(ours.predict(kind(new))), theirs.predict(new))
    assert np.array_equal(ours.to_numpy().predict(new), theirs.predict(new))


@KINDS
def test_two_classes_and_balanced_weights(kind):
    model = MKLSVC(FAMILY, loss="squared_hinge", class_weight="balanced", tol=1e-6)
    theirs = copy.copy(model).fit(X, TWO)
    ours = copy.copy(model).fit(kind(X), TWO)
    found = ours.decision_function(kind(NEW))
    assert found.shape == (len(NEW),)
    np.testing.assert_allclose(host(found), theirs.decision_function(NEW), atol=1e-2)
    assert np.array_equal(host(ours.predict(kind(NEW))), theirs.predict(NEW))


@KINDS
@pytest.mark.parametrize("name", ["discriminant", "spherical", "ridge", "given"])
def test_back_to_numpy(kind, name):
    model, target = MODELS[name]
    train, new = _tables(model)
    fitted = copy.copy(model).fit(kind(train), kind(target))
    moved = fitted.to_numpy()
    assert type(moved) is type(fitted) and kind.owns(fitted.dual_coef_)
    assert isinstance(moved.solution_.A, np.ndarray)
    assert on_host(moved) is moved
    np.testing.assert_allclose(
        moved.predict(new), host(fitted.predict(kind(new))), rtol=1e-9, atol=1e-9
    )
    again = pickle.loads(pickle.dumps(moved))
    assert np.array_equal(again.predict(new), moved.predict(new))


@KINDS
def test_a_model_file(kind, tmp_path):
    pytest.importorskip("skops")
    model = MKLDiscriminantAnalysis(FAMILY).fit(kind(X), kind(y))
    persist.save(model, tmp_path / "model.skops")
    loaded = persist.load(tmp_path / "model.skops")
    assert np.array_equal(loaded.predict(NEW), host(model.predict(kind(NEW))))
    assert loaded.weights_ == pytest.approx(model.weights_)


@KINDS
def test_classes_that_are_no_numbers(kind):
    names = np.array(["low", "middle", "high"])[y]
    model = MKLDiscriminantAnalysis(FAMILY).fit(kind(X), names)
    predicted = model.predict(kind(NEW))
    assert isinstance(predicted, np.ndarray)
    assert np.array_equal(
        predicted, MKLDiscriminantAnalysis(FAMILY).fit(X, names).predict(NEW)
    )


@KINDS
def test_single_precision(kind):
    single = X.astype(np.float32)
    ours = MKLRidge(FAMILY).fit(kind(single), kind(SMOOTH))
    theirs = MKLRidge(FAMILY).fit(single.astype(float), SMOOTH)
    # The certificate is that of double precision.
    assert abs(ours.solution_.certificate.relative_gap) <= 1e-6
    assert ours.weights_ == pytest.approx(theirs.weights_, abs=1e-9)
    predicted = ours.predict(kind(NEW.astype(np.float32)))
    assert host(predicted).dtype == np.float64
    expected = theirs.predict(NEW.astype(np.float32).astype(float))
    np.testing.assert_allclose(host(predicted), expected, rtol=1e-9)


@KINDS
def test_dispatch_of_scikit_learn(kind, monkeypatch):
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    with sklearn.config_context(array_api_dispatch=True):
        for model, target in (
            (MKLDiscriminantAnalysis(FAMILY), y),
            (MKLRidge(FAMILY), SMOOTH),
            (MKLSVC(FAMILY, loss="squared_hinge"), y),
        ):
            score = model.fit(kind(X), kind(target)).score(kind(X), kind(target))
            expected = model.fit(X, target).score(X, target)
            assert float(score) == pytest.approx(expected, abs=2e-2)
    for supported in (MKLDiscriminantAnalysis(), MKLRidge(), MKLSVC()):
        assert supported.__sklearn_tags__().array_api_support


HOST = [
    MKLSVR(),
    MKLOneClassSVM(),
    LaplacianMKLSVC(),
    MKLDiscriminantAnalysisCV(),
    MKLRidgeCV(),
    MKLSVCCV(),
]


@KINDS
@pytest.mark.parametrize("model", HOST, ids=lambda model: type(model).__name__)
def test_estimators_of_the_host_say_so(kind, model):
    assert not model.__sklearn_tags__().array_api_support
    with pytest.raises(
        TypeError, match=f"{type(model).__name__} learns from arrays of"
    ):
        model.fit(kind(X), y)


@KINDS
def test_what_needs_the_host_says_so(kind):
    with pytest.raises(TypeError, match="inner problem of Hinge is solved by the host"):
        MKLSVC(FAMILY).fit(kind(X), y)
    with pytest.raises(TypeError, match="MajorizedSquare"):
        MKLDiscriminantAnalysis(multiclass_sdp="approximate").fit(kind(X), y)
    with pytest.raises(TypeError, match="is computed by the host"):
        MKLRidge([Nystroem(FAMILY[0], n_components=5)]).fit(kind(X), SMOOTH)


@KINDS
def test_rows_of_another_kind(kind):
    there = MKLRidge(FAMILY).fit(kind(X), SMOOTH)
    here = MKLRidge(FAMILY).fit(X, SMOOTH)
    with pytest.raises(TypeError, match=r"new rows are of NumPy.*model.to_numpy"):
        there.predict(NEW)
    with pytest.raises(TypeError, match="was fitted with arrays of NumPy"):
        here.predict(kind(NEW))
    assert not is_foreign(here.predict(NEW))


@KINDS
def test_bad_arrays(kind):
    with pytest.raises(ValueError, match=r"rows and columns, got shape \(40,\)"):
        MKLRidge().fit(kind(SMOOTH), SMOOTH)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        MKLRidge().fit(kind(X), SMOOTH[1:])
    model = MKLRidge().fit(kind(X), SMOOTH)
    with pytest.raises(ValueError, match="X has 2 features, but MKLRidge"):
        model.predict(kind(NEW[:, :2]))
    K = np.stack([X @ X.T])
    K[0, 1, 2] += 1
    with pytest.raises(ValueError, match="kernel 0 is not symmetric"):
        MKLRidge("precomputed").fit(kind(K), SMOOTH)
    with pytest.raises(ValueError, match="kernel 0 is not positive semidefinite"):
        MKLRidge("precomputed").fit(kind(-np.eye(40)[None]), SMOOTH)
    model = MKLRidge("precomputed").fit(kind(X @ X.T), SMOOTH)
    with pytest.raises(ValueError, match="contain NaN or infinity"):
        model.predict(kind(np.full((1, 2, 40), np.nan)))
    with pytest.raises(ValueError, match=r"need an array \(1, m, 40\)"):
        model.predict(kind(np.zeros((1, 2, 39))))
