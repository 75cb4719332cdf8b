"""How the bounds close."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..problem import Array
from ..solve import Solution
from .model import model_in, solutions_of
from .style import colour, fitting, marker, new_axes, outside_legend, stacked


class ConvergenceDisplay:
    """Upper and lower bounds of the optimum, and their gap, against time.

    Above, the primal F and the dual D, between which the optimum lies; below, the
    relative gap, F − D over the larger of their sizes, on a logarithmic scale.

    Parameters
    ----------
    solutions : dict of str to Solution
        Of `kernelweave.solve`, such as those of several solvers for one problem.
    tol : float, optional
        Drawn as a line in the gap.

    Attributes
    ----------
    ax_, bounds_ax_
        matplotlib's axes of the gap and of the bounds, after `plot`.
    figure_

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelweave import MKLRidge
    >>> from kernelweave.plots import ConvergenceDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> display = ConvergenceDisplay.from_estimator(MKLRidge().fit(X, y))
    >>> display.ax_.get_yscale()
    'log'
    """

    def __init__(self, solutions: Mapping[str, Solution], tol: float | None = None):
        self.solutions = {str(name): s for name, s in solutions.items()}
        self.tol = tol
        if not self.solutions:
            raise ValueError("solutions is empty: there is nothing to draw")
        for name, solution in self.solutions.items():
            if solution.certificate is None:
                raise ValueError(
                    f"the solution {name!r} has no certificate, so there are no bounds "
                    "to draw: the tied form is not convex"
                )

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, against: str = "time", ax: Any = None
    ) -> ConvergenceDisplay:
        """Draw how a fitted estimator converged; of a machine a class, each of them."""
        model = model_in(estimator)
        solutions = solutions_of(model)
        names = [type(model).__name__]
        if len(solutions) > 1:
            names = [str(name) for name in model.classes_]
        found = dict(zip(names, solutions, strict=True))
        return cls(found, model.tol).plot(against=against, ax=ax)

    @classmethod
    def from_solutions(
        cls,
        solutions: Solution | Mapping[str, Solution],
        *,
        tol: float | None = None,
        against: str = "time",
        ax: Any = None,
    ) -> ConvergenceDisplay:
        """Draw one solution, or several with their names."""
        if isinstance(solutions, Solution):
            solutions = {"solution": solutions}
        return cls(solutions, tol).plot(against=against, ax=ax)

    def plot(self, *, against: str = "time", ax: Any = None) -> ConvergenceDisplay:
        """Draw against "time" or "iterations"."""
        if against not in ("time", "iterations"):
            raise ValueError(f"against must be 'time' or 'iterations', got {against!r}")
        many = len(self.solutions)
        frame = new_axes(7.2, max(4.6, 1.2 + 0.19 * many)) if ax is None else ax
        bounds, gaps = stacked(frame, (1, 1))
        size = 4 if many <= 8 else 3
        handles = []
        for i, solution in enumerate(self.solutions.values()):
            primal, dual, gap = _bounds(solution)
            x = np.arange(1, len(gap) + 1, dtype=float)
            if against == "time":
                x = np.array([row.seconds for row in solution.trace])
            look = {"color": colour(i), "marker": marker(i), "markersize": size}
            look |= {"markevery": -(-len(x) // 15)}
            bounds.plot(x, primal, **look)
            bounds.plot(x, dual, linestyle="--", **look)
            handles += gaps.plot(x, gap, **look)
        bounds.set_ylim(*self._window())
        bounds.set_ylabel("primal (solid),\ndual (dashed)", fontsize=9)
        gaps.set_yscale("log")
        gaps.set_ylabel("relative duality gap", fontsize=9)
        if self.tol is not None:
            gaps.axhline(self.tol, color="black", linewidth=0.8, linestyle=":")
            edge = gaps.get_yaxis_transform()
            gaps.text(1.01, self.tol, "tol", transform=edge, va="center", fontsize=8)
        ends = [solution.trace[-1].seconds for solution in self.solutions.values()]
        if against == "time" and max(ends) > 20 * max(min(ends), 1e-9):
            gaps.set_xscale("log")
        if against == "iterations":
            gaps.locator_params(axis="x", integer=True)
        gaps.set_xlabel("seconds" if against == "time" else "iterations", fontsize=9)
        if many > 1:
            names = [fitting(name, 24) for name in self.solutions]
            outside_legend(frame, handles, names)
        self.ax_, self.bounds_ax_, self.figure_ = gaps, bounds, frame.figure
        return self

    def _window(self) -> tuple[float, float]:
        """From a lower bound that is not too far off, as the first may be, to F."""
        primal, dual = (
            np.concatenate(parts)
            for parts in zip(
                *(_bounds(s)[:2] for s in self.solutions.values()), strict=True
            )
        )
        low, high, top = float(dual.max()), float(primal.min()), float(primal.max())
        fall = low - float(dual.min())
        bottom = low - (min(fall, 1.5 * (top - high)) if top > high else fall)
        room = 0.06 * (top - bottom) or 1e-9 * max(abs(top), 1.0)
        return bottom - room, top + room


def _bounds(solution: Solution) -> tuple[Array, Array, Array]:
    """Primal, dual and relative gap of every iteration."""
    rows = [row.certificate for row in solution.trace]
    gap = np.array([row.relative_gap for row in rows])
    return (
        np.array([row.primal for row in rows]),
        np.array([row.dual for row in rows]),
        # Below rounding the sign says nothing.
        np.maximum(gap, np.finfo(float).eps),
    )
