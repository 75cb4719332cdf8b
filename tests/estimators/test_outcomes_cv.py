"""Likelihoods that choose norm and alpha: by left-out samples, and by folds."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, LeaveOneOut, cross_val_predict
from sklearn.preprocessing import scale

from kernelweave import (
    MKLCoxRegression,
    MKLCoxRegressionCV,
    MKLHuberRegressorCV,
    MKLLogisticRegression,
    MKLLogisticRegressionCV,
    MKLPoissonRegressorCV,
    MKLQuantileRegressor,
    MKLQuantileRegressorCV,
)
from kernelweave.kernels import RBF, Linear
from kernelweave.persist import load, save
from kernelweave.survival import concordance_index
from kernelweave.weights import Fixed, LpBall

KERNELS = [RBF(gamma=0.05), Linear()]


def _lives(n=70):
    X, y = load_diabetes(return_X_y=True)
    event = np.random.default_rng(0).random(n) < 0.6
    return scale(X[:n]), pd.DataFrame({"event": event, "time": (y[:n] / 40).round()})


def _cancer(n=80):
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X[:n]), y[:n]


def test_left_out_values_are_those_of_refits():
    """One fixed kernel: nothing but the coefficients depends on the sample."""
    X, y = _cancer(60)
    options = {"kernels": [Linear()], "normalize": None}
    model = MKLLogisticRegressionCV(norms=[1], Cs=[0.02], **options).fit(X, y)
    plain = MKLLogisticRegression(C=0.02, **options)
    refits = cross_val_predict(plain, X, y, cv=LeaveOneOut(), method="predict_proba")
    own = plain.fit(X, y).decision_function(X)
    found = 1 / (1 + np.exp(-model.left_out_))
    assert np.abs(found - refits[:, 1]).max() < 0.01
    assert np.abs(1 / (1 + np.exp(-own)) - refits[:, 1]).max() > 0.05
    assert -model.best_score_ == pytest.approx(log_loss(y, refits), rel=0.01)


def test_cox_by_left_out_samples():
    X, y = _lives()
    options = {"kernels": [Linear()], "normalize": None}
    model = MKLCoxRegressionCV(norms=[1], alphas=[20.0], **options).fit(X, y)
    refits = np.empty(len(X))
    for i in range(len(X)):
        rows = np.delete(np.arange(len(X)), i)
        one = MKLCoxRegression(alpha=20.0, **options).fit(X[rows], y.iloc[rows])
        # Centred by the other rows, as the risk of all others is.
        refits[i] = one.predict(X[[i]])[0] + X[rows].mean(axis=0) @ _slope(one, X[rows])
    expected = refits - refits.mean()
    found = model.left_out_ - model.left_out_.mean()
    assert np.linalg.norm(found - expected) < 0.02 * np.linalg.norm(expected)


def _slope(model, X):
    return X.T @ model.dual_coef_


@pytest.mark.parametrize("cv", (None, 3))
def test_logistic_chooses_what_scores_best(cv):
    X, y = _cancer()
    model = MKLLogisticRegressionCV(
        KERNELS, norms=[1, 2], Cs=[0.01, 0.1, 1.0], cv=cv
    ).fit(X, y)
    results = model.cv_results_
    assert {"param_norm", "param_C", "mean_test_score", "params"} <= set(results)
    best = results["mean_test_score"][model.best_index_]
    assert best == model.best_score_
    chosen = {"norm": model.norm_, "C": model.C_}
    assert results["params"][model.best_index_] == pytest.approx(chosen)
    if cv is not None:
        assert best == results["mean_test_score"].max()
        assert results["split2_test_score"].shape == results["param_C"].shape
    again = MKLLogisticRegression(KERNELS, LpBall(model.norm_), C=model.C_).fit(X, y)
    np.testing.assert_allclose(again.predict_proba(X), model.predict_proba(X))


def test_folds_are_those_of_a_grid_search():
    X, y = _cancer()
    ours = MKLLogisticRegressionCV(KERNELS, norms=[1e6], Cs=[0.01, 0.1, 1.0], cv=3)
    plain = MKLLogisticRegression(KERNELS, LpBall(1e6), tol=1e-4)
    theirs = GridSearchCV(plain, {"C": [0.01, 0.1, 1.0]}, scoring="neg_log_loss", cv=3)
    ours.fit(X, y), theirs.fit(X, y)
    asked = ours.cv_results_["mean_test_score"][
        np.isclose(ours.cv_results_["param_C"][:, None], [0.01, 0.1, 1.0]).any(axis=1)
    ]
    theirs = np.sort(theirs.cv_results_["mean_test_score"])
    np.testing.assert_allclose(np.sort(asked), theirs, atol=1e-3)


@pytest.mark.parametrize("cv", (None, 3))
def test_an_end_of_the_grid_is_passed(cv):
    X, y = _cancer()
    small = MKLLogisticRegressionCV(KERNELS, norms=[2], Cs=[1e-4, 1e-3], cv=cv)
    small.fit(X, y)
    assert small.C_ > 1e-3
    values = np.unique(small.cv_results_["param_C"])
    np.testing.assert_allclose(
        values, np.logspace(-4, -4 + len(values) - 1, len(values))
    )
    assert 3 <= len(values) <= 6
    fixed = MKLLogisticRegressionCV(KERNELS, norms=[2], Cs=[1e-4], cv=cv).fit(X, y)
    assert pytest.approx(1e-4) == fixed.C_


def test_noise_is_left_at_the_strongest_penalty():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    model = MKLLogisticRegressionCV(KERNELS, norms=[2]).fit(X, y)
    assert model.C_ <= 0.02 and model.best_score_ > -0.75


def test_several_classes_and_weights():
    X, y = load_iris(return_X_y=True)
    weight = np.random.default_rng(0).uniform(0.5, 2, 150)
    model = MKLLogisticRegressionCV(
        KERNELS, norms=[1, 2], Cs=[0.1, 1.0], class_weight="balanced"
    ).fit(X, y, weight)
    assert model.left_out_.shape == (150, 3) and model.best_score_ > -0.5
    scored = MKLLogisticRegressionCV(
        KERNELS, norms=[1, 2], Cs=[0.1, 1.0], scoring="accuracy"
    ).fit(X, y)
    found = scored.classes_[scored.left_out_.argmax(axis=1)]
    assert np.mean(found == y) == pytest.approx(scored.best_score_)


@pytest.mark.parametrize("cv", (None, 3))
def test_cox_chooses(cv):
    X, y = _lives()
    model = MKLCoxRegressionCV(KERNELS, norms=[1, 2], alphas=[1.0, 10.0], cv=cv)
    model.fit(X, y)
    assert model.cv_results_["param_alpha"].size >= 4
    assert model.solution_.converged and model.score(X, y) > 0.6
    if cv is None:
        assert concordance_index(y.event, y.time, model.left_out_) > 0.55

        def concordance(model, X, y):
            return concordance_index(y["event"], y["time"], model.predict(X))

        scored = clone(model).set_params(scoring=concordance).fit(X, y)
        value = concordance_index(y.event, y.time, scored.left_out_)
        assert value == pytest.approx(scored.best_score_)
    else:
        assert 0.4 < model.best_score_ <= 1


def test_every_fold_has_events():
    X, y = _lives()
    y["event"] = np.arange(len(y)) < 4
    model = MKLCoxRegressionCV([Linear()], norms=[1], alphas=[10.0], cv=3)
    with pytest.raises(ValueError, match="folds need an event each, and y has 4"):
        model.set_params(cv=5).fit(X, y)


REGRESSORS = {
    "poisson": MKLPoissonRegressorCV(KERNELS, norms=[2], alphas=[10.0, 100.0]),
    "quantile": MKLQuantileRegressorCV(KERNELS, norms=[2], alphas=[1.0, 10.0], cv=3),
    "huber": MKLHuberRegressorCV(KERNELS, norms=[2], alphas=[1.0, 10.0], cv=3),
    "cox": MKLCoxRegressionCV(KERNELS, norms=[2], alphas=[1.0, 10.0]),
    "logistic": MKLLogisticRegressionCV(KERNELS, norms=[2], Cs=[0.1, 1.0]),
}


@pytest.mark.parametrize("name", REGRESSORS)
def test_saved_and_loaded(name, tmp_path):
    X, y = load_diabetes(return_X_y=True)
    X, y = scale(X)[:90], y[:90].round()
    target = {"cox": _lives(90)[1], "logistic": y > 120}.get(name, y)
    model = clone(REGRESSORS[name]).fit(X, target)
    assert model.solution_.converged
    save(model, tmp_path / "model.kw")
    again = load(tmp_path / "model.kw")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert again.best_score_ == model.best_score_ and again.norm_ == model.norm_


def test_quantile_chooses_by_the_pinball_loss():
    X, y = load_diabetes(return_X_y=True)
    X, y = scale(X)[:120], y[:120]
    model = MKLQuantileRegressorCV(
        [Linear()], norms=[1], alphas=[1.0, 1e4], quantile=0.9, cv=4
    ).fit(X, y)
    plain = MKLQuantileRegressor([Linear()], Fixed(), quantile=0.9, tol=1e-4)
    search = GridSearchCV(plain, {"alpha": [1.0, 1e4]}, cv=4).fit(X, y)
    results = model.cv_results_
    asked = [np.flatnonzero(results["param_alpha"] == a)[0] for a in (1.0, 1e4)]
    found = results["mean_test_score"][asked]
    np.testing.assert_allclose(found, search.cv_results_["mean_test_score"], atol=2e-3)


@pytest.mark.parametrize("name", REGRESSORS)
def test_bad_grids(name):
    X, y = load_diabetes(return_X_y=True)
    model, target = clone(REGRESSORS[name]), y[:40].round()
    target = {"cox": _lives(40)[1], "logistic": target > 120}.get(name, target)
    values = "Cs" if name == "logistic" else "alphas"
    with pytest.raises(ValueError, match=values):
        clone(model).set_params(**{values: [1.0, -1.0]}).fit(X[:40], target)
    with pytest.raises(ValueError, match="norms"):
        clone(model).set_params(norms=[0.5]).fit(X[:40], target)


@pytest.mark.parametrize("kind", (MKLQuantileRegressorCV, MKLHuberRegressorCV))
def test_fewer_rows_than_the_folds_of_the_default(kind):
    """Five folds where rows allow it; folds have two rows at least."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(4, 2))
    model = kind([Linear()], norms=[2], alphas=[1.0, 10.0]).fit(rows, rows[:, 0])
    assert "split1_test_score" in model.cv_results_
    assert "split2_test_score" not in model.cv_results_


def test_a_fold_of_equal_counts_has_no_deviance_to_explain():
    X = np.random.default_rng(0).normal(size=(12, 3))
    y = np.repeat([0.0, 1.0, 2.0, 3.0], [6, 2, 2, 2])
    split = [(np.arange(3, 12), np.arange(3)), (np.arange(9), np.arange(9, 12))]
    model = MKLPoissonRegressorCV([Linear()], cv=split, norms=[1], alphas=[1.0])
    model.fit(X, y)
    assert model.cv_results_["split0_test_score"].tolist() == [0.0]
