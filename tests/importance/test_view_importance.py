"""Which views matter: the noise example, every kind of model, and bad input."""

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernelweave import (
    MKLSVC,
    MKLSVCCV,
    MKLSVR,
    LaplacianMKLSVC,
    MKLDiscriminantAnalysis,
    MKLDiscriminantAnalysisCV,
    MKLLogisticRegression,
    MKLOneClassSVM,
    MKLRidge,
    MKLRidgeCV,
)
from kernelweave.importance import view_importance
from kernelweave.importance.resampling import halves, permutations
from kernelweave.importance.views import COLUMNS
from kernelweave.kernels import RBF, Linear
from kernelweave.reporting import reporting
from kernelweave.weights import Fixed, GroupSimplex

rng = np.random.default_rng(0)
N = 60
LABELS = np.arange(N) % 3
X = np.hstack(
    [
        rng.normal(size=(N, 4)) + 1.5 * np.eye(4)[LABELS],
        rng.normal(size=(N, 300)),
        rng.normal(size=(N, 2)) + 0.8 * LABELS[:, None],
    ]
)
Y = X[:, 0] - X[:, 1] + rng.normal(size=N) / 3
KERNELS = [
    RBF(columns=slice(0, 4), name="real: rbf"),
    Linear(columns=slice(0, 4), name="real: linear"),
    RBF(columns=slice(4, 304), name="noise: rbf"),
    Linear(columns=[304, 305], name="weak"),
]
FEW = {"n_subsamples": 4, "n_permutations": 3}


def test_noise_is_last_however_heavy():
    model = MKLDiscriminantAnalysis(KERNELS[:3]).fit(X, LABELS)
    frame = view_importance(model, X, LABELS)
    assert list(frame.columns) == list(COLUMNS)
    assert list(frame.index) == ["real", "noise"]
    real, noise = frame.loc["real"], frame.loc["noise"]
    assert noise["weight"] > 0.3
    assert abs(noise["contribution"]) < 0.01
    assert noise["null_low"] <= noise["contribution"] <= noise["null_high"]
    assert noise["p_value"] > 0.05
    assert real["p_value"] == 1 / 40
    assert real["removed"] > 0.3
    assert real["contribution_low"] > 0.1
    shares = model.weights_ / model.weights_.sum()
    assert real["weight"] == pytest.approx(shares[:2].sum())
    assert frame["permutations"].tolist() == [39, 39]
    assert frame.attrs["fits"] == 1 + 4 + 20 + 78


@pytest.mark.parametrize(
    "model",
    [
        MKLDiscriminantAnalysis(KERNELS, weights=GroupSimplex()),
        MKLDiscriminantAnalysis(KERNELS, alpha="learn"),
        MKLDiscriminantAnalysis(KERNELS, weights=Fixed()),
        MKLDiscriminantAnalysisCV(KERNELS, norms=[1, np.inf], alphas=[0.1, 1]),
        MKLSVC(KERNELS),
        MKLSVC(KERNELS, multiclass="per_class"),
        make_pipeline(StandardScaler(), MKLDiscriminantAnalysis(KERNELS)),
    ],
    ids=repr,
)
def test_classifiers(model):
    frame = view_importance(model.fit(X, LABELS), X, LABELS, **FEW)
    assert frame.index[0] == "real"
    assert frame.notna().all(axis=None)
    assert frame["weight"].sum() == pytest.approx(1)
    assert (frame["p_value"] >= 0.25).all()
    assert frame.loc["noise", "removed"] < frame.loc["real", "removed"]


@pytest.mark.parametrize(
    "model",
    [MKLRidge(KERNELS), MKLRidgeCV(KERNELS), MKLSVR(KERNELS)],
    ids=repr,
)
def test_regressors(model):
    frame = view_importance(model.fit(X, Y), X, Y, **FEW)
    assert frame.index[0] == "real"
    assert frame.attrs["score_name"] == "R²"
    # Contributions add up to about the score.
    assert frame["contribution"].sum() == pytest.approx(frame.attrs["score"], abs=0.15)


def test_given_matrices_and_tables_agree():
    model = MKLDiscriminantAnalysis(KERNELS).fit(X, LABELS)
    table = view_importance(model, pd.DataFrame(X), LABELS, **FEW)
    stack = np.stack([kernel(X) for kernel in model.kernels_])
    given = MKLDiscriminantAnalysis("precomputed").fit(stack, LABELS)
    matrices = view_importance(given, stack, LABELS, **FEW)
    assert matrices["contribution"].sum() == pytest.approx(table["contribution"].sum())
    assert matrices.index[0].startswith("kernel")


def test_answers_do_not_depend_on_order_units_or_threads():
    model = MKLRidge(KERNELS).fit(X, Y)
    first = view_importance(model, X, Y, **FEW)
    again = view_importance(model, X, Y, n_jobs=2, **FEW)
    pd.testing.assert_frame_equal(first, again)
    order = rng.permutation(N)
    none = {"n_subsamples": 0, "n_permutations": 0}
    for table, target in ((X[order], Y[order]), (X, 1000 * Y + 3)):
        refitted = MKLRidge(KERNELS).fit(table, target)
        other = view_importance(refitted, table, target, **none)
        for column in ("weight", "contribution", "removed", "alone"):
            np.testing.assert_allclose(other[column], first[column], atol=1e-2)
        assert other["permutations"].tolist() == [0, 0, 0]
        assert other["p_value"].isna().all()


