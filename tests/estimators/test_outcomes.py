"""Probabilities, survival, counts, quantiles and outliers: the estimators."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LogisticRegression, PoissonRegressor, QuantileRegressor
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import scale

from kernelweave import (
    MKLCoxRegression,
    MKLHuberRegressor,
    MKLLogisticRegression,
    MKLPoissonRegressor,
    MKLQuantileRegressor,
    MKLRidge,
)
from kernelweave.kernels import RBF, Linear
from kernelweave.persist import load, save

ONE = {"kernels": [Linear()], "normalize": None, "tol": 1e-8}


@pytest.mark.parametrize("center", (True, False))
@pytest.mark.parametrize("C", (0.01, 1.0, 100.0))
def test_one_linear_kernel_is_logistic_regression(C, center):
    X, y = load_iris(return_X_y=True)
    for rows in (y < 2, y > 0, y >= 0):
        Z, t = scale(X[rows]), np.array(["a", "b", "c"])[y[rows]]
        ours = MKLLogisticRegression(C=C, center=center, **ONE).fit(Z, t)
        theirs = LogisticRegression(C=C, tol=1e-10, max_iter=10000).fit(Z, t)
        f, g = ours.decision_function(Z), theirs.decision_function(Z)
        if f.ndim == 2:
            # A constant added to all classes changes nothing.
            f, g = f - f.mean(axis=1)[:, None], g - g.mean(axis=1)[:, None]
        np.testing.assert_allclose(f, g, atol=1e-5 * max(1, np.abs(g).max()))
        p = ours.predict_proba(Z)
        np.testing.assert_allclose(p, theirs.predict_proba(Z), atol=1e-5)
        np.testing.assert_allclose(np.log(p), ours.predict_log_proba(Z), atol=1e-6)
        assert (ours.predict(Z) == theirs.predict(Z)).all()


def test_weights_of_samples_and_classes():
    X, y = load_iris(return_X_y=True)
    X, y = scale(X[50:]), y[50:]
    weight = np.random.default_rng(0).integers(0, 3, 100).astype(float)
    options = {"class_weight": {1: 2.0, 2: 0.5}}
    ours = MKLLogisticRegression(**ONE, **options).fit(X, y, weight)
    theirs = LogisticRegression(tol=1e-10, **options).fit(X, y, weight)
    f, g = ours.decision_function(X), theirs.decision_function(X)
    np.testing.assert_allclose(f, g, atol=1e-4)
    balanced = MKLLogisticRegression(**ONE, class_weight="balanced").fit(X[:70], y[:70])
    other = LogisticRegression(tol=1e-10, class_weight="balanced").fit(X[:70], y[:70])
    f, g = balanced.decision_function(X), other.decision_function(X)
    np.testing.assert_allclose(f, g, atol=1e-4)


@pytest.mark.parametrize("alpha", (0.1, 10.0))
def test_one_linear_kernel_is_poisson_regression(alpha):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = rng.poisson(np.exp(1 + X[:, 0] - 0.5 * X[:, 1]))
    weight = rng.uniform(0.5, 2, 80)
    ours = MKLPoissonRegressor(alpha=alpha, **ONE).fit(X, y, weight)
    theirs = PoissonRegressor(alpha=alpha / weight.sum(), tol=1e-10, max_iter=10**4)
    theirs.fit(X, y, weight)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-5)
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y), abs=1e-6)
    both = MKLPoissonRegressor(**ONE).fit(X, np.column_stack([y, y + 1]))
    assert both.predict(X).shape == (80, 2)


def test_a_small_alpha_is_quantile_regression():
    """scikit-learn penalises |w|, we w²: without a penalty both are one program."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = X[:, 0] + rng.normal(size=60)
    for q in (0.2, 0.5, 0.9):
        ours = MKLQuantileRegressor(quantile=q, alpha=1e-5, **ONE).fit(X, y)
        theirs = QuantileRegressor(quantile=q, alpha=0).fit(X, y)
        r, s = y - ours.predict(X), y - theirs.predict(X)
        loss = [np.mean(np.maximum(q * e, (q - 1) * e)) for e in (r, s)]
        assert loss[0] == pytest.approx(loss[1], rel=1e-5)
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=1e-4)


