"""Pipelines, searches, named outputs, routed weights; text, pandas and polars."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import problems
from kernelweave import (
    MKLSVC,
    MKLSVR,
    MKLDiscriminantAnalysis,
    MKLOneClassSVM,
    MKLRidge,
)
from kernelweave.kernels import RBF, Linear, Overlap
from kernelweave.views import kernels_for, views_from_prefix

N = 60
X, Y = problems.blobs(N, 4, 3)
RNG = np.random.default_rng(1)
NUMBERS = pd.DataFrame(X * [1, 100, 1, 0.01], columns=["a_1", "a_2", "b_1", "b_2"])
TABLE = NUMBERS.assign(
    c_sex=np.where(RNG.random(N) < 0.5, "f", "m"),
    c_class=pd.Categorical(np.array(["x", "y", "z"])[Y]),
    c_smokes=RNG.random(N) < 0.5,
)
KERNELS = kernels_for(TABLE, views_from_prefix(TABLE))
TRAIN, NEW = slice(0, 40), slice(40, None)


def polars():
    pl = pytest.importorskip("polars")
    columns = {name: TABLE[name].to_list() for name in TABLE}
    return pl.DataFrame(columns, schema_overrides={"c_class": pl.Categorical})


@pytest.mark.parametrize(
    "Estimator", [MKLDiscriminantAnalysis, MKLSVC, MKLRidge, MKLSVR, MKLOneClassSVM]
)
def test_tables_with_text(Estimator):
    coded = TABLE.assign(
        c_sex=TABLE["c_sex"] == "f", c_class=TABLE["c_class"].cat.codes.astype(float)
    )
    text = Estimator(KERNELS).fit(TABLE[TRAIN], Y[TRAIN])
    codes = Estimator(KERNELS).fit(coded[TRAIN], Y[TRAIN])
    assert text.weights_ == pytest.approx(codes.weights_, abs=1e-9)
    assert text.predict(TABLE[NEW]) == pytest.approx(codes.predict(coded[NEW]))
    assert list(text.feature_names_in_) == list(TABLE)
    assert text.n_features_in_ == 7


def test_text_tells_classes_apart():
    model = MKLSVC([Overlap(["c_class"])]).fit(TABLE[TRAIN], Y[TRAIN])
    assert model.score(TABLE[NEW], Y[NEW]) == 1.0


def test_bad_tables_of_text():
    model = MKLSVC([Overlap(["c_class"]), Linear(["a_1"])]).fit(TABLE, Y)
    with pytest.raises(ValueError, match="pass a DataFrame"):
        model.predict(X)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(TABLE[TABLE.columns[::-1]])
    with pytest.raises(ValueError, match=r"'a_1' held numbers.*'high' now"):
        model.predict(TABLE.assign(a_1="high"))
    with pytest.raises(ValueError, match=r"'Linear\(\)'.*'c_sex'.*kernels_for"):
        MKLSVC([Linear()]).fit(TABLE, Y)


def test_without_kernels_a_table_of_text_gets_those_that_suit_it():
    model = MKLSVC().fit(TABLE[TRAIN], Y[TRAIN])
    expected = MKLSVC(kernels_for(TABLE[TRAIN])).fit(TABLE[TRAIN], Y[TRAIN])
    assert list(model.kernel_names_) == list(expected.kernel_names_)
    assert np.array_equal(model.predict(TABLE[NEW]), expected.predict(TABLE[NEW]))


@pytest.mark.parametrize("Estimator", [MKLDiscriminantAnalysis, MKLSVC])
def test_polars_equals_pandas(Estimator):
    table = polars()
    kernels = kernels_for(table, views_from_prefix(table))
    model = Estimator(kernels).fit(table[TRAIN], Y[TRAIN])
    expected = Estimator(KERNELS).fit(TABLE[TRAIN], Y[TRAIN])
    assert list(model.kernel_names_) == list(expected.kernel_names_)
    assert model.weights_ == pytest.approx(expected.weights_, abs=1e-12)
    assert np.array_equal(model.predict(table[NEW]), expected.predict(TABLE[NEW]))
    assert list(model.feature_names_in_) == list(TABLE)
    scores = cross_validate(Estimator(kernels), table, Y, cv=3)["test_score"]
    assert np.array_equal(
        scores, cross_validate(expected, TABLE, Y, cv=3)["test_score"]
    )


def test_polars_with_missing_values():
    pl = pytest.importorskip("polars")
    gaps = polars().with_columns(
        pl.Series("a_1", [None, None, *X[2:, 0]]),
        pl.Series("c_sex", [None, *"fm" * 29, "f"]),
    )
    with pytest.raises(
        ValueError, match=r"'c: overlap': 1 of 60 rows .* columns c_sex"
    ):
        MKLSVC([KERNELS[-1]]).fit(gaps, Y)
    kernels = kernels_for(gaps, views_from_prefix(gaps), missing="impute")
    assert MKLSVC(kernels).fit(gaps, Y).predict(gaps).shape == (N,)


def test_views_survive_a_scaler_that_keeps_names():
    kernels = [RBF(columns=["a_1", "a_2"], name="a"), Linear(["b_1"], "b")]
    scaler = StandardScaler().set_output(transform="pandas")
    pipe = make_pipeline(scaler, MKLSVC(kernels)).fit(NUMBERS[TRAIN], Y[TRAIN])
    own = [clone(kernel).set_params(scale=True) for kernel in kernels]
    model = MKLSVC(own).fit(NUMBERS[TRAIN], Y[TRAIN])
    assert pipe[-1].weights_ == pytest.approx(model.weights_, abs=1e-5)
    assert np.array_equal(pipe.predict(NUMBERS[NEW]), model.predict(NUMBERS[NEW]))


def test_searches_reach_the_kernels_of_a_pipeline():
    pipe = make_pipeline("passthrough", MKLSVC(KERNELS))
    search = GridSearchCV(pipe, {"mklsvc__C": [0.1, 10]}, cv=3).fit(TABLE, Y)
    assert search.best_score_ == 1.0
    assert search.predict(TABLE).shape == (N,)


@pytest.mark.parametrize("output", ["pandas", "polars"])
def test_named_projections(output):
    library = pytest.importorskip(output)
    model = MKLDiscriminantAnalysis(KERNELS).set_output(transform=output)
    Z = make_pipeline(model).fit_transform(TABLE, Y)
    assert isinstance(Z, library.DataFrame)
    names = [f"mkldiscriminantanalysis{j}" for j in (0, 1)]
    assert list(Z.columns) == names == list(model.get_feature_names_out())
    plain = MKLDiscriminantAnalysis(KERNELS).fit(TABLE, Y).transform(TABLE)
    assert np.asarray(Z) == pytest.approx(plain)


def classes_or_numbers(model):
    return X[:, 2] if isinstance(model, MKLSVR) else Y


@pytest.mark.parametrize("model", [MKLSVC(KERNELS), MKLSVR(KERNELS)])
def test_weights_are_routed_through_a_pipeline(model):
    weight = np.where(np.arange(N) % 2, 1.0, 0.0)
    y = classes_or_numbers(model)
    direct = clone(model).fit(TABLE, y, sample_weight=weight)
    with sklearn.config_context(enable_metadata_routing=True):
        asked = clone(model).set_fit_request(sample_weight=True)
        pipe = make_pipeline("passthrough", asked).fit(TABLE, y, sample_weight=weight)
        refused = clone(model).set_fit_request(sample_weight=False)
        other = make_pipeline(refused).fit(TABLE, y)
        silent = make_pipeline(clone(model))
        with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError):
            silent.fit(TABLE, y, sample_weight=weight)
    assert np.array_equal(pipe[-1].support_, direct.support_)
    assert np.all(weight[direct.support_] == 1)
    assert np.any(weight[other[-1].support_] == 0)


def test_weights_are_routed_through_a_search():
    weight = np.where(np.arange(N) % 2, 1.0, 0.0)
    with sklearn.config_context(enable_metadata_routing=True):
        model = MKLSVC(KERNELS).set_fit_request(sample_weight=True)
        model.set_score_request(sample_weight=True)
        search = GridSearchCV(model, {"C": [1.0]}, cv=3)
        search.fit(TABLE, Y, sample_weight=weight)
    assert np.all(weight[search.best_estimator_.support_] == 1)
