"""Weights and groups of samples are joined by index, as targets are."""

import warnings

import numpy as np
import pandas as pd
import pytest

from kernelweave import (
    MKLSVC,
    MKLSVR,
    MKLSVRCV,
    MKLCoxRegression,
    MKLDiscriminantAnalysis,
    MKLDiscriminantAnalysisCV,
    MKLHuberRegressor,
    MKLLogisticRegression,
    MKLOneClassSVM,
    MKLRidge,
    MKLRidgeCV,
)
from kernelweave.evaluation import evaluate
from kernelweave.views import Views
from several_tables import ALL_RNA, CLINIC, IDS, LABEL, RNA, N

ORDERED = {"rna": ALL_RNA, "clinic": CLINIC}
TURNED = {"rna": RNA, "clinic": CLINIC.sample(N, random_state=1)}
WEIGHT = pd.Series(np.where(np.arange(N) < 30, 5.0, 0.2), IDS)
SHUFFLED = WEIGHT.sample(N, random_state=2)
AGE = ALL_RNA.sum(axis=1)
LIVES = pd.DataFrame({"event": np.arange(N) % 2 == 0, "time": np.arange(1.0, N + 1)})
LIVES.index = IDS

MODELS = [
    (MKLRidge(), AGE),
    (MKLRidgeCV(norms=[1.0], alphas=[0.1, 10.0]), AGE),
    (MKLRidgeCV(norms=[1.0], alphas=[0.1, 10.0], cv=3), AGE),
    (MKLSVR(), AGE),
    (MKLSVRCV(vs=[0.0], Cs=[0.1, 10.0], cv=3), AGE),
    (MKLHuberRegressor(), AGE),
    (MKLCoxRegression(), LIVES),
    (MKLDiscriminantAnalysis(), LABEL),
    (MKLDiscriminantAnalysisCV(norms=[1.0], alphas=[0.1, 1.0]), LABEL),
    (MKLLogisticRegression(), LABEL),
    (MKLSVC(), LABEL),
    (MKLOneClassSVM(), None),
]


@pytest.mark.parametrize("model, y", MODELS, ids=lambda v: type(v).__name__)
def test_weights_are_joined_by_index(model, y):
    order = TURNED["rna"].index
    target = y if y is None else y.sample(N, random_state=3)
    here = y if y is None else y.loc[order]
    tables = {name: table.loc[order] for name, table in ORDERED.items()}
    by_hand = model.fit(tables, here, sample_weight=WEIGHT[order].to_numpy())
    expected = by_hand.weights_, by_hand.predict(ORDERED)
    for X in (TURNED, Views(TURNED)):
        model = model.fit(X, target, sample_weight=SHUFFLED)
        np.testing.assert_allclose(model.weights_, expected[0], atol=1e-12)
        found = model.predict(ORDERED)
        assert np.array_equal(found, expected[1]) or np.allclose(found, expected[1])


def test_arguments_may_come_by_name_in_any_order():
    expected = MKLRidge().fit(TURNED, AGE, SHUFFLED).predict(ORDERED)
    y = AGE[RNA.index].to_numpy()
    for named in ({"y": AGE, "X": TURNED}, {"y": y, "X": Views(rna=RNA)}):
        model = MKLRidge().fit(sample_weight=SHUFFLED, **named)
        if named["y"] is AGE:
            np.testing.assert_array_equal(model.predict(ORDERED), expected)
        else:
            by_hand = MKLRidge().fit({"rna": RNA}, y, WEIGHT[RNA.index].to_numpy())
            found, there = (m.predict({"rna": RNA}) for m in (model, by_hand))
            np.testing.assert_array_equal(found, there)
    with pytest.raises(TypeError, match=r"MKLRidge.fit\(\) missing 1"):
        MKLRidge().fit()


def test_scores_join_weights_too():
    for model, y in ((MKLRidge(), AGE), (MKLSVC(), LABEL)):
        model = model.fit(ORDERED, y)
        score = model.score(ORDERED, y, sample_weight=WEIGHT.to_numpy())
        shuffled = y.sample(N, random_state=3)
        assert score == pytest.approx(model.score(TURNED, shuffled, SHUFFLED))
        assert score == pytest.approx(model.score(ORDERED, shuffled, SHUFFLED))
    ridge = MKLRidge().fit(ORDERED, AGE)
    for name in ("score_per_target", "score_per_kernel"):
        score = getattr(ridge, name)
        np.testing.assert_allclose(
            score(ORDERED, AGE, WEIGHT.to_numpy()), score(TURNED, AGE, SHUFFLED)
        )


@pytest.mark.parametrize("values", [WEIGHT.to_numpy(), WEIGHT.tolist()])
def test_weights_without_an_index_need_one_order(values):
    with pytest.raises(ValueError, match="sample_weight has no index, and the tables"):
        MKLRidge().fit(TURNED, AGE, sample_weight=values)
    for y in (AGE.iloc[::-1], AGE[RNA.index]):
        with pytest.raises(ValueError, match="pass sample_weight as a Series whose"):
            MKLRidge().fit(ORDERED, y, sample_weight=values)
    with (
        pytest.warns(UserWarning, match="20 of 60 samples have no target"),
        pytest.raises(ValueError, match="sample_weight has no index"),
    ):
        MKLRidge().fit(ORDERED, AGE[:40], sample_weight=values)
    same = MKLRidge().fit(ORDERED, AGE.to_numpy(), sample_weight=values)
    joined = MKLRidge().fit(ORDERED, AGE, sample_weight=SHUFFLED)
    np.testing.assert_allclose(same.predict(ORDERED), joined.predict(ORDERED))
    assert MKLRidge().fit(TURNED, AGE, sample_weight=1.0).weights_.sum() > 0


