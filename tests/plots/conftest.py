"""What the tests of pictures share: no screen, and a judge of what is legible."""

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


@pytest.fixture
def legible():
    """Assert that all is inside the picture, and that no names of one axis overlap."""

    def check(display):
        figure = display.figure_
        figure.canvas.draw()
        renderer = figure.canvas.get_renderer()
        box = figure.get_tightbbox(renderer)
        width, height = figure.get_size_inches()
        assert min(box.x0, box.y0) >= -0.02
        assert box.x1 <= width + 0.02 and box.y1 <= height + 0.02
        axes = [part for ax in figure.axes for part in (ax, *ax.child_axes)]
        for ax in axes:
            for labels in (ax.get_xticklabels(), ax.get_yticklabels()):
                shown = [label for label in labels if label.get_text()]
                boxes = [label.get_window_extent(renderer) for label in shown]
                for i, one in enumerate(boxes):
                    for other in boxes[i + 1 :]:
                        over = np.minimum(one.max, other.max) - np.maximum(
                            one.min, other.min
                        )
                        assert over.min() < 2, "two names overlap"

    return check


@pytest.fixture
def view_names():
    """Long names of p kernels in a number of views."""

    def names(p, n_views):
        end = "of the gene set"
        return [
            f"view {j * n_views // p} of a long name: kernel {end} {j}, 1×median"
            for j in range(p)
        ]

    return names
