"""Pictures: what they show, and that they stay readable."""

import matplotlib
import numpy as np
import pytest

import problems
from kernelweave import MKLSVC, MKLDiscriminantAnalysis
from kernelweave.analysis import alignment, target_alignment
from kernelweave.kernels import RBF, Linear, rbf_grid
from kernelweave.plots import AlignmentDisplay, WeightsDisplay, text_bar

matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def _grams(p, n=12):
    return problems.random_psd(np.random.default_rng(p), p, n), np.arange(n) % 3


def _parts(display):
    """The axes drawn in: heat map, bars of the labels if any, colour scale."""
    return display.figure_.axes[0].child_axes


def _inside(display):
    """Nothing is drawn outside the picture."""
    display.figure_.canvas.draw()
    width, height = display.figure_.canvas.get_width_height()
    box = display.figure_.get_tightbbox(display.figure_.canvas.get_renderer())
    dpi = display.figure_.dpi
    return (
        box.x0 >= -0.01
        and box.y0 >= -0.01
        and box.x1 * dpi <= width + 1
        and box.y1 * dpi <= height + 1
    )


@pytest.mark.parametrize("p", [1, 7, 60])
def test_alignment(p):
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
    assert _inside(display)


def test_alignment_without_labels_and_names():
    K, _ = _grams(3)
    display = AlignmentDisplay.from_grams(K, center=False)
    assert len(_parts(display)) == 2
    assert np.allclose(display.alignment, alignment(K, center=False))
    assert [t.get_text() for t in display.ax_.get_xticklabels()] == ["0", "1", "2"]


def test_alignment_in_given_axes():
    K, y = _grams(4)
    figure, axes = plt.subplots(1, 2)
    display = AlignmentDisplay(alignment(K), target_alignment(K, y)).plot(ax=axes[1])
    assert display.figure_ is figure
    assert not axes[0].child_axes and len(axes[1].child_axes) == 3


def test_weights():
    X, y = problems.blobs()
    model = MKLDiscriminantAnalysis(rbf_grid()).fit(X, y)
    display = WeightsDisplay.from_estimator(model)
    widths = [bar.get_width() for bar in display.ax_.patches]
    assert np.allclose(widths, model.weights_)
    labels = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert labels == list(model.kernel_names_)


def test_weights_shows_the_heaviest():
    weights = np.arange(50.0)
    display = WeightsDisplay(weights, range(50)).plot(max_bars=10)
    widths = [bar.get_width() for bar in display.ax_.patches]
    assert widths == list(range(40, 50))
    assert "10 of 50" in display.ax_.get_xlabel()


def test_text_bar():
    assert text_bar(0) == "" and text_bar(1, 4) == text_bar(2, 4) == "████"
    assert text_bar(0.5, 1) == "▌"


def test_weights_of_each_class_are_drawn_one_by_one():
    X, y = problems.blobs(60, 3, 3)
    model = MKLSVC([RBF(), Linear()], multiclass="per_class").fit(X, y)
    with pytest.raises(ValueError, match="one by one"):
        WeightsDisplay.from_estimator(model)
    display = WeightsDisplay(model.weights_[0], model.kernel_names_).plot()
    assert len(display.ax_.patches) == 2
