"""Ready-made Gram matrices give what the same kernels give on the table."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, cross_val_score

import problems
from kernelweave import (
    MKLSVC,
    MKLSVR,
    KernelDiscriminantAnalysis,
    LaplacianMKLSVC,
    MKLDiscriminantAnalysis,
    MKLOneClassSVM,
    MKLRidge,
)
from kernelweave.kernels import RBF, Kernel, Linear, Precomputed
from kernelweave.solvers import DualLBFGS, Interleaved, Primal
from kernelweave.weights import LpBall

X, Y = problems.blobs(60, 3, 3)
NEW = np.random.default_rng(1).normal(size=(15, 3))
KERNELS = [RBF(gamma=0.1), RBF(gamma=1.0), Linear()]
TRAIN = np.stack([kernel.fit(X)(X) for kernel in KERNELS])
TEST = np.stack([kernel(NEW, X) for kernel in KERNELS])


@pytest.mark.parametrize("normalize", ["variance", "trace", None])
@pytest.mark.parametrize("form", [np.asarray, list, tuple])
@pytest.mark.parametrize("Estimator", [MKLDiscriminantAnalysis, MKLRidge])
def test_equals_the_kernels_on_the_table(Estimator, form, normalize):
    alpha = 1e-3 if normalize == "trace" else 0.1
    given = Estimator("precomputed", alpha=alpha, normalize=normalize)
    table = Estimator(KERNELS, alpha=alpha, normalize=normalize)
    given.fit(form(TRAIN), Y), table.fit(X, Y)
    assert given.weights_ == pytest.approx(table.weights_, abs=1e-10)
    assert given.predict(form(TEST)) == pytest.approx(table.predict(NEW), rel=1e-12)
    assert list(given.kernel_names_) == ["kernel 0", "kernel 1", "kernel 2"]


def test_inputs_are_left_alone():
    train, test = TRAIN.copy(), TEST.copy()
    MKLDiscriminantAnalysis("precomputed").fit(train, Y).predict(test)
    assert np.array_equal(train, TRAIN) and np.array_equal(test, TEST)


def test_one_kernel_is_one_matrix():
    given = KernelDiscriminantAnalysis("precomputed").fit(TRAIN[0], Y)
    table = KernelDiscriminantAnalysis(KERNELS[0]).fit(X, Y)
    probable = table.predict_proba(NEW)
    assert given.predict_proba(TEST[0]) == pytest.approx(probable, rel=1e-9)


def test_one_kernel_splits_as_scikit_learn_splits():
    # The pairwise tag makes splitters take rows and columns.
    cv = StratifiedKFold(3)
    given = KernelDiscriminantAnalysis("precomputed")
    table = KernelDiscriminantAnalysis(KERNELS[0])
    scores = cross_val_score(given, TRAIN[0], Y, cv=cv)
    assert scores == pytest.approx(cross_val_score(table, X, Y, cv=cv))


@pytest.mark.parametrize("normalize", ["variance", "trace", "spherical", None])
def test_row_numbers_in_cross_validation(normalize):
    cv = StratifiedKFold(3)
    alpha = 1e-3 if normalize == "trace" else 0.1
    settings = {"normalize": normalize, "alpha": alpha}
    given = MKLDiscriminantAnalysis([Precomputed(K) for K in TRAIN], **settings)
    table = MKLDiscriminantAnalysis(KERNELS, **settings)
    scores = cross_val_score(given, np.arange(60)[:, None], Y, cv=cv)
    assert scores == pytest.approx(cross_val_score(table, X, Y, cv=cv))


def test_row_numbers_mix_with_columns():
    # Column 0 holds the row numbers, the others are features.
    table = np.column_stack([np.arange(60), X])
    mixed = MKLDiscriminantAnalysis(
        [Precomputed(TRAIN[0], columns=0), Linear(columns=[1, 2, 3])]
    ).fit(table, Y)
    plain = MKLDiscriminantAnalysis([KERNELS[0], Linear()]).fit(X, Y)
    assert mixed.weights_ == pytest.approx(plain.weights_, abs=1e-10)
    assert np.array_equal(mixed.predict(table), plain.predict(X))


@pytest.mark.parametrize(
    "fit",
    [
        lambda K: MKLDiscriminantAnalysis("precomputed").fit(K, Y),
        lambda K: MKLDiscriminantAnalysis("precomputed").fit([K[2], TRAIN[1]], Y),
        lambda K: MKLDiscriminantAnalysis([Precomputed(k) for k in K]).fit(
            np.arange(60)[:, None], Y
        ),
    ],
    ids=["an array", "a list of two precisions", "Precomputed"],
)
def test_single_precision(fit):
    # A Gram matrix stored in single precision is indefinite by its own rounding.
    model = fit(TRAIN.astype(np.float32))
    assert model.solution_.converged


ESTIMATORS = pytest.mark.parametrize(
    "model",
    [
        MKLDiscriminantAnalysis(),
        MKLDiscriminantAnalysis(solver=Interleaved(block=100)),
        MKLDiscriminantAnalysis(weights=LpBall(2), solver=DualLBFGS()),
        MKLRidge(),
        MKLSVC(),
        MKLSVC(loss="squared_hinge"),
        MKLSVC(loss="squared_hinge", solver=Primal()),
        MKLSVR(),
        MKLSVR(loss="squared_epsilon_insensitive"),
        MKLOneClassSVM(),
        LaplacianMKLSVC(),
    ],
    ids=repr,
)


def _indefinite(n):
    """A Gram matrix but for two rows, which are as similar as two rows may be."""
    Z = np.random.default_rng(0).normal(size=(n, 20))
    K = Z @ Z.T / 20 + np.eye(n)
    # Two rows that a check of some of the rows would leave out.
    a, b = 4, 11
    K[a, b] = K[b, a] = -np.sign(K[a, b]) * np.sqrt(K[a, a] * K[b, b])
    return K, Z


@ESTIMATORS
@pytest.mark.parametrize("row_numbers", [False, True])
def test_an_indefinite_matrix_of_many_rows_is_refused(model, row_numbers):
    n = 700
    K, Z = _indefinite(n)
    model, X = clone(model), np.stack([K, Z @ Z.T])
    kernels = "precomputed"
    if row_numbers:
        X = np.arange(n)[:, None]
        kernels = [Precomputed(K), Precomputed(Z @ Z.T)]
    model.set_params(kernels=kernels)
    with pytest.raises(ValueError, match=r"kernel 0.* not positive semidefinite"):
        model.fit(X, (Z[:, 0] > 0).astype(int))


@pytest.mark.parametrize("center", [False, True])
def test_the_certificate_is_of_the_matrix_that_is_used(center):
    # The rounding of single precision is a thousandth of what varies.
    raw = (1 + 1e-5 * TRAIN[0]).astype(np.float32).astype(float)
    P = np.eye(60) - 1 / 60
    used = P @ raw @ P if center else raw
    values, vectors = np.linalg.eigh(used)
    assert values[0] < -1e-4 * np.trace(P @ raw @ P) / 60
    used = (vectors * np.maximum(values, 0)) @ vectors.T
    used *= 60 / np.trace(P @ raw @ P)
    settings = {"C": 10.0, "tol": 1e-7}
    given = MKLSVR("precomputed", center=center, **settings)
    with pytest.warns(UserWarning, match="kernel 0 is nearly constant"):
        given.fit(np.stack([raw, P]), Y)
    same = MKLSVR("precomputed", center=False, normalize=None, **settings)
    same.fit(np.stack([used, P * 60 / 59]), Y)
    primal = same.solution_.certificate.primal
    assert given.solution_.converged and same.solution_.converged
    assert given.solution_.certificate.primal == pytest.approx(primal, rel=1e-6)


@dataclass(eq=False, repr=False)
class Sigmoid(Kernel):
    """tanh(γxᵀz + c), which is no kernel for most γ and c."""

    gamma: float = 0.1
    coef0: float = 0.0
    columns: Any = None
    name: Any = None

    def _gram(self, X, Y):
        return np.tanh(self.gamma * X @ Y.T + self.coef0)


class WrongRBF(RBF):
    """A subclass whose Gram matrix is its own."""

    def _gram(self, X, Y):
        return np.tanh(X @ Y.T - 1)


@pytest.mark.parametrize("kernel", [Sigmoid(1.0, -1.0), WrongRBF(gamma=0.1)])
def test_a_kernel_of_the_user_is_looked_at(kernel, monkeypatch):
    message = r"kernel 1 .*not positive semidefinite"
    with pytest.raises(ValueError, match=message):
        MKLSVC([Linear(), kernel]).fit(X, Y)
    monkeypatch.setattr(MKLSVC, "_store", 0)
    with pytest.raises(ValueError, match=message):
        MKLSVC([Linear(), kernel]).fit(X, Y)


def test_spherical_needs_row_numbers():
    model = MKLDiscriminantAnalysis("precomputed", normalize="spherical").fit(TRAIN, Y)
    with pytest.raises(ValueError, match=r"k\(x, x\).*Precomputed"):
        model.predict(TEST)
