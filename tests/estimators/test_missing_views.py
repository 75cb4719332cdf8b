"""Samples that lack some of the views."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.impute import SimpleImputer
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import naive
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
from kernelweave.grams import LazyStack
from kernelweave.grams.normalise import normalise
from kernelweave.kernels import (
    RBF,
    ChiSquared,
    Kernel,
    Laplacian,
    Linear,
    Overlap,
    Polynomial,
    Precomputed,
)
from kernelweave.views import absent_counts, kernels_for
from kernelweave.weights import Fixed

N = 40
X, Y = problems.blobs(N, 4, 2)
X = np.abs(X)  # for the histogram kernel
A, B = [0, 1], [2, 3]
LACKING = np.arange(N) % 4 == 0
GAPS = X.copy()
GAPS[np.ix_(LACKING, A)] = np.nan
NEW = X[:3] + 0.1
NEW[1, A] = np.nan

KERNELS = {
    "rbf": RBF(missing="mean", columns=A),
    "scaled rbf": RBF(missing="mean", columns=A, scale=True),
    "laplacian": Laplacian(missing="mean", columns=A),
    "chi squared": ChiSquared(gamma="median", missing="mean", columns=A),
    "linear": Linear(missing="mean", columns=A),
    "scaled linear": Linear(missing="mean", columns=A, scale=True),
    "polynomial": Polynomial(missing="mean", columns=A),
    "overlap": Overlap(missing="mean", columns=A),
}
every_kernel = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS)
NORMALIZE = ("variance", "trace", None)


def centred(K):
    P = np.eye(len(K)) - 1 / len(K)
    return P @ K @ P


@every_kernel
@pytest.mark.parametrize("normalize", NORMALIZE)
def test_an_absent_view_adds_nothing(kernel, normalize):
    """K̃ is that of the rows which have the view, and zero for the others."""
    stack = kernel.fit(GAPS)(GAPS)
    normalise(stack, normalize, True, kernel.n_present_)
    raw = clone_without_missing(kernel).fit(X[~LACKING])(X[~LACKING])
    K = centred(raw)
    scale = {"variance": len(K), "trace": 1.0}.get(normalize)
    K *= 1.0 if scale is None else scale / np.trace(K)
    size = np.max(np.abs(K))
    assert stack[np.ix_(~LACKING, ~LACKING)] == pytest.approx(K, abs=1e-9 * size)
    assert np.max(np.abs(stack[LACKING])) < 1e-12 * size
    assert np.max(np.abs(stack[:, LACKING])) < 1e-12 * size
    model = MKLRidge([kernel], alpha=1e-3, normalize=normalize).fit(GAPS, X[:, 2])
    assert model.predict(NEW)[1] == pytest.approx(model.intercept_, rel=1e-9)


def clone_without_missing(kernel: Kernel) -> Kernel:
    return type(kernel)(**(kernel.get_params() | {"missing": "error"}))


@every_kernel
def test_the_raw_gram_matrix_is_one(kernel):
    """Absent rows have a feature vector: the matrix stays positive semidefinite."""
    K = kernel.fit(GAPS)(GAPS)
    assert np.allclose(K, K.T, rtol=1e-12)
    assert np.linalg.eigvalsh(K)[0] >= -1e-12 * np.trace(K)
    assert kernel.diagonal(GAPS) == pytest.approx(np.diag(K), rel=1e-9)
    # μ is the mean feature vector.
    present = K[np.ix_(~LACKING, ~LACKING)]
    assert K[0, ~LACKING] == pytest.approx(present.mean(axis=0), rel=1e-9)
    assert K[0, 4] == pytest.approx(present.mean(), rel=1e-9)


def test_new_rows_may_lack_what_no_training_row_lacks():
    kernel = Linear(columns=A, missing="mean").fit(X)
    mean = X[:, A].mean(axis=0)
    assert kernel(NEW, X)[1] == pytest.approx(X[:, A] @ mean)
    assert kernel(NEW)[1, 1] == pytest.approx(mean @ mean)
    assert kernel.diagonal(NEW)[1] == pytest.approx(mean @ mean)
    # A second fit forgets the first.
    kernel.fit(GAPS).fit(X)
    assert kernel.diagonal(NEW)[1] == pytest.approx(mean @ mean)


def test_a_sample_without_its_views_gets_the_intercept():
    model = MKLRidge([RBF(columns=A, missing="mean")]).fit(GAPS, X[:, 2])
    assert model.predict(NEW)[1] == pytest.approx(model.intercept_, abs=1e-12)


def test_predictions_without_the_view_are_those_of_the_other_view():
    kernels = [RBF(columns=A, missing="mean"), RBF(columns=B)]
    model = MKLRidge(kernels, Fixed([0.5, 0.5])).fit(GAPS, X[:, 2])
    kernel = RBF(columns=B).fit(X)
    statistics = normalise(kernel(X), "variance", True)
    only = statistics.cross(kernel(NEW, X), None)[1] @ model.dual_coef_
    assert model.predict(NEW)[1] == pytest.approx(0.5 * only + model.intercept_)


@pytest.mark.parametrize("Machine", [MKLSVC, MKLSVR])
def test_support_vectors_that_lack_a_view(Machine):
    """Centring changes nothing for a machine with an intercept, nor does it here."""
    kernels = [RBF(columns=A, missing="mean"), Linear(columns=B)]
    y = Y if Machine is MKLSVC else X[:, 2]
    scores = []
    for center in (True, False):
        model = Machine(kernels, center=center, tol=1e-8, C=10.0).fit(GAPS, y)
        assert LACKING[model.support_].any() and len(model.support_) < N
        get = getattr(model, "decision_function", model.predict)
        scores.append(get(np.vstack([NEW, GAPS])))
    assert scores[0] == pytest.approx(scores[1], abs=1e-4)


@pytest.mark.parametrize(
    "model",
    [
        KernelDiscriminantAnalysis(RBF(columns=A, missing="mean")),
        LaplacianMKLSVC(
            [RBF(columns=A, missing="mean"), Linear(columns=B)], metric="kernels"
        ),
        MKLDiscriminantAnalysis([RBF(columns=A, missing="mean"), Linear(columns=B)]),
        MKLOneClassSVM([RBF(columns=A, missing="mean"), RBF(columns=B)]),
    ],
    ids=lambda model: type(model).__name__,
)
def test_every_estimator(model):
    labels = model.fit(GAPS, Y).predict(NEW)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(NEW), labels)
    changed = NEW.copy()
    changed[:, A] = np.nan
    assert len(model.predict(changed)) == 3


def test_rows_with_gaps_have_no_distances():
    kernels = [RBF(columns=A, missing="mean"), RBF(columns=B)]
    with pytest.raises(ValueError, match=r"text or missing.*metric='kernels'"):
        LaplacianMKLSVC(kernels).fit(GAPS, Y)
    text = pd.DataFrame(X, columns=list("abcd")).assign(c="x")
    with pytest.raises(ValueError, match=r"text or missing.*metric='kernels'"):
        LaplacianMKLSVC([RBF(columns=["a"])]).fit(text, Y)
    model = LaplacianMKLSVC([RBF(columns=["a"])], metric="kernels").fit(text, Y)
    assert model.predict(text).shape == (N,)


def test_gram_matrices_of_some_samples():
    """A matrix of the samples that have the view; the table holds its row numbers."""
    have = np.flatnonzero(~LACKING)
    Z = X[have][:, A]
    table = np.full((N, 2), np.nan)
    table[have, 0] = np.arange(len(have))
    table[:, 1] = np.arange(N)
    kernels = [
        Precomputed(Z @ Z.T, columns=0, missing="mean"),
        Precomputed(X[:, B] @ X[:, B].T, columns=1),
    ]
    given = MKLRidge(kernels).fit(table, X[:, 2])
    plain = [Linear(columns=A, missing="mean"), Linear(columns=B)]
    tables = MKLRidge(plain).fit(GAPS, X[:, 2])
    assert given.weights_ == pytest.approx(tables.weights_, abs=1e-6)
    assert given.predict(table) == pytest.approx(tables.predict(GAPS), abs=1e-6)
    with pytest.raises(
        ValueError, match=r"missing must be one of 'error', 'mean', got"
    ):
        Precomputed(Z @ Z.T, missing="impute").fit(table)


@pytest.mark.parametrize("missing", ["impute", "mean"])
@pytest.mark.parametrize("scale", [False, True])
def test_single_entries_are_filled_with_medians_of_the_training_rows(missing, scale):
    table = X.copy()
    table[3, 0] = table[5, 1] = table[7, 0] = np.nan
    train, new = table[:30], X[30:].copy()
    new[2, 1] = np.nan
    kernel = Linear(columns=A, scale=scale, missing=missing).fit(train)
    imputer = SimpleImputer(strategy="median").fit(train[:, A])
    P, Q = imputer.transform(train[:, A]), imputer.transform(new[:, A])
    if scale:
        mean, std = np.nanmean(train[:, A], axis=0), np.nanstd(train[:, A], axis=0)
        P, Q = (P - mean) / std, (Q - mean) / std
    assert kernel(new, train) == pytest.approx(Q @ P.T, rel=1e-9)


def test_rows_without_a_view_can_be_imputed():
    kernel = Linear(columns=A, missing="impute").fit(GAPS)
    filled = SimpleImputer(strategy="median").fit_transform(GAPS[:, A])
    assert kernel(GAPS) == pytest.approx(filled @ filled.T)
    assert kernel.n_present_ == N


def test_widths_come_from_the_rows_that_have_the_view():
    gamma = RBF(columns=A, missing="mean").fit(GAPS).gamma_
    Z = X[~LACKING][:, A]
    m = naive.median_distance(Z, lambda x, z: np.linalg.norm(x - z))
    assert gamma == pytest.approx(1 / (2 * m**2))


@pytest.mark.parametrize("Estimator", [MKLSVC, MKLRidge, MKLOneClassSVM])
def test_missing_values_are_an_error_that_says_where(Estimator):
    kernels = [RBF(columns=["a", "b"], name="mine"), RBF(columns=["c"])]
    table = pd.DataFrame(GAPS, columns=list("abcd"))
    table.loc[1, "b"] = np.nan
    message = (
        r"'mine': 11 of 40 rows have missing values \(NaN\), 10 of them in all of its "
        r"columns, in the columns a, b\. .*missing='mean'.*missing='impute'"
    )
    with pytest.raises(ValueError, match=message):
        Estimator(kernels).fit(table, Y)
    model = Estimator(kernels).fit(pd.DataFrame(X, columns=list("abcd")), Y)
    with pytest.raises(ValueError, match=r"'mine': 11 of 40 rows .*columns a, b\."):
        model.predict(table)
    # Columns that no kernel looks at may be anything.
    Estimator(kernels).fit(pd.DataFrame(X, columns=list("abcd")).assign(d=np.nan), Y)


def test_columns_without_names_are_numbered():
    with pytest.raises(ValueError, match=r"in the columns 2\."):
        Linear(columns=[1, 2]).fit(np.array([[0.0, 1.0, np.nan], [0.0, 1.0, 1.0]]))


def test_what_cannot_be_filled():
    empty = X.copy()
    empty[:, 0] = np.nan
    for missing in ("mean", "impute"):
        with pytest.raises(ValueError, match=r"'mine': no training row .* \(0\)"):
            Linear(columns=A, missing=missing, name="mine").fit(empty)
    empty[:, 1] = np.nan
    with pytest.raises(ValueError, match=r"'mine': all 40 training rows have missing"):
        Linear(columns=A, missing="mean", name="mine").fit(empty)


def test_bad_choices():
    with pytest.raises(
        ValueError, match=r"'mine': missing must be one of .* got 'zero'"
    ):
        Linear(missing="zero", name="mine").fit(X)
    for table in (scipy.sparse.csr_array(X), scipy.sparse.csc_matrix(X)):
        with pytest.raises(ValueError, match=r"missing='mean' takes no sparse table"):
            Linear(missing="mean").fit(table)
    gaps = scipy.sparse.csr_array(np.hstack([GAPS, np.zeros((N, 8))]))
    with pytest.raises(ValueError, match=r"'mine': the sparse table contains NaN"):
        Linear(name="mine").fit(gaps)


def test_absent_samples_are_counted():
    table = pd.DataFrame(GAPS, columns=list("abcd"))
    table["sex"] = np.where(np.arange(N) < 5, None, "f")
    table.loc[9, "sex"] = "m"
    views = {"first": ["a", "b"], "second": ["c", "d"], "both": ["c", "sex"]}
    model = MKLRidge(kernels_for(table, views, missing="mean")).fit(table, X[:, 2])
    assert absent_counts(model, table) == {"first": 10, "second": 0, "both": 0}
    lacking = table[:7].assign(c=np.nan, d=np.nan)
    assert absent_counts(model, lacking) == {"first": 2, "second": 7, "both": 5}


def test_lazy_stacks_refuse_absent_rows_and_tell_scales_apart():
    kernels = [RBF(columns=A, missing="mean", name="mine").fit(GAPS)]
    with pytest.raises(ValueError, match=r"'mine'.*LazyStack.*missing='impute'"):
        LazyStack(kernels, GAPS)
    scaled = [RBF(columns=A).fit(X), RBF(columns=A, scale=True).fit(X)]
    theta = np.array([0.3, 0.7])
    stack = LazyStack(scaled, X, normalize=None, center=False)
    expected = 0.3 * scaled[0](X) + 0.7 * scaled[1](X)
    assert stack.combine(theta) == pytest.approx(expected, abs=1e-9)


def test_cross_validation():
    kernels = [RBF(columns=A, missing="mean"), RBF(columns=B, missing="impute")]
    assert np.all(np.isfinite(cross_val_score(MKLSVC(kernels), GAPS, Y, cv=3)))


@parametrize_with_checks(
    [MKLRidge([RBF(missing="mean", scale=True), Linear(missing="impute")])],
    expected_failed_checks=lambda _: {
        "check_sample_weight_equivalence_on_dense_data": (
            "widths and spreads of columns are those of the rows, whatever they weigh"
        )
    },
)
@pytest.mark.filterwarnings("ignore:kernels that are zero or constant:UserWarning")
def test_convention(estimator, check):
    check(estimator)
