"""Weights and scores along a parameter."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from ..problem import Array
from ..solve import Solution
from .model import model_in
from .style import (
    FAINT,
    by_view,
    colour,
    fitting,
    marker,
    new_axes,
    outside_legend,
    stacked,
    view_colours,
)


class PathDisplay:
    """Shares θ_j/Σθ of the kernels, and the score, along λ, C, the norm p or v.

    Parameters
    ----------
    values : sequence of float (m,)
        Of the parameter; np.inf is allowed.
    weights : ndarray (m, p), optional
    scores : ndarray (m,), optional
        Larger is better, as in scikit-learn.
    names : sequence of str (p,), optional
    parameter, score_name : str
        What stands at the axes.
    spread : ndarray (m,), optional
        Drawn as a band around the scores.
    chosen : float, optional
        The value that was chosen.

    Attributes
    ----------
    ax_ : matplotlib's axes
        Of the weights, or of the scores if there are no weights.
    score_ax_ : matplotlib's axes or None
    figure_

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from kernelweave import MKLDiscriminantAnalysisCV
    >>> from kernelweave.plots import PathDisplay
    >>> X, y = load_wine(return_X_y=True)
    >>> model = MKLDiscriminantAnalysisCV(norms=[1, 2]).fit(scale(X), y)
    >>> PathDisplay.from_estimator(model).weights.shape
    (10, 6)
    """

    def __init__(
        self,
        values: Any,
        weights: Any = None,
        scores: Any = None,
        names: Any = None,
        *,
        parameter: str = "λ",
        score_name: str = "score",
        spread: Any = None,
        chosen: float | None = None,
    ):
        self.values = np.asarray(values, dtype=float)
        if weights is None and scores is None:
            raise ValueError("give weights, scores or both: there is nothing to draw")
        for name, rows in (("weights", weights), ("scores", scores)):
            if rows is not None and len(rows) != len(self.values):
                raise ValueError(
                    f"{name} must have one row for each of the {len(self.values)} "
                    f"values of {parameter}, got {len(rows)}"
                )
        if chosen is not None and chosen not in self.values:
            raise ValueError(f"chosen must be one of the values, got {chosen!r}")
        order = np.argsort(self.values, kind="stable")
        self.values = self.values[order]
        self.weights, self.scores, self.spread = (
            None if rows is None else np.asarray(rows, dtype=float)[order]
            for rows in (weights, scores, spread)
        )
        p = 0 if self.weights is None else self.weights.shape[1]
        self.names = [str(name) for name in (range(p) if names is None else names)]
        self.parameter, self.score_name, self.chosen = parameter, score_name, chosen

    @classmethod
    def from_estimator(
        cls, estimator: Any, parameter: str | None = None, *, ax: Any = None
    ) -> PathDisplay:
        """Draw what a fitted estimator saw along one parameter of its grid.

        The other parameters stay at what was chosen. Scores are always there, weights
        if the estimator kept them, as by leave-one-out.

        Parameters
        ----------
        estimator : MKLDiscriminantAnalysisCV, MKLSVCCV, ..., or GridSearchCV
            Fitted; the first ones also at the end of a pipeline.
        parameter : str, optional
            As in its `cv_results_`, such as "alpha" or "norm", "C" or "v". Default is
            the last.
        """
        if not hasattr(estimator, "cv_results_"):
            estimator = model_in(estimator)
        results = getattr(estimator, "cv_results_", None)
        if results is None or "mean_test_score" not in results:
            raise ValueError(
                f"{type(estimator).__name__} has no grid of scores: fit one that ends "
                "in CV or a GridSearchCV with one score, or use PathDisplay.from_path"
            )
        best = results["params"][estimator.best_index_]
        parameter = str(list(best)[-1]) if parameter is None else parameter
        if parameter not in best:
            raise ValueError(
                f"parameter must be one of {list(best)}, got {parameter!r}"
            )
        on_path = np.array(
            [
                all(point[name] == best[name] for name in best if name != parameter)
                for point in results["params"]
            ]
        )
        try:
            values = [float(value) for value in results[f"param_{parameter}"][on_path]]
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"the values of {parameter!r} are no numbers, so there is no path"
            ) from error
        of_path = {
            name: results[name][on_path] if name in results else None
            for name in ("weights", "mean_test_score", "std_test_score")
        }
        folds = sum(f"split{i}_test_score" in results for i in range(len(results)))
        scoring = getattr(estimator, "scoring", None)
        score_name = scoring if isinstance(scoring, str) else "score"
        score_name += f"\n{folds} folds" if folds else "\nleave-one-out"
        fixed = [
            f"{name} = {value:.4g}" if isinstance(value, Real) else f"{name} = {value}"
            for name, value in best.items()
            if name != parameter
        ]
        return cls(
            values,
            of_path["weights"],
            of_path["mean_test_score"],
            None if of_path["weights"] is None else model_in(estimator).kernel_names_,
            parameter=", ".join([parameter, *fixed]),
            score_name=score_name,
            spread=of_path["std_test_score"] if folds > 1 else None,
            chosen=float(best[parameter]),
        ).plot(ax=ax)

    @classmethod
    def from_path(
        cls,
        values: Any,
        solutions: Sequence[Solution],
        names: Any = None,
        *,
        scores: Any = None,
        parameter: str = "λ",
        score_name: str = "score",
        ax: Any = None,
    ) -> PathDisplay:
        """Draw the solutions of `kernelweave.solve.path` for these values."""
        weights = np.array([solution.weights for solution in solutions])
        display = cls(
            values, weights, scores, names, parameter=parameter, score_name=score_name
        )
        return display.plot(ax=ax)

    def plot(self, *, ax: Any = None, max_lines: int = 10) -> PathDisplay:
        """Draw; the max_lines heaviest kernels have names, the others are grey."""
        both = self.weights is not None and self.scores is not None
        frame = new_axes(7.2, 4.8 if both else 3.4) if ax is None else ax
        axes = stacked(frame, (2, 3) if both else (1,))
        x = self._positions(axes[-1])
        self.score_ax_ = None
        if self.scores is not None:
            self.score_ax_ = axes[0]
            self._draw_scores(axes[0], x, self.scores)
        if self.weights is not None:
            self._draw_weights(axes[-1], x, self.weights, max_lines)
        if self.chosen is not None:
            at = x[int(np.flatnonzero(self.values == self.chosen)[0])]
            for part in axes:
                part.axvline(at, color="black", linewidth=0.8, linestyle=":", zorder=0)
            axes[0].set_title(f"chosen: {self.chosen:.4g}", fontsize=8)
        axes[-1].set_xlabel(fitting(self.parameter, 72), fontsize=9)
        self.ax_, self.figure_ = axes[-1], frame.figure
        return self

    def _positions(self, ax: Any) -> Array:
        """Where the values stand: as they are, as logarithms, or one after the other.

        Norms such as 1, 1.02, 1.03, ..., 8, 10⁶ would overlap on both scales.
        """
        if _even(self.values):
            return self.values
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(self.values)
        if _even(logs):
            ax.set_xscale("log")
            return self.values
        x = np.arange(len(self.values), dtype=float)
        shown = np.arange(0, len(x), -(-len(x) // 16))
        ax.set_xticks(shown, [f"{self.values[i]:.3g}" for i in shown])
        return x

    def _draw_scores(self, ax: Any, x: Array, scores: Array) -> None:
        ax.plot(x, scores, color=colour(0), marker="o", markersize=4)
        if self.spread is not None:
            low, high = scores - self.spread, scores + self.spread
            ax.fill_between(x, low, high, color=colour(0), alpha=0.2, linewidth=0)
        ax.set_ylabel(self.score_name, fontsize=9)

    def _draw_weights(self, ax: Any, x: Array, weights: Array, max_lines: int) -> None:
        totals = weights.sum(axis=1, keepdims=True)
        shares = weights / np.where(totals > 0, totals, 1)
        named = np.argsort(-shares.max(axis=0), kind="stable")[:max_lines]
        others = np.setdiff1d(np.arange(shares.shape[1]), named)
        if len(others):
            ax.plot(x, shares[:, others], color=FAINT, linewidth=0.6)
        views = len(by_view(self.names)) < len(self.names)
        colours = view_colours(self.names)
        lines = []
        for i, j in enumerate(named):
            look = {"color": colours[j] if views else colour(i), "marker": marker(i)}
            lines += ax.plot(x, shares[:, j], markersize=4, linewidth=1.2, **look)
        ax.set_ylim(0, max(1.08 * float(shares.max()), 1e-12))
        outside_legend(ax, lines, [fitting(self.names[j], 32) for j in named])
        what = "share of the weight"
        if len(others):
            what += f"\n({len(others)} more in grey)"
        ax.set_ylabel(what, fontsize=9)


def _even(values: Array) -> bool:
    """Whether no step is much longer than another, so that all can be told apart."""
    if not np.all(np.isfinite(values)):
        return False
    steps = np.diff(values)
    return len(steps) < 2 or float(steps.max()) <= 5 * float(steps.min())
