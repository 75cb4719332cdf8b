"""How alike the kernels are."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import _safe_indexing

from ..analysis import alignment, target_alignment
from ..estimators.access import check_new
from ..grams import GramStack
from ..inputs.matrices import is_given
from ..problem import Array
from .model import model_and_rows
from .style import by_view, fitting, new_axes, view_colours

# Numbers in the Gram matrices of `from_estimator`: 400 megabytes.
BUDGET = 5e7

# Names that can be read along one side.
MAX_NAMES = 32


class AlignmentDisplay:
    """How alike the kernels are, as a heat map, and how near the labels, as bars.

    Kernels of one view ("view: kernel") stand together.

    Parameters
    ----------
    alignment : ndarray (p, p)
        Of `kernelweave.analysis.alignment`: 0 to 1.
    target : ndarray (p,), optional
        Of `kernelweave.analysis.target_alignment`.
    names : sequence of str (p,), optional

    Attributes
    ----------
    ax_, figure_
        matplotlib's, after `plot`: the axes of the heat map, and the figure.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelweave import MKLDiscriminantAnalysis
    >>> from kernelweave.plots import AlignmentDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MKLDiscriminantAnalysis().fit(X, y)
    >>> AlignmentDisplay.from_estimator(model, X, y).alignment.shape
    (6, 6)
    """

    def __init__(self, alignment: Array, target: Any = None, names: Any = None):
        self.alignment = np.asarray(alignment)
        self.target = None if target is None else np.asarray(target)
        self.names = [
            str(name)
            for name in (range(len(self.alignment)) if names is None else names)
        ]

    @classmethod
    def from_grams(
        cls,
        grams: GramStack | Array,
        y: Any = None,
        *,
        names: Any = None,
        center: bool = True,
        ax: Any = None,
    ) -> AlignmentDisplay:
        """Draw the alignment of Gram matrices (p, n, n), and with the labels y."""
        target = None if y is None else target_alignment(grams, y)
        return cls(alignment(grams, center=center), target, names).plot(ax=ax)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any = None, *, ax: Any = None
    ) -> AlignmentDisplay:
        """Draw the alignment of a fitted estimator's kernels on the rows of X.

        Of many rows some are taken, evenly: as many as make Gram matrices of 5·10⁷
        numbers, which is 250 rows for 800 kernels.

        Parameters
        ----------
        estimator : fitted estimator, or a pipeline or search that ends in one
        X : array-like (n, d), or Gram matrices (p, n, n)
        y : array-like (n,), optional
            Class labels.
        """
        if y is not None and not is_classifier(estimator):
            raise ValueError(
                f"{type(estimator).__name__} is no classifier, and the alignment with "
                "the labels needs classes: leave out y"
            )
        model, X = model_and_rows(estimator, X)
        given = is_given(model)
        X = check_new(model, X) if given else X
        n = X.shape[1] if given else np.shape(X)[0]
        if given and X.shape[1] != X.shape[2]:
            raise ValueError(
                "the alignment is that of square Gram matrices, those of the training "
                f"rows; got shape {X.shape}"
            )
        count = min(n, max(2, int(np.sqrt(BUDGET / len(model.kernel_names_)))))
        rows = np.linspace(0, n - 1, count).round().astype(int)
        if given:
            grams = X[:, rows][:, :, rows]
        else:
            some = check_new(model, _safe_indexing(X, rows))
            grams = np.stack([kernel(some) for kernel in model.kernels_])
        labels = None if y is None else np.asarray(y)[rows]
        return cls.from_grams(grams, labels, names=model.kernel_names_, ax=ax)

    def plot(self, *, ax: Any = None) -> AlignmentDisplay:
        """Draw; numbers stand in the cells of up to 12 kernels."""
        p = len(self.alignment)
        views = by_view(self.names)
        order = np.concatenate([views[view] for view in views])
        values = self.alignment[np.ix_(order, order)]
        at, labels = self._ticks(order, views)
        letters = max(map(len, labels))
        frame = _square_axes(p, letters) if ax is None else ax
        # The parts stand inside the given axes, so that any layout makes room for them.
        frame.axis("off")
        bars_at, scale_at = (0.7, 0.96) if self.target is not None else (0.96, 0.96)
        ax = frame.inset_axes((0, 0, bars_at - 0.03, 1))
        # Luminance alone tells the values of cividis, to every kind of eye.
        image = ax.imshow(values, cmap="cividis", vmin=0, vmax=1, aspect="auto")
        if p <= 12:
            for i, j in np.ndindex(p, p):
                ink = "black" if values[i, j] > 0.5 else "white"
                text = f"{values[i, j]:.2f}"
                ax.text(j, i, text, ha="center", va="center", color=ink, fontsize=8)
        size = 8 if len(labels) <= 20 else 6.5
        upright = len(labels) <= 12 and letters <= 6
        ax.set_yticks(at, labels, fontsize=size)
        ax.set_xticks(at, labels, fontsize=size, rotation=0 if upright else 90)
        if 1 < len(views) <= min(MAX_NAMES, p - 1):
            borders = np.cumsum([len(members) for members in views.values()]) - 0.5
            for border in borders[:-1]:
                ax.axhline(border, color="white", linewidth=1.0)
                ax.axvline(border, color="white", linewidth=1.0)
        ax.spines[:].set_visible(False)
        ax.set_title("alignment of the kernels", fontsize=9)
        if self.target is not None:
            bars = frame.inset_axes((bars_at, 0, 0.23, 1), sharey=ax)
            self._bars(bars, self.target, order)
        scale = frame.inset_axes((scale_at, 0, 0.04, 1))
        frame.figure.colorbar(image, cax=scale)
        scale.tick_params(labelsize=8)
        self.ax_, self.figure_ = ax, frame.figure
        return self

    def _ticks(
        self, order: Array, views: dict[str, list[int]]
    ) -> tuple[Array, list[str]]:
        """Names of the kernels; of too many those of the views, or of some kernels."""
        p = len(order)
        if p > MAX_NAMES and len(views) <= MAX_NAMES:
            sizes = np.array([len(members) for members in views.values()])
            at, labels = np.cumsum(sizes) - (sizes + 1) / 2, list(views)
        else:
            at = np.arange(0, p, -(-p // MAX_NAMES))
            labels = [self.names[order[i]] for i in at]
        return at, [fitting(label, 28) for label in labels]

    def _bars(self, bars: Any, target: Array, order: Array) -> None:
        p = len(order)
        colours = np.array(view_colours(self.names))[order]
        # Among hundreds a bar is thinner than a pixel, but for its edge.
        look = {"height": 0.8, "linewidth": 0.7 if p > MAX_NAMES else 0}
        bars.barh(np.arange(p), target[order], color=colours, edgecolor=colours, **look)
        for i, value in enumerate(target[order] if p <= 12 else []):
            bars.text(value, i, f" {value:.2f}", va="center", fontsize=8)
        room = 1.4 if p <= 12 else 1.05
        bars.set_xlim(0, max(room * float(target.max()), 1e-12))
        bars.locator_params(axis="x", nbins=3)
        bars.tick_params(axis="x", labelsize=8)
        bars.tick_params(axis="y", left=False, labelleft=False)
        bars.set_title("with the labels", fontsize=9)
        bars.spines[["top", "right"]].set_visible(False)


def _square_axes(cells: int, letters: int) -> Any:
    side = min(max(2.6, 1.0 + 0.4 * cells), 5.5)
    # Names take 0.065 inches a letter, to the left and, turned, below.
    names = 0.065 * letters
    return new_axes(1.45 * side + 0.6 + names, side + 0.4 + names)
