"""The estimators that choose their norm and alpha."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import PredefinedSplit, StratifiedKFold, cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import naive
import problems
from kernelweave import (
    KernelDiscriminantAnalysis,
    MKLDiscriminantAnalysis,
    MKLDiscriminantAnalysisCV,
    MKLRidge,
    MKLRidgeCV,
)
from kernelweave.kernels import RBF, Linear, Precomputed
from kernelweave.selection import NORMS as PAPER_NORMS
from kernelweave.selection import leave_one_out_grid
from kernelweave.weights import LpBall

KERNELS = [RBF(gamma=0.5), RBF(gamma=0.05), Linear()]
NORMS, ALPHAS = (1, 1.5, 1e6), (0.1, 1.0, 10.0)
X, Y = problems.blobs(60, 3, 3)
NAMES = np.array(["a", "b", "c"])[Y]
T = np.sin(X[:, 0]) + X[:, 1] ** 2
CASES = [
    (MKLDiscriminantAnalysisCV, MKLDiscriminantAnalysis, NAMES),
    (MKLRidgeCV, MKLRidge, T),
    (MKLRidgeCV, MKLRidge, np.column_stack([T, X[:, 2]])),
]
both = pytest.mark.parametrize("Estimator, Plain, y", CASES)


def same(a, b):
    """Equal classes, or numbers that differ by the order of a sum."""
    return np.array_equal(a, b) if a.dtype.kind == "U" else np.allclose(a, b, 1e-10)


@pytest.mark.filterwarnings("ignore:kernels that are zero or constant:UserWarning")
@parametrize_with_checks(
    [
        MKLDiscriminantAnalysisCV(norms=(1, 2), alphas=(0.1, 10.0)),
        MKLRidgeCV(norms=(1, 2), alphas=(0.1, 10.0)),
    ],
    expected_failed_checks=lambda _: {
        f"check_sample_weight_equivalence_on_{kind}_data": "a sample is left out with "
        "all its weight, a copy alone"
        for kind in ("dense", "sparse")
    },
)
def test_convention(estimator, check):
    check(estimator)


@both
@pytest.mark.parametrize("cv", [None, 5, PredefinedSplit([0] * 20 + [-1] * 40)])
def test_the_chosen_point_is_refitted_tightly(Estimator, Plain, y, cv):
    model = Estimator(KERNELS, NORMS, ALPHAS, cv=cv).fit(X, y)
    results = model.cv_results_
    assert len(results["params"]) == len(results["mean_test_score"]) == 9
    best = results["params"][model.best_index_]
    assert best == {"norm": model.norm_, "alpha": model.alpha_}
    top = np.argmax(results["mean_test_score"])
    assert model.best_score_ == results["mean_test_score"][model.best_index_]
    if cv is None:
        # Within one standard error, and of a norm that is no smaller.
        assert model.norm_ >= results["param_norm"][top]
        assert model.best_score_ > results["mean_test_score"][top] - 0.05
    else:
        assert results["rank_test_score"][model.best_index_] == 1
    assert np.all(results["relative_gap"] <= 1e-4)
    assert np.all(results["seconds"] > 0)
    plain = Plain(KERNELS, weights=LpBall(model.norm_), alpha=model.alpha_).fit(X, y)
    assert model.solution_.certificate.relative_gap <= 1e-6
    assert model.weights_ == pytest.approx(plain.weights_)
    assert same(model.predict(X), plain.predict(X))
    if cv is None:
        assert results["weights"].shape == (9, 3)
        assert results["inner_solves"].min() >= 1
    else:
        splits = [results[f"split{i}_test_score"] for i in range(5 if cv == 5 else 1)]
        assert results["mean_test_score"] == pytest.approx(np.mean(splits, axis=0))
        assert results["std_test_score"] == pytest.approx(np.std(splits, axis=0))


@both
def test_copies(Estimator, Plain, y):
    model = Estimator(KERNELS, NORMS, ALPHAS).fit(X, y)
    other = pickle.loads(pickle.dumps(model))
    assert same(other.predict(X), model.predict(X))
    fresh = clone(model)
    assert not hasattr(fresh, "norm_")
    fresh.fit(X, y)
    assert (fresh.norm_, fresh.alpha_) == (model.norm_, model.alpha_)
    assert same(fresh.predict(X), model.predict(X))
    assert Estimator.__name__ in repr(model)


def test_everything_that_the_plain_estimator_has():
    model = MKLDiscriminantAnalysisCV(KERNELS, NORMS, ALPHAS).fit(X, NAMES)
    assert model.transform(X).shape == (60, 2)
    assert model.predict_proba(X).shape == (60, 3)
    assert list(model.classes_) == ["a", "b", "c"]
    assert len(model.kernel_names_) == 3
    assert cross_val_score(model, X, NAMES, cv=3).mean() > 0.6


@pytest.mark.parametrize("cv", [None, StratifiedKFold(3)])
@pytest.mark.parametrize("scoring", ["accuracy", "neg_log_loss", "balanced_accuracy"])
def test_scorers_for_classes(cv, scoring):
    model = MKLDiscriminantAnalysisCV(KERNELS, NORMS, ALPHAS, cv=cv, scoring=scoring)
    scores = model.fit(X, NAMES).cv_results_["mean_test_score"]
    assert np.all(scores < 0) if scoring == "neg_log_loss" else model.best_score_ > 0.6


def test_two_classes_and_their_area():
    model = MKLDiscriminantAnalysisCV(KERNELS, NORMS, ALPHAS, scoring="roc_auc")
    assert 0.8 < model.fit(X, Y > 0).best_score_ <= 1


@pytest.mark.parametrize("cv", [None, 3])
def test_scorers_for_numbers(cv):
    def worst(estimator, X, y):
        return -np.max(np.abs(estimator.predict(X) - y))

    for scoring in ("neg_mean_absolute_error", worst):
        model = MKLRidgeCV(KERNELS, NORMS, ALPHAS, cv=cv, scoring=scoring).fit(X, T)
        assert model.best_score_ < 0


def test_ties_go_to_what_adapts_least():
    model = MKLRidgeCV(KERNELS, [2, 8, 1], [1.0, 5.0, 0.1], scoring=lambda *_: 0.0).fit(
        X, T
    )
    assert (model.norm_, model.alpha_) == (8, 5)
    assert np.all(model.cv_results_["rank_test_score"] == 1)


def test_the_largest_norm_within_one_standard_error():
    model = MKLRidgeCV(KERNELS, [1, 1.25, 2, 8], [0.1, 1.0, 10.0]).fit(X, T)
    results = model.cv_results_
    stack = MKLRidge(KERNELS)._begin(X, T)[0].stack
    errors = [
        (T - point.left_out[:, 0]) ** 2
        for point in sorted(
            leave_one_out_grid(stack, T[:, None], [1, 1.25, 2, 8], [0.1, 1.0, 10.0]),
            key=lambda point: point.index,
        )
    ]
    best = np.argmin(np.mean(errors, axis=1))
    eligible = [
        i
        for i, e in enumerate(errors)
        if np.mean(e - errors[best]) <= np.std(e - errors[best]) / np.sqrt(len(T))
    ]
    assert model.norm_ == max(results["param_norm"][eligible])
    scores = results["mean_test_score"]
    assert scores == pytest.approx([1 - np.mean(e) / np.var(T) for e in errors])
    assert model.best_score_ == max(scores[results["param_norm"] == model.norm_])


def test_sparse_where_the_rest_is_noise_and_uniform_where_all_helps():
    rng = np.random.default_rng(0)
    n = 120
    noise = rng.normal(size=(n, 12))
    kernels = [Linear(columns=[j]) for j in range(12)]
    one = noise[:, 0] + 0.1 * rng.normal(size=n)
    assert MKLRidgeCV(kernels, PAPER_NORMS).fit(noise, one).norm_ <= 1.25
    y = noise.sum(axis=1) + 2 * rng.normal(size=n)
    assert MKLRidgeCV(kernels, PAPER_NORMS).fit(noise, y).norm_ >= 2


@pytest.mark.parametrize("cv", [None, 3])
def test_ready_made_grams(cv):
    stack = np.stack([kernel.fit(X)(X) for kernel in KERNELS])
    table = MKLRidgeCV(KERNELS, NORMS, ALPHAS, cv=cv).fit(X, T)
    given = MKLRidgeCV("precomputed", NORMS, ALPHAS, cv=cv).fit(stack, T)
    named = MKLRidgeCV([Precomputed(K) for K in stack], NORMS, ALPHAS, cv=cv)
    named.fit(np.arange(len(X))[:, None], T)
    for model in (given, named):
        score = model.cv_results_["mean_test_score"]
        assert score == pytest.approx(table.cv_results_["mean_test_score"])
        assert (model.norm_, model.alpha_) == (table.norm_, table.alpha_)


def test_constant_kernels_are_left_out():
    table = np.column_stack([X, np.ones(len(X))])
    kernels = [*KERNELS, Linear(columns=[3], name="nothing")]
    with pytest.warns(UserWarning, match="nothing"):
        model = MKLRidgeCV(kernels, NORMS, ALPHAS).fit(table, T)
    assert model.weights_[3] == 0
    assert np.all(model.cv_results_["weights"][:, 3] == 0)
    with pytest.raises(ValueError, match="every kernel is zero or constant"):
        MKLRidgeCV(kernels[3:], NORMS, ALPHAS).fit(table, T)


@both
@pytest.mark.parametrize(
    "parameters, message",
    [
        ({"norms": []}, "norms is empty"),
        ({"norms": [2, 0.5]}, r"norms must be numbers of at least 1, got 0\.5"),
        ({"norms": [np.nan]}, "norms must be numbers of at least 1"),
        ({"norms": ["2"]}, "norms must be numbers of at least 1, got '2'"),
        ({"alphas": []}, "alphas is empty"),
        ({"alphas": [1.0, -1.0]}, r"alphas must be positive numbers, got -1\.0"),
        ({"alphas": [0]}, "alphas must be positive numbers, got 0"),
        ({"alphas": [np.inf]}, "alphas must be positive numbers, got inf"),
        ({"alphas": "learn"}, "alphas must be positive numbers, got 'learn'"),
        ({"scoring": "beauty"}, "beauty"),
        ({"kernels": []}, "kernels is an empty list"),
        ({"normalize": "max"}, "normalize must be one of"),
    ],
)
@pytest.mark.parametrize("cv", [None, 3])
def test_bad_parameters(Estimator, Plain, y, parameters, message, cv):
    with pytest.raises(ValueError, match=message):
        Estimator(cv=cv).set_params(**parameters).fit(X, y)


def test_a_class_that_a_split_does_not_train():
    split = PredefinedSplit(np.where(Y == 2, 0, -1))
    with pytest.raises(ValueError, match="no sample of the class 'c'"):
        MKLDiscriminantAnalysisCV(KERNELS, NORMS, ALPHAS, cv=split).fit(X, NAMES)


def test_points_that_did_not_converge_are_told():
    model = MKLRidgeCV(KERNELS, [1.1], [1e-3], max_iter=1)
    with pytest.warns(ConvergenceWarning) as caught:
        model.fit(X, T)
    assert "1 of 1 points of the grid" in str(caught[0].message)
    assert {warning.filename for warning in caught} == {__file__}


def test_progress(capsys):
    MKLRidgeCV(KERNELS, [1, 2], [1.0], verbose=1).fit(X, T)
    lines = capsys.readouterr().err.splitlines()
    assert sum(line.startswith("norm") for line in lines) == 2


def test_little_signal_is_not_turned_round():
    """The mean of the other targets gives a left-out class away, the wrong way."""
    X, y = problems.blobs(100, 3, 2)
    model = KernelDiscriminantAnalysis(RBF(gamma=0.1), alpha=1e5)
    with pytest.warns(UserWarning, match="too large"):
        model.fit(X[:50], y[:50])
    assert model.score(X[50:], y[50:]) > 0.7


@pytest.mark.parametrize("offset", [0.0, 5.0])
@pytest.mark.parametrize("Estimator", [MKLDiscriminantAnalysisCV, MKLRidgeCV])
def test_centred_matrices_do_not_tell_labels_that_mean_nothing(Estimator, offset):
    # As the papers do: matrices centred with all samples, and no intercept.
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 5)), rng.permutation(np.repeat([-1, 1], 20)) + offset
    distances = ((X[:, None] - X) ** 2).sum(axis=2)
    K = np.stack([naive.centre(np.exp(-distances / width)) for width in (2, 10, 50)])
    model = Estimator(
        "precomputed", [1, 2], [1e-8, 1e-4, 1.0], center=False, normalize=None
    ).fit(K, y)
    scores = model.cv_results_["mean_test_score"]
    assert np.all(scores < 0.05)
    # R² of the smallest alpha was 1 - 1e-8 as long as the centring told the labels.
    assert np.all(scores[model.cv_results_["param_alpha"] == 1e-8] < -0.1)
