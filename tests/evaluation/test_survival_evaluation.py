"""Events and times: splits, the concordance with its interval, and importances."""

import numpy as np
import pandas as pd
import pytest

from kernelweave import (
    MKLCoxRegression,
    MKLCoxRegressionCV,
    MKLLogisticRegressionCV,
    MKLPoissonRegressorCV,
)
from kernelweave.evaluation import evaluate
from kernelweave.evaluation.concordance import Concordance, LeftOutRisks
from kernelweave.importance import view_importance
from kernelweave.kernels import RBF
from kernelweave.survival import concordance_index

KERNELS = [
    RBF(columns=[0, 1], name="signal: rbf"),
    RBF(columns=[2, 3], name="noise: rbf"),
]


def _lives(n=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    death = rng.exponential(np.exp(-2 * X[:, 0]))
    end = rng.exponential(2.0, n)
    y = pd.DataFrame({"event": death <= end, "time": np.minimum(death, end).round(2)})
    return X, y


def test_evaluate_survival():
    X, y = _lives()
    found = evaluate(MKLCoxRegression(KERNELS, alpha=3.0), X, y, cv=4)
    assert found.metric == "concordance" and found.main.chance == 0.5
    rows = {row.name: row for row in found.rows}
    assert set(rows) == {"combination", "average", "signal", "noise"}
    assert rows["combination"].mean > 0.75 > rows["noise"].mean + 0.1
    assert found.best_view.name == "signal"
    assert 0 <= rows["noise"].low < 0.5 < rows["noise"].high
    assert "concordance" in str(found)
    frame = found.left_out.to_frame()
    assert list(frame.columns) == ["event", "time", "risk"] and len(frame) == 120
    # Pairs of one split, all splits together.
    pairs = good = 0.0
    left_out = found.left_out
    for split in range(4):
        part = left_out.part(left_out.split == split)
        index = part.sample
        e, t, r = part.event[index], part.time[index], part.predicted
        assert abs(np.mean(e) - np.mean(y.event)) < 0.05
        count = sum(np.sum((t > t[i]) | ((t == t[i]) & ~e)) for i in np.flatnonzero(e))
        pairs, good = pairs + count, good + count * concordance_index(e, t, r)
    assert rows["combination"].mean == pytest.approx(good / pairs, abs=0.02)
    assert Concordance().plain(left_out) == pytest.approx(good / pairs)


def test_the_jackknife_leaves_units_out():
    rng = np.random.default_rng(1)
    n = 30
    truth = np.column_stack([rng.random(n) < 0.7, rng.integers(1, 9, n)]).astype(float)
    units = np.unique(rng.integers(0, 12, n), return_inverse=True)[1]
    one = np.arange(n)
    answers = LeftOutRisks(
        truth, one, units, None, one, one % 3, rng.normal(size=n).round(1)
    )
    measure, U = Concordance(), units.max() + 1
    score = measure.plain(answers)
    without = np.array([measure.plain(answers.part(units != u)) for u in range(U)])
    expected = score + (U - 1) * (without.mean() - without)
    np.testing.assert_allclose(measure.values(answers), expected)


def test_groups_repeats_and_refusals():
    X, y = _lives(80)
    model = MKLCoxRegression(KERNELS, alpha=3.0)
    groups = np.arange(80) // 2
    found = evaluate(model, X, y, cv=3, groups=groups)
    for split in range(3):
        part = found.left_out.split == split
        tested = set(found.left_out.rows[found.left_out.sample[part]])
        assert all((row ^ 1) in tested for row in tested)
    assert evaluate(model, X, y, cv=3, repeats=2).repeats == 2
    with pytest.raises(ValueError, match="not for events and times"):
        evaluate(model, X, y, scoring="r2")
    with pytest.raises(ValueError, match="columns 'event' and 'time'"):
        evaluate(model, X, y.time)
    few = y.assign(event=np.arange(80) < 3)
    with pytest.raises(ValueError, match="3 events are too few for 5 folds"):
        evaluate(model, X, few)


def test_evaluate_what_chooses():
    X, y = _lives(90)
    model = MKLCoxRegressionCV(KERNELS, norms=[1, 2], alphas=[1.0, 10.0])
    found = evaluate(model, X, y, cv=3)
    assert found.main.learned.mean > 0.7


@pytest.mark.parametrize("name", ("cox", "cox_cv", "logistic_cv", "poisson_cv"))
def test_importances(name):
    X, y = _lives(100)
    model, target = {
        "cox": (MKLCoxRegression(KERNELS, alpha=3.0), y),
        "cox_cv": (MKLCoxRegressionCV(KERNELS, norms=[2], alphas=[3.0]), y),
        "logistic_cv": (
            MKLLogisticRegressionCV(KERNELS, norms=[2], Cs=[1.0]),
            X[:, 0] > 0,
        ),
        "poisson_cv": (
            MKLPoissonRegressorCV(KERNELS, norms=[2], alphas=[1.0]),
            np.exp(X[:, 0]).round(),
        ),
    }[name]
    model.fit(X, target)
    frame = view_importance(model, X, target, n_subsamples=2, n_permutations=3, cv=3)
    assert frame.index[0] == "signal"
    assert frame.loc["signal", "contribution"] > 0.1
    assert abs(frame.loc["noise", "contribution"]) < 0.1
    assert frame.loc["signal", "removed"] > 0.05
    if name.startswith("cox"):
        assert frame.attrs["score_name"] == "concordance" and frame.attrs["score"] > 0.7
