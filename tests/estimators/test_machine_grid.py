"""The grid of MKLSVCCV and MKLSVRCV: what it shares between its points."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from kernelweave import MKLSVC, MKLSVCCV, MKLSVR, MKLSVRCV
from kernelweave.kernels import RBF, Linear
from kernelweave.weights import ElasticNet

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 3))
APART = X[:, 0] > 0
NOISY = X[:, 0] + RNG.standard_normal(60) > 0
CV = StratifiedKFold(3)
KERNELS = [RBF(), Linear(columns=[0])]


class Counting(Linear):
    """A linear kernel that counts the matrices that it makes."""

    made = 0

    def between(self, X, Y):
        type(self).made += 1
        return super().between(X, Y)


def test_new_rows_are_compared_once_a_split():
    Counting.made = 0
    MKLSVCCV([Counting(), RBF()], vs=[0, 0.5], Cs=[0.1, 1], cv=CV).fit(X, NOISY)
    # One of the training and one of the new rows a split, and one of the last fit.
    assert Counting.made == 2 * 3 + 1


@pytest.mark.parametrize("normalize", ["variance", "spherical", None])
@pytest.mark.parametrize("labels", [APART, NOISY], ids=["apart", "noisy"])
def test_scores_are_those_of_single_fits(labels, normalize):
    Cs = [0.1, 1.0, 100.0, 1000.0]
    model = MKLSVCCV(KERNELS, vs=[0.5], Cs=Cs, cv=CV, normalize=normalize)
    scores = model.fit(X, labels).cv_results_["mean_test_score"]
    single = [
        np.mean(
            [
                MKLSVC(KERNELS, ElasticNet(0.5), C, normalize=normalize)
                .fit(X[train], labels[train])
                .score(X[test], labels[test])
                for train, test in CV.split(X, labels)
            ]
        )
        for C in Cs
    ]
    # A row near the border may change sides within the gap of the grid.
    assert np.abs(scores - single).max() <= 1 / 20


def test_given_matrices_have_the_same_scores():
    linear = X @ X.T
    K = np.stack([linear, (1 + linear) ** 2])
    model = MKLSVCCV("precomputed", vs=[0, 1], Cs=[0.1, 1], cv=CV).fit(K, NOISY)
    for train, test in CV.split(X, NOISY):
        rows = K[:, train[:, None], train]
        single = MKLSVC("precomputed", ElasticNet(1), 1.0, tol=1e-3)
        single.fit(rows, NOISY[train])
        expected = single.score(K[:, test[:, None], train], NOISY[test])
        splits = [model.cv_results_[f"split{s}_test_score"][3] for s in range(3)]
        assert np.min(np.abs(np.array(splits) - expected)) <= 1 / 20


def fits_of(monkeypatch, estimator, grid, y, **weights):
    fits = []
    one = estimator._fit_data
    monkeypatch.setattr(
        estimator, "_fit_data", lambda self, *a: fits.append(self.C) or one(self, *a)
    )
    grid.fit(X, y, **weights)
    return fits


@pytest.mark.parametrize(
    ("estimator", "chosen", "y"),
    [(MKLSVC, MKLSVCCV, APART), (MKLSVR, MKLSVRCV, X[:, 0])],
)
def test_large_penalties_that_change_nothing_are_not_fitted(
    monkeypatch, estimator, chosen, y
):
    Cs = [1e4, 1e5, 1e6]
    model = chosen([Linear()], vs=[1], Cs=Cs, cv=3)
    fits = fits_of(monkeypatch, estimator, model, y)
    # One a split, and the last one.
    assert fits[:3] == [1e4] * 3 and len(fits) == 4
    assert np.ptp(model.cv_results_["mean_test_score"]) == 0
    # What was not fitted is what a fit would have said.
    again = estimator([Linear()], C=1e6, tol=1e-6).fit(X, y)
    least = estimator([Linear()], C=1e4, tol=1e-6).fit(X, y)
    assert np.allclose(again.dual_coef_, least.dual_coef_, rtol=1e-6, atol=1e-8)


def test_penalties_that_bind_are_all_fitted(monkeypatch):
    model = MKLSVCCV([Linear()], vs=[1], Cs=[0.01, 0.1, 1], cv=3)
    assert len(fits_of(monkeypatch, MKLSVC, model, NOISY)) == 10


def test_samples_of_other_weights_are_all_fitted(monkeypatch):
    model = MKLSVCCV([Linear()], vs=[1], Cs=[1e5, 1e6], cv=3)
    weights = np.linspace(1, 2, 60)
    fits = fits_of(monkeypatch, MKLSVC, model, APART, sample_weight=weights)
    assert len(fits) == 7
