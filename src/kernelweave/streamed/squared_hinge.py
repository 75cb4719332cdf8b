"""The squared hinge on rows that come in chunks: proximal Newton, a pass a step.

    min_{θ∈Θ, w, b}  ½Σ_j‖w_j‖²/θ_j + ½Σ_ic C_i(1 − y_ic(z_iᵀw_c + b_c))₊²

The second-order model of the last sum at (w, b) is the square loss of the active rows,
½ΣC_i(y_ic − z_iᵀw_c − b_c)². So the model, with the first sum as it is, is multiple
kernel learning with the square loss, and the moments of the active rows reduce it to a
small problem (`reduced`), which is solved exactly, weights and all. The step is
searched along the segment to its solution: f is linear in (w, b), so one pass gives the
objective at many step lengths, and what the next step needs.

Each column of Y has active rows of its own, and (D + 1)² sums.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NoReturn

import numpy as np

from ..grams import GramStack
from ..losses import Square
from ..problem import (
    Array,
    Charted,
    Inner,
    Iterate,
    Penalised,
    Point,
    Problem,
    Solver,
    WeightSet,
)
from ..solution import uninterrupted
from ..solve import solve
from ..solvers.parabola import model_step
from ..solvers.projected_newton import best_weights
from .active import ActiveSums, Penalty, Place, Question
from .chunks import Chunks
from .columns import ColumnSquare, ColumnStack
from .features import FeatureMap
from .moments import Moments
from .reduced import Scaling, reduce

# Step lengths that a pass looks at, 0 the first and 1 the last.
_STEPS = np.r_[0.0, 0.5 ** np.arange(12, 4, -1), np.arange(1, 17) / 16]


@dataclass(frozen=True)
class FeatureRows:
    """K_j = scale_j·Z_jZ_jᵀ of rows that are read when they are asked for.

    Parameters
    ----------
    chunks : Chunks
    map : FeatureMap
    targets : callable
        From y to the zeros and ones T (m, q) of the classes.
    coding : ndarray (q, k)
        Y = T·coding is +1 and −1.
    penalty : Penalty
    scales : ndarray (p,)
    total : Moments
        Of (z, t) over all rows.
    keep : ndarray of bool (p,)
        The kernels that take part.
    """

    chunks: Chunks
    map: FeatureMap
    targets: Callable[[Any], Array]
    coding: Array
    penalty: Penalty
    scales: Array
    total: Moments
    keep: Array

    @property
    def n(self) -> int:
        return int(self.total.count)

    @property
    def p(self) -> int:
        return int(np.sum(self.keep))

    def subset(self, keep: Array) -> FeatureRows:
        """The kernels in the mask `keep`."""
        return replace(self, keep=keep)

    @property
    def scaling(self) -> Scaling:
        """About the mean of the active rows: with an intercept any centre will do."""
        return Scaling(True, self.scales, self.map.blocks)

    def ask(self, here: Place, there: Place, steps: Array) -> ActiveSums:
        """One pass over the rows."""
        origin = self.total.mean[: self.map.width]
        question = Question(
            self.map,
            self.targets,
            self.coding,
            self.penalty,
            origin,
            here,
            there,
            steps,
        )
        return self.chunks.accumulate(partial(ActiveSums, question))

    def squares(self, V: Array) -> Array:
        """Σ_c‖V_jc‖² of the rows of V (D, k) that belong to each kept kernel, (p,)."""
        starts = [block.start for block in self.map.blocks]
        return np.add.reduceat(np.sum(V * V, axis=1), starts)[self.keep]

    def energy(self, place: Place) -> float:
        """½Σ_j‖w_j‖²/θ_j in the units of the scaled features."""
        norms = self.squares(place.coef)
        paid = norms > 0
        prices = self.scales[self.keep][paid] * place.theta[paid]
        return 0.5 * float(np.sum(norms[paid] / prices))

    def spread(self, theta: Array) -> Array:
        """The weights of all kernels, zero for those that take no part."""
        full = np.zeros(len(self.keep))
        full[self.keep] = theta
        return full


class RowHinge:
    """g(A) = ΣY∘A − ½Σa²/C of an A that is known by two numbers.

    tA has the numbers t·(ΣY∘A, √(Σa²/C)): the ray of A is all that a lower bound needs,
    beside s(A). `A` is therefore an array (2, 1).
    """

    def value(self, A: Array) -> float:
        return float(A[0, 0] - 0.5 * A[1, 0] ** 2)

    def best_scale(self, A: Array, support: float) -> float:
        curvature = float(A[1, 0]) ** 2 + support
        return float(A[0, 0]) / curvature if curvature > 0 else 1.0

    def inner(self, K: Array, start: Array | None = None) -> Inner:
        raise TypeError("rows that come in chunks have no Gram matrix")


@dataclass
class ProximalNewton:
    """Solve the model at (w, b), search along the segment to its solution, and again.

    For a problem of `FeatureRows` and `RowHinge`.

    Parameters
    ----------
    solver : Solver, optional
        Of the small problems.

    Attributes
    ----------
    place : Place
        The last (θ, w, b), after the iteration.
    """

    solver: Solver | None = None
    place: Place | None = None

    def iterates(
        self, problem: Problem, tol: float, start: Array | None
    ) -> Iterator[Iterate]:
        """Yield the bounds at every place; a pass, or two where the step is short."""
        rows, weights = problem.gram, problem.weights
        if not isinstance(rows, FeatureRows):
            raise TypeError(f"ProximalNewton is for FeatureRows, not {rows!r}")
        if isinstance(weights, Penalised):
            raise TypeError(
                "rows that come in chunks need a set of weights, not "
                f"{weights!r}; use LpBall"
            )
        learn = partial(self._solve, weights, tol)
        aim = first_aim(rows, partial(learn, start))
        here = Place(aim.theta, np.zeros_like(aim.coef), np.zeros_like(aim.bias))
        gap = np.inf
        while True:
            sums = rows.ask(here, aim, _STEPS)
            along = [here.toward(aim, t) for t in _STEPS]
            values = sums.risks + [rows.energy(place) for place in along]
            noise = 8 * np.finfo(float).eps * abs(values[0])
            best = int(np.argmin(values))
            # The full step, if it is nearly as good: a shorter one takes a pass more.
            if values[-1] - values[best] <= 0.5 * (values[0] - values[best]) + noise:
                best = len(_STEPS) - 1
            if best < len(_STEPS) - 1:
                aim = along[best]
                sums = rows.ask(aim, aim, _STEPS[-1:])
            here = self.place = aim
            point = bounds(rows, here, sums, values[best])
            yield Iterate(point)
            # Below the rounding of the objective only the gap tells of progress.
            lower = problem.dual(point.A, point.s).value
            last, gap = gap, max(point.value - lower, 0.0)
            if not (values[best] < values[0] - noise or gap < 0.5 * last):
                return
            aim = newton_aim(rows, sums, partial(learn, here.theta))

    def _solve(
        self,
        weights: WeightSet,
        tol: float,
        start: Array | None,
        gram: GramStack,
        loss: Square,
    ) -> tuple[Array, Array]:
        """θ and A of a small problem, to rounding."""
        problem = Problem(gram, loss, weights)
        best = solve(problem, self.solver, min(1e-3 * tol, 1e-10), start=start)
        return polish(problem, uninterrupted(best).weights)


def polish(problem: Problem, theta: Array) -> tuple[Array, Array]:
    """θ and its A after Newton steps that F does not feel any more.

    The bounds of the rows feel the first power of the error of θ, F the square: so the
    steps go on as long as they halve the gap.
    """
    best, gap = None, np.inf
    while True:
        point = problem.at(theta)
        rest = max(point.value - problem.dual(point.A, point.s).value, 0.0)
        if best is not None and not rest < 0.5 * gap:
            return best.theta, best.A
        best, gap = point, rest
        theta = _newton_weights(problem, point)


def _newton_weights(problem: Problem, point: Point) -> Array:
    """Where Newton's step leads from a point."""
    weights = problem.weights
    if not isinstance(weights, Charted):
        return best_weights(problem, point)
    phi = weights.coordinates(point.theta)
    return weights.chart(np.maximum(phi + model_step(problem, point, phi), 0.0))[0]


