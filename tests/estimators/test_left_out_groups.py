"""`groups` in fit: what chooses by left-out samples leaves whole groups out."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    StratifiedGroupKFold,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import naive
from kernelweave import (
    MKLSVCCV,
    MKLSVRCV,
    MKLCoxRegressionCV,
    MKLDiscriminantAnalysisCV,
    MKLHuberRegressorCV,
    MKLLogisticRegressionCV,
    MKLPoissonRegressorCV,
    MKLQuantileRegressorCV,
    MKLRidgeCV,
)
from kernelweave.estimators.gaussian import class_gaussians
from kernelweave.evaluation import evaluate
from kernelweave.importance import feature_importance
from kernelweave.kernels import RBF, Linear, Nystroem
from kernelweave.losses import discriminant_targets
from kernelweave.losses.left_groups import group_shift
from kernelweave.views import Views

KERNELS = [RBF(0.1), RBF(1.0), Linear()]
TIMES, PATIENTS = 3, 40


def patients(seed):
    """Rows of patients, in any order, and as many new patients of one row each.

    A patient's rows hardly differ, and half of the target is the patient's own.
    """
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(PATIENTS + 500, 4))
    own = rng.normal(size=len(Z))
    t = np.sin(1.5 * Z[:, 0]) + Z[:, 1] / 2 + own
    who = rng.permutation(np.repeat(np.arange(PATIENTS), TIMES))
    X = Z[who] + 0.01 * rng.normal(size=(len(who), 4))
    y = t[who] + 0.1 * rng.normal(size=len(who))
    return X, y, who, Z[:PATIENTS], t[:PATIENTS], Z[PATIENTS:], t[PATIENTS:]


X, Y, WHO, _, _, _, _ = patients(0)
SIDE = np.where(Y > 0, "p", "n")
NAMES = np.array([f"patient {i}" for i in WHO], dtype=object)
SURVIVAL = pd.DataFrame({"event": np.arange(len(Y)) % 3 > 0, "time": np.exp(Y)})
GRID = {"norms": [1, 1e6], "alphas": [0.1, 1, 10]}
MODELS = [
    (MKLDiscriminantAnalysisCV(KERNELS, **GRID), SIDE),
    (MKLRidgeCV(KERNELS, **GRID), Y),
    (MKLSVCCV(KERNELS, vs=[0, 1], Cs=[0.1, 1]), SIDE),
    (MKLSVRCV(KERNELS, vs=[0, 1], Cs=[0.1, 1]), Y),
    (MKLLogisticRegressionCV(KERNELS, norms=[1, 1e6], Cs=[0.1, 1]), SIDE),
    (MKLPoissonRegressorCV(KERNELS, **GRID), np.round(np.exp(Y))),
    (MKLQuantileRegressorCV(KERNELS, **GRID), Y),
    (MKLHuberRegressorCV(KERNELS, **GRID), Y),
    (MKLCoxRegressionCV(KERNELS, **GRID), SURVIVAL),
]
every = pytest.mark.parametrize(
    "model, y", MODELS, ids=[type(model).__name__ for model, _ in MODELS]
)


def splits(y, folds=5):
    """What the groups stand for, made without the package."""
    if isinstance(y, pd.DataFrame):
        y = y["event"].to_numpy().astype(int)
    whole = y.dtype.kind == "f"
    return list((GroupKFold if whole else StratifiedGroupKFold)(folds).split(X, y, WHO))


def table(model):
    results = model.cv_results_
    parts = sorted(name for name in results if name.startswith("split"))
    return np.array([results[name] for name in parts])


@every
@pytest.mark.parametrize("folds", [None, 3])
def test_folds_are_those_of_whole_groups(model, y, folds):
    cv = splits(y) if folds is None else splits(y, folds)
    expected = clone(model).set_params(cv=cv).fit(X, y)
    found = clone(model).set_params(cv=folds).fit(X, y, groups=WHO)
    np.testing.assert_allclose(table(found), table(expected), rtol=1e-9)
    np.testing.assert_allclose(found.weights_, expected.weights_)
    assert found.cv is folds
    for name in ("descent_", "left_out_"):
        assert not hasattr(found, name)


@every
def test_a_splitter_gets_the_groups(model, y):
    few = WHO % 4
    found = clone(model).set_params(cv=LeaveOneGroupOut()).fit(X, y, groups=few)
    assert len(table(found)) == 4
    cv = list(LeaveOneGroupOut().split(X, SIDE, few))
    given = clone(model).set_params(cv=cv)
    np.testing.assert_allclose(table(given.fit(X, y)), table(found))
    # The fit before had groups, and this one none.
    assert np.array_equal(given.predict(X), given.fit(X, y).predict(X))


@pytest.mark.parametrize("Model", [MKLRidgeCV, MKLDiscriminantAnalysisCV])
def test_what_a_patient_has_of_its_own_is_not_learned(Model):
    """Left out row by row, a patient is known from its other rows."""
    scores, alphas = [], []
    for seed in range(6):
        X, y, who, Z, t, Z_new, t_new = patients(seed)
        if Model is MKLDiscriminantAnalysisCV:
            y, t, t_new = (np.where(each > 0, "p", "n") for each in (y, t, t_new))
        rows = Model(KERNELS, cv=5).fit(X, y), Model(KERNELS).fit(X, y)
        groups = Model(KERNELS).fit(X, y, groups=who)
        one = Model(KERNELS, norms=[np.inf], cv=5).fit(Z, t)
        scores.append([m.score(Z_new, t_new) for m in (*rows, groups, one)])
        alphas.append([m.alpha_ for m in (*rows, groups, one)])
    by_five, by_one, by_group, of_one = np.mean(scores, axis=0)
    assert by_group > max(by_five, by_one) + 0.03
    # Behind by 0.002 ± 0.016 (R²) and 0.012 ± 0.006 (accuracy) on 24 such draws.
    assert by_group > of_one - 0.03
    by_five, by_one, by_group, of_one = np.median(np.log(alphas), axis=0)
    assert by_group > max(by_five, by_one) + np.log(100)
    # One row of three weighs three times as much.
    assert abs(by_group - of_one - np.log(3)) <= np.log(4)


@pytest.mark.parametrize("Model", [MKLRidgeCV, MKLDiscriminantAnalysisCV])
def test_copies_in_groups_are_one_row_that_weighs_more(Model):
    """m copies of each row with alpha mα are the rows with alpha α, in every fold."""
    _, _, _, Z, t, _, _ = patients(1)
    if Model is MKLDiscriminantAnalysisCV:
        t = np.where(t > 0, "p", "n")
    who, alphas = np.tile(np.arange(PATIENTS), TIMES), np.array([0.1, 1.0, 10.0])
    cv = GroupKFold(4)
    copied = Model(KERNELS, alphas=TIMES * alphas, cv=cv)
    copied.fit(Z[who], t[who], groups=who)
    once = Model(KERNELS, alphas=alphas, cv=cv).fit(Z, t, groups=np.arange(PATIENTS))
    np.testing.assert_allclose(table(copied), table(once), atol=2e-3)
    assert copied.alpha_ == TIMES * once.alpha_
    assert copied.norm_ == once.norm_


@pytest.mark.parametrize("weighted", [False, True])
def test_classes_are_placed_by_groups_that_are_left_out(weighted):
    """Means, spread and temperature from projections of fits without each group."""
    rng = np.random.default_rng(0)
    K = naive.centre(X @ X.T) * len(X) / np.trace(naive.centre(X @ X.T))
    v = rng.integers(0, 3, len(X)).astype(float) if weighted else np.ones(len(X))
    grid = {"norms": [2], "alphas": [0.5]}
    model = MKLDiscriminantAnalysisCV("precomputed", normalize=None, **grid)
    weights = {"sample_weight": v} if weighted else {}
    model.fit(K[None], SIDE, groups=NAMES, **weights)
    rows = np.flatnonzero(v)
    labels, v, who = (SIDE[rows] == "p").astype(int), v[rows], WHO[rows]
    H = discriminant_targets(labels, 2, v if weighted else None)
    K, f = model.weights_[0] * K[np.ix_(rows, rows)], np.empty_like(H)
    for patient in np.unique(who):
        out, rest = np.flatnonzero(who == patient), np.flatnonzero(who != patient)
        A, b = naive.ridge(K[np.ix_(rest, rest)], 0.5 / v[rest], H[rest], True)
        f[out] = K[np.ix_(out, rest)] @ A + b
    f += group_shift(H, v, who)
    expected = class_gaussians((f, H), labels, 2, v if weighted else None)
    given = np.linspace(-2, 2, 7)[:, None]
    found = model._fitted.head
    np.testing.assert_allclose(found.scores(given), expected.scores(given), rtol=1e-6)
    alone = MKLDiscriminantAnalysisCV("precomputed", normalize=None, **grid)
    head = alone.fit(K[None], SIDE[rows])._fitted.head
    assert not np.allclose(head.scores(given), found.scores(given), rtol=1e-2)


def test_several_labels():
    y = np.column_stack([Y > 0, X[:, 0] > 0]).astype(int)
    model = MKLDiscriminantAnalysisCV(KERNELS, **GRID).fit(X, y, groups=WHO)
    alone = clone(model).set_params(cv=list(GroupKFold(5).split(X, y, WHO))).fit(X, y)
    np.testing.assert_allclose(table(model), table(alone))
    # The weights are the same, the places of the labels are not.
    assert np.array_equal(model.dual_coef_, alone.dual_coef_)
    assert not np.allclose(model.predict_proba(X), alone.predict_proba(X), rtol=1e-3)


@pytest.mark.parametrize(
    "groups, cv, message",
    [
        (WHO[1:], None, r"one group for each of the 120 rows, got shape \(119,\)"),
        ([None, *NAMES[1:]], None, "groups: it is missing .* in 1 of 120 rows"),
        (np.zeros(len(X)), None, "one group only, which cannot be left out"),
        (WHO % 3, 4, "3 groups, too few for cv=4 folds: use cv=3 or less"),
        (WHO, KFold(5), "split 1 of cv has the group .* on both sides"),
        (WHO, [(np.arange(60), np.arange(60, 120))], "split 1 of cv has the group"),
        (np.where(SIDE == "p", 0, WHO + 1), None, "class p are in one group"),
    ],
)
def test_bad_groups(groups, cv, message):
    model = MKLDiscriminantAnalysisCV(KERNELS, cv=cv, **GRID)
    with pytest.raises(ValueError, match=message):
        model.fit(X, SIDE, groups=groups)
    assert not hasattr(model, "norm_")


@every
def test_a_splitter_of_groups_asks_for_them(model, y):
    with pytest.raises(ValueError, match=r"fit\(X, y, groups=\.\.\.\)"):
        clone(model).set_params(cv=GroupKFold(3)).fit(X, y)


def test_sums_over_rows_know_no_groups():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(1200, 2))
    y, who = Z[:, 0] + rng.normal(size=1200), np.arange(1200) // 4
    kernels = [Nystroem(RBF(1.0), 10), Linear()]
    with pytest.raises(ValueError, match="groups are for rows that are compared"):
        MKLDiscriminantAnalysisCV(kernels, **GRID).fit(Z, y > 0, groups=who)
    # The choice of a ridge is by splits, and nothing is left out after it.
    model = MKLRidgeCV(kernels, **GRID).fit(Z, y, groups=who)
    assert hasattr(model, "coef_") and model.best_score_ > 0.3
    da = pytest.importorskip("dask.array")
    for model in (MKLDiscriminantAnalysisCV(kernels), MKLRidgeCV(kernels)):
        with pytest.raises(ValueError, match="groups are for rows that are compared"):
            model.fit(da.from_array(Z), da.from_array(y > 0), groups=who)


@pytest.mark.parametrize("place", range(6))
def test_metadata_routing(place):
    model, y = MODELS[place]
    model = clone(model)
    with sklearn.config_context(enable_metadata_routing=True):
        model.set_fit_request(groups=True)
        found = cross_validate(
            model, X, y, params={"groups": WHO}, cv=GroupKFold(2), return_estimator=True
        )
        train, _ = next(iter(GroupKFold(2).split(X, y, WHO)))
        direct = clone(model).fit(X[train], y[train], groups=WHO[train])
        np.testing.assert_allclose(table(found["estimator"][0]), table(direct))
        piped = make_pipeline(StandardScaler(), model).fit(X, y, groups=WHO)
        assert not hasattr(piped[-1], "descent_")
        name = "Cs" if hasattr(model, "Cs") else "alphas"
        search = GridSearchCV(model, {name: [[0.1, 1]]}, cv=GroupKFold(2))
        search.fit(X, y, groups=WHO)
        assert not hasattr(search.best_estimator_, "descent_")
    alone = clone(direct).fit(X[train], y[train])
    assert table(alone).shape != table(direct).shape or not np.allclose(
        table(alone), table(direct)
    )


def views():
    ids = [f"row {i}" for i in range(len(X))]
    order = np.random.default_rng(1).permutation(len(X))
    first = pd.DataFrame(X[:, :2], index=ids, columns=["a", "b"])
    second = pd.DataFrame(X[:, 2:], index=ids, columns=["a", "b"]).iloc[order]
    tables = {"first": first, "second": second}
    return tables, pd.Series(Y, ids), pd.Series(NAMES, ids), order


@pytest.mark.parametrize("Model", [MKLRidgeCV, MKLSVRCV, MKLQuantileRegressorCV])
def test_groups_of_several_tables_are_joined(Model):
    tables, y, groups, order = views()
    model = Model().fit(tables, y.iloc[order], groups=groups.iloc[order[::-1]])
    in_order = Views(first=tables["first"], second=tables["second"].loc[y.index])
    other = Model().fit(in_order, Y, groups=NAMES)
    np.testing.assert_allclose(table(model), table(other))
    with pytest.raises(ValueError, match="groups has no index"):
        Model().fit(tables, y, groups=NAMES)
    with pytest.raises(ValueError, match=r"lacks 1 of 120 samples \(row 3;"):
        Model().fit(tables, y, groups=groups.drop("row 3"))
    with pytest.raises(ValueError, match="1 samples more than once"):
        Model().fit(tables, y, groups=pd.concat([groups, groups[:1]]))


@pytest.mark.parametrize("piped", [False, True])
def test_evaluate_hands_the_groups_over(piped):
    model = MKLRidgeCV(KERNELS, **GRID)
    if piped:
        model = make_pipeline(StandardScaler(), model)
    for routing in (False, True):
        with sklearn.config_context(enable_metadata_routing=routing):
            found = evaluate(model, X, Y, cv=GroupKFold(3), groups=NAMES)
    left_out, predicted = found.left_out, np.empty(len(X))
    predicted[left_out.rows[left_out.sample]] = left_out.predicted
    step = "mklridgecv__groups" if piped else "groups"
    for train, test in GroupKFold(3).split(X, Y, NAMES):
        fitted = clone(model).fit(X[train], Y[train], **{step: NAMES[train]})
        np.testing.assert_allclose(predicted[test], fitted.predict(X[test]))
    # A model without a choice has no use for groups.
    plain = found.rows[1]
    assert plain.kind == "average"
    fitted = clone(model).fit(X, Y)
    importance = feature_importance(fitted, X, Y, groups=NAMES, n_repeats=1, cv=3)
    assert len(importance) == 4
