"""How good predictions are, chunk by chunk."""

import numpy as np
import pandas as pd
from sklearn.metrics import r2_score

from kernelweave.cli.score import Score


def test_accuracy_where_the_class_is_known():
    score = Score("kind", np.array(["a", "b"]))
    assert score.notes() == []
    score.add(np.array(["a", "b", "a"]), pd.Series(["a", None, "b"]))
    score.add(np.array(["b"]), pd.Series(["b"]))
    assert score.notes() == ["accuracy 0.6667 on 3 rows whose kind is given"]


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