Learn = Callable[[GramStack, Square], tuple[Array, Array]]


def first_aim(rows: FeatureRows, learn: Learn) -> Place:
    """The solution of the model at zero, where all rows are active.

    All of them by the mean of their penalties: one reduction serves all columns.
    """
    reduced = reduce(rows.total, rows.scaling, rows.coding)
    sizes = rows.total.mean[rows.map.width :]
    lam = 1 / float(sizes @ rows.penalty.by_class)
    theta, B = learn(reduced.gram.subset(rows.keep), Square(reduced.H, lam))
    coef = reduced.coefficients(rows.spread(theta), B)
    return Place(theta, coef, reduced.intercept(coef))


def newton_aim(rows: FeatureRows, sums: ActiveSums, learn: Learn) -> Place:
    """The solution of the model of the active rows: the proximal Newton point."""
    k = len(sums.weight)
    parts = [reduce(sums.moments(c), rows.scaling, np.ones((1, 1))) for c in range(k)]
    kept = np.flatnonzero(rows.keep)
    stack = ColumnStack([[part.gram.blocks[j] for j in kept] for part in parts])
    r = stack.n // k
    H = np.zeros((k, r))
    for c, part in enumerate(parts):
        H[c, : part.gram.n] = part.H[:, 0]
    # C_i is in the moments.
    theta, A = learn(stack, ColumnSquare(H.reshape(-1, 1), 1.0))
    full, coefs, bias = rows.spread(theta), [], []
    for part, B in zip(parts, A.reshape(k, r, 1), strict=True):
        coef = part.coefficients(full, B[: part.gram.n])
        coefs.append(coef)
        bias.append(part.intercept(coef)[0])
    return Place(theta, np.hstack(coefs), np.array(bias))


def bounds(rows: FeatureRows, place: Place, sums: ActiveSums, value: float) -> Point:
    """The bounds at a place: its objective, and the A that its errors make.

    1ᵀA = 0 must hold in every column: the side that has more, of y = −1 and +1, loses
    in proportion. Then s_j(A) does not depend on where the features are centred.
    """
    both = np.min(sums.totals, axis=0)
    shares = both / np.where(sums.totals > 0, sums.totals, 1.0)
    pull = np.einsum("sc,sdc->dc", shares, sums.pulls)
    s = rows.scales[rows.keep] * rows.squares(pull)
    length = np.sqrt(np.sum(shares**2 * sums.squares))
    A = np.array([[2 * float(np.sum(both))], [float(length)]])
    return Point(place.theta, A, place.bias, float(value), s, _no_products)


def _no_products(kernels: Array | slice) -> NoReturn:
    raise TypeError("rows that come in chunks have no products K_jA")