def test_samples_without_a_target_need_no_weight():
    with pytest.warns(UserWarning, match="20 of 60 samples have no target"):
        model = MKLRidge().fit(ORDERED, AGE[:40], sample_weight=SHUFFLED)
    few = {name: table[:40] for name, table in ORDERED.items()}
    expected = MKLRidge().fit(few, AGE[:40], sample_weight=WEIGHT[:40])
    np.testing.assert_allclose(model.predict(few), expected.predict(few))


@pytest.mark.parametrize(
    "weight, message",
    [
        (WEIGHT[:50], r"sample_weight lacks 10 of 60 samples \(p0.*; it has p000"),
        (WEIGHT.reset_index(drop=True), "sample_weight lacks 60 of 60 samples"),
        (pd.concat([WEIGHT, WEIGHT[:2]]), r"2 samples more than once \(p000, p001\)"),
        (WEIGHT.mask(WEIGHT > 1), "NaN"),
    ],
    ids=["some", "no ids", "twice", "missing"],
)
def test_weights_that_are_refused(weight, message):
    with pytest.raises(ValueError, match=message):
        MKLRidge().fit(TURNED, AGE, sample_weight=weight)


def test_groups_are_joined_or_refused():
    groups = pd.Series(np.arange(N) // 4, IDS, name="patient")
    model = MKLDiscriminantAnalysis()
    expected = evaluate(model, TURNED, LABEL, cv=3, groups=groups)
    shuffled = groups.sample(N, random_state=4)
    for given in (shuffled, shuffled.to_frame()):
        found = evaluate(model, TURNED, LABEL, cv=3, groups=given)
        assert found.n_groups == 15
        assert str(found) == str(expected)
    with pytest.raises(ValueError, match="groups has no index"):
        evaluate(model, ORDERED, LABEL.iloc[::-1], cv=3, groups=groups.to_numpy())
    with pytest.raises(ValueError, match="groups lacks 20 of 60 samples"):
        evaluate(model, TURNED, LABEL, cv=3, groups=groups[:40])


def test_groups_may_be_a_column():
    groups = pd.DataFrame({"patient": np.arange(N) // 4}, IDS)
    model = MKLRidge()
    found = evaluate(model, ALL_RNA, AGE, cv=3, groups=groups)
    assert found.n_groups == 15
    with pytest.raises(ValueError, match="groups is a table of 2 columns: pass the"):
        evaluate(model, ALL_RNA, AGE, cv=3, groups=groups.assign(centre=1))


def told(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(w.message) for w in caught if "another order" in str(w.message)]


@pytest.mark.parametrize(
    "model", [MKLRidge(), MKLRidgeCV(cv=3), MKLHuberRegressor(), MKLSVR()]
)
def test_one_table_warns_once_of_another_order(model):
    y = AGE.iloc[::-1]
    (message,) = told(lambda: model.fit(ALL_RNA, y))
    assert message.startswith("y has the same index as X in another order: rows are")
    assert "pass y.loc[X.index]" in message
    found = model.predict(ALL_RNA)
    assert np.array_equal(found, model.fit(ALL_RNA, y.to_numpy()).predict(ALL_RNA))
    assert len(told(lambda: model.score(ALL_RNA, y))) == 1
    assert len(told(lambda: model.fit(ALL_RNA, AGE, sample_weight=SHUFFLED))) == 1


def test_logistic_and_matrices_warn_once_too():
    assert len(told(lambda: MKLLogisticRegression().fit(RNA, LABEL))) == 1
    gram = ALL_RNA @ ALL_RNA.T
    ridge = MKLRidge("precomputed")
    assert len(told(lambda: ridge.fit(gram, AGE.iloc[::-1]))) == 1
    assert told(lambda: ridge.fit(gram, AGE)) == []


def test_one_table_is_silent_of_other_indexes():
    twice = pd.concat([RNA[:30], RNA[:30]])
    for X, y in (
        (ALL_RNA, AGE),
        (ALL_RNA, AGE.reset_index(drop=True)),
        (ALL_RNA, AGE.rename({"p001": "q"}).iloc[::-1]),
        (ALL_RNA.to_numpy(), AGE.iloc[::-1]),
        (twice, AGE[twice.index].iloc[::-1]),
    ):
        assert told(lambda X=X, y=y: MKLRidge().fit(X, y)) == []
    assert told(lambda: MKLOneClassSVM().fit(ALL_RNA, AGE.iloc[::-1])) == []


def test_evaluate_warns_of_groups_in_another_order():
    groups = pd.Series(np.arange(N) // 4, IDS).iloc[::-1]

    def call(y, g):
        return lambda: evaluate(MKLRidge(), ALL_RNA, y, cv=3, groups=g)

    assert told(call(AGE, groups[IDS])) == []
    (message,) = told(call(AGE, groups))
    assert message.startswith("groups has the same index as X in another order")
    assert len(told(call(AGE.iloc[::-1], None))) == 1
