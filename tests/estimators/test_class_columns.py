"""means_ and covariance_ of discriminants, and what shrinkage of these is here."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix
from sklearn.datasets import load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from kernelweave import KernelDiscriminantAnalysis, MKLDiscriminantAnalysis
from kernelweave.kernels import RBF, Linear

X, y = load_wine(return_X_y=True)


@pytest.mark.parametrize("priors", [None, [0.2, 0.3, 0.5]])
@pytest.mark.parametrize("copies", [1, 7])
def test_means_and_covariance_are_those_of_scikit_learn(priors, copies):
    """Also where sums over the rows take the place of their Gram matrix."""
    rows, labels = np.tile(X, (copies, 1)), np.tile(y, copies)
    options = {"priors": priors, "store_covariance": True}
    ours = KernelDiscriminantAnalysis(Linear(), **options).fit(rows, labels)
    theirs = LinearDiscriminantAnalysis("lsqr", **options).fit(rows, labels)
    assert hasattr(ours, "dual_coef_") == (copies == 1)
    assert_allclose(ours.means_, theirs.means_)
    assert_allclose(ours.covariance_, theirs.covariance_, atol=1e-8)


def test_weights_are_counts():
    weight = np.arange(len(y)) % 3
    model = MKLDiscriminantAnalysis([RBF(scale=True)], store_covariance=True)
    ours = model.fit(X, y, sample_weight=weight)
    means, covariance = ours.means_, ours.covariance_
    model.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert_allclose(means, model.means_)
    assert_allclose(covariance, model.covariance_, atol=1e-8)


def test_covariance_is_there_where_it_is_asked_for():
    model = MKLDiscriminantAnalysis([Linear(scale=True)])
    assert not hasattr(model.fit(X, y), "covariance_")
    model.set_params(store_covariance=True)
    with pytest.raises(ValueError, match="store_covariance=True is for arrays"):
        model.fit(csr_matrix(X), y)
    with pytest.raises(ValueError, match="store_covariance must be True or False"):
        model.set_params(store_covariance="yes").fit(X, y)


@pytest.mark.parametrize("classes", [[0, 1], [0, 1, 2]])
def test_shrinkage_of_scikit_learn_is_an_alpha(classes):
    """Their directions span the same space, alpha being n·s/(1 − s)·tr Σ/d."""
    s, some = 0.43, np.isin(y, classes)
    rows, labels = X[some], y[some]
    n, d = rows.shape
    plain = KernelDiscriminantAnalysis(Linear(), store_covariance=True)
    trace = np.trace(plain.fit(rows, labels).covariance_)
    alpha = n * s / (1 - s) * trace / d
    ours = KernelDiscriminantAnalysis(Linear(), alpha=alpha, normalize=None)
    theirs = LinearDiscriminantAnalysis("lsqr", shrinkage=s).fit(rows, labels)
    coef = np.atleast_2d(theirs.coef_)
    coef = coef - coef.mean(axis=0) if len(coef) > 1 else coef
    Q, _ = np.linalg.qr(ours.fit(rows, labels).coef_.T)
    assert_allclose(Q @ (Q.T @ coef.T), coef.T, atol=1e-10 * abs(coef).max())


def test_alpha_of_one_kernel_is_learned():
    ours = KernelDiscriminantAnalysis(Linear(scale=True), alpha="learn").fit(X, y)
    other = MKLDiscriminantAnalysis([Linear(scale=True)], alpha="learn").fit(X, y)
    assert ours.alpha_ == pytest.approx(other.alpha_)
    assert_allclose(ours.predict_proba(X), other.predict_proba(X))


def test_every_sample_a_class_of_its_own():
    with pytest.raises(ValueError, match="number of samples must be more than"):
        MKLDiscriminantAnalysis([Linear()]).fit(X[:3], ["a", "b", "c"])
