"""Predictions do not change when all rows are moved alike."""

import warnings

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone

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
    persist,
)
from kernelweave.arrays import host
from kernelweave.kernels import (
    RBF,
    Laplacian,
    Linear,
    Nystroem,
    Polynomial,
    Precomputed,
    RandomFourier,
    rbf_grid,
)
from kernelweave.weights import LpBall
from kinds import KINDS

rng = np.random.default_rng(0)
# Numbers with few digits: X + SHIFT is exact.
X = np.round(64 * rng.normal(size=(120, 4))) / 64
NEW = np.round(64 * rng.normal(size=(30, 4))) / 64
Y = (X[:, 0] * X[:, 1] + X[:, 2] > 0).astype(int)
SMOOTH = X[:, 0] * X[:, 1] + X[:, 2]
PARTLY = np.where(np.arange(120) < 60, Y, -1)
SHIFT = 2.0**20 * np.array([1, 3, -5, 100])

KERNELS = [RBF(), RBF(factor=2, columns=[0, 1]), Laplacian(), Linear(), Linear([0, 3])]
FEATURES = [Nystroem(RBF(), 60), RandomFourier(Laplacian(), 50), Linear()]
CHOICES = {"alphas": [0.1, 1.0]}

MODELS = {
    "discriminant": (MKLDiscriminantAnalysis(KERNELS), Y),
    "ridge": (MKLRidge(KERNELS), SMOOTH),
    "trace": (MKLRidge(KERNELS, normalize="trace"), SMOOTH),
    "one kernel": (KernelDiscriminantAnalysis(Linear()), Y),
    "hinge": (MKLSVC(KERNELS), Y),
    "hinge, centred": (MKLSVC(KERNELS, center=True, normalize="trace"), Y),
    "hinge, unscaled": (MKLSVC(KERNELS, normalize=None), Y),
    "squared hinge": (MKLSVC(KERNELS, LpBall(2), loss="squared_hinge"), Y),
    "tube": (MKLSVR(KERNELS), SMOOTH),
    "one class": (MKLOneClassSVM(rbf_grid()), Y),
    "graph": (LaplacianMKLSVC([RBF(), Laplacian()]), PARTLY),
    "graph, centred": (LaplacianMKLSVC(KERNELS, center=True), PARTLY),
    "discriminant, chosen": (MKLDiscriminantAnalysisCV(KERNELS, **CHOICES), Y),
    "ridge, chosen": (MKLRidgeCV(KERNELS, **CHOICES), SMOOTH),
    "hinge, chosen": (MKLSVCCV(KERNELS, Cs=[0.1, 1.0]), Y),
    "tube, chosen": (MKLSVRCV(KERNELS, Cs=[0.1, 1.0]), SMOOTH),
}


def scores(model, X):
    for name in ("decision_function", "predict"):
        if hasattr(model, name):
            return host(getattr(model, name)(X))
    raise AssertionError


def assert_same(far, near):
    assert far == pytest.approx(near, abs=1e-6 * np.ptp(near))


@pytest.fixture(autouse=True)
def no_kernel_is_left_out():
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "kernels that are zero or constant")
        yield


@pytest.mark.parametrize("store", [None, 0], ids=["stored", "lazy"])
@pytest.mark.parametrize("name", MODELS)
def test_moved_rows(name, store, monkeypatch):
    model, y = MODELS[name]
    if store is not None:
        monkeypatch.setattr(type(model), "_store", store)
        if not isinstance(model, KernelDiscriminantAnalysis):
            cheap = [k for k in model.kernels if not isinstance(k, Laplacian)]
            monkeypatch.setattr(model, "kernels", cheap)
    near = scores(model.fit(X, y), NEW)
    far = scores(model.fit(X + SHIFT, y), NEW + SHIFT)
    assert_same(far, near)


def many(n=1200):
    X = np.round(64 * rng.normal(size=(n, 4))) / 64
    return X, (X[:, 0] * X[:, 1] + X[:, 2] > 0).astype(int)


@pytest.mark.parametrize(
    "model",
    [
        MKLDiscriminantAnalysis(FEATURES),
        MKLRidge(FEATURES),
        MKLRidge([Linear(columns=[0, 3])]),
        MKLSVC(FEATURES, loss="squared_hinge"),
        MKLDiscriminantAnalysisCV(FEATURES, **CHOICES),
    ],
)
def test_moved_rows_with_features(model):
    X, y = many()
    near = scores(model.fit(X, y), NEW)
    assert hasattr(model, "coef_")
    far = scores(model.fit(X + SHIFT, y), NEW + SHIFT)
    assert hasattr(model, "coef_")
    assert_same(far, near)


def test_moved_rows_in_chunks():
    X, y = many()
    model = MKLRidge([Nystroem(RBF(), 30), Linear()])
    for rows in np.array_split(np.arange(len(X)), 3):
        model.partial_fit(X[rows], y[rows])
    near = model.predict(NEW)
    model = clone(model)
    for rows in np.array_split(np.arange(len(X)), 3):
        model.partial_fit(X[rows] + SHIFT, y[rows])
    assert_same(model.predict(NEW + SHIFT), near)


