"""How good predictions are, chunk by chunk."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import r2_score

from kernelweave.cli.score import Score


def test_accuracy_where_the_class_is_known():
    score = Score("kind", np.array(["a", "b"]))
    assert score.notes() == []
    score.add(np.array(["a", "b", "a"]), pd.Series(["a", None, "b"]))
    score.add(np.array(["b"]), pd.Series(["b"]))
    assert score.notes() == ["accuracy 0.6667 on 3 rows whose kind is given"]
    assert score.rows == 3


def test_whole_numbers_are_the_same_with_and_without_a_point():
    score = Score("kind", np.array([1, 2]))
    score.add(np.array([1, 2, 1]), pd.Series([1.0, np.nan, 2.0]))
    assert score.notes() == ["accuracy 0.5000 on 2 rows whose kind is given"]


def test_r2_adds_up():
    y, f = np.random.default_rng(0).normal(size=(2, 100))
    y += 7
    score = Score("size", None)
    score.add(f[:30] + 7, pd.Series(y[:30]))
    score.add(f[30:] + 7, pd.Series(y[30:]))
    assert score.notes()[0].startswith(f"R² {r2_score(y, f + 7):.4f} on 100 rows")
    constant = Score("size", None)
    constant.add(np.zeros(2), pd.Series([1.0, 1.0]))
    assert constant.notes() == []
    assert (score.rows, constant.rows, Score("size", None).rows) == (100, 0, 0)
    text = Score("size", None)
    text.add(np.zeros(2), pd.Series(["x", "x"]))
    assert "no R²" in text.notes()[0] and text.rows == 0


def test_a_large_mean_leaves_r2_alone():
    y, f = np.random.default_rng(0).normal(size=(2, 1000))
    y, f = 1.7e9 + y, 1.7e9 + y + 0.1 * f
    score = Score("time", None)
    for first in range(0, 1000, 100):
        part = slice(first, first + 100)
        score.add(f[part], pd.Series(y[part]))
    assert score.notes()[0].startswith(f"R² {r2_score(y, f):.4f} on 1000 rows")
    # Neither does the mean of equal values round to a spread.
    constant = Score("time", None)
    constant.add(np.zeros(3), pd.Series([0.1] * 3))
    assert constant.notes() == []
    infinite = Score("time", None)
    infinite.add(np.zeros(2), pd.Series([1.0, np.inf]))
    assert "no R²: time is infinite" in infinite.notes()[0]


@pytest.mark.parametrize(
    ("classes", "known"),
    [
        (["01", "02", "x"], [1, 2, "x"]),
        (["01", "02", "x"], ["01", "02", "x"]),
        (["1", "01", "x"], ["1", "01", "x"]),
        (["FALSE", "TRUE", "maybe"], [False, True, "maybe"]),
        (["FALSE", "TRUE", "maybe"], ["false", "true", "maybe"]),
        ([False, True, True], ["False", "True", "TRUE"]),
        ([1, 2, 3], ["1", "2.0", "03"]),
        ([1, 2, 3], [1.0, 2.0, 3.0]),
    ],
)
def test_the_same_label_in_other_words(classes, known):
    score = Score("kind", np.unique(classes))
    score.add(np.array(classes), pd.Series(known))
    assert score.notes() == ["accuracy 1.0000 on 3 rows whose kind is given"]


def test_labels_that_are_no_class():
    score = Score("kind", np.array(["01", "1", "b"]))
    # 1.0 may be either of two classes, and is neither.
    score.add(np.array(["01", "b"]), pd.Series([1.0, "b"]))
    assert score.notes() == [
        "accuracy 0.5000 on 2 rows whose kind is given",
        "1 row of them have a kind that is no class of the model, such as '1.0': its "
        "classes are 01, 1, b",
    ]


def test_text_among_numbers_spoils_r2_alone():
    score = Score("size", None)
    score.add(np.zeros(3), pd.Series(["1", "n.d.", None]))
    score.add(np.zeros(1), pd.Series([2.0]))
    assert score.notes() == ["no R²: size holds 'n.d.', which is no number"]
