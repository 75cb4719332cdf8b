"""What users of scikit-learn look for: coefficients, nested parameters, components."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix, issparse
from sklearn.base import clone
from sklearn.linear_model import (
    HuberRegressor,
    PoissonRegressor,
    QuantileRegressor,
    Ridge,
)
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from kernelweave import (
    MKLSVC,
    MKLSVR,
    KernelDiscriminantAnalysis,
    MKLDiscriminantAnalysis,
    MKLHuberRegressor,
    MKLPoissonRegressor,
    MKLQuantileRegressor,
    MKLRidge,
)
from kernelweave.kernels import RBF, Cosine, Laplacian, Linear, Polynomial, Sigmoid
from kernelweave.weights import Fixed

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 3)) + np.array([0, 5, 1e4])
y = np.digitize(X[:, 0], [-0.5, 0.5])
z = X[:, :2] @ [1.0, -2.0] + 0.1 * rng.normal(size=60)
TWO = [Linear(columns=[0, 1]), Linear(columns=[1, 2], scale=True)]


@pytest.mark.parametrize("kernels", [[Linear()], TWO], ids=["one", "two"])
@pytest.mark.parametrize("model", [MKLRidge(), MKLSVR(), MKLSVC()], ids=repr)
def test_coefficients_of_linear_kernels(model, kernels):
    target = y if isinstance(model, MKLSVC) else z
    model = clone(model).set_params(kernels=kernels).fit(X, target)
    f = X @ np.atleast_2d(model.coef_).T + model.intercept_
    answer = model.decision_function if isinstance(model, MKLSVC) else model.predict
    assert_allclose(f, answer(X).reshape(60, -1), atol=1e-6)


def test_coefficients_are_those_of_scikit_learn():
    ours = MKLRidge([Linear()], normalize=None, alpha=0.7, weights=Fixed([1.0]))
    theirs = Ridge(alpha=0.7).fit(X, z)
    assert_allclose(ours.fit(X, z).coef_, theirs.coef_, atol=1e-8)
    assert ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-4)
    machine = MKLSVC([Linear()], normalize=None, tol=1e-9).fit(X[:, :2], y > 0)
    other = SVC(kernel="linear", tol=1e-9).fit(X[:, :2], y > 0)
    assert_allclose(machine.coef_, other.coef_, atol=1e-5)
    assert_allclose(machine.intercept_, other.intercept_, atol=1e-4)


@pytest.mark.parametrize(
    ("model", "other"),
    [
        (MKLRidge(), Ridge()),
        (MKLHuberRegressor(), HuberRegressor()),
        (MKLQuantileRegressor(), QuantileRegressor(alpha=0)),
        (MKLPoissonRegressor(), PoissonRegressor()),
    ],
    ids=repr,
)
def test_coefficients_of_regressors_have_the_shapes_of_scikit_learn(model, other):
    Z = X - X.mean(axis=0)
    model = clone(model).set_params(kernels=[Linear()]).fit(Z, abs(z))
    other.fit(Z, abs(z))
    assert model.coef_.shape == other.coef_.shape == (Z.shape[1],)
    assert np.ndim(model.intercept_) == np.ndim(other.intercept_) == 0
    f = Z @ model.coef_ + model.intercept_
    f = np.exp(f) if isinstance(model, MKLPoissonRegressor) else f
    assert_allclose(f, model.predict(Z))
    for targets in (abs(z[:, None]), abs(np.column_stack([z, z + 1, z]))):
        model.fit(Z, targets)
        assert model.coef_.shape == (targets.shape[1], Z.shape[1])
        assert model.intercept_.shape == targets.shape[1:]


def test_no_coefficients_of_other_kernels():
    for kernels in ([Linear(), RBF()], [Linear(scale="rank")]):
        assert not hasattr(MKLRidge(kernels, Fixed()).fit(X, z), "coef_")
    # Without a support vector there is no kernel in f.
    assert not hasattr(MKLSVR([RBF()]).fit(X, np.ones(60)), "coef_")


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (MKLSVC([RBF()]), r"needs a linear kernel.*the kernels here are RBF; contrib"),
        (MKLRidge([Linear(scale="rank")]), r"needs a linear kernel.*scale='rank'"),
        (MKLRidge("precomputed"), r"needs a linear kernel.*ready-made matrices"),
    ],
)
def test_missing_coefficients_say_what_they_need(model, said):
    with pytest.raises(AttributeError, match=r"no attribute 'coef_'$"):
        _ = model.coef_
    given = [X @ X.T] if model.kernels == "precomputed" else X
    model.fit(given, z if isinstance(model, MKLRidge) else y > 0)
    assert not hasattr(model, "coef_") and not hasattr(type(model), "coef_")
    with pytest.raises(AttributeError, match=said):
        _ = model.coef_


def test_coefficients_of_sparse_tables():
    model = MKLRidge([Linear()]).fit(csr_matrix(X), z)
    assert_allclose(csr_matrix(X) @ model.coef_ + model.intercept_, model.predict(X))


def test_components_of_discriminants():
    whole = MKLDiscriminantAnalysis([RBF()]).fit(X[:, :2], y)
    part = MKLDiscriminantAnalysis([RBF()], n_components=1).fit(X[:, :2], y)
    assert_allclose(part.transform(X[:, :2]), whole.transform(X[:, :2])[:, :1])
    assert_allclose(part.predict_proba(X[:, :2]), whole.predict_proba(X[:, :2]))
    for c in range(3):
        assert_allclose(whole.means_[c], X[y == c, :2].mean(axis=0))
    assert part.explained_variance_ratio_.shape == (1,)
    ratio = whole.explained_variance_ratio_
    assert ratio.sum() == pytest.approx(1) and ratio[0] > ratio[1]
    assert len(part.get_feature_names_out()) == 1
    logs = whole.predict_log_proba(X[:, :2])
    assert_allclose(np.exp(logs), whole.predict_proba(X[:, :2]))
    with pytest.raises(ValueError, match="n_components cannot be larger than"):
        MKLDiscriminantAnalysis([RBF()], n_components=3).fit(X, y)
    Z = KernelDiscriminantAnalysis(n_components=1).fit_transform(X, y)
    assert Z.shape == (60, 1)


def test_parameters_of_kernels_in_a_list():
    model = MKLRidge([RBF(), Linear()])
    deep = model.get_params()
    assert deep["kernels__0__gamma"] == "median" and isinstance(
        deep["kernels__1"], Linear
    )
    assert "kernels__0__gamma" not in model.get_params(deep=False)
    model.set_params(kernels__0__gamma=0.5, alpha=2.0, kernels__1=RBF(gamma=3.0))
    assert model.kernels[0].gamma == 0.5 and model.kernels[1].gamma == 3.0
    model.set_params(kernels=[RBF()], kernels__0__gamma=0.25)
    assert model.kernels[0].gamma == 0.25 and len(model.kernels) == 1
    with pytest.raises(ValueError, match="Invalid parameter 'kernels__1__gamma'"):
        model.set_params(kernels__1__gamma=1.0)
    with pytest.raises(ValueError, match="Invalid parameter 'kernels__0__gamma'"):
        MKLRidge().set_params(kernels__0__gamma=1.0)
    with pytest.raises(ValueError, match=r"__foo' .* of kernel 0, RBF\(gam.*, gamma, "):
        model.set_params(kernels__0__foo=1.0)
    for name in ("kernels__7__gamma", "kernels__first"):
        with pytest.raises(
            ValueError, match="its kernels are kernels__0 to kernels__0"
        ):
            model.set_params(**{name: 1.0})
    with pytest.raises(ValueError, match=r"kernel 0 is .*, which has no parameters"):
        MKLRidge([np.dot]).set_params(kernels__0__gamma=1.0)
    assert clone(model).kernels[0].gamma == 0.25


def test_search_over_the_width_of_a_kernel():
    model = MKLRidge([RBF(columns=[0, 1]), Linear(columns=[0])])
    grid = {"kernels__0__gamma": [0.01, 100.0], "kernels__0__scale": [True]}
    search = GridSearchCV(model, grid, cv=3).fit(X, z)
    assert search.best_params_["kernels__0__gamma"] == 0.01
    # The list that was given is as it was.
    assert model.kernels[0].gamma == "median"


def test_a_function_is_a_kernel():
    def square(X, Z):
        return (X @ Z.T + 1) ** 2

    model = MKLRidge([square, RBF(gamma=0.1)], Fixed()).fit(X[:, :2], z)
    other = MKLRidge([Polynomial(gamma=1.0), RBF(gamma=0.1)], Fixed())
    assert_allclose(model.predict(X[:, :2]), other.fit(X[:, :2], z).predict(X[:, :2]))
    assert model.kernel_names_[0] == "square"
    with pytest.raises(ValueError, match="one number for every pair of rows"):
        MKLRidge([lambda X, Z: np.ones((1, 1))]).fit(X, z)
    with pytest.raises(ValueError, match="not positive semidefinite"):
        MKLRidge([lambda X, Z: -X @ Z.T]).fit(X[:, :2], z)


def test_cosine_and_sigmoid():
    few = X[:, :2]
    for kernel, name in ((Cosine(), "cosine"), (Sigmoid(gamma=0.01), "sigmoid")):
        options = {"gamma": 0.01, "coef0": 1.0} if name == "sigmoid" else {}
        expected = pairwise_kernels(few, metric=name, **options)
        assert_allclose(kernel.fit(few)(few), expected)
        assert_allclose(kernel.diagonal(few), np.diag(expected))
    assert_allclose(Cosine().fit(few).diagonal(0 * few), 0)
    assert len(MKLRidge([Cosine()]).fit(csr_matrix(few), z).predict(few)) == 60
    with pytest.raises(ValueError, match="not positive semidefinite"):
        MKLRidge([Sigmoid(gamma=1.0, coef0=0.0)]).fit(few - few.mean(axis=0), z)


def test_a_sparse_gram_matrix():
    K = csr_matrix(X[:, :2] @ X[:, :2].T)
    assert len(MKLRidge("precomputed").fit(K, z).predict(K)) == 60


@pytest.mark.parametrize(
    "kernel",
    [Linear(), RBF(), RBF(scale=True), Laplacian(), Polynomial(gamma=0.1), Cosine()],
    ids=repr,
)
def test_a_sparse_table_of_few_zeros_is_a_dense_one(kernel):
    """To the last digit; new rows may have more zeros than the training rows."""
    rows = np.where(rng.random((60, 4)) < 0.3, 0.0, rng.normal(size=(60, 4)) + 50)
    new = np.where(rng.random((20, 4)) < 0.9, 0.0, rng.normal(size=(20, 4)) + 50)
    dense = MKLSVC([kernel], C=10.0).fit(rows, y > 0)
    sparse = MKLSVC([kernel], C=10.0).fit(csr_matrix(rows), y > 0)
    assert issparse(sparse.support_vectors_)
    for table in (rows, new):
        expected = dense.decision_function(table)
        assert_array_equal(sparse.decision_function(csr_matrix(table)), expected)
        assert_array_equal(sparse.decision_function(table), expected)


def test_functions_see_sparse_rows_as_they_are():
    model = MKLRidge([lambda X, Z: (X @ Z.T).toarray()])
    assert len(model.fit(csr_matrix(X[:, :2]), z).dual_coef_) == 60
