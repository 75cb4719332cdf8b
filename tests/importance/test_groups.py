"""Samples that belong together, in every resampling of `view_importance`."""

import numpy as np
import pytest

from kernelweave import MKLSVC, MKLDiscriminantAnalysis, MKLRidge
from kernelweave.evaluation import evaluate
from kernelweave.importance import feature_importance, per_sample, view_importance
from kernelweave.importance.resampling import halves, permutations
from kernelweave.kernels import RBF, Linear
from kernelweave.report import write_report
from kernelweave.report.facts import facts_of

rng = np.random.default_rng(0)
SIZES = np.array([1, 2, 3, 4] * 5)
PATIENT = np.repeat(np.arange(20), SIZES)
LABELS = (np.arange(20) % 2)[PATIENT]
X = np.hstack(
    [
        (rng.normal(size=(20, 3)) + 1.5 * (np.arange(20) % 2)[:, None])[PATIENT],
        rng.normal(size=(20, 4))[PATIENT],
    ]
)
X += 0.1 * rng.normal(size=X.shape)
KERNELS = [
    RBF(columns=slice(0, 3), name="real"),
    RBF(columns=slice(3, 7), name="own"),
]
FEW = {"n_subsamples": 3, "n_permutations": 3}


def test_groups_of_different_sizes_change_places_whole():
    for order in permutations(len(PATIENT), PATIENT, 20, rng):
        sources = [np.unique(PATIENT[order[g == PATIENT]]) for g in range(20)]
        # Every group gets rows of one other, and no two of the same.
        assert all(len(source) == 1 for source in sources)
        assert len(np.unique(sources)) == 20
        for g in range(20):
            rows = order[g == PATIENT]
            there = np.sum(sources[g][0] == PATIENT)
            assert len(np.unique(rows)) == min(there, len(rows))


def test_halves_of_groups_have_every_class():
    """Two of twenty patients have the rare class: a plain half often has neither."""
    y = np.isin(PATIENT, [3, 7]).astype(int)
    for rows in halves(y, True, PATIENT, 20, rng):
        assert set(y[rows]) == {0, 1}
        taken = np.unique(PATIENT[rows])
        assert len(taken) == 10
        assert np.array_equal(rows, np.flatnonzero(np.isin(PATIENT, taken)))


def test_too_few_groups_for_intervals_are_told_of():
    """All but a class of its own is in every patient: halves lack some class."""
    y, groups = np.array([0, 1, 2, 3, 4, 5]), np.array([0, 0, 1, 1, 2, 2])
    with pytest.warns(UserWarning, match="too few groups for intervals"):
        assert halves(y, True, groups, 3, rng) == []


def test_every_kind_of_model_leaves_groups_out():
    for model in (MKLDiscriminantAnalysis(KERNELS), MKLSVC(KERNELS)):
        model.fit(X, LABELS)
        frame = view_importance(model, X, LABELS, groups=PATIENT, **FEW)
        assert frame.index[0] == "real"
        assert np.isfinite(frame.to_numpy(dtype=float)).all()
        assert len(per_sample(model, X, LABELS, groups=PATIENT)) == len(X)
    target = np.random.default_rng(1).normal(size=20)[PATIENT]
    ridge = MKLRidge(KERNELS, alpha=0.01).fit(X, target)
    frame = view_importance(ridge, X, target, groups=PATIENT, **FEW)
    fooled = view_importance(ridge, X, target, **FEW)
    assert frame.attrs["splits"] == "each group left out in turn"
    # The target is noise, which a patient's other rows know.
    assert fooled.attrs["score"] > 0.3 > 0.1 > frame.attrs["score"]


def test_removed_counts_groups_not_rows():
    """Eight copies of each patient are not eight times as sure."""
    once = np.arange(20)
    copies = np.repeat(once, 8)
    table, target = X[PATIENT.searchsorted(once)], rng.normal(size=20)
    target = target + table[:, 0]
    kernels = [
        Linear(columns=slice(0, 3), name="a"),
        Linear(columns=slice(3, 7), name="b"),
    ]
    none = {"n_subsamples": 0, "n_permutations": 0}
    one = MKLRidge(kernels, alpha=1.0).fit(table, target)
    few = view_importance(one, table, target, **none).loc["a"]
    many = MKLRidge(kernels, alpha=8.0).fit(table[copies], target[copies])
    frame = view_importance(
        many, table[copies], target[copies], groups=copies, **none
    ).loc["a"]
    width = frame["removed_high"] - frame["removed_low"]
    assert width == pytest.approx(few["removed_high"] - few["removed_low"], rel=0.05)
    assert frame["removed"] == pytest.approx(few["removed"], abs=0.02)


def test_the_report_takes_the_groups_of_the_evaluation(tmp_path):
    model = MKLDiscriminantAnalysis(KERNELS).fit(X, LABELS)
    evaluation = evaluate(model, X, LABELS, cv=3, groups=PATIENT)
    facts = facts_of(model, X, LABELS, evaluation)
    assert facts.importance.attrs["splits"] == "each group left out in turn"
    path = write_report(
        model, X, LABELS, tmp_path / "r.html", importance=facts.importance
    )
    assert "each group left out in turn" in path.read_text("utf-8")
    plain = evaluate(model, X, LABELS, cv=3)
    splits = facts_of(model, X, LABELS, plain).importance.attrs["splits"]
    assert splits == "each sample left out in turn"


def test_groups_that_cannot_be():
    model = MKLDiscriminantAnalysis(KERNELS).fit(X, LABELS)
    for groups, message in (
        (np.zeros(len(X)), "one group only|has 1 group"),
        (PATIENT[:9], "one group for each of the 50 rows"),
        (np.where(PATIENT == 3, None, PATIENT), "groups: it is missing"),
    ):
        for importance in (view_importance, per_sample, feature_importance):
            with pytest.raises(ValueError, match=message):
                importance(model, X, LABELS, groups=groups)


def test_removed_has_an_interval():
    """A view that is missed is away from zero, a view of noise is not."""
    model = MKLDiscriminantAnalysis(KERNELS).fit(X, LABELS)
    frame = view_importance(model, X, LABELS, groups=PATIENT, **FEW)
    assert frame.loc["real", "removed_low"] > 0
    assert frame.loc["own", "removed_low"] < 0.02 < frame.loc["own", "removed_high"]
    ends = frame[["removed_low", "removed", "removed_high"]].to_numpy()
    assert (np.diff(ends, axis=1) >= 0).all()


def test_copies_draw_a_warning_without_groups():
    copies, labels = np.repeat(X[:30], 3, axis=0), np.repeat(LABELS[:30], 3)
    patient = np.repeat(PATIENT[:30], 3)
    model = MKLDiscriminantAnalysis(KERNELS).fit(copies, labels)
    with pytest.warns(UserWarning, match="equal to rows that were learned from"):
        view_importance(model, copies, labels, **FEW)
    view_importance(model, copies, labels, groups=patient, **FEW)
