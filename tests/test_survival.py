"""Survival targets, curves and concordance, against numbers of scikit-survival.

The fixtures were made by scikit-survival 0.28.0 (which is not installed here):

    from sksurv.metrics import concordance_index_censored
    from sksurv.nonparametric import kaplan_meier_estimator
    concordance_index_censored(EVENT, TIME, RISK)[0]
    kaplan_meier_estimator(EVENT, TIME)

on the arrays below, with RISK that of `CoxPHSurvivalAnalysis(alpha=2.0)`.
"""

import numpy as np
import pandas as pd
import pytest

from kernelweave.survival import (
    breslow,
    concordance_index,
    kaplan_meier,
    survival_function,
    survival_target,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3)).round(2)
TIME = np.ceil(8 * RNG.exponential(np.exp(-X[:, 0]))) / 4
EVENT = RNG.random(60) < 0.6
RISK = X @ [1.1111376048641781, 0.018076040670817684, 0.022941018098292076]


def test_concordance():
    assert concordance_index(EVENT, TIME, RISK) == pytest.approx(0.8272251308900523)
    # With ties of the risk.
    rounded = concordance_index(EVENT, TIME, RISK.round(1))
    assert rounded == pytest.approx(0.8277486910994765)
    assert concordance_index(EVENT, TIME, -RISK) == pytest.approx(
        1 - 0.8272251308900523
    )
    assert concordance_index(EVENT, TIME, np.zeros(60)) == 0.5


def test_concordance_by_hand():
    # Pairs: (0, 1), (0, 2) right; (1, 2): the event of 1 comes first, wrong order.
    assert concordance_index([1, 1, 0], [1, 2, 3], [3, 1, 2]) == pytest.approx(2 / 3)
    # At the same time the event counts as earlier than the censored one.
    assert concordance_index([1, 0], [2, 2], [1, 0]) == 1.0
    with pytest.raises(ValueError, match="no two samples can be compared"):
        concordance_index([0, 1], [1, 2], [1, 0])
    with pytest.raises(ValueError, match="one length"):
        concordance_index([0, 1], [1, 2], [1, 0, 1])


def test_kaplan_meier():
    curve = kaplan_meier(EVENT, TIME)
    expected = [0.9333333333333333, 0.8773333333333333, 0.7993481481481481]
    expected += [0.7993481481481481, 0.7793644444444444, 0.7161727327327326]
    at = np.arange(1, 7) / 4
    assert curve(at) == pytest.approx(expected)
    assert curve(0.1) == 1.0
    # A sample that counts twice is one given twice.
    twice = kaplan_meier(np.append(EVENT, EVENT[0]), np.append(TIME, TIME[0]))
    weight = np.where(np.arange(60) == 0, 2.0, 1.0)
    assert kaplan_meier(EVENT, TIME, weight)(at) == pytest.approx(twice(at))


def test_breslow():
    # Without risks it is the estimate of Nelson and Aalen.
    hazard = breslow([1, 1, 0], [1.0, 2.0, 2.0], np.zeros(3))
    assert hazard([0.5, 1, 5]) == pytest.approx([0, 1 / 3, 1 / 3 + 1 / 2])
    # The origin of the risk moves the baseline, not the probability.
    one = survival_function(breslow(EVENT, TIME, RISK), RISK, TIME)
    far = survival_function(breslow(EVENT, TIME, RISK + 9), RISK + 9, TIME)
    assert one == pytest.approx(far)
    # Hundreds of powers of e apart: still probabilities.
    huge = survival_function(breslow(EVENT, TIME, 300 * RISK), 300 * RISK, TIME)
    assert np.all((huge >= 0) & (huge <= 1))


@pytest.mark.parametrize(
    "y",
    [
        np.array([(True, 2.0), (False, 3.0)], dtype=[("event", bool), ("time", float)]),
        np.array([(1, 2), (0, 3)], dtype=[("event", int), ("time", int)]),
        np.array([(2.0, True), (3.0, False)], dtype=[("days", float), ("cens", bool)]),
        pd.DataFrame({"time": [2, 3], "event": [1, 0]}, index=["b", "a"]),
        pd.DataFrame({"os_months": [2.0, 3.0], "dead": [True, False]}),
        pd.DataFrame({"Status": [1, 0], "survival": [2.0, 3.0]}),
    ],
)
def test_targets_of_every_kind(y):
    event, time = survival_target(y)
    assert event.tolist() == [True, False]
    assert time.tolist() == [2.0, 3.0]


@pytest.mark.parametrize(
    "y, message",
    [
        (np.ones(3), "columns 'event' and 'time'"),
        (pd.DataFrame({"a": [1.0, 2.0], "b": [1, 2]}), "name them 'event' and 'time'"),
        (pd.DataFrame({"event": [1, 0]}), "two"),
        (pd.DataFrame({"event": [1, 0], "time": [1.0, -2.0]}), "row 1 is negative"),
        (pd.DataFrame({"event": [0, 0], "time": [1.0, 2.0]}), "no event was observed"),
        (pd.DataFrame({"event": [1, 0], "time": [1.0, np.nan]}), "missing .* 'time'"),
        (pd.DataFrame({"event": [1, np.nan], "time": [1.0, 2]}), "missing .* 'event'"),
        (pd.DataFrame({"event": [1, None], "time": [1.0, 2]}), "missing .* 'event'"),
        (pd.DataFrame({"event": [3, 5], "time": [1.0, 2.0]}), "is it the time"),
        (pd.DataFrame({"event": ["a", "b"], "time": [1.0, 2.0]}), "True or False"),
        (pd.DataFrame({"event": [1, 0], "time": ["x", "y"]}), "must be numbers"),
        (pd.DataFrame({"event": [1, 0], "time": [1.0, np.inf]}), "infinite"),
        (
            pd.DataFrame({"event": [1, 0], "time": pd.to_timedelta([3, 5], unit="D")}),
            r"'time' are of type timedelta64.*such as days.*times / pandas.Timedelta",
        ),
        (
            pd.DataFrame(
                {"event": [1, 0], "time": pd.to_datetime(["2020-05-01", "2020-05-02"])}
            ),
            r"'time' are of type datetime64.*\(times - start\) / pandas.Timedelta",
        ),
        (
            np.array(
                [(True, np.timedelta64(3, "D")), (False, np.timedelta64(5, "D"))],
                dtype=[("event", bool), ("time", "m8[D]")],
            ),
            "must be numbers in a unit",
        ),
    ],
)
def test_bad_targets(y, message):
    with pytest.raises(ValueError, match=message):
        survival_target(y)


def test_survival_at_an_unknown_time():
    baseline = breslow(EVENT, TIME, RISK)
    with pytest.raises(ValueError, match=r"times\[1\] is NaN"):
        survival_function(baseline, RISK, [1.0, np.nan])


@pytest.mark.parametrize(
    "times",
    [[pd.Timedelta(days=3)], pd.to_timedelta([3], unit="D"), ["soon"], [None, "x"]],
)
def test_survival_at_what_is_no_number(times):
    baseline = breslow(EVENT, TIME, RISK)
    with pytest.raises(ValueError, match=r"^times .*must be numbers.* such as days"):
        survival_function(baseline, RISK, times)
