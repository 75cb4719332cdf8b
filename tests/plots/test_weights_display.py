"""Weights: bars by view, and heat maps by class."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import problems
from kernelweave import MKLSVC, MKLDiscriminantAnalysis
from kernelweave.kernels import RBF, Linear, rbf_grid
from kernelweave.plots import WeightsDisplay


def _bold(display):
    return [t.get_text() for t in display.ax_.texts if t.get_weight() == "bold"]


def _names(display):
    return [label.get_text() for label in display.ax_.get_yticklabels()]


@pytest.mark.parametrize(("p", "n_views"), [(1, 1), (10, 3), (50, 4), (800, 5)])
def test_bars_of_any_number_of_kernels(p, n_views, view_names, legible):
    weights = np.random.default_rng(p).dirichlet(np.full(p, 0.5))
    display = WeightsDisplay(weights, view_names(p, n_views), 1e-9).plot()
    shown = [bar.get_width() for bar in display.ax_.patches]
    # The heaviest, in their order.
    heaviest = np.sort(np.argsort(-weights)[:40])
    assert np.allclose(shown, weights[heaviest])
    assert len(_bold(display)) == (n_views if p > 1 else 0)
    colours = {bar.get_facecolor() for bar in display.ax_.patches}
    assert len(colours) == n_views
    assert "relative duality gap 1e-09" in display.ax_.get_xlabel()
    legible(display)


def test_headings_sum_the_weights_of_a_view():
    names = ["rna: linear", "clinical: linear", "rna: rbf", "alone"]
    display = WeightsDisplay([0.1, 0.2, 0.3, 0.4], names).plot()
    assert _bold(display) == ["rna  0.400", "clinical  0.200", "alone  0.400"]
    assert _names(display) == ["linear", "rbf", "linear", "alone"]


def test_every_view_has_its_heading_when_all_weights_are_equal(view_names, legible):
    display = WeightsDisplay(np.full(100, 0.01), view_names(100, 4)).plot(max_bars=20)
    assert [h.rpartition("  ")[2] for h in _bold(display)] == [
        "0.250 (20 of 25 kernels)",
        *["0.250 (0 of 25 kernels)"] * 3,
    ]
    legible(display)


def test_too_many_views_for_headings(view_names, legible):
    display = WeightsDisplay(np.arange(60.0), view_names(60, 30)).plot()
    assert _bold(display) == []
    assert len(display.ax_.patches) == 40
    legible(display)


def test_zero_weights_are_left_out_only_where_not_all_fit():
    weights = np.zeros(50)
    weights[[3, 30]] = 0.25, 0.75
    display = WeightsDisplay(weights, range(50)).plot()
    assert [bar.get_width() for bar in display.ax_.patches] == [0.25, 0.75]
    assert "2 of 50 kernels, 100.0% of it" in display.ax_.get_xlabel()
    assert len(WeightsDisplay(weights[:9], range(9)).plot().ax_.patches) == 9
    assert len(WeightsDisplay(0 * weights, range(50)).plot().ax_.patches) == 1


def test_names_are_no_formulas(legible):
    display = WeightsDisplay([0.5, 0.5], ["$x^{$", "_hidden $5"]).plot()
    legible(display)
    assert _names(display) == [r"\$x^{\$", r" _hidden \$5"]


def test_from_an_estimator_a_pipeline_and_a_search():
    X, y = problems.blobs()
    model = MKLDiscriminantAnalysis(rbf_grid())
    pipe = make_pipeline(StandardScaler(), model).fit(X, y)
    search = GridSearchCV(model, {"alpha": [0.1, 1.0]}, cv=2).fit(X, y)
    for fitted, inner in (
        (model.fit(X, y), model),
        (pipe, pipe[-1]),
        (search, search.best_estimator_),
    ):
        display = WeightsDisplay.from_estimator(fitted)
        widths = [bar.get_width() for bar in display.ax_.patches]
        assert np.allclose(widths, inner.weights_)
        assert _names(display) == list(inner.kernel_names_)


def test_in_given_axes():
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2)
    display = WeightsDisplay([1.0], ["a"]).plot(ax=axes[1])
    assert display.ax_ is axes[1] and display.figure_ is figure
    assert not axes[0].patches


@pytest.mark.parametrize(("k", "p"), [(2, 1), (3, 10), (20, 60)])
def test_a_set_of_weights_for_each_class(k, p, view_names, legible):
    weights = np.random.default_rng(p).dirichlet(np.full(p, 0.5), k)
    names = view_names(p, min(p, 3))
    classes = [f"the class of number {c}" for c in range(k)]
    display = WeightsDisplay(weights, names, classes=classes).plot()
    cells = display.ax_.images[0].get_array()
    rows = ~np.ma.getmaskarray(cells)[:, 0]
    heaviest = np.sort(np.argsort(-weights.max(axis=0))[:40])
    assert np.allclose(cells[rows], weights[:, heaviest].T)
    assert len(display.ax_.get_xticklabels()) == k
    legible(display)


@pytest.mark.parametrize("k", [2, 3])
def test_machines_of_each_class(k, legible):
    X, y = problems.blobs(60, 3, k)
    model = MKLSVC([RBF(), Linear()], multiclass="per_class").fit(X, y)
    display = WeightsDisplay.from_estimator(model)
    if k == 3:
        assert np.allclose(display.ax_.images[0].get_array(), model.weights_.T)
        shown = [label.get_text() for label in display.ax_.get_xticklabels()]
        assert shown == ["0", "1", "2"]
    legible(display)


def test_what_has_no_weights():
    X, y = problems.blobs()
    with pytest.raises(ValueError, match="Ridge has no weights of kernels"):
        WeightsDisplay.from_estimator(Ridge().fit(X, y))
    with pytest.raises(ValueError, match="not fitted"):
        WeightsDisplay.from_estimator(MKLSVC())
    with pytest.raises(ValueError, match="got 2 names"):
        WeightsDisplay([1.0], ["a", "b"])
