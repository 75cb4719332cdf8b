"""What views contribute to left-out predictions."""

from __future__ import annotations

from typing import Any

import numpy as np

from .style import colour, fitting, new_axes, number

# The picture shows the first MOST_VIEWS views at most.
MOST_VIEWS = 30


class ImportanceDisplay:
    """Contributions of the views as bars, with intervals and the null of permutations.

    Parameters
    ----------
    importance : DataFrame
        Of `kernelweave.importance.view_importance`.

    Attributes
    ----------
    ax_, figure_
        matplotlib's, after `plot`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelweave import MKLDiscriminantAnalysis
    >>> from kernelweave.importance import view_importance
    >>> from kernelweave.kernels import RBF
    >>> from kernelweave.plots import ImportanceDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> views = [RBF(columns=[0, 1], name="sepal"), RBF(columns=[2, 3], name="petal")]
    >>> model = MKLDiscriminantAnalysis(views).fit(X, y)
    >>> frame = view_importance(model, X, y, n_permutations=3, n_subsamples=3)
    >>> display = ImportanceDisplay(frame).plot()
    >>> [label.get_text() for label in display.ax_.get_yticklabels()]
    ['petal', 'sepal']
    """

    def __init__(self, importance: Any):
        self.importance = importance

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, ax: Any = None, **options: Any
    ) -> ImportanceDisplay:
        """Measure by `view_importance`, which has the options, and draw."""
        from ..importance import view_importance

        return cls(view_importance(estimator, X, y, **options)).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> ImportanceDisplay:
        frame = self.importance.iloc[:MOST_VIEWS]
        if ax is None:
            ax = new_axes(6.4, 1.1 + 0.3 * max(len(frame), 2))
        at = np.arange(len(frame))
        values = frame["contribution"].to_numpy(dtype=float)
        null = frame[["null_low", "null_high"]].to_numpy(dtype=float)
        if np.isfinite(null).all():
            ax.barh(at, null[:, 1] - null[:, 0], 0.9, null[:, 0], color="#D9D9D9")
        ax.barh(at, values, 0.5, color=colour(0))
        ends = frame[["contribution_low", "contribution_high"]].to_numpy(dtype=float)
        if np.isfinite(ends).all():
            ax.hlines(at, ends[:, 0], ends[:, 1], color="black", linewidth=1.2)
        farthest = np.concatenate([values, ends.ravel(), null.ravel()])
        right = float(np.nanmax(farthest, initial=0.01))
        for i, value in enumerate(values):
            ax.text(1.04 * right, i, number(value), va="center", fontsize=8)
        left = float(np.nanmin(farthest, initial=0.0))
        ax.set_xlim(1.05 * left, 1.2 * right)
        ax.axvline(0, color="black", linewidth=0.8)
        ax.locator_params(axis="x", nbins=5)
        ax.set_yticks(at, [fitting(str(view)) for view in frame.index], fontsize=9)
        ax.set_ylim(len(frame) - 0.4, -0.6)
        caption = "contribution to left-out predictions"
        if len(frame) < len(self.importance):
            caption += f": the first {len(frame)} of {len(self.importance)} views"
        ax.set_xlabel(f"{caption}\nlines: halves of the samples; grey: permuted rows")
        ax.xaxis.label.set_size(9)
        ax.spines[["top", "right"]].set_visible(False)
        self.ax_, self.figure_ = ax, ax.figure
        return self
