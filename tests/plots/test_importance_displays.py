"""Importances of views, of samples and of columns, drawn."""

import numpy as np
import pandas as pd
import pytest

from kernelweave import MKLSVC, MKLDiscriminantAnalysis, MKLRidge
from kernelweave.importance import feature_importance, per_sample, view_importance
from kernelweave.kernels import Linear
from kernelweave.plots import (
    FeatureImportanceDisplay,
    ImportanceDisplay,
    PerSampleDisplay,
)

CLASSES = np.array(["common", "seldom", "a rare class of a long name"])
PROTEINS = "proteins of the kidney, measured in"


def _table(n_views, n=60):
    """A table with unequal classes; view k knows of class k."""
    rng = np.random.default_rng(n_views)
    y = np.repeat([0, 1, 2], [n - 16, 12, 4])
    X = pd.DataFrame(rng.normal(size=(n, 2 * n_views)))
    X.index = [f"p{i}" for i in range(n)]
    X.columns = [f"column {i}" for i in range(2 * n_views)]
    for k in range(3):
        X.iloc[:, 2 * k] += 3.0 * (y == k)
    views = [
        Linear(columns=list(X.columns[2 * k : 2 * k + 2]), name=f"{PROTEINS} {k}")
        for k in range(n_views)
    ]
    return X, CLASSES[y], views


def _names(axis_labels):
    return [label.get_text() for label in axis_labels]


@pytest.mark.parametrize("n_views", [3, 30])
def test_views(n_views, legible):
    X, y, views = _table(n_views)
    model = MKLDiscriminantAnalysis(views).fit(X, y)
    frame = view_importance(model, X, y, n_permutations=2, n_subsamples=2)
    display = ImportanceDisplay(frame).plot()
    assert len(display.ax_.get_yticklabels()) == n_views
    wide = max(frame["null_high"].max(), frame["contribution_high"].max())
    # Numbers stand to the right of everything that is drawn.
    assert min(text.get_position()[0] for text in display.ax_.texts) > wide
    legible(display)


@pytest.mark.parametrize("n_views", [3, 30])
def test_samples_of_classes(n_views, legible):
    X, y, views = _table(n_views)
    model = MKLDiscriminantAnalysis(views).fit(X, y)
    says = per_sample(model, X, y)
    display = PerSampleDisplay.from_estimator(model, X, y)
    drawn = display.ax_.collections[0].get_array().reshape(n_views, len(y))
    own = np.array([[says.loc[i, (v.name, c)] for i, c in zip(X.index, y, strict=True)]
                    for v in views])  # fmt: skip
    assert np.allclose(np.sort(drawn.sum(axis=0)), np.sort(own.sum(axis=0)))
    # The most helpful view on top; in a class the best supported sample first.
    assert np.all(np.diff(drawn.sum(axis=1)) <= 1e-12)
    totals = drawn.sum(axis=0)
    counts = [np.sum(y == c) for c in sorted(CLASSES)]
    for part in np.split(totals, np.cumsum(counts)[:-1]):
        assert np.all(np.diff(part) <= 1e-12)
    names = _names(display.ax_.get_xticklabels())
    assert names[1:] == ["common", "seldom"] and names[0].startswith("a rare")
    assert "share of the membership" in display.ax_.get_title()
    legible(display)


def test_one_sample(legible):
    X, y, views = _table(3)
    says = per_sample(MKLDiscriminantAnalysis(views).fit(X, y), X, y)
    display = PerSampleDisplay(says, y).plot(sample="p50")
    image = np.asarray(display.ax_.images[0].get_array())
    assert np.allclose(np.sort(image.ravel()), np.sort(says.loc["p50"].to_numpy()))
    assert "seldom (true)" in _names(display.ax_.get_xticklabels())
    # Nothing is written as "-0.00".
    assert all("-0.00" not in t.get_text() for t in display.ax_.texts)
    legible(display)
    with pytest.raises(ValueError, match="no sample 'p99'"):
        display.plot(sample="p99")
    twice = says.rename({"p1": "p0"})
    with pytest.raises(ValueError, match="several samples are called 'p0'"):
        PerSampleDisplay(twice, y).plot(sample="p0")


def test_samples_of_numbers(legible):
    X, _, views = _table(3)
    target = X["column 0"] + 0.2 * X["column 2"]
    model = MKLRidge(views).fit(X, target)
    display = PerSampleDisplay.from_estimator(model, X, target)
    drawn = display.ax_.collections[0].get_array().reshape(3, len(X))
    says = per_sample(model, X, target)
    assert np.allclose(drawn[0], says[f"{PROTEINS} 0"].loc[target.sort_values().index])
    assert "smallest target" in display.ax_.get_xlabel()
    legible(display)
    display = PerSampleDisplay(says).plot()
    assert "smallest prediction" in display.ax_.get_xlabel()
    display.plot(sample="p3")
    assert _names(display.ax_.get_xticklabels()) == ["prediction"]


def test_samples_of_machines_are_decision_values():
    X, y, views = _table(3)
    two = np.where(y == "common", "common", "other")
    display = PerSampleDisplay.from_estimator(MKLSVC(views).fit(X, two), X, two)
    assert "decision value" in display.ax_.get_title()


def test_samples_that_cannot_be_drawn():
    X, y, views = _table(3)
    says = per_sample(MKLDiscriminantAnalysis(views).fit(X, y), X, y)
    with pytest.raises(ValueError, match="give y"):
        PerSampleDisplay(says)
    with pytest.raises(ValueError, match="60 samples, and y has 59"):
        PerSampleDisplay(says, y[1:])
    with pytest.raises(ValueError, match="class 'other'"):
        PerSampleDisplay(says, np.append(y[1:], "other")).plot()
    two = np.column_stack([X["column 0"], X["column 2"]])
    says = per_sample(MKLRidge(views).fit(X, two), X, two)
    with pytest.raises(ValueError, match="draw one of them"):
        PerSampleDisplay(says, two)
    PerSampleDisplay(says.xs(0, axis=1, level="output"), two[:, 0]).plot()


@pytest.mark.parametrize("n_views", [3, 30])
def test_columns(n_views, legible):
    X, y, views = _table(n_views)
    model = MKLDiscriminantAnalysis(views).fit(X, y)
    frame = feature_importance(model, X, y, cv=2, n_repeats=2)
    display = FeatureImportanceDisplay(frame).plot()
    shown = [bar.get_width() for bar in display.ax_.patches]
    assert np.allclose(shown, frame["lost"][:30])
    label = display.ax_.get_xlabel()
    assert "accuracy lost" in label
    assert ("the first 30 of 60 columns" in label) == (n_views == 30)
    k = list(frame.index[:30]).index("column 0")
    assert display.ax_.texts[k].get_text().endswith("↑ common")
    legible(display)


def test_columns_of_numbers():
    X, _, views = _table(3)
    target = X["column 0"] - X["column 2"]
    model = MKLRidge(views).fit(X, target)
    display = FeatureImportanceDisplay.from_estimator(model, X, target, n_repeats=1)
    said = dict(
        zip(
            _names(display.ax_.get_yticklabels()), _names(display.ax_.texts),
            strict=True,
        )
    )  # fmt: skip
    assert said["column 0"].endswith("↑") and said["column 2"].endswith("↓")
    assert "R² lost" in display.ax_.get_xlabel()
