"""Samples in the discriminant space."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import gaussian_kde

from ..problem import Array
from .style import colour, fitting, marker, new_axes, outside_legend

# With more classes than this, their names stand in the legend alone.
MAX_NAMED = 12


class EmbeddingDisplay:
    """Samples in the plane of the first two discriminants; two classes on a line.

    Coordinates are those of `MKLDiscriminantAnalysis.transform`: one unit is the
    spread within a class of samples that were left out, and the first direction
    separates the classes best. Every class has a colour and a marker.

    Parameters
    ----------
    Z : array-like (n, d)
        Training samples. They helped to find the directions, so they look better
        separated than new ones: compare the two.
    y : array-like (n,)
        Their classes.
    Z_new : array-like (m, d), optional
        Samples that took no part, drawn filled; the others are then hollow.
    y_new : array-like (m,), optional
        Their classes, if known; else they are black crosses.

    Attributes
    ----------
    ax_, figure_
        matplotlib's, after `plot`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelweave import MKLDiscriminantAnalysis
    >>> from kernelweave.plots import EmbeddingDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MKLDiscriminantAnalysis().fit(X[::2], y[::2])
    >>> new = {"X_new": X[1::2], "y_new": y[1::2]}
    >>> EmbeddingDisplay.from_estimator(model, X[::2], y[::2], **new).Z_new.shape
    (75, 2)
    """

    def __init__(self, Z: Any, y: Any, Z_new: Any = None, y_new: Any = None):
        self.Z, self.y = _checked(Z, y)
        self.Z_new, self.y_new = None, None
        if Z_new is not None:
            self.Z_new, self.y_new = _checked(Z_new, y_new)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        X_new: Any = None,
        y_new: Any = None,
        ax: Any = None,
    ) -> EmbeddingDisplay:
        """Draw the training rows X, and new rows, as a fitted estimator projects them.

        Parameters
        ----------
        estimator : fitted discriminant analysis, or a pipeline that ends in one
        X, X_new : array-like, as in its `transform`
        y, y_new : array-like
            Classes.
        """
        if not hasattr(estimator, "transform"):
            raise ValueError(
                f"{type(estimator).__name__} has no discriminant space (no transform); "
                "use MKLDiscriminantAnalysis"
            )
        Z_new = None if X_new is None else estimator.transform(X_new)
        return cls(estimator.transform(X), y, Z_new, y_new).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> EmbeddingDisplay:
        """Draw."""
        known = self.y if self.y_new is None else np.concatenate([self.y, self.y_new])
        classes = np.unique(known)
        line = self.Z.shape[1] == 1
        if ax is None:
            ax = new_axes(7.2, 1.2 + 0.9 * len(classes) if line else 5.2)
        place = _strip if line else _plane
        hollow = {} if self.Z_new is None else {"facecolors": "none"}
        for c, label in enumerate(classes):
            look = {"color": colour(c), "marker": marker(c)}
            mine = self.Z[self.y == label]
            ax.scatter(*place(mine, c), **look, **hollow, **_ink(len(self.Z)))
            if line:
                _density(ax, mine[:, 0], c, "-")
            if self.Z_new is not None and self.y_new is not None:
                new = self.Z_new[self.y_new == label]
                ax.scatter(*place(new, c), **look, **_ink(len(self.Z_new)))
                if line:
                    _density(ax, new[:, 0], c, "--")
        if self.Z_new is not None and self.y_new is None:
            cross = {"color": "black", "marker": "x", **_ink(len(self.Z_new))}
            ax.scatter(*place(self.Z_new, len(classes)), **cross)
        ax.set_xlabel("first discriminant (spreads of a class)", fontsize=9)
        ax.tick_params(labelsize=8)
        ax.spines[["top", "right"]].set_visible(False)
        if line:
            labels = [fitting(label, 30) for label in classes]
            if self.Z_new is not None and self.y_new is None:
                labels.append("new")
            ax.set_yticks(-np.arange(len(labels)), labels)
            ax.tick_params(axis="y", length=0)
            ax.spines["left"].set_visible(False)
        else:
            ax.set_ylabel("second discriminant", fontsize=9)
            if len(classes) <= MAX_NAMED:
                self._name(ax, classes)
        self._legend(ax, classes, line)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _name(self, ax: Any, classes: Array) -> None:
        from matplotlib.patheffects import withStroke

        halo = [withStroke(linewidth=3, foreground="white")]
        for label in classes[np.isin(classes, self.y)]:
            x, y = np.median(self.Z[self.y == label][:, :2], axis=0)
            text = fitting(label, 16)
            ax.text(x, y, text, path_effects=halo, ha="center", va="center", fontsize=8)

    def _legend(self, ax: Any, classes: Array, line: bool) -> None:
        """Name new samples and, unless they stand on named lines, the classes."""
        marks = (
            [] if line else [(colour(c), marker(c), {}) for c in range(len(classes))]
        )
        labels = [] if line else [fitting(label, 22) for label in classes]
        if self.y_new is not None:
            marks += [("gray", "o", {"facecolors": "none"}), ("gray", "o", {})]
            labels += ["training", "new (dashed)" if line else "new"]
        elif self.Z_new is not None and not line:
            marks.append(("black", "x", {}))
            labels.append("new")
        handles = [
            ax.scatter([], [], s=26, color=ink, marker=form, **rest)
            for ink, form, rest in marks
        ]
        if handles:
            outside_legend(ax, handles, labels)


def _checked(Z: Any, y: Any) -> tuple[Array, Any]:
    Z = np.asarray(Z, dtype=float)
    if Z.ndim != 2 or Z.shape[1] == 0:
        raise ValueError(f"samples must be an array (n, d), got shape {Z.shape}")
    if y is None:
        return Z, None
    y = np.asarray(y)
    if y.shape != (len(Z),):
        raise ValueError(
            f"there must be one class for each of the {len(Z)} samples, got shape "
            f"{y.shape}"
        )
    return Z, y


def _ink(count: int) -> dict[str, float]:
    """Size and opacity of a mark, where `count` are drawn."""
    return {
        "s": float(np.clip(9000 / max(count, 1), 6, 26)),
        "alpha": float(np.clip(600 / max(count, 1), 0.25, 0.8)),
        "linewidths": 0.8,
    }


def _plane(Z: Array, c: int) -> tuple[Array, Array]:
    return Z[:, 0], Z[:, 1]


def _strip(Z: Array, c: int) -> tuple[Array, Array]:
    """Below the line of the class, spread by the golden ratio: always the same."""
    return Z[:, 0], -c - 0.08 - 0.3 * (np.arange(len(Z)) * 0.6180339887 % 1)


def _density(ax: Any, z: Array, c: int, style: str) -> None:
    """The density of a class above its line; of too few samples there is none."""
    if len(np.unique(z)) < 3:
        return
    density = gaussian_kde(z)
    reach = 3 * float(np.sqrt(density.covariance[0, 0]))
    grid = np.linspace(z.min() - reach, z.max() + reach, 300)
    top = density(grid)
    top = -c + 0.05 + 0.5 * top / top.max()
    ax.plot(grid, top, color=colour(c), linewidth=1, linestyle=style)
    if style == "-":
        base = np.full(len(grid), -c + 0.05)
        ax.fill_between(grid, base, top, color=colour(c), alpha=0.25, linewidth=0)
