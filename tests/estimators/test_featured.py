"""Estimators with kernels that have features."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes

import problems
from kernelweave import (
    MKLDiscriminantAnalysis,
    MKLDiscriminantAnalysisCV,
    MKLRidge,
    MKLRidgeCV,
)
from kernelweave.estimators.notebook import certificate_words
from kernelweave.kernels import RBF, Linear, Nystroem, RandomFourier

N = 1300
# Which rows are in which fold is a matter of their numbers.
FOLDS = [
    (np.flatnonzero(np.arange(N) % 5 != f), np.flatnonzero(np.arange(N) % 5 == f))
    for f in range(5)
]


def _kernels():
    return [
        Nystroem(RBF(name="narrow", factor=0.5), 60),
        Nystroem(RBF(name="wide"), 60, random_state=1),
        Linear(name="linear"),
    ]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N + 500, 4))
    y = (X[:, 0] ** 2 + X[:, 1] > 1).astype(int) + (X[:, 2] > 0.5)
    return X[:N], y[:N], X[N:], y[N:]


class _Dense(MKLDiscriminantAnalysis):
    """The same, with n×n matrices."""

    def _sums_do(self):
        return False


@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize("normalize", ["variance", "trace", "spherical", None])
def test_small_and_large_algebra_agree(table, normalize, center):
    X, y, new, _ = table
    alpha = {"trace": 1e-3, None: 0.5}.get(normalize, 1.0)
    options = dict(alpha=alpha, normalize=normalize, center=center, tol=1e-9)
    primal = MKLDiscriminantAnalysis(_kernels(), **options).fit(X, y)
    dual = _Dense(_kernels(), **options).fit(X, y)
    assert hasattr(primal, "coef_")
    assert not hasattr(primal, "dual_coef_")
    assert hasattr(dual, "dual_coef_")
    np.testing.assert_allclose(primal.weights_, dual.weights_, atol=1e-4)
    assert primal.solution_.certificate.primal == pytest.approx(
        dual.solution_.certificate.primal, rel=1e-7
    )
    ours, theirs = primal._scores(new), dual._scores(new)
    np.testing.assert_allclose(ours, theirs, atol=1e-3 * np.abs(theirs).max())
    # Thresholds come from left-out folds here, from left-out samples there.
    assert np.mean(primal.predict(new) == dual.predict(new)) > 0.97


def test_as_many_components_as_rows_is_the_exact_kernel():
    X, y = problems.table("letter", 500)
    exact = MKLDiscriminantAnalysis(
        [RBF(name="a", factor=0.5), RBF(name="b")], tol=1e-10
    )
    low = MKLDiscriminantAnalysis(
        [Nystroem(kernel, 500) for kernel in exact.kernels], tol=1e-10
    )
    exact.fit(X, y)
    low.fit(X, y)
    np.testing.assert_allclose(low.weights_, exact.weights_, atol=1e-6)
    wanted = exact.transform(X)
    np.testing.assert_allclose(low.transform(X), wanted, atol=1e-6 * np.ptp(wanted))


def test_chunks_add_up(table):
    """The first chunk places the landmarks; the rest only adds."""
    X, y, new, _ = table
    parts = MKLDiscriminantAnalysis(_kernels())
    once = MKLDiscriminantAnalysis(_kernels())
    once.partial_fit(X, y, classes=[0, 1, 2])
    fixed = [
        Nystroem(RBF(gamma=k.kernel_.gamma_, name=k.label), 60, random_state=j)
        for j, k in enumerate(once.kernels_[:2])
    ]
    parts.set_params(kernels=[*fixed, Linear(name="linear")])
    for first in range(0, N, 400):
        rows = slice(first, first + 400)
        parts.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
    whole = clone(parts)
    whole.fit(X, y)
    assert parts.n_samples_fit_ == whole.n_samples_fit_ == N
    np.testing.assert_allclose(parts.weights_, whole.weights_, atol=0.1)
    assert np.mean(parts.predict(new) == whole.predict(new)) > 0.95


def test_partial_fit_of_all_rows_is_fit(table):
    X, y, new, _ = table
    a = MKLDiscriminantAnalysis(_kernels()).fit(X, y)
    b = MKLDiscriminantAnalysis(_kernels()).partial_fit(X, y, classes=[0, 1, 2])
    np.testing.assert_allclose(a.weights_, b.weights_, rtol=1e-12)
    np.testing.assert_allclose(a.decision_function(new), b.decision_function(new))
    b.fit(X[:100], y[:100])
    assert hasattr(b, "dual_coef_")
    assert not hasattr(b, "coef_")


def test_partial_fit_says_what_it_needs(table):
    X, y, *_ = table
    with pytest.raises(ValueError, match="needs all classes"):
        MKLDiscriminantAnalysis(_kernels()).partial_fit(X, y)
    with pytest.raises(ValueError, match=r"so far are of one class, \[1\]"):
        MKLDiscriminantAnalysis(_kernels()).partial_fit(
            X[y == 1], y[y == 1], classes=[0, 1]
        )
    with pytest.raises(ValueError, match="scatter='total'"):
        MKLDiscriminantAnalysis(_kernels(), scatter="within").partial_fit(
            X, y > 0, classes=[False, True]
        )
    assert not hasattr(MKLDiscriminantAnalysis([RBF()]), "partial_fit")
    model = MKLRidge(_kernels()).partial_fit(X, y)
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(X[:, :2], y)


def test_ridge_with_one_output_and_with_two(table):
    X, y, new, _ = table
    both = MKLRidge(_kernels()).fit(X, np.c_[y, X[:, 0] ** 2])
    one = MKLRidge(_kernels()).fit(X, y)
    assert both.coef_.shape == (124, 2)
    assert one.coef_.shape == (124,)
    assert both.predict(new).shape == (500, 2)
    assert one.predict(new).shape == (500,)
    assert isinstance(one.intercept_, float)
    assert both.score(new, np.c_[new[:, 0], new[:, 0] ** 2]) < 1


def test_alpha_is_learned_as_by_the_large_algebra(table):
    X, y, *_ = table
    small = MKLDiscriminantAnalysis(_kernels(), alpha="learn").fit(X, y)
    large = _Dense(_kernels(), alpha="learn").fit(X, y)
    assert small.alpha_ == pytest.approx(large.alpha_, rel=1e-3)


def test_norm_and_alpha_are_chosen_by_folds(table):
    X, y, new, truth = table
    grid = dict(norms=[1, 2, 1e6], alphas=[0.01, 1.0, 1e4])
    model = MKLDiscriminantAnalysisCV(_kernels(), **grid).fit(X, y)
    assert model.cv_results_["mean_test_score"].shape == (9,)
    assert model.alpha_ < 1e4
    assert model.score(new, truth) > 0.8
    # Cross-validation by fitting again, with the same rows in the folds.
    again = MKLDiscriminantAnalysisCV(_kernels(), cv=FOLDS, **grid).fit(X, y)
    np.testing.assert_allclose(
        model.cv_results_["mean_test_score"],
        again.cv_results_["mean_test_score"],
        atol=0.03,
    )
    ridge = MKLRidgeCV(_kernels(), **grid).fit(X, y)
    assert ridge.score(new, truth) > 0.4


@pytest.mark.parametrize(
    ("estimator", "scoring"),
    [
        (MKLDiscriminantAnalysisCV, "accuracy"),
        (MKLDiscriminantAnalysisCV, "neg_log_loss"),
        (MKLRidgeCV, "neg_mean_absolute_error"),
    ],
)
def test_other_scores_by_folds(table, estimator, scoring):
    """Those of rows that the fold's fit has not seen, by a scorer of scikit-learn."""
    X, y, *_ = table
    grid = {"norms": [2], "alphas": [1e-2, 1.0, 100.0], "scoring": scoring}
    model = estimator(_kernels(), **grid).fit(X, y)
    again = estimator(_kernels(), cv=FOLDS, **grid).fit(X, y)
    np.testing.assert_allclose(
        model.cv_results_["mean_test_score"],
        again.cv_results_["mean_test_score"],
        atol=0.03,
    )
    scores = model.cv_results_["mean_test_score"]
    assert model.best_score_ == scores.max() == scores[model.best_index_]
    assert np.ptp(scores) > 0.01
    chunk = estimator(_kernels(), **grid)
    more = {"classes": np.unique(y)} if estimator is MKLDiscriminantAnalysisCV else {}
    chunk.partial_fit(X, y, **more)
    np.testing.assert_allclose(chunk.cv_results_["mean_test_score"], scores, atol=1e-8)


