"""What must not change an answer: units, origins, orders, and X after the fit.

Every estimator, in every representation of its kernels. The weights are learned to a
gap of 1e-12, so that predictions of two fits are the same to 1e-6 of their spread.
"""

import warnings
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone, is_regressor

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
from kernelweave.estimators.base import KernelEstimator
from kernelweave.fitted import features
from kernelweave.grams import mapped
from kernelweave.kernels import RBF, Linear, Nystroem, Precomputed
from kernelweave.streamed import fit_chunks

TOL = {"tol": 1e-12}
GRID = {"norms": [1.5, 2], "alphas": [0.1, 1.0]}
SMALL = {"vs": [0.0, 0.5], "Cs": [1.0, 10.0], "cv": 2}
MODELS = {
    "discriminant": MKLDiscriminantAnalysis(alpha=0.3, **TOL),
    "discriminant cv": MKLDiscriminantAnalysisCV(**GRID, **TOL),
    "one kernel": KernelDiscriminantAnalysis(RBF(), alpha=0.3),
    "ridge": MKLRidge(alpha=0.3, **TOL),
    "ridge cv": MKLRidgeCV(**GRID, **TOL),
    "svc": MKLSVC(C=3.0, **TOL),
    "squared svc": MKLSVC(C=3.0, loss="squared_hinge", **TOL),
    "svc cv": MKLSVCCV(**SMALL, **TOL),
    "svr": MKLSVR(C=3.0, epsilon=0.1, **TOL),
    "squared svr": MKLSVR(
        C=3.0, epsilon=0.1, loss="squared_epsilon_insensitive", **TOL
    ),
    "svr cv": MKLSVRCV(epsilon=0.1, **SMALL, **TOL),
    "one class": MKLOneClassSVM(nu=0.3, **TOL),
    "laplacian": LaplacianMKLSVC(n_neighbors=5, **TOL),
}
FEATURED = ("discriminant", "discriminant cv", "ridge", "ridge cv", "squared svc")
CASES = [(name, how) for name in MODELS for how in ("stored", "lazy")]
CASES += [(name, how) for name in FEATURED for how in ("features", "chunks")]
MAPPED = [
    (name, "mapped")
    for name in ("discriminant", "ridge", "svc", "squared svc", "svr", "squared svr")
]
every_case = pytest.mark.parametrize("name, how", CASES)
few = settings(max_examples=4)
seeds = st.integers(0, 2**16)


@contextmanager
def represented(how):
    """Estimators that keep their kernels so, however few the rows are."""
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        # A gap of 1e-12 is not always reached.
        warnings.simplefilter("ignore")
        if how in ("lazy", "mapped"):
            patch.setattr(KernelEstimator, "_store", 0)
        if how == "mapped":
            # Memory for K(θ) of the rows below, and not for the matrices.
            patch.setattr(mapped, "machine_memory", lambda: 6 * 8 * 24**2)
        patch.setattr(features, "MANY", 0)
        yield


def make(name, how, kernels=None):
    """The estimator, with one kernel of a width and a linear one."""
    model = clone(MODELS[name])
    if kernels is None:
        wide = RBF(gamma="median", columns=[0, 1, 2], name="wide")
        narrow = RBF(gamma="median", factor=0.5, columns=[1, 2], name="narrow")
        kernels = [wide, narrow, Linear(columns=[0, 2], name="linear")]
        if how in ("features", "chunks"):
            kernels[:2] = [
                Nystroem(kernel, n_components=8, name=kernel.name)
                for kernel in kernels[:2]
            ]
    if name == "one kernel":
        return model.set_params(kernel=kernels[0])
    return model.set_params(kernels=kernels)


@contextmanager
def in_files(X):
    """Three kernels of the rows of X, their matrices in files; and row numbers."""
    with TemporaryDirectory() as folder:
        kernels = []
        for kernel in make("ridge", "stored").kernels:
            file = Path(folder) / f"{kernel.name}.npy"
            np.save(file, kernel.fit(X)(X))
            held = np.load(file, mmap_mode="r")
            kernels.append(Precomputed(held, name=kernel.name))
        yield kernels, np.arange(len(X))[:, None]


@pytest.mark.parametrize("name, how", MAPPED)
@settings(max_examples=2)
@given(seed=seeds, power=st.sampled_from([-8, 3, 8]))
def test_matrices_in_files(name, how, seed, power):
    """Neither the unit of y matters, nor the order of kernels, of rows, of classes."""
    X, y = data(seed, name, n=24)
    rng = np.random.default_rng(seed)
    places, rows = rng.permutation(3), rng.permutation(len(X))
    if name == "discriminant":
        # Thresholds are found by folds, and row i is in fold i mod 5.
        rows = np.arange(len(X))
    with represented(how), in_files(X) as (kernels, numbers):
        model = make(name, how, kernels)
        other = make(name, how, [kernels[j] for j in places])
        unit = 1.0
        if is_regressor(model):
            unit = 10.0**power
            in_units_of(unit, other, name)
        expected = output(model.fit(numbers, y), numbers)
        target = unit * y if is_regressor(model) else places[y]
        other.fit(numbers[rows], target[rows])
        found = output(other, numbers) / unit
    close(expected, found if is_regressor(model) else found[:, places])


def in_units_of(unit, model, name):
    """C and ε of a machine for targets in another unit."""
    if name.startswith("squared"):
        # C of the squared loss has no unit.
        model.set_params(epsilon=0.1 * unit)
    elif name == "svr":
        model.set_params(epsilon=0.1 * unit, C=3 * unit)
    elif name == "svr cv":
        model.set_params(epsilon=0.1 * unit, Cs=[unit, 10 * unit])


