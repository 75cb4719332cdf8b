"""Pictures, in the style of scikit-learn's displays."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .analysis import alignment, target_alignment
from .grams import GramStack
from .problem import Array

BAR = "#0072B2"  # Okabe and Ito's blue, safe for the colour-blind


class WeightsDisplay:
    """The learned weights as bars.

    Parameters
    ----------
    weights : ndarray (p,)
    names : sequence of str (p,)
    relative_gap : float, optional
        Printed below the bars.

    Attributes
    ----------
    ax_, figure_
        matplotlib's, after `plot`.
    """

    def __init__(self, weights: Array, names: Any, relative_gap: float | None = None):
        self.weights = np.asarray(weights)
        self.names = [str(name) for name in names]
        self.relative_gap = relative_gap

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> WeightsDisplay:
        """Draw the weights of a fitted estimator."""
        check_is_fitted(estimator, "weights_")
        if np.ndim(estimator.weights_) != 1:
            raise ValueError(
                "the estimator has a set of weights for each class: draw them one by "
                "one, WeightsDisplay(model.weights_[0], model.kernel_names_).plot()"
            )
        certificate = estimator.solution_.certificate
        gap = None if certificate is None else certificate.relative_gap
        display = cls(estimator.weights_, estimator.kernel_names_, gap)
        return display.plot(ax=ax)

    def plot(self, *, ax: Any = None, max_bars: int = 40) -> WeightsDisplay:
        """Draw; of more than max_bars kernels only the heaviest, in their order."""
        if ax is None:
            ax = _new_axes(min(len(self.weights), max_bars))
        heaviest = np.argsort(-self.weights, kind="stable")[:max_bars]
        shown = np.sort(heaviest)
        weights = self.weights[shown]
        ax.barh(np.arange(len(shown)), weights, color=BAR)
        ax.set_yticks(np.arange(len(shown)), [self.names[j] for j in shown])
        ax.invert_yaxis()
        ax.set_xlim(0, max(1.12 * float(weights.max(initial=0)), 1e-12))
        for row, weight in enumerate(weights):
            text = f" {weight:.3f}" if weight else " 0"
            ax.text(weight, row, text, va="center", fontsize=8)
        label = "weight"
        if len(shown) < len(self.weights):
            label += f" ({len(shown)} of {len(self.weights)} kernels)"
        if self.relative_gap is not None:
            # Below rounding the sign says nothing.
            gap = max(self.relative_gap, float(np.finfo(float).eps))
            label += f"; optimal to a relative gap of {gap:.0e}"
        ax.set_xlabel(label)
        ax.spines[["top", "right"]].set_visible(False)
        self.ax_, self.figure_ = ax, ax.figure
        return self


class AlignmentDisplay:
    """How alike the kernels are, as a heat map, and how near the labels, as bars.

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

    def plot(self, *, ax: Any = None) -> AlignmentDisplay:
        """Draw; numbers stand in the cells of up to 12 kernels."""
        p = len(self.alignment)
        frame = _square_axes(p) if ax is None else ax
        # The parts stand inside the given axes, so that any layout makes room for them.
        frame.axis("off")
        bars_at, scale_at = (0.7, 0.96) if self.target is not None else (0.96, 0.96)
        ax = frame.inset_axes((0, 0, bars_at - 0.03, 1))
        # Luminance alone tells the values of cividis, to every kind of eye.
        image = ax.imshow(self.alignment, cmap="cividis", vmin=0, vmax=1, aspect="auto")
        if p <= 12:
            for i, j in np.ndindex(p, p):
                value = self.alignment[i, j]
                colour = "black" if value > 0.5 else "white"
                text = f"{value:.2f}"
                ax.text(j, i, text, ha="center", va="center", color=colour, fontsize=8)
        # Of very many names every second, third, ... is readable.
        shown = np.arange(0, p, -(-p // 32))
        labels = [self.names[j] for j in shown]
        size = 8 if p <= 20 else 6.5
        upright = p <= 12 and max(map(len, labels)) <= 6
        ax.set_yticks(shown, labels, fontsize=size)
        ax.set_xticks(shown, labels, fontsize=size, rotation=0 if upright else 90)
        ax.spines[:].set_visible(False)
        ax.set_title("alignment of the kernels", fontsize=9)
        if self.target is not None:
            bars = frame.inset_axes((bars_at, 0, 0.23, 1), sharey=ax)
            bars.barh(np.arange(p), self.target, color=BAR, height=0.8)
            for j, value in enumerate(self.target if p <= 12 else []):
                bars.text(value, j, f" {value:.2f}", va="center", fontsize=8)
            room = 1.4 if p <= 12 else 1.05
            bars.set_xlim(0, max(room * float(self.target.max()), 1e-12))
            bars.locator_params(axis="x", nbins=3)
            bars.tick_params(axis="x", labelsize=8)
            bars.tick_params(axis="y", left=False, labelleft=False)
            bars.set_title("with the labels", fontsize=9)
            bars.spines[["top", "right"]].set_visible(False)
        scale = frame.inset_axes((scale_at, 0, 0.04, 1))
        frame.figure.colorbar(image, cax=scale)
        scale.tick_params(labelsize=8)
        self.ax_, self.figure_ = ax, frame.figure
        return self


def text_bar(share: float, width: int = 24) -> str:
    """A bar of up to `width` characters for a share between 0 and 1."""
    eighths = round(max(0.0, min(1.0, share)) * width * 8)
    full, rest = divmod(eighths, 8)
    return "█" * full + (" ▏▎▍▌▋▊▉"[rest] if rest else "")


def _new_axes(bars: int) -> Any:
    size = (6.4, 1.0 + 0.24 * max(bars, 3))
    return _pyplot().subplots(figsize=size, layout="constrained")[1]


def _square_axes(cells: int) -> Any:
    side = min(max(2.6, 1.0 + 0.4 * cells), 5.5)
    size = (1.45 * side + 1.2, side + 0.6)
    return _pyplot().subplots(figsize=size, layout="constrained")[1]


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            "pictures need matplotlib: pip install 'kernelweave[plot]'"
        ) from error
    return plt
