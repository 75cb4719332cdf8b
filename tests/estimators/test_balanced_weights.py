"""Balanced classes have the same sum of weights, as if a weight were copies."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression

from kernelweave import MKLSVC, MKLLogisticRegression
from kernelweave.kernels import RBF, Linear

rng = np.random.default_rng(0)
N = 90
X = rng.normal(size=(N, 3))
CLASSES = np.digitize(X[:, 0] + 0.7 * rng.normal(size=N), [-0.2, 0.9])
# The rarest class has most of the weight.
TIMES = np.where(CLASSES == 2, 4, 1) + (np.arange(N) % 3 == 0) - (np.arange(N) % 7 == 0)
ROWS = np.repeat(np.arange(N), TIMES)
AS_COPIES = {"normalize": None, "center": False, "tol": 1e-9}


@pytest.mark.parametrize(
    "kind, options, digits",
    [
        (MKLLogisticRegression, {}, 1e-5),
        (MKLSVC, {}, 1e-4),
        (MKLSVC, {"loss": "squared_hinge"}, 1e-4),
    ],
)
@pytest.mark.parametrize("k", [2, 3])
def test_weights_and_copies_are_balanced_alike(kind, options, digits, k):
    y = np.minimum(CLASSES, k - 1)
    kernels = [Linear(), RBF(gamma=0.2)]
    model = kind(kernels, class_weight="balanced", **AS_COPIES, **options)
    weighted = model.fit(X, y, sample_weight=TIMES).decision_function(X)
    copied = model.fit(X[ROWS], y[ROWS]).decision_function(X)
    assert_allclose(weighted, copied, atol=digits * np.std(copied))


def test_one_linear_kernel_is_the_logistic_regression_of_scikit_learn():
    y = CLASSES == 2
    ours = MKLLogisticRegression([Linear()], class_weight="balanced", **AS_COPIES)
    theirs = LogisticRegression(class_weight="balanced", tol=1e-10, max_iter=1000)
    found = ours.fit(X, y, sample_weight=TIMES).decision_function(X)
    expected = theirs.fit(X, y, sample_weight=TIMES).decision_function(X)
    assert_allclose(found, expected, atol=1e-4)


def test_a_class_without_weight_is_still_told_of():
    weight = np.where(CLASSES == 2, 0, 1)
    model = MKLLogisticRegression(class_weight="balanced")
    with pytest.raises(ValueError, match="the samples of class 2 have weight 0"):
        model.fit(X, CLASSES, sample_weight=weight)
    machine = MKLSVC(class_weight="balanced").fit(X, CLASSES, sample_weight=weight)
    assert set(machine.predict(X)) == {0, 1}