def test_copies_are_left_out_together():
    """Noise, ten times each, contributes a lot unless all copies are left out."""
    table = np.repeat(rng.normal(size=(20, 5)), 8, axis=0)
    labels = np.repeat(np.arange(20) % 2, 8)
    patient = np.repeat(np.arange(20), 8)
    kernels = [RBF(columns=[0, 1], factor=0.2), RBF(columns=[2, 3, 4], factor=0.2)]
    model = MKLDiscriminantAnalysis(kernels, alpha=0.1).fit(table, labels)
    with pytest.warns(UserWarning, match="equal to rows that were learned from"):
        fooled = view_importance(model, table, labels, **FEW)
    honest = view_importance(model, table, labels, groups=patient, **FEW)
    assert fooled["contribution"].sum() > 0.8
    assert honest["contribution"].sum() < 0.3
    assert "group" in honest.attrs["splits"]


def test_progress_tells_of_every_fit():
    calls, heard = [], []
    model = MKLDiscriminantAnalysis(KERNELS).fit(X, LABELS)
    with reporting(lambda *call: heard.append(call)):
        frame = view_importance(
            model, X, LABELS, progress=lambda *call: calls.append(call), **FEW
        )
    fits = frame.attrs["fits"]
    assert [call[0] for call in calls] == list(range(1, fits + 1))
    assert calls[-1] == (fits, fits, "importance of views")
    assert heard == calls


def test_one_view_and_dead_kernels():
    with pytest.warns(UserWarning, match="zero or constant"):
        table = np.column_stack([X, np.ones(N)])
        kernels = [*KERNELS, Linear(columns=[306], name="blank")]
        model = MKLDiscriminantAnalysis(kernels).fit(table, LABELS)
    frame = view_importance(model, table, LABELS, **FEW)
    assert frame.loc["blank", "contribution"] == 0
    assert np.isnan(frame.loc["blank", "alone"])
    single = MKLDiscriminantAnalysis(KERNELS[:2]).fit(X, LABELS)
    frame = view_importance(single, X, LABELS, **FEW)
    assert np.isnan(frame.loc["real", "removed"])


def test_halves_and_permutations():
    groups = np.arange(N) // 3
    for rows in halves(LABELS, True, None, 3, rng):
        assert np.bincount(LABELS[rows]).tolist() == [10, 10, 10]
    for rows in halves(LABELS, True, groups, 3, rng):
        assert len(np.unique(groups[rows])) * 3 == len(rows) == 30
    for order in permutations(N, groups, 3, rng):
        assert np.array_equal(np.sort(order), np.arange(N))
        for g in range(20):
            assert len(np.unique(groups[order[groups == g]])) == 1


def test_what_has_no_importances():
    with pytest.raises(ValueError, match="pass what was passed to fit"):
        view_importance(MKLRidge(KERNELS).fit(X, Y), X[:50], Y[:50])
    some = np.where(np.arange(N) < 30, LABELS, -1)
    for model in (
        LaplacianMKLSVC(KERNELS).fit(X, some),
        MKLOneClassSVM(KERNELS).fit(X),
    ):
        with pytest.raises(ValueError, match="needs a classifier or a regressor"):
            view_importance(model, X, LABELS)
    chosen = MKLSVCCV(KERNELS, vs=[0, 1], Cs=[1], cv=2).fit(X, LABELS)
    with pytest.raises(ValueError, match="fit MKLSVC"):
        view_importance(chosen, X, LABELS)
    with pytest.raises(ValueError, match="n_permutations must be"):
        view_importance(MKLRidge(KERNELS).fit(X, Y), X, Y, n_permutations=-1)


def test_weights_learned_by_prediction_are_learned_again():
    """Their intervals are not of one fit, and a view left out is a model of its own."""
    draw = np.random.default_rng(0)
    table = draw.normal(size=(120, 12))
    target = table[:, 0] + 0.1 * draw.normal(size=120)
    kernels = [
        Linear(columns=[0], name="told"),
        RBF(columns=slice(1, 12), name="noise", factor=0.3),
    ]
    model = MKLRidgeCV(kernels).fit(table, target)
    assert model.descent_.accepted
    frame = view_importance(model, table, target, **FEW)
    assert (frame["weight_high"] - frame["weight_low"]).max() > 0.01
    for name, rest in (("told", kernels[1:]), ("noise", kernels[:1])):
        without = MKLRidgeCV(rest).fit(table, target)
        lost = model.best_score_ - without.best_score_
        assert frame.loc[name, "removed"] == pytest.approx(lost, abs=1e-6)


@pytest.mark.parametrize("Model", [MKLSVC, MKLLogisticRegression])
def test_weighted_samples_of_a_fit_by_folds_are_refused(Model):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 4))
    y, weight = (X[:, 0] > 0).astype(int), rng.uniform(0.5, 2, 40)
    model = Model([RBF(columns=[0, 1], name="a"), RBF(columns=[2, 3], name="b")])
    with pytest.raises(ValueError, match="fitted with sample_weight"):
        view_importance(model.fit(X, y, weight), X, y)
