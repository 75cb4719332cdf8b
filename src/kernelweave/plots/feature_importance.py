"""What is lost without the columns of a view."""

from __future__ import annotations

from typing import Any

import numpy as np

from .style import fitting, new_axes, number, view_colours

# The picture shows the first MOST_COLUMNS columns at most.
MOST_COLUMNS = 30


class FeatureImportanceDisplay:
    """What the score of left-out samples loses if a column is permuted, as bars.

    Lines go from the least to the largest of the repetitions. An arrow says whether
    the prediction rises (↑) or falls (↓) with the column; with three classes or more
    it names the class that gains most. Columns of one view, "rna: TP53", have one
    colour.

    Parameters
    ----------
    importance : DataFrame
        Of `kernelweave.importance.feature_importance`.

    Attributes
    ----------
    ax_, figure_
        matplotlib's, after `plot`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from kernelweave import MKLRidge
    >>> from kernelweave.kernels import Linear
    >>> from kernelweave.plots import FeatureImportanceDisplay
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> model = MKLRidge([Linear(columns=["bmi", "bp", "age"])]).fit(X, y)
    >>> display = FeatureImportanceDisplay.from_estimator(model, X, y)
    >>> [label.get_text() for label in display.ax_.get_yticklabels()]
    ['bmi', 'bp', 'age']
    """

    def __init__(self, importance: Any):
        self.importance = importance

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, ax: Any = None, **options: Any
    ) -> FeatureImportanceDisplay:
        """Measure by `feature_importance`, which has the options, and draw."""
        from ..importance import feature_importance

        return cls(feature_importance(estimator, X, y, **options)).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> FeatureImportanceDisplay:
        """Draw; of more than 30 columns those whose loss is largest."""
        frame = self.importance.iloc[:MOST_COLUMNS]
        if ax is None:
            ax = new_axes(6.4, 1.3 + 0.24 * max(len(frame), 2))
        at, names = np.arange(len(frame)), [str(name) for name in frame.index]
        lost, low, high = (
            frame[name].to_numpy(dtype=float)
            for name in ("lost", "lost_low", "lost_high")
        )
        colours = view_colours([str(name) for name in self.importance.index])
        ax.barh(at, lost, 0.6, color=colours[: len(frame)])
        ax.hlines(at, low, high, color="black", linewidth=1.2)
        right = max(float(np.max(np.append(high, lost))), 1e-3)
        left = min(float(np.min(np.append(low, lost))), 0.0)
        for i, (value, arrow) in enumerate(zip(lost, _arrows(frame), strict=True)):
            said = f"{number(value)}  {arrow}"
            ax.text(right + 0.02 * (right - left), i, said, va="center", fontsize=8)
        ax.set_xlim(left - 0.03 * (right - left), right)
        ax.axvline(0, color="black", linewidth=0.8)
        ax.locator_params(axis="x", nbins=5)
        ax.set_yticks(at, [fitting(name) for name in names], fontsize=9)
        ax.set_ylim(len(frame) - 0.4, -0.6)
        ax.set_xlabel(self._caption(len(frame)), fontsize=9)
        ax.spines[["top", "right"]].set_visible(False)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _caption(self, shown: int) -> str:
        attrs = self.importance.attrs
        caption = f"{attrs.get('score_name', 'score')} lost if the column is permuted"
        if "score" in attrs:
            caption += f", of {number(attrs['score'])}"
        if shown < len(self.importance):
            caption += f": the first {shown} of {len(self.importance)} columns"
        if len(_slopes(self.importance)) > 1:
            return f"{caption}\n↑ the class that gains most as the column rises"
        return f"{caption}\n↑ the prediction rises with the column, ↓ it falls"


def _slopes(frame: Any) -> list[str]:
    return [name for name in frame.columns if str(name).startswith("slope")]


def _arrows(frame: Any) -> list[str]:
    """The direction of columns that are missed, or the class that gains most."""
    names = _slopes(frame)
    found = []
    missed = frame["lost"].to_numpy(dtype=float) > 0
    for row, told in zip(frame[names].to_numpy(dtype=float), missed, strict=True):
        if not (told and np.isfinite(row).any() and np.nanmax(np.abs(row)) > 0):
            found.append("")
            continue
        if len(names) > 1:
            whose = names[int(np.nanargmax(row))].removeprefix("slope of ")
            found.append(f"↑ {fitting(whose, 16)}")
        else:
            found.append("↑" if row[0] > 0 else "↓")
    return found
