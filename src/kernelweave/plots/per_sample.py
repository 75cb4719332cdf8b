"""Which view speaks for what, sample by sample."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..problem import Array
from .style import fitting, new_axes, number

# The picture shows the first MOST_VIEWS views at most, and names up to MOST_CLASSES
# classes.
MOST_VIEWS, MOST_CLASSES = 30, 30

# The cells of a single sample hold numbers if there are at most this many classes.
MOST_NUMBERS = 8

# A letter of a name takes this share of the width of the map.
LETTER = 0.018

# Colours end at this quantile of all values, so that few samples do not fade the rest.
BRIGHT = 0.98


class PerSampleDisplay:
    """What each view says about every left-out sample, as a map in two colours.

    A row is a view, the most helpful on top. A column is a sample, under its true
    class; blue is support for that class, red is support for others. Within a class
    samples stand by the support of all views together, so those that the model misses
    are at the right. For numbers, samples stand by the target from small to large, blue
    raises the prediction and red lowers it: a view that tells something goes from red
    to blue.

    Parameters
    ----------
    says : DataFrame
        Of `kernelweave.importance.per_sample`.
    y : array-like (n,), optional
        Classes or numbers, as given to `per_sample`. Without, and for events with
        times, samples stand by the sum of all views. Classes need it.

    Attributes
    ----------
    ax_, figure_
        matplotlib's, after `plot`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelweave import MKLDiscriminantAnalysis
    >>> from kernelweave.kernels import RBF
    >>> from kernelweave.plots import PerSampleDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> views = [RBF(columns=[0, 1], name="sepal"), RBF(columns=[2, 3], name="petal")]
    >>> model = MKLDiscriminantAnalysis(views).fit(X, y)
    >>> display = PerSampleDisplay.from_estimator(model, X, y)
    >>> [label.get_text() for label in display.ax_.get_yticklabels()]
    ['petal', 'sepal']
    """

    def __init__(self, says: Any, y: Any = None):
        self.says, self.y = says, y
        classes = says.columns.nlevels > 1
        if classes and says.columns.names[1] != "class":
            raise ValueError(
                "the samples have several outputs: draw one of them, such as "
                "says.xs(0, axis=1, level='output')"
            )
        if classes and y is None:
            raise ValueError("what views say of classes is drawn by class: give y")
        if y is not None and len(y) != len(says):
            raise ValueError(f"says has {len(says)} samples, and y has {len(y)}")

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, ax: Any = None, **options: Any
    ) -> PerSampleDisplay:
        """Measure by `per_sample`, which has the options, and draw."""
        from ..importance import per_sample
        from ..views import one_table

        says = per_sample(estimator, X, y, **options)
        return cls(says, one_table(estimator, X, y)[2]).plot(ax=ax)

    def plot(self, *, ax: Any = None, sample: Any = None) -> PerSampleDisplay:
        """Draw all samples; or one, called as in the index of `says`, by class."""
        if sample is not None:
            ax = self._one(ax, sample)
        elif self.says.columns.nlevels > 1:
            ax = self._by_class(ax)
        else:
            ax = self._by_number(ax)
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _cube(self) -> tuple[Array, list[Any], Array]:
        """Support (v, n, k), the views, and the number of every true class (n,)."""
        columns = self.says.columns
        views = list(dict.fromkeys(columns.get_level_values(0)))
        classes = list(dict.fromkeys(columns.get_level_values(1)))
        values = self.says.to_numpy(dtype=float).reshape(len(self.says), len(views), -1)
        place = {c: k for k, c in enumerate(classes)}
        true = np.array([place.get(c, -1) for c in np.asarray(self.y).tolist()])
        if np.any(true < 0):
            stranger = np.asarray(self.y).tolist()[int(np.argmin(true))]
            raise ValueError(
                f"y has the class {stranger!r}, of which says knows nothing; it has "
                f"{', '.join(map(str, classes[:6]))}"
            )
        return values.transpose(1, 0, 2), views, true

    def _by_class(self, ax: Any) -> Any:
        cube, views, true = self._cube()
        classes = list(dict.fromkeys(self.says.columns.get_level_values(1)))
        support = cube[:, np.arange(cube.shape[1]), true]
        order = np.lexsort((-support.sum(axis=0), true))
        counts = np.bincount(true, minlength=len(classes))
        # Rare classes are drawn wider than they are, so that they are seen and named.
        shares = np.maximum(counts / counts.sum(), 0.5 / np.sum(counts > 0))
        widths = np.where(counts > 0, shares, 0) / np.sum(shares[counts > 0])
        steps = np.repeat(widths / np.maximum(counts, 1), counts)
        edges = np.append(0.0, np.cumsum(steps))
        if ax is None:
            width = 6.4 if len(classes) < 12 else 12.0
            ax = new_axes(width, 1.9 + 0.24 * max(min(len(views), MOST_VIEWS), 3))
        what = "support for the true class"
        helpful = support.sum(axis=1)
        shown = self._map(ax, support[:, order], views, edges, what, helpful)
        starts = np.append(0.0, np.cumsum(widths))
        ax.vlines(starts[1:-1], -0.5, shown - 0.5, color="black", linewidth=1)
        here = np.flatnonzero(counts)
        names = [fitting(classes[k], 18) for k in here]
        if len(here) > MOST_CLASSES:
            here, names = here[:0], []
        turned = any(
            LETTER * len(n) > w for n, w in zip(names, widths[here], strict=False)
        )
        middles = (starts[:-1] + starts[1:])[here] / 2
        ax.set_xticks(middles, names, rotation=90 if turned else 0, fontsize=9)
        said = (
            "left-out samples by their true class; right of each: the least supported"
        )
        ax.set_xlabel(self._caption(said, shown, len(views)), fontsize=9)
        return ax

    def _by_number(self, ax: Any) -> Any:
        values = self.says.to_numpy(dtype=float).T
        views = list(self.says.columns)
        y = None if self.y is None else np.asarray(self.y)
        if y is not None and y.dtype.kind in "fiub" and y.ndim == 1:
            key, said = y, "left-out samples, from the smallest target to the largest"
        else:
            key = values.sum(axis=0)
            said = "left-out samples, from the smallest prediction to the largest"
        order = np.argsort(key, kind="stable")
        # Helpful is what goes along with the order.
        rank = np.argsort(order) - (len(order) - 1) / 2
        if ax is None:
            ax = new_axes(6.4, 1.6 + 0.24 * max(min(len(views), MOST_VIEWS), 3))
        edges = np.linspace(0, 1, len(order) + 1)
        what = "part of the prediction"
        shown = self._map(ax, values[:, order], views, edges, what, values @ rank)
        ax.set_xticks([])
        ax.set_xlabel(self._caption(said, shown, len(views)), fontsize=9)
        return ax

    def _map(
        self,
        ax: Any,
        values: Array,
        views: list[Any],
        edges: Array,
        what: str,
        helpful: Array,
    ) -> int:
        """Views in rows, the most helpful on top; how many there are."""
        top = np.argsort(-helpful, kind="stable")[:MOST_VIEWS]
        most = max(float(np.quantile(np.abs(values), BRIGHT)), 1e-12)
        rows = np.arange(len(top) + 1) - 0.5
        how = {"cmap": "RdBu", "vmin": -most, "vmax": most, "rasterized": True}
        mesh = ax.pcolormesh(edges, rows, values[top], **how)
        ax.set_xlim(0, 1)
        ax.set_ylim(len(top) - 0.5, -0.5)
        names = [fitting(views[j]) for j in top]
        ax.set_yticks(range(len(top)), names, fontsize=9)
        scale = ax.figure.colorbar(mesh, ax=ax, fraction=0.05, pad=0.02, extend="both")
        scale.ax.tick_params(labelsize=8)
        ax.set_title(f"{what}{self._unit()}", fontsize=9)
        return len(top)

    def _unit(self) -> str:
        unit = self.says.attrs.get("unit")
        return "" if unit is None else f" ({unit})"

    def _caption(self, said: str, shown: int, total: int) -> str:
        return f"{said}\nthe first {shown} of {total} views" if shown < total else said

    def _one(self, ax: Any, sample: Any) -> Any:
        """A sample, views by classes; for numbers one column."""
        if sample not in self.says.index:
            raise ValueError(
                f"there is no sample {sample!r}; samples are called as in says.index: "
                f"{', '.join(map(repr, self.says.index[:3]))}, ..."
            )
        row = self.says.index.get_loc(sample)
        if not isinstance(row, int):
            raise ValueError(f"several samples are called {sample!r} in says.index")
        true = None
        if self.says.columns.nlevels > 1:
            cube, views, numbers = self._cube()
            cells, true = cube[:, row], int(numbers[row])
            names = list(dict.fromkeys(self.says.columns.get_level_values(1)))
        else:
            cells = self.says.to_numpy(dtype=float)[row][:, None]
            views, names = list(self.says.columns), ["prediction"]
        helpful = cells[:, 0] if true is None else cells[:, true]
        top = np.argsort(-helpful, kind="stable")[:MOST_VIEWS]
        if ax is None:
            width = min(4.2 + 0.55 * len(names), 12)
            ax = new_axes(width, 1.9 + 0.26 * max(len(top), 3))
        most = max(float(np.max(np.abs(cells))), 1e-12)
        how = {"cmap": "RdBu", "vmin": -most, "vmax": most, "aspect": "auto"}
        image = ax.imshow(cells[top], **how)
        if len(names) <= MOST_NUMBERS:
            for i, k in np.ndindex(len(top), len(names)):
                value = float(cells[top[i], k])
                ink = "white" if abs(value) > 0.6 * most else "black"
                said = number(value) if abs(value) >= 0.005 else "0"
                ax.text(k, i, said, ha="center", va="center", color=ink, fontsize=7)
        ax.set_yticks(range(len(top)), [fitting(views[j]) for j in top], fontsize=9)
        labels = [fitting(name, 18) for name in names]
        if true is not None:
            labels[true] += " (true)"
        turned = max(map(len, labels)) > 6
        ax.set_xticks(range(len(names)), labels, rotation=90 if turned else 0)
        ax.tick_params(labelsize=9)
        scale = ax.figure.colorbar(image, ax=ax, fraction=0.06, pad=0.03)
        scale.ax.tick_params(labelsize=8)
        what = "support by class" if true is not None else "part of the prediction"
        said = f"sample {fitting(sample, 30)}, left out\n{what}{self._unit()}"
        ax.set_title(said, fontsize=9)
        return ax
