"""What views say about samples, and which columns they say it from."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernelweave import (
    MKLSVC,
    MKLCoxRegression,
    MKLDiscriminantAnalysis,
    MKLOneClassSVM,
    MKLRidge,
)
from kernelweave.importance import feature_importance, per_sample
from kernelweave.kernels import RBF, Linear, Overlap
from kernelweave.survival import survival_array

X, y = load_iris(return_X_y=True, as_frame=True)
KERNELS = [RBF(columns=[0, 1], name="sepal"), RBF(columns=[2, 3], name="petal: rbf")]


@pytest.mark.parametrize("model", [MKLDiscriminantAnalysis(KERNELS), MKLSVC(KERNELS)])
def test_views_speak_for_classes(model):
    says = per_sample(model.fit(X, y), X, y)
    assert says.columns.names == ["view", "class"]
    assert says.shape == (150, 6)
    petal = says["petal"].to_numpy()
    assert np.mean(np.argmax(petal, axis=1) == y) > 0.9
    if isinstance(model, MKLDiscriminantAnalysis):
        np.testing.assert_allclose(petal.sum(axis=1), 0, atol=1e-12)
        # Memberships of a class are about one for its samples.
        whole = says["petal"] + says["sepal"] + 1 / 3
        assert whole.loc[y == 0, 0].mean() == pytest.approx(0.9, abs=0.1)


def test_parts_of_numbers_add_up_to_left_out_predictions():
    target = X.iloc[:, 3].to_numpy()
    kernels = [Linear(columns=[0, 1], name="sepal"), Linear(columns=[2], name="petal")]
    model = MKLRidge(kernels, alpha=0.1).fit(X, target)
    says = per_sample(model, X, target)
    assert list(says.columns) == ["sepal", "petal"]
    for i in (0, 77):
        rest = np.arange(150) != i
        fixed = MKLRidge(kernels, alpha=0.1).fit(X[rest], target[rest])
        found = says.loc[i].sum() + target[rest].mean()
        # The weights were learned with the sample, and the centring.
        assert found == pytest.approx(fixed.predict(X[i : i + 1])[0], abs=0.05)


def test_two_classes_have_opposite_support():
    says = per_sample(MKLDiscriminantAnalysis(KERNELS).fit(X, y == 0), X, y == 0)
    np.testing.assert_allclose(says["petal"][True], -says["petal"][False])


def test_slopes_of_linear_kernels_are_coefficients():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(200, 3)) * [1, 10, 1], columns=list("abc"))
    target = 2 * table["a"] - 0.3 * table["b"] + rng.normal(size=200) / 100
    model = MKLRidge([Linear(columns=["a", "b"], name="one"), Linear(columns=["c"])])
    model.set_params(alpha=1e-3).fit(table, target)
    frame = feature_importance(model, table, target)
    expected = [2 * table["a"].std(ddof=0), -0.3 * table["b"].std(ddof=0)]
    np.testing.assert_allclose(frame.loc[["a", "b"], "slope"], expected, rtol=0.01)
    assert frame.index[-1] == "c"
    assert abs(frame.loc["c", "lost"]) < 0.01
    inside = feature_importance(model, table, target, view="one")
    assert sorted(inside.index) == ["a", "b"]


def test_columns_of_classes_and_text():
    table = X.assign(colour=np.array(["red", "blue"])[np.arange(150) % 2])
    kernels = [*KERNELS, Overlap(columns=["colour"], name="colour")]
    model = MKLDiscriminantAnalysis(kernels).fit(table, y)
    frame = feature_importance(model, table, y, cv=3, n_repeats=2)
    assert "slope of 0" in frame
    assert frame["slope of 0"].isna().tolist() == (frame.index == "colour").tolist()
    assert frame["lost"].idxmax().startswith("petal")
    assert (frame["lost_low"] <= frame["lost"]).all()


def test_bad_input():
    model = MKLDiscriminantAnalysis(KERNELS).fit(X, y)
    with pytest.raises(ValueError, match="no view 'leaf'; there are sepal, petal"):
        feature_importance(model, X, y, view="leaf")
    given = MKLDiscriminantAnalysis("precomputed").fit((X @ X.T).to_numpy(), y)
    with pytest.raises(ValueError, match="have no columns"):
        feature_importance(given, X, y)


def test_columns_of_a_pipeline_and_of_survival():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 3)), columns=["a", "b", "c"])
    y = X["a"] + 0.1 * rng.normal(size=80)
    model = make_pipeline(StandardScaler(), MKLRidge([Linear(name="all")])).fit(X, y)
    frame = feature_importance(model, X, y, n_repeats=2)
    assert frame.index[0] == "a" and frame.attrs["score_name"] == "R²"
    assert frame.attrs["score"] > 0.9
    with pytest.raises(ValueError, match="not known behind 'standardscaler'"):
        feature_importance(model, X, y, view="all")
    time = np.exp(-2 * X["a"]) * rng.exponential(size=80)
    target = survival_array(np.ones(80, dtype=bool), time)
    model = MKLCoxRegression([Linear(name="all")]).fit(X, target)
    frame = feature_importance(model, X, target, n_repeats=2)
    assert frame.index[0] == "a" and frame.loc["a", "slope"] > 0
    assert frame.attrs["score_name"] == "concordance"
    assert frame.attrs["score"] > 0.7


def test_columns_need_a_target():
    X = np.random.default_rng(0).normal(size=(20, 2))
    model = MKLOneClassSVM([RBF()]).fit(X)
    with pytest.raises(ValueError, match="compare predictions with targets"):
        feature_importance(model, X, np.zeros(20))
