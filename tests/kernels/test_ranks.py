"""Columns as ranks: what they forget, and what they keep."""

import numpy as np
import pytest
import scipy.sparse
from scipy.stats import rankdata
from sklearn.base import clone

from kernelweave.kernels import RBF, Laplacian, Linear, Nystroem, Polynomial
from kernelweave.kernels.ranks import KNOTS, Ranks
from kinds import KINDS

RNG = np.random.default_rng(0)
X = RNG.standard_normal((40, 3))
X[:15, 1] = 0.0
NEW = RNG.standard_normal((9, 3))
KERNELS = [
    RBF(scale="rank"),
    Laplacian(scale="rank", factor=2.0),
    Linear(scale="rank"),
    Polynomial(scale="rank"),
    Nystroem(RBF(scale="rank"), 10),
]


def test_training_rows_have_mid_ranks():
    expected = (rankdata(X, axis=0) - 0.5) / len(X)
    np.testing.assert_allclose(Ranks(X).transform(X), expected, rtol=1e-14)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: type(k).__name__)
def test_increasing_functions_of_columns_change_nothing(kernel):
    other = np.exp(3 * X) + 7
    K = clone(kernel).fit(X)(X)
    np.testing.assert_allclose(clone(kernel).fit(other)(other), K, rtol=1e-12)


def test_an_outlier_is_no_farther_than_the_largest():
    far = NEW.copy()
    far[0] = 1e30
    kernel = Laplacian(scale="rank").fit(X)
    near = np.where(far == 1e30, X.max(axis=0), far)
    np.testing.assert_array_equal(kernel(far, X), kernel(near, X))


def test_new_values_lie_between_their_neighbours():
    q = Ranks(np.array([[0.0], [10.0], [20.0]])).transform(np.array([[5.0], [12.0]]))
    np.testing.assert_allclose(q[:, 0], [1 / 3, 1 / 2 + 1 / 15])


def test_constant_columns_tell_nothing():
    Z = np.column_stack([X[:, 0], np.full(len(X), 3.0)])
    kernel = RBF(gamma=1.0, scale="rank").fit(Z)
    alone = RBF(gamma=1.0, scale="rank").fit(Z[:, :1])
    np.testing.assert_allclose(kernel(Z), alone(Z[:, :1]))


@pytest.mark.parametrize("missing", ["mean", "impute"])
def test_missing_values(missing):
    gaps = X.copy()
    gaps[3] = np.nan
    gaps[5, 0] = np.nan
    kernel = Laplacian(scale="rank", missing=missing).fit(gaps)
    K = kernel(gaps)
    assert np.isfinite(K).all()
    filled = gaps.copy()
    median = np.nanmedian(np.delete(gaps, 3, axis=0), axis=0)
    filled[5, 0] = median[0]
    if missing == "impute":
        filled[3] = np.nanmedian(gaps, axis=0)
    rows = np.delete(np.arange(len(X)), 3) if missing == "mean" else np.arange(len(X))
    ranks = Ranks(gaps[rows]).transform(filled[rows])
    distance = np.abs(ranks[:, None] - ranks).sum(axis=2)
    expected = np.exp(-kernel.gamma_ * distance)
    np.testing.assert_allclose(K[np.ix_(rows, rows)], expected, rtol=1e-12)


def test_many_values_are_kept_at_steps():
    x = RNG.standard_normal((5 * KNOTS, 1))
    found = Ranks(x)
    assert len(found.values[0]) == KNOTS
    exact = (rankdata(x) - 0.5) / len(x)
    assert np.max(np.abs(found.transform(x)[:, 0] - exact)) < 2 / KNOTS


@pytest.mark.parametrize("kernel", KERNELS[:3], ids=lambda k: type(k).__name__)
def test_sparse_tables_keep_their_zeros(kernel):
    Z, new = X.copy(), NEW.copy()
    Z[np.abs(Z) < 0.8] = new[np.abs(new) < 0.8] = 0.0
    sparse = clone(kernel).fit(scipy.sparse.csr_array(Z))
    assert sparse.select(scipy.sparse.csr_array(Z)).nnz == np.count_nonzero(Z)
    found = sparse(scipy.sparse.csr_array(new), scipy.sparse.csr_array(Z))
    np.testing.assert_allclose(found, sparse(new, Z), rtol=1e-12, atol=1e-12)
    expected = clone(kernel).fit(Z)(new, Z)
    if isinstance(kernel, Linear):
        P = np.eye(len(Z)) - 1 / len(Z)
        found, expected = (K - K.mean(axis=0) for K in (found @ P, expected @ P))
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)


def test_what_has_no_ranks_is_refused():
    with pytest.raises(ValueError, match="True, False or 'rank'"):
        RBF(scale="ranks").fit(X)
    with pytest.raises(ValueError, match="sparse"):
        RBF(scale="rank").fit(X)(scipy.sparse.csr_array(X))


@pytest.mark.parametrize("kernel", KERNELS[:4], ids=lambda k: type(k).__name__)
@KINDS
def test_arrays_of_other_kinds(kernel, kind):
    Z = np.column_stack([X, np.full(len(X), 3.0)])
    new = np.column_stack([NEW, np.full(len(NEW), 2.0)])
    expected = clone(kernel).fit(Z)(new, Z)
    found = clone(kernel).fit(kind(Z))(kind(new), kind(Z))
    assert kind.owns(found)
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-10)


def test_widths_are_multiples_of_the_median():
    one = Laplacian(scale="rank").fit(X)
    wide = Laplacian(scale="rank", factor=4.0).fit(X)
    assert one.gamma_ == pytest.approx(4 * wide.gamma_)
    with pytest.raises(ValueError, match="factor"):
        Laplacian(factor=0.0).fit(X)