@pytest.mark.parametrize("alpha", (1e-3, 0.1, 1.0, 30.0))
def test_quantiles_are_those_of_a_conic_solver(alpha):
    """min ½‖w‖² + (1/α)Σ pinball(y − Xw − b), in w and b, by Clarabel."""
    cvxpy = pytest.importorskip("cvxpy")
    rng = np.random.default_rng(1)
    X = rng.normal(size=(50, 3))
    y = X[:, 0] + (1 + X[:, 1] ** 2) * rng.normal(size=50)
    for q in (0.1, 0.5, 0.8):
        w, b = cvxpy.Variable(3), cvxpy.Variable()
        r = y - X @ w - b
        pinball = cvxpy.sum(cvxpy.maximum(q * r, (q - 1) * r))
        objective = 0.5 * cvxpy.sum_squares(w) + pinball / alpha
        problem = cvxpy.Problem(cvxpy.Minimize(objective))
        problem.solve(solver="CLARABEL", tol_gap_rel=1e-10, tol_feas=1e-10)
        ours = MKLQuantileRegressor(quantile=q, alpha=alpha, **ONE).fit(X, y)
        f = ours.predict(X)
        np.testing.assert_allclose(
            f - f.mean(), X @ w.value - (X @ w.value).mean(), atol=1e-3
        )
        slope = X.T @ ours.dual_coef_
        e = y - f
        value = 0.5 * slope @ slope + np.sum(np.maximum(q * e, (q - 1) * e)) / alpha
        assert value == pytest.approx(problem.value, rel=1e-6)


def test_a_large_epsilon_is_ridge_regression():
    X, y = load_diabetes(return_X_y=True)
    huber, ridge = MKLHuberRegressor(epsilon=100.0, tol=1e-8), MKLRidge(tol=1e-8)
    one = huber.fit(X[:100], y[:100]).predict(X[100:120])
    other = ridge.fit(X[:100], y[:100]).predict(X[100:120])
    np.testing.assert_allclose(one, other, rtol=1e-4)


def test_outliers_and_units():
    rng = np.random.default_rng(0)
    x = np.linspace(-2, 2, 80)[:, None]
    y = np.sin(2 * x[:, 0])
    spoiled = y + 0.05 * rng.normal(size=80)
    spoiled[::10] += 30
    robust, plain = MKLHuberRegressor(epsilon=0.2), MKLRidge()
    errors = [np.abs(m.fit(x, spoiled).predict(x) - y).mean() for m in (robust, plain)]
    assert errors[0] < 0.1 * errors[1]
    # Other units and another origin of y, the same answer.
    scaled = clone(robust).fit(x, 1000 * spoiled - 7e4).predict(x)
    np.testing.assert_allclose((scaled + 7e4) / 1000, robust.predict(x), atol=1e-4)


# By scikit-survival 0.28.0, which is not installed here, on the data of `_lives()`:
# CoxPHSurvivalAnalysis(alpha, tol=1e-14).fit(X, y).coef_, and for alpha = 2
# predict_survival_function(X[:2]) at the times 0.5, 1, 2 and 5.
COX = {
    0.1: [1.2264932982413506, 0.03160551659944553, 0.01604282580951605],
    2.0: [1.1111376048641781, 0.018076040670817684, 0.022941018098292076],
    50.0: [0.365962342479404, -0.015080019972387953, 0.02311962134512413],
}
CURVES = [
    [0.9017681828372337, 0.8168621435265568, 0.5338878282825987, 0.11791071761023443],
    [0.9060743758338194, 0.8245108873019485, 0.5495502205711262, 0.1301158467274533],
]


