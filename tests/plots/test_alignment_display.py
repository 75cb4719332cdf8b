"""Alignment: all cells, and names that can be read."""

import numpy as np
import pytest
from matplotlib import pyplot as plt
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import problems
from kernelweave import (
    KernelDiscriminantAnalysis,
    MKLDiscriminantAnalysis,
    MKLRidge,
)
from kernelweave.analysis import alignment, target_alignment
from kernelweave.kernels import rbf_grid
from kernelweave.plots import AlignmentDisplay
from kernelweave.plots import alignment as module


def _grams(p, n=12):
    return problems.random_psd(np.random.default_rng(p), p, n), np.arange(n) % 3


def _parts(display):
    """The axes drawn in: heat map, bars of the labels if any, colour scale."""
    return display.figure_.axes[0].child_axes


@pytest.mark.parametrize("p", [1, 7, 60])
def test_alignment(p, legible):
    K, y = _grams(p)
    names = [f"kernel number {j}" for j in range(p)]
    display = AlignmentDisplay.from_grams(K, y, names=names)
    heat, bars, _ = _parts(display)
    assert heat is display.ax_
    assert np.allclose(heat.images[0].get_array(), alignment(K))
    assert heat.images[0].get_clim() == (0, 1)
    widths = [bar.get_width() for bar in bars.patches]
    assert np.allclose(widths, target_alignment(K, y))
    # Numbers while there is room for them; never more names than can be read.
    assert len(heat.texts) == (p * p if p <= 12 else 0)
    shown = [label.get_text() for label in heat.get_yticklabels()]
    assert len(shown) <= 32 and set(shown) <= set(names) and shown[0] == names[0]
    legible(display)


@pytest.mark.parametrize(("p", "n_views"), [(10, 3), (50, 4), (800, 5), (50, 40)])
def test_kernels_of_a_view_stand_together(p, n_views, view_names, legible):
    values = np.arange(float(p * p)).reshape(p, p) / p**2
    shuffled = np.random.default_rng(0).permutation(p)
    names = np.array(view_names(p, n_views))[shuffled]
    display = AlignmentDisplay(values, np.arange(float(p)), names).plot()
    views = [name.partition(": ")[0] for name in names]
    order = sorted(range(p), key=lambda j: (views.index(views[j]), j))
    drawn = display.ax_.images[0].get_array()
    assert np.allclose(drawn, values[np.ix_(order, order)])
    widths = [bar.get_width() for bar in _parts(display)[1].patches]
    assert widths == order
    # One line between two views, each way.
    assert len(display.ax_.lines) == (2 * (n_views - 1) if n_views <= 32 else 0)
    legible(display)


def test_without_labels_and_names():
    K, _ = _grams(3)
    display = AlignmentDisplay.from_grams(K, center=False)
    assert len(_parts(display)) == 2
    assert np.allclose(display.alignment, alignment(K, center=False))
    assert [t.get_text() for t in display.ax_.get_xticklabels()] == ["0", "1", "2"]


def test_in_given_axes():
    K, y = _grams(4)
    figure, axes = plt.subplots(1, 2)
    display = AlignmentDisplay(alignment(K), target_alignment(K, y)).plot(ax=axes[1])
    assert display.figure_ is figure
    assert not axes[0].child_axes and len(axes[1].child_axes) == 3


def test_from_an_estimator():
    X, y = problems.blobs(40)
    pipe = make_pipeline(StandardScaler(), MKLDiscriminantAnalysis(rbf_grid()))
    display = AlignmentDisplay.from_estimator(pipe.fit(X, y), X, y)
    rows = pipe[0].transform(X)
    K = np.stack([kernel(rows) for kernel in pipe[1].kernels_])
    assert np.allclose(display.alignment, alignment(K))
    assert np.allclose(display.target, target_alignment(K, y))
    assert display.names == list(pipe[1].kernel_names_)
    given = MKLDiscriminantAnalysis("precomputed").fit(K, y)
    display = AlignmentDisplay.from_estimator(given, K)
    assert np.allclose(display.alignment, alignment(K)) and display.target is None
    with pytest.raises(ValueError, match="those of the training rows"):
        AlignmentDisplay.from_estimator(given, K[:, :7])
    one = KernelDiscriminantAnalysis("precomputed").fit(K[0], y)
    assert AlignmentDisplay.from_estimator(one, K[0], y).alignment == pytest.approx(1)


def test_of_many_rows_some_are_taken(monkeypatch):
    X, y = problems.blobs(40)
    model = MKLDiscriminantAnalysis(rbf_grid()).fit(X, y)
    monkeypatch.setattr(module, "BUDGET", 5 * 10**2)
    display = AlignmentDisplay.from_estimator(model, X, y)
    rows = np.linspace(0, 39, 10).round().astype(int)
    K = np.stack([kernel(X[rows]) for kernel in model.kernels_])
    assert np.allclose(display.alignment, alignment(K))


def test_labels_are_classes():
    X, y = problems.blobs(40)
    model = MKLRidge().fit(X, y)
    with pytest.raises(ValueError, match="leave out y"):
        AlignmentDisplay.from_estimator(model, X, y)
    assert AlignmentDisplay.from_estimator(model, X).target is None
