"""Searches reach every parameter, also those of the components."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

import problems
from kernelweave import KernelDiscriminantAnalysis, MKLDiscriminantAnalysis, MKLRidge
from kernelweave.kernels import RBF, Linear
from kernelweave.solvers import SILP
from kernelweave.weights import Fixed

X, Y = problems.blobs(60, 3, 2)
KERNELS = [RBF(gamma=0.1), RBF(gamma=2.0), Linear()]

SEARCHES = {
    "alpha": (MKLDiscriminantAnalysis(KERNELS), {"alpha": [1e-3, 1.0, "learn"]}),
    "scale": (MKLDiscriminantAnalysis(KERNELS), {"normalize": ["spherical", None]}),
    "fixed weights": (
        MKLDiscriminantAnalysis(KERNELS, weights=Fixed()),
        {"weights__theta": [None, [1.0, 0, 0], [0, 0, 1.0]]},
    ),
    "a kernel's width": (
        KernelDiscriminantAnalysis(RBF()),
        {"kernel__gamma": [1e-3, 0.1, 10.0], "alpha": [0.01, 1.0]},
    ),
    # By rule (22) the gap is at most ε, within the tolerance: no warning.
    "a solver's rule": (
        MKLDiscriminantAnalysis(KERNELS, solver=SILP(), tol=1e-3),
        {"solver__epsilon": [1e-4, 1e-5]},
    ),
    "whole components": (
        MKLDiscriminantAnalysis(),
        {"kernels": [None, KERNELS, [Linear()]], "weights": [None, Fixed()]},
    ),
}


@pytest.mark.parametrize("model, grid", SEARCHES.values(), ids=SEARCHES)
def test_grid(model, grid):
    search = GridSearchCV(model, grid, cv=3, error_score="raise").fit(X, Y)
    assert search.best_score_ > 0.6
    # The score of each candidate is that of a model with these parameters.
    results = search.cv_results_
    pairs = zip(results["params"], results["mean_test_score"], strict=True)
    for parameters, score in pairs:
        fresh = clone(model).set_params(**parameters)
        assert cross_val_score(fresh, X, Y, cv=3).mean() == pytest.approx(score)


def test_ridge_alpha():
    grid = {"alpha": [1e-3, 0.1, 10.0]}
    target = np.sin(X[:, 0])
    search = GridSearchCV(MKLRidge(KERNELS), grid, cv=3, error_score="raise")
    search.fit(X, target)
    assert search.best_params_["alpha"] < 10