def _lives():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)).round(2)
    time = np.ceil(8 * rng.exponential(np.exp(-X[:, 0]))) / 4
    event = rng.random(60) < 0.6
    y = np.zeros(60, dtype=[("event", bool), ("time", float)])
    y["event"], y["time"] = event, time
    return X, y


@pytest.mark.parametrize("alpha", COX)
def test_one_linear_kernel_is_cox_regression(alpha):
    X, y = _lives()
    model = MKLCoxRegression(alpha=alpha, **ONE).fit(X, y)
    expected = (X - X.mean(axis=0)) @ COX[alpha]
    np.testing.assert_allclose(model.predict(X), expected, atol=1e-4)
    if alpha == 2:
        curves = model.predict_survival_function(X[:2], [0.5, 1, 2, 5])
        np.testing.assert_allclose(curves, CURVES, atol=1e-5)
        assert model.score(X, y) == pytest.approx(0.8272251308900523)


def test_survival_targets_of_any_kind():
    X, y = _lives()
    frame = pd.DataFrame({"os_months": y["time"], "dead": y["event"]})
    one = MKLCoxRegression(alpha=5).fit(X, y)
    other = MKLCoxRegression(alpha=5).fit(X, frame)
    np.testing.assert_array_equal(one.predict(X), other.predict(X))
    assert one.score(X, frame) == one.score(X, y)
    whole = one.predict_survival_function(X)
    assert whole.shape == (60, len(one.event_times_))
    assert np.all(np.diff(whole, axis=1) <= 0)


def test_several_tables_are_joined_by_index():
    X, y = _lives()
    ids = [f"p{i}" for i in range(60)]
    tables = {
        "a": pd.DataFrame(X[:, :2], index=ids, columns=["u", "v"]),
        "b": pd.DataFrame(X[:, 2:], index=ids, columns=["w"]),
    }
    target = pd.DataFrame({"event": y["event"], "time": y["time"]}, index=ids)
    shuffled = target.sample(frac=1, random_state=0)
    one = MKLCoxRegression(alpha=5).fit(tables, target)
    other = MKLCoxRegression(alpha=5).fit(tables, shuffled)
    np.testing.assert_allclose(one.predict(tables), other.predict(tables))
    assert one.score(tables, shuffled) == one.score(tables, target)


def test_cox_weights_are_repetitions():
    X, y = _lives()
    times = np.random.default_rng(1).integers(0, 3, 60)
    rows = np.repeat(np.arange(60), times)
    one = MKLCoxRegression(center=False, **ONE).fit(X, y, times)
    other = MKLCoxRegression(center=False, **ONE).fit(X[rows], y[rows])
    np.testing.assert_allclose(one.predict(X), other.predict(X), atol=1e-6)
    at = [0.5, 1.0, 3.0]
    curves = [m.predict_survival_function(X[:3], at) for m in (one, other)]
    np.testing.assert_allclose(*curves, atol=1e-6)


ALL = {
    "logistic": (MKLLogisticRegression(), lambda y: y > np.median(y)),
    "multinomial": (MKLLogisticRegression(), lambda y: np.digitize(y, [90, 180])),
    "poisson": (MKLPoissonRegressor(), lambda y: y.round()),
    "quantile": (MKLQuantileRegressor(), lambda y: y),
    "huber": (MKLHuberRegressor(), lambda y: y),
    "cox": (
        MKLCoxRegression(),
        lambda y: pd.DataFrame({"event": np.arange(len(y)) % 3 > 0, "time": y}),
    ),
}