def test_coefficients_of_a_linear_kernel_are_those_of_the_columns():
    X, y = many()
    model = MKLRidge([Linear()]).fit(X + SHIFT, y)
    by_hand = (NEW + SHIFT) @ model.coef_ + model.intercept_
    assert by_hand == pytest.approx(model.predict(NEW + SHIFT), rel=1e-9)


@KINDS
@pytest.mark.parametrize("store", [2**25, 0], ids=["stored", "lazy"])
@pytest.mark.parametrize("name", ["discriminant", "ridge", "squared hinge"])
def test_moved_rows_of_any_kind(name, store, kind, monkeypatch):
    model, y = MODELS[name]
    monkeypatch.setattr(type(model), "_store", store)
    near = scores(model.fit(kind(X), y), kind(NEW))
    model.fit(kind(X + SHIFT), y)
    assert_same(scores(model, kind(NEW + SHIFT)), near)
    assert_same(scores(model.to_numpy(), NEW + SHIFT), near)


def test_moved_rows_of_a_model_file(tmp_path):
    model = MKLRidge(KERNELS).fit(X + SHIFT, SMOOTH)
    persist.save(model, tmp_path / "model.kw")
    again = persist.load(tmp_path / "model.kw")
    assert np.array_equal(again.predict(NEW + SHIFT), model.predict(NEW + SHIFT))


def test_matrices_of_far_rows_are_gram_matrices():
    far = X + 2.0**7 * SHIFT
    K = RBF().fit(far)(far)
    model = MKLRidge([Precomputed(K)]).fit(np.arange(len(X))[:, None], SMOOTH)
    near = MKLRidge([RBF()]).fit(X, SMOOTH).predict(X)
    assert_same(model.predict(np.arange(len(X))[:, None]), near)


def test_a_quarter_of_the_rows_lack_a_view():
    rows, new = X.copy(), NEW.copy()
    rows[::4, :2], new[::5, :2] = np.nan, np.nan
    views = [Linear([0, 1], missing="mean"), RBF(columns=[0, 1], missing="mean")]
    model = MKLRidge([*views, Linear([2, 3])])
    near = model.fit(rows, SMOOTH).predict(new)
    assert_same(model.fit(rows + SHIFT, SMOOTH).predict(new + SHIFT), near)


def test_without_centring_the_origin_matters():
    K = (X + 1000) @ (X + 1000).T
    options = {"center": False, "normalize": None, "alpha": 1.0}
    model = MKLRidge([Linear()], **options).fit(X + 1000, SMOOTH)
    by_hand = K @ np.linalg.solve(K + np.eye(len(K)), SMOOTH)
    assert model.predict(X + 1000) == pytest.approx(by_hand, abs=1e-6)


@pytest.mark.parametrize("constant", [0.0, 0.1, 1e9 / 3])
def test_constant_columns_are_still_left_out(constant):
    rows = np.column_stack([X, np.full(len(X), constant)])
    model = MKLRidge([Linear([4]), Linear([0, 1])])
    with pytest.warns(UserWarning, match="zero or constant"):
        warnings.filterwarnings("always")
        model.fit(rows, SMOOTH)
    assert model.weights_[0] == 0
    many = np.tile(rows, (10, 1))
    with pytest.warns(UserWarning, match="zero or constant"):
        model.fit(many, np.tile(SMOOTH, 10))
    assert hasattr(model, "coef_")
    assert model.weights_[0] == 0


ALL_KERNELS = [RBF(), Laplacian(), Linear(), Polynomial(), RBF(scale=True)]


@pytest.mark.parametrize("model", [MKLRidge, MKLSVR, MKLDiscriminantAnalysis])
@pytest.mark.parametrize("kernel", ALL_KERNELS)
@pytest.mark.parametrize("value", [1e160, -1e300])
def test_no_prediction_is_nan(model, kernel, value):
    y = Y if model is MKLDiscriminantAnalysis else SMOOTH
    with pytest.raises(ValueError, match="overflow"):
        model([kernel]).fit(value * X, y)
    fitted = model([kernel]).fit(X, y)
    with pytest.raises(ValueError, match="overflow"):
        fitted.predict(value * NEW)
    with pytest.raises(ValueError, match="overflow"):
        model([kernel]).fit(scipy.sparse.csr_array(X), y).predict(
            scipy.sparse.csr_array(value * NEW)
        )


@pytest.mark.parametrize("kernel", ALL_KERNELS)
@pytest.mark.parametrize("size", [1e-60, 1.0, 1e30, 1e60])
def test_predictions_of_large_and_small_numbers(kernel, size):
    if isinstance(kernel, Polynomial) and size != 1:
        pytest.skip("its k(x, x) is constant, or too large")
    model = MKLDiscriminantAnalysis([kernel]).fit(size * X, Y)
    for new in (NEW, size * NEW, 1e30 * NEW):
        assert np.all(np.isfinite(model.predict_proba(new)))
