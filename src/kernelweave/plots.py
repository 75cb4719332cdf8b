"""Pictures, in the style of scikit-learn's displays."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

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
        gap = estimator.solution_.certificate.relative_gap
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


def text_bar(share: float, width: int = 24) -> str:
    """A bar of up to `width` characters for a share between 0 and 1."""
    eighths = round(max(0.0, min(1.0, share)) * width * 8)
    full, rest = divmod(eighths, 8)
    return "█" * full + (" ▏▎▍▌▋▊▉"[rest] if rest else "")


def _new_axes(bars: int) -> Any:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            "pictures need matplotlib: pip install 'kernelweave[plot]'"
        ) from error
    _, ax = plt.subplots(figsize=(6.4, 1.0 + 0.24 * max(bars, 3)), layout="constrained")
    return ax