def data(seed, name, n=44):
    """Rows that a sum of 2²⁰ and more does not round, and their targets."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, 3)) * 2**12) / 2**12
    f = np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=n)
    if is_regressor(MODELS[name]):
        return X, f
    y = np.digitize(f, np.quantile(f, [0.4, 0.7]))
    if name == "laplacian":
        y = np.where(np.arange(n) % 2, y, -1)
    return X, y


def fit(model, how, X, y):
    if how == "chunks":
        halves = [slice(0, len(X) // 2), slice(len(X) // 2, None)]
        return fit_chunks(model, lambda: iter([(X[half], y[half]) for half in halves]))
    return model.fit(X, y)


def output(model, X):
    """What the model says of rows, in numbers."""
    if is_regressor(model):
        return model.predict(X)
    return model.decision_function(X)


def close(a, b):
    spread = np.max(np.abs(a - np.mean(a, axis=0)))
    assert np.max(np.abs(a - b)) <= 1e-6 * spread


REGRESSORS = [case for case in CASES if is_regressor(MODELS[case[0]])]


@pytest.mark.parametrize("name, how", REGRESSORS)
@few
@given(seed=seeds, power=st.sampled_from([-8, -5, 3, 6, 8]))
def test_the_unit_of_y(name, how, seed, power):
    X, y = data(seed, name)
    unit = 10.0**power
    model, other = make(name, how), make(name, how)
    in_units_of(unit, other, name)
    with represented(how):
        expected = output(fit(model, how, X, y), X)
        found = output(fit(other, how, X, unit * y), X)
    close(expected, found / unit)


@every_case
@few
@given(seed=seeds, exponent=st.sampled_from([10, 20]))
def test_the_origin_of_x(name, how, seed, exponent):
    X, y = data(seed, name)
    # Exactly representable: at 2²⁰ standard deviations 2⁻¹² is still a number.
    shift = 2.0**exponent * np.array([1.0, -1.0, 3.0])
    # Without centring a linear kernel does know the origin.
    kernels = None
    model = make(name, how)
    if not getattr(model, "center", True) and name != "one kernel":
        kernels = [k for k in model.kernels if not isinstance(k, Linear)]
    with represented(how):
        expected = output(fit(make(name, how, kernels), how, X, y), X)
        found = output(fit(make(name, how, kernels), how, X + shift, y), X + shift)
    close(expected, found)


@every_case
@few
@given(seed=seeds, power=st.sampled_from([-6, -3, 4, 6]))
def test_the_unit_of_x(name, how, seed, power):
    X, y = data(seed, name)
    unit = 10.0**power
    with represented(how):
        expected = output(fit(make(name, how), how, X, y), X)
        found = output(fit(make(name, how), how, unit * X, y), unit * X)
    close(expected, found)


@pytest.mark.parametrize("name, how", [c for c in CASES if c[1] in ("stored", "lazy")])
@few
@given(seed=seeds)
def test_the_order_of_rows(name, how, seed):
    # Landmarks, folds and graphs of features depend on the order knowingly.
    X, y = data(seed, name)
    order = np.random.default_rng(seed).permutation(len(X))
    with represented(how):
        first, second = make(name, how), make(name, how)
        if getattr(first, "cv", None) is not None:
            # The same folds of the same rows.
            half, place = np.arange(len(X)) % 2, np.argsort(order)
            folds = [np.flatnonzero(half == i) for i in (0, 1)]
            first.cv = [tuple(folds), tuple(folds[::-1])]
            second.cv = [(place[a], place[b]) for a, b in first.cv]
        expected = output(first.fit(X, y), X)
        found = output(second.fit(X[order], y[order]), X)
    close(expected, found)


@every_case
@few
@given(seed=seeds)
def test_the_order_of_kernels(name, how, seed):
    X, y = data(seed, name)
    model = make(name, how)
    if name == "one kernel":
        return
    order = np.random.default_rng(seed).permutation(3)
    with represented(how):
        expected = output(fit(model, how, X, y), X)
        kernels = [model.kernels[j] for j in order]
        found = output(fit(make(name, how, kernels), how, X, y), X)
    close(expected, found)


CLASSIFIERS = [
    case
    for case in CASES
    if not is_regressor(MODELS[case[0]]) and case[0] not in ("one class", "laplacian")
]


@pytest.mark.parametrize("name, how", CLASSIFIERS)
@few
@given(seed=seeds)
def test_the_names_of_classes(name, how, seed):
    X, y = data(seed, name)
    order = np.random.default_rng(seed).permutation(3)
    with represented(how):
        expected = output(fit(make(name, how), how, X, y), X)
        found = output(fit(make(name, how), how, X, order[y]), X)
    close(expected, found[:, order])


@every_case
def test_x_changed_after_the_fit(name, how):
    X, y = data(0, name)
    new = X.copy()
    with represented(how):
        model = fit(make(name, how), how, X, y)
        expected = output(model, new)
        X *= 100
        y[:] = y[::-1].copy()
        np.testing.assert_array_equal(output(model, new), expected)


@pytest.mark.parametrize("name", ["discriminant", "ridge", "svc", "svr", "one class"])
def test_matrices_changed_after_the_fit(name):
    X, y = data(0, name)
    K = RBF().fit(X)(X)
    given = K.copy()[None]
    held = [Precomputed(K.copy()), Precomputed(X @ X.T)]
    rows = np.arange(len(X))[:, None]
    with represented("stored"):
        plain = make(name, "stored", "precomputed")
        plain = plain.set_params(normalize=None).fit(given, y)
        model = make(name, "stored", held).fit(rows, y)
        expected = output(plain, K[None]), output(model, rows)
        given *= 100
        held[0].K *= 100
        np.testing.assert_array_equal(output(plain, K[None]), expected[0])
        np.testing.assert_array_equal(output(model, rows), expected[1])