def test_scores_need_every_class_among_the_sampled_rows(table):
    X, y, *_ = table
    model = MKLDiscriminantAnalysisCV(_kernels(), scoring="neg_log_loss")
    rare = np.where(np.arange(N) == 7, "rare", "often")
    with pytest.raises(ValueError, match=r"sees 5 sampled rows, none .* class 'rare'"):
        model.partial_fit(X[:5], rare[:5], classes=["rare", "often"])
    with pytest.raises(ValueError, match=r"is not a number \(nan\)"):
        MKLRidgeCV(_kernels(), [2], [1], scoring=lambda *_: np.nan).fit(X, y)


def test_a_scoring_that_comes_too_late(table):
    X, y, *_ = table
    model = MKLDiscriminantAnalysisCV(_kernels(), [2], [1])
    model.partial_fit(X, y, classes=[0, 1, 2])
    model.set_params(scoring="accuracy")
    with pytest.raises(ValueError, match="kept no rows to score"):
        model.partial_fit(X, y)
    model.set_params(scoring=None).partial_fit(X, y)
    assert model.n_samples_fit_ == 2 * N


def test_few_factorisations_where_rows_are_many_and_noisy():
    """There s is known badly; the weights of the neighbours are the better start."""
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=4000)
    X = rng.standard_normal((4000, 8))
    X[:, :2] += 0.5 * np.eye(3, 2)[y]
    kernels = [
        Nystroem(RBF(factor=f, columns=[2 * j, 2 * j + 1], name=f"{j} {f}"), 20)
        for j in range(4)
        for f in (0.5, 1)
    ]
    model = MKLDiscriminantAnalysisCV(kernels, norms=[1, 1.125, 1.5, 2, 4]).fit(X, y)
    assert model.cv_results_["inner_solves"].mean() < 3
    assert model.cv_results_["relative_gap"].max() < 1e-4


