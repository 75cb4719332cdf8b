"""Groups of kernels in estimators: whole views are selected."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import problems
import verify
from kernelweave import (
    MKLSVC,
    MKLSVR,
    LaplacianMKLSVC,
    MKLDiscriminantAnalysis,
    MKLOneClassSVM,
    MKLRidge,
)
from kernelweave.evaluation import evaluate
from kernelweave.evaluation.contenders import equal_weights
from kernelweave.kernels import RBF, Linear, Nystroem
from kernelweave.persist import load, save
from kernelweave.streamed import ArraySource, fit_chunks
from kernelweave.weights import Fixed, GroupSimplex, LpBall, Simplex

X, Y = problems.blobs(80, 4, 2)
KERNELS = [
    RBF(columns=[0, 1], name="first: rbf"),
    Linear(columns=[0, 1], name="first: linear"),
    RBF(columns=[2, 3], name="second: rbf"),
    Linear(columns=[2, 3], name="second: linear"),
    RBF(name="all"),
]
VIEWS = ["first", "first", "second", "second", "all"]
INDEPENDENT = verify.GroupSimplex(tuple(VIEWS))
MODELS = [
    MKLDiscriminantAnalysis(KERNELS),
    MKLRidge(KERNELS),
    MKLSVC(KERNELS),
    MKLSVC(KERNELS, loss="squared_hinge"),
    MKLSVR(KERNELS, epsilon=0.01),
    LaplacianMKLSVC(KERNELS),
    LaplacianMKLSVC(KERNELS, formulation="tied"),
    MKLOneClassSVM(KERNELS),
]
every_model = pytest.mark.parametrize("model", MODELS, ids=repr)


@every_model
def test_groups_are_the_views(model, tmp_path):
    model = clone(model).set_params(weights=GroupSimplex())
    model.fit(X, Y)
    assert model.solution_.converged
    assert INDEPENDENT.cost(model.weights_) == pytest.approx(1, abs=1e-6)
    given = clone(model).set_params(weights=GroupSimplex(VIEWS)).fit(X, Y)
    assert np.array_equal(given.weights_, model.weights_)
    # The parameter stays what it was, and a model file holds it.
    assert model.weights.groups is None
    save(given, tmp_path / "model.skops")
    again = load(tmp_path / "model.skops")
    assert again.weights.groups == VIEWS
    assert np.array_equal(again.predict(X), model.predict(X))


def test_the_certificate_of_a_model():
    K = np.stack([RBF(c).fit(X)(X) for c in (0.1, 1, 10)])
    H = Y[:, None] - np.mean(Y)
    model = MKLRidge("precomputed", GroupSimplex([0, 0, 1]), alpha=0.5, normalize=None)
    model.fit(K, H[:, 0])
    P = np.eye(len(X)) - 1 / len(X)
    oracle = verify.Square(P @ K @ P, H, 0.5, True)
    groups = verify.GroupSimplex((0, 0, 1))
    verify.check(oracle, model.solution_, weights=groups, rounding=1e-8)


def test_search():
    sets = [Simplex(), GroupSimplex(), GroupSimplex(VIEWS), GroupSimplex([0] * 5)]
    search = GridSearchCV(MKLRidge(KERNELS), {"weights": sets}, cv=3).fit(X, Y)
    scores = search.cv_results_["mean_test_score"]
    assert scores[1] == scores[2]
    assert np.all(np.isfinite(scores))
    single = GridSearchCV(
        MKLRidge(KERNELS, GroupSimplex(VIEWS)), {"weights__groups": [None, VIEWS]}, cv=2
    )
    assert np.all(np.isfinite(single.fit(X, Y).cv_results_["mean_test_score"]))


def test_kernels_that_are_left_out():
    table = np.column_stack([X, np.ones(len(X))])
    kernels = [*KERNELS, RBF(columns=[4], name="second: constant")]
    for weights in (GroupSimplex(), GroupSimplex([*VIEWS, "second"])):
        with pytest.warns(UserWarning, match="second: constant"):
            model = MKLRidge(kernels, weights).fit(table, Y)
        assert model.weights_[5] == 0
        assert INDEPENDENT.cost(model.weights_[:5]) == pytest.approx(1)


def test_rows_in_chunks():
    kernels = [
        Nystroem(RBF(columns=[0, 1], name="first: rbf"), 10),
        Linear(columns=[0, 1], name="first: linear"),
        Linear(columns=[2, 3], name="second: linear"),
    ]
    groups = verify.GroupSimplex(("first", "first", "second"))
    for model in (
        MKLSVC(kernels, GroupSimplex(), loss="squared_hinge"),
        MKLDiscriminantAnalysis(kernels, GroupSimplex()),
    ):
        fit_chunks(model, ArraySource(X, Y))
        assert model.solution_.converged
        assert groups.cost(model.weights_) == pytest.approx(1)


def test_comparison_with_views_and_the_average():
    model = MKLRidge(KERNELS, GroupSimplex())
    result = evaluate(model, X, Y.astype(float), cv=2)
    assert len(result.rows) == 5
    average = equal_weights(clone(model), clone(model).fit(X, Y), 5)
    # Equal weights of the set: c(√2 + √2 + 1) = 1.
    assert isinstance(average.weights, Fixed)
    assert average.weights.theta == pytest.approx(1 / (1 + 2 * np.sqrt(2)))


def test_one_view_is_a_ball():
    kernels = [RBF(gamma, name=f"only: {gamma}") for gamma in (0.1, 1.0)]
    groups = MKLRidge(kernels, GroupSimplex()).fit(X, Y)
    ball = MKLRidge(kernels, LpBall(2)).fit(X, Y)
    assert groups.weights_ == pytest.approx(ball.weights_, abs=1e-3)


@pytest.mark.parametrize(
    "groups, message",
    [
        (["a", "b"], r"2 labels, but there are 5 kernels"),
        ("views", r"one label for each kernel"),
        (["a", "a", None, "b", "b"], "lacks a label"),
        (["a", "a", np.nan, "b", "b"], "lacks a label"),
    ],
)
def test_bad_groups(groups, message):
    with pytest.raises(ValueError, match=message):
        MKLRidge(KERNELS, GroupSimplex(groups)).fit(X, Y)


def test_a_problem_has_no_names():
    with pytest.raises(ValueError, match=r"GroupSimplex\(groups\)"):
        GroupSimplex().start(3)


@pytest.mark.parametrize(
    "model", [MKLRidge(alpha="learn"), MKLSVC(loss="squared_hinge", C="learn")]
)
def test_what_is_learned_with_the_weights_needs_the_simplex(model):
    with pytest.raises(ValueError, match=r"must be Simplex\(\)"):
        model.set_params(weights=GroupSimplex()).fit(X, Y)