@pytest.mark.parametrize("name", ALL)
def test_saved_and_loaded(name, tmp_path):
    X, y = load_diabetes(return_X_y=True)
    model, target = clone(ALL[name][0]), ALL[name][1](y[:80])
    model.set_params(kernels=[RBF(columns=[0, 1, 2]), Linear(columns=[2, 3])])
    model.fit(X[:80], target)
    assert model.solution_.converged
    save(model, tmp_path / "model.kw")
    again = load(tmp_path / "model.kw")
    np.testing.assert_array_equal(model.predict(X[80:99]), again.predict(X[80:99]))
    if name == "cox":
        one, other = (m.predict_survival_function(X[80:84]) for m in (model, again))
        np.testing.assert_array_equal(one, other)
    parts = model.contributions(X[80:99])
    assert parts.shape[:2] == (19, 2)


@pytest.mark.parametrize("name", ALL)
def test_bad_input(name):
    X, y = load_diabetes(return_X_y=True)
    model, target = clone(ALL[name][0]), ALL[name][1](y[:40])
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.where(np.arange(400).reshape(40, 10) == 7, np.nan, X[:40]), target)
    with pytest.raises(ValueError, match=r"inconsistent|rows, and y has"):
        model.fit(X[:39], target)
    parameter = "C" if "C" in model.get_params() else "alpha"
    with pytest.raises(ValueError, match=f"{parameter} must be a positive number"):
        clone(model).set_params(**{parameter: -1.0}).fit(X[:40], target)
    with pytest.raises(ValueError, match="features"):
        model.fit(X[:40], target).predict(X[:5, :4])


def test_outcomes_that_cannot_be():
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:30], y[:30]
    with pytest.raises(ValueError, match="one class"):
        MKLLogisticRegression().fit(X, np.zeros(30))
    with pytest.raises(ValueError, match="class 2 have weight 0"):
        MKLLogisticRegression().fit(X, np.arange(30) % 3, np.arange(30) % 3 < 2)
    with pytest.raises(ValueError, match="row 3"):
        MKLPoissonRegressor().fit(X, np.where(np.arange(30) == 3, -1.0, 2.0))
    with pytest.raises(ValueError, match="every count"):
        MKLPoissonRegressor().fit(X, np.zeros(30))
    with pytest.raises(ValueError, match="quantile must"):
        MKLQuantileRegressor(quantile=1.5).fit(X, y)
    with pytest.raises(ValueError, match="quantile must"):
        MKLQuantileRegressor(quantile=1).fit(X, y)
    with pytest.raises(ValueError, match="no event"):
        MKLCoxRegression().fit(X, pd.DataFrame({"event": [False] * 30, "time": y}))
    with pytest.raises(ValueError, match="columns 'event' and 'time'"):
        MKLCoxRegression().fit(X, y)
    with pytest.raises(ValueError, match="leaves no sample"):
        event = np.arange(30) < 5
        target = pd.DataFrame({"event": event, "time": y})
        MKLCoxRegression().fit(X, target, ~event)


@pytest.mark.parametrize("name", [name for name in ALL if name != "cox"])
def test_cross_validation(name):
    X, y = load_diabetes(return_X_y=True)
    model, target = ALL[name][0], ALL[name][1](y[:120])
    assert np.all(np.isfinite(cross_val_score(model, X[:120], target, cv=3)))


def test_cross_validation_of_survival():
    X, y = _lives()
    scores = cross_val_score(MKLCoxRegression(alpha=5), X, y, cv=3)
    assert scores.mean() > 0.6


@pytest.mark.parametrize("error", (ValueError, KeyboardInterrupt, MemoryError))
def test_a_failed_fit_of_survival_leaves_the_model_as_it_was(error, monkeypatch):
    X, y = _lives()
    model = MKLCoxRegression(alpha=5).fit(X, y)
    before = model.predict(X)

    def fails(*arguments):
        raise error("for the test")

    monkeypatch.setattr("kernelweave.estimators.cox.breslow", fails)
    with pytest.raises(error):
        model.fit(X[:40], y[:40])
    np.testing.assert_array_equal(model.predict(X), before)
    new = MKLCoxRegression(alpha=5)
    with pytest.raises(error):
        new.fit(X, y)
    assert vars(new) == vars(MKLCoxRegression(alpha=5))
