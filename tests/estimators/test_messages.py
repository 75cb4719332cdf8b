"""Messages name the culprit, and advise what the estimator can do."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import LeaveOneOut

import problems
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
from kernelweave.kernels import (
    RBF,
    Linear,
    Nystroem,
    Overlap,
    Precomputed,
    RandomFourier,
)


def alike(A, B):
    return A @ B.T


N = 20
X, Y = problems.blobs(N, 3, 2)
GRID = {"vs": [0, 1], "Cs": [1, 10]}
PATH = {"norms": [1, 2], "alphas": [1, 10]}
REGRESSORS = [MKLRidge(), MKLSVR(), MKLRidgeCV(**PATH), MKLSVRCV(**GRID)]


@pytest.mark.parametrize(
    "kernels, said",
    [
        (alike, r"or of functions of two tables.* for one kernel pass \[alike\]$"),
        ("rbf", r"got 'rbf': for one kernel pass \[RBF\(\)\]$"),
        (Linear(), r"for one kernel pass \[Linear\(\)\]$"),
        (["cosine"], r"kernels\[0\] is 'cosine', .* pass Cosine\(\)$"),
        ([RBF(), Linear], r"kernels\[1\] .* pass Linear\(\)$"),
        ([X @ X.T], r"kernels\[0\] .* wrap a Gram matrix as Precomputed\(K\)$"),
        (3, r"Linear\(\)\], got 3$"),
    ],
)
def test_what_is_no_list_of_kernels_is_told_what_to_pass(kernels, said):
    with pytest.raises(ValueError, match=said):
        MKLRidge(kernels).fit(X, Y)


def test_one_kernel_stands_in_no_list():
    with pytest.raises(ValueError, match=r"^kernel must be .* pass Cosine\(\)$"):
        KernelDiscriminantAnalysis("cosine").fit(X, Y > 0)
    with pytest.raises(ValueError, match=r"^kernel must be .*got \[RBF\(\)\]: "):
        KernelDiscriminantAnalysis([RBF()]).fit(X, Y > 0)


@pytest.mark.parametrize(
    "model, n",
    [
        (MKLSVRCV(cv=LeaveOneOut(), **GRID), N),
        (MKLSVRCV(**GRID), 8),
        (MKLSVCCV(cv=LeaveOneOut(), scoring="roc_auc", **GRID), N),
        (MKLRidgeCV(cv=LeaveOneOut(), **PATH), N),
    ],
)
def test_scores_that_are_no_numbers_choose_nothing(model, n):
    message = rf"scoring={model.scoring!r} is not a number \(nan\).*R² needs two rows"
    with pytest.raises(ValueError, match=message):
        model.fit(X[:n], Y[:n])
    assert not hasattr(model, "best_index_")


@pytest.mark.parametrize(
    "model",
    [
        MKLSVRCV(cv=[], **GRID),
        MKLSVCCV(cv=[], **GRID),
        MKLRidgeCV(cv=[], **PATH),
        MKLDiscriminantAnalysisCV(cv=[], **PATH),
    ],
)
def test_no_splits(model):
    with pytest.raises(ValueError, match=r"cv=\[\] has no splits"):
        model.fit(X, Y)


@pytest.mark.parametrize("model", [MKLSVCCV(**GRID), MKLDiscriminantAnalysisCV(cv=5)])
@pytest.mark.filterwarnings("ignore:The least populated class")
def test_a_split_without_a_class(model):
    message = r"training rows of split 1 of 5 .* one class only \(0\)"
    with pytest.raises(ValueError, match=message):
        model.fit(X, (np.arange(N) == 0).astype(int))


@pytest.mark.parametrize("Model", [MKLDiscriminantAnalysis, MKLSVC])
@pytest.mark.parametrize("label", [0, "a"])
def test_one_class_is_shown_as_it_was_given(Model, label):
    with pytest.raises(ValueError, match=rf"one class only \({label!r}\)"):
        Model().fit(X, np.full(N, label))


@pytest.mark.parametrize("model", [*REGRESSORS, MKLDiscriminantAnalysis(), MKLSVC()])
def test_sparse_targets(model):
    with pytest.raises(ValueError, match=r"y is sparse: pass y.toarray\(\)"):
        model.fit(X, csr_matrix(Y[:, None]))


def test_sparse_targets_of_unlabelled_rows():
    with pytest.raises(ValueError, match="y is sparse"):
        LaplacianMKLSVC().fit(X, csr_matrix(Y[:, None]))


@pytest.mark.parametrize("model", REGRESSORS)
@pytest.mark.parametrize(
    "y", [np.where(Y, "b", "a"), np.where(Y, "b", "a").astype(object), Y.astype(str)]
)
def test_regressors_of_text(model, y):
    with pytest.raises(ValueError, match=r"y holds text.*a classifier, such as"):
        model.fit(X, y)


def test_regressors_of_dates():
    with pytest.raises(ValueError, match=r"y holds dates or times \(datetime64\[D\]\)"):
        MKLRidge().fit(X, np.datetime64("2020-01-01") + np.arange(N))


@pytest.mark.parametrize("model", REGRESSORS)
def test_targets_whose_squares_overflow(model):
    with pytest.raises(ValueError, match=r"y has numbers as large as .*overflow"):
        model.fit(X, X[:, 0] * 1e200)


def test_large_targets_are_learned():
    y = X[:, 0]
    found = MKLRidge().fit(X, 1e100 * y).predict(X)
    np.testing.assert_allclose(found / 1e100, MKLRidge().fit(X, y).predict(X), 1e-4)


@pytest.mark.parametrize(
    "model", [MKLSVC(), MKLSVR(), MKLOneClassSVM(), MKLSVCCV(**GRID)]
)
def test_weights_whose_squares_overflow(model):
    with pytest.raises(ValueError, match="sample_weight has numbers as large as"):
        model.fit(X, Y, sample_weight=np.full(N, 1e300))


@pytest.mark.parametrize("bad", [-1, np.nan, np.inf, "a", None])
@pytest.mark.parametrize("model", [MKLSVC(), MKLSVCCV(**GRID)])
def test_class_weights(model, bad):
    message = rf"class_weight\[0\] must be a number that is not negative, got {bad!r}"
    with pytest.raises(ValueError, match=message):
        model.set_params(class_weight={0: bad, 1: 1}).fit(X, Y)


def test_class_weight_that_is_no_choice():
    with pytest.raises(ValueError, match="must be a dict, 'balanced' or None"):
        MKLSVC(class_weight="auto").fit(X, Y)


def test_discriminant_of_one_kernel_has_no_iterations_to_raise():
    model = KernelDiscriminantAnalysis(RBF(gamma=1e-10), alpha=1e-16)
    with pytest.warns(ConvergenceWarning) as seen:
        model.fit(X, Y)
    told = [str(w.message) for w in seen if w.category is ConvergenceWarning]
    assert told
    assert all("increase alpha" in text for text in told)
    assert not any("raise" in text or "max_iter" in text for text in told)


@pytest.mark.parametrize(
    "kernel",
    [RBF(), Linear(), Overlap(), Precomputed(np.eye(3)), Nystroem(RBF()),
     RandomFourier(RBF())],
)  # fmt: skip
def test_kernels_that_are_not_fitted(kernel):
    for use in (kernel, kernel.select, kernel.absent):
        with pytest.raises(NotFittedError, match=r"not fitted: call kernel.fit\(X\)"):
            use(X)


def test_row_numbers():
    K = X @ X.T
    ids = pd.DataFrame({"id": [f"s{i}" for i in range(N)]})
    with pytest.raises(ValueError, match="'id' holds text") as caught:
        MKLRidge([Precomputed(K)]).fit(ids, Y)
    assert "Overlap" not in str(caught.value)
    assert "rows of K" in str(caught.value)
    model = MKLRidge([Precomputed(K)]).fit(np.arange(N)[:, None], Y)
    # A warning would be an error here.
    with pytest.raises(ValueError, match=f"row numbers from 0 to {N - 1}"):
        model.predict([[1e30]])


@pytest.mark.parametrize("empty", [[], ()])
def test_no_gram_matrices(empty):
    with pytest.raises(ValueError, match="got an empty list"):
        MKLRidge("precomputed").fit(empty, Y)
