"""C = ∞: no errors, or a message that there is no such function."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.preprocessing import scale
from sklearn.svm import SVC

from kernelweave import MKLSVC, MKLSVR
from kernelweave.kernels import RBF, Linear

X, y = load_breast_cancer(return_X_y=True)
X, y = scale(X)[:120], y[:120]


@pytest.mark.parametrize("unit", [1.0, 1e-3, 1e3])
def test_the_hard_margin_is_that_of_scikit_learn(unit):
    kernel = RBF(gamma=0.05 / unit**2)
    ours = MKLSVC([kernel], C=np.inf, normalize=None, tol=1e-8).fit(unit * X, y)
    theirs = SVC(C=1e10, gamma=0.05 / unit**2, tol=1e-10).fit(unit * X, y)
    f = theirs.decision_function(unit * X)
    assert_allclose(ours.decision_function(unit * X), f, atol=1e-5)
    assert np.isinf(ours.C_)
    assert ours.solution_.certificate.relative_gap <= 1e-8


@pytest.mark.parametrize("normalize", ["variance", "trace", None])
def test_nothing_is_inside_the_margin(normalize):
    model = MKLSVC(C=np.inf, normalize=normalize).fit(X, y)
    margins = (2 * y - 1) * model.decision_function(X)
    assert margins.min() > 1 - 1e-4
    finite = MKLSVC(C=100 * abs(model.dual_coef_).max(), normalize=normalize)
    f = finite.fit(X, y).decision_function(X)
    assert_allclose(model.decision_function(X), f, atol=5e-2)


def test_numbers_within_epsilon():
    rows, target = load_diabetes(return_X_y=True)
    rows, target = rows[:80], target[:80]
    model = MKLSVR([RBF(gamma=50.0)], C=np.inf, epsilon=5.0).fit(rows, target)
    assert abs(model.predict(rows) - target).max() < 5.0 + 1e-3
    with pytest.raises(ValueError, match=r"C=inf allows no errors.*of 80 samples"):
        MKLSVR([Linear()], C=np.inf, epsilon=5.0).fit(rows, target)
    assert len(MKLSVR(C=np.inf).fit(rows, np.ones(80)).support_) == 0


def test_classes_that_overlap_are_told():
    with pytest.raises(ValueError, match=r"C=inf allows no errors.*of 120 samples"):
        MKLSVC([Linear(columns=[0, 1])], C=np.inf).fit(X, y)


@pytest.mark.parametrize("model", [MKLSVC, MKLSVR])
def test_a_squared_loss_always_has_errors(model):
    loss = "squared_hinge" if model is MKLSVC else "squared_epsilon_insensitive"
    with pytest.raises(ValueError, match=f"C=inf .*'{loss}' always has some"):
        model(C=np.inf, loss=loss).fit(X, y)


def test_many_rows_of_a_squared_loss():
    rows = np.random.default_rng(0).normal(size=(1100, 2))
    model = MKLSVC([Linear()], C=np.inf, loss="squared_hinge")
    with pytest.raises(ValueError, match="C=inf allows no errors"):
        model.fit(rows, rows[:, 0] > 0)