def test_the_certificate_is_of_the_approximation(table):
    X, y, *_ = table
    model = MKLDiscriminantAnalysis(
        [*_kernels(), RandomFourier(RBF(name="waves"), 100)]
    ).fit(X, y)
    assert model.solution_.certificate.relative_gap < 1e-6
    assert model.approximation_error_.shape == (4,)
    assert np.all(model.approximation_error_[[0, 1, 3]] > 0)
    assert model.approximation_error_[2] == 0


def test_few_rows_take_any_loss():
    X, y = problems.blobs(80, d=3)
    model = MKLDiscriminantAnalysis(
        [Nystroem(RBF(), 10), Linear()], scatter="within"
    ).fit(X, y)
    assert hasattr(model, "dual_coef_")
    assert model.score(X, y) > 0.7


def test_a_kernel_that_is_constant_gets_no_weight(table):
    X, y, *_ = table
    X = np.c_[X, np.ones(len(X))]
    kernels = [*_kernels(), Linear(columns=[4], name="constant")]
    with pytest.warns(UserWarning, match="'constant'"):
        model = MKLDiscriminantAnalysis(kernels).fit(X, y)
    assert model.weights_[3] == 0
    assert not model.coef_[-1].any()


def test_default_kernels_are_as_ever():
    X, y = load_diabetes(return_X_y=True)
    assert hasattr(MKLRidge().fit(X, y), "dual_coef_")


def test_the_words_say_which_kernels_the_proof_is_of(table):
    X, y, *_ = table
    model = MKLDiscriminantAnalysis(_kernels()).fit(X, y)
    words = certificate_words(model)
    assert "kernels as their features give them" in words
    assert f"at most {model.approximation_error_.max():.1%} on sampled rows" in words
    exact = MKLDiscriminantAnalysis([Linear()]).fit(X, y)
    assert "features" not in certificate_words(exact)
