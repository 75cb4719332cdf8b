"""The learned weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from .model import model_in, worst_gap
from .style import by_view, fitting, new_axes, number, view_colours

# With more views than this, headings would fill the picture.
MAX_HEADINGS = 12


class WeightsDisplay:
    """The learned weights as bars by view; one set a class as a heat map.

    Kernels named "view: kernel" stand together under the name of the view and the sum
    of its weights, in one colour.

    Parameters
    ----------
    weights : ndarray (p,) or (n_classes, p)
    names : sequence of str (p,)
    relative_gap : float, optional
        Printed below.
    classes : sequence (n_classes,), optional
        Names of the classes.

    Attributes
    ----------
    ax_, figure_
        matplotlib's, after `plot`.

    Examples
    --------
    >>> from kernelweave.plots import WeightsDisplay
    >>> names = ["rna: linear", "rna: rbf", "clinical: linear"]
    >>> display = WeightsDisplay([0.2, 0.5, 0.3], names).plot()
    >>> [text.get_text() for text in display.ax_.texts if text.get_weight() == "bold"]
    ['rna  0.700', 'clinical  0.300']
    """

    def __init__(
        self,
        weights: Any,
        names: Any,
        relative_gap: float | None = None,
        classes: Any = None,
    ):
        self.weights = np.asarray(weights, dtype=float)
        self.names = [str(name) for name in names]
        self.relative_gap = relative_gap
        self.classes = classes
        if self.weights.ndim not in (1, 2) or self.weights.shape[-1] != len(self.names):
            raise ValueError(
                f"weights of shape {self.weights.shape} need one name for each kernel, "
                f"got {len(self.names)} names"
            )

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, ax: Any = None, max_bars: int = 40
    ) -> WeightsDisplay:
        """Draw the weights of a fitted estimator, or of one in a pipeline or search."""
        model = model_in(estimator)
        classes = None
        if np.ndim(model.weights_) == 2:
            k = len(model.weights_)
            # Two classes have one machine, that of the second.
            classes = model.classes_[-k:]
        gap = worst_gap(model)
        display = cls(model.weights_, model.kernel_names_, gap, classes)
        return display.plot(ax=ax, max_bars=max_bars)

    def plot(self, *, ax: Any = None, max_bars: int = 40) -> WeightsDisplay:
        """Draw; of more than max_bars kernels only the heaviest, in their order."""
        rows, headings = self._rows(max_bars)
        draw = self._bars if self.weights.ndim == 1 else self._heat
        ax = draw(ax, rows)
        ticks = [i for i, row in enumerate(rows) if isinstance(row, int)]
        shown = [rows[i] for i in ticks]
        labels = [self.names[j] for j in shown]
        if headings:
            labels = [label.partition(": ")[2] or label for label in labels]
        ax.set_yticks(ticks, [fitting(label) for label in labels], fontsize=9)
        for i, row in enumerate(rows):
            if isinstance(row, str):
                left = 0 if self.weights.ndim == 1 else -0.5
                ax.text(left, i + 0.12, row, va="center", fontsize=8.5, weight="bold")
        ax.set_ylim(len(rows) - 0.4, -0.6)
        ax.set_xlabel(self._caption(shown), fontsize=9)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _rows(self, max_bars: int) -> tuple[list[Any], bool]:
        """Numbers of kernels and headings of views, from the top; are there any?"""
        peak = self.weights if self.weights.ndim == 1 else self.weights.max(axis=0)
        heaviest = np.argsort(-peak, kind="stable")[:max_bars]
        if len(peak) > max_bars:
            # Where not all fit, those of weight zero tell nothing.
            heaviest = heaviest[: max(1, int(np.sum(peak[heaviest] > 0)))]
        chosen = {int(j) for j in heaviest}
        views = by_view(self.names)
        if len(views) == len(self.names) or len(views) > MAX_HEADINGS:
            return sorted(chosen), False
        rows: list[Any] = []
        for view, members in views.items():
            shown = [j for j in members if j in chosen]
            heading = fitting(view, 44)
            if self.weights.ndim == 1:
                heading += f"  {number(float(self.weights[members].sum()))}"
            if len(shown) < len(members):
                heading += f" ({len(shown)} of {len(members)} kernels)"
            rows += [heading, *shown]
        return rows, True

    def _bars(self, ax: Any, rows: list[Any]) -> Any:
        if ax is None:
            ax = new_axes(6.4, 1.1 + 0.24 * max(len(rows), 2))
        at = [i for i, row in enumerate(rows) if isinstance(row, int)]
        shown = [rows[i] for i in at]
        weights, colours = self.weights[shown], view_colours(self.names)
        ax.barh(at, weights, color=[colours[j] for j in shown])
        ax.set_xlim(0, max(1.14 * float(weights.max(initial=0)), 1e-12))
        for i, weight in zip(at, weights, strict=True):
            ax.text(weight, i, f" {number(weight)}", va="center", fontsize=8)
        ax.spines[["top", "right"]].set_visible(False)
        return ax

    def _heat(self, ax: Any, rows: list[Any]) -> Any:
        k = len(self.weights)
        if ax is None:
            height = 1.6 + 0.24 * max(len(rows), 3)
            ax = new_axes(min(3.4 + 0.45 * k, 12), height)
        cells = np.full((len(rows), k), np.nan)
        for i, row in enumerate(rows):
            if isinstance(row, int):
                cells[i] = self.weights[:, row]
        most = max(float(np.nanmax(cells)), 1e-12)
        image = ax.imshow(cells, cmap="Blues", vmin=0, vmax=most, aspect="auto")
        if k <= 12:
            for i, c in np.argwhere(np.isfinite(cells)):
                value = cells[i, c]
                ink = "white" if value > 0.6 * most else "black"
                text = f"{value:.2f}" if value else "0"
                ax.text(c, i, text, ha="center", va="center", color=ink, fontsize=7)
        classes = range(k) if self.classes is None else self.classes
        labels = [fitting(name, 18) for name in classes]
        turned = max(map(len, labels)) > 5
        ax.xaxis.tick_top()
        ax.set_xticks(range(k), labels, rotation=90 if turned else 0, fontsize=9)
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        scale = ax.figure.colorbar(image, ax=ax, fraction=0.06, pad=0.03)
        scale.ax.tick_params(labelsize=8)
        return ax

    def _caption(self, shown: list[int]) -> str:
        caption = "weight" if self.weights.ndim == 1 else "weight, by class"
        if len(shown) < len(self.names):
            total = float(np.sum(self.weights))
            share = float(np.sum(self.weights[..., shown])) / total if total else 0.0
            caption += f": {len(shown)} of {len(self.names)} kernels, {share:.1%} of it"
        if self.relative_gap is not None:
            # Below rounding the sign says nothing.
            gap = max(self.relative_gap, float(np.finfo(float).eps))
            caption += f"\nrelative duality gap {gap:.0e}"
        return caption
