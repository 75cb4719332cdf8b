"""Data frames, sparse tables, lists: the table that the user has."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.compose import make_column_selector

import problems
from kernelweave import KernelDiscriminantAnalysis, MKLDiscriminantAnalysis, MKLRidge
from kernelweave.kernels import RBF, Linear, Polynomial

X, Y = problems.blobs(50, 4, 2)
FRAME = pd.DataFrame(X, columns=["gene a", "gene b", "clin a", "clin b"])
BY_NUMBER = [RBF(columns=[0, 1]), Linear(columns=[2, 3])]


@pytest.mark.parametrize(
    "kernels",
    [
        [RBF(columns=["gene a", "gene b"]), Linear(columns=["clin a", "clin b"])],
        [RBF(columns=slice("gene a", "gene b")), Linear(columns=slice("clin a", None))],
        [
            RBF(columns=make_column_selector(pattern="gene")),
            Linear(columns=make_column_selector(pattern="clin")),
        ],
    ],
    ids=["names", "slices", "selectors"],
)
def test_views_of_a_frame(kernels):
    named = MKLDiscriminantAnalysis(kernels).fit(FRAME, Y)
    numbered = MKLDiscriminantAnalysis(BY_NUMBER).fit(X, Y)
    assert named.weights_ == pytest.approx(numbered.weights_, abs=1e-12)
    assert np.array_equal(named.predict(FRAME), numbered.predict(X))
    assert list(named.feature_names_in_) == list(FRAME.columns)


def test_another_order_of_columns_is_refused():
    model = MKLDiscriminantAnalysis([Linear(columns=["gene a"])]).fit(FRAME, Y)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(FRAME[FRAME.columns[::-1]])


def test_types_choose_columns():
    frame = FRAME.astype({"clin a": "float32", "clin b": "float32"})
    selector = make_column_selector(dtype_include="float32")
    model = MKLDiscriminantAnalysis([Linear(columns=selector)]).fit(frame, Y)
    assert np.array_equal(model.kernels_[0].columns_, [2, 3])


@pytest.mark.parametrize("kind", [scipy.sparse.csr_array, scipy.sparse.csc_matrix])
@pytest.mark.parametrize(
    "kernels", [[Linear()], [Linear(), RBF(gamma=0.1), Polynomial(columns=[0, 2])]]
)
def test_sparse_tables(kernels, kind):
    table = np.where(np.abs(X) > 1, X, 0.0)
    sparse = MKLDiscriminantAnalysis(kernels).fit(kind(table), Y)
    dense = MKLDiscriminantAnalysis(kernels).fit(table, Y)
    assert sparse.weights_ == pytest.approx(dense.weights_, abs=1e-10)
    assert np.array_equal(sparse.predict(kind(table)), dense.predict(table))


def test_sparse_ridge_and_single_kernel():
    table = scipy.sparse.csr_array(np.where(np.abs(X) > 1, X, 0.0))
    assert MKLRidge([Linear()]).fit(table, X[:, 0]).predict(table).shape == (50,)
    model = KernelDiscriminantAnalysis(Linear(), normalize="spherical").fit(table, Y)
    assert model.transform(table).shape == (50, 1)


def test_lists_with_chosen_columns():
    listed = MKLDiscriminantAnalysis(BY_NUMBER).fit(X.tolist(), Y.tolist())
    array = MKLDiscriminantAnalysis(BY_NUMBER).fit(X, Y)
    assert np.array_equal(listed.weights_, array.weights_)
    assert np.array_equal(listed.predict(X.tolist()), array.predict(X))


def test_single_precision_tables():
    model = MKLDiscriminantAnalysis(BY_NUMBER).fit(X.astype(np.float32), Y)
    double = MKLDiscriminantAnalysis(BY_NUMBER).fit(X, Y)
    assert model.solution_.converged
    assert model.weights_ == pytest.approx(double.weights_, abs=1e-4)
