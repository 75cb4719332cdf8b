"""Newton's method on the set of weights."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace

import numpy as np
from sklearn.base import BaseEstimator

from ..grams.base import Housed
from ..problem import Array, Charted, Iterate, Point, Problem
from .active_rows import ActiveRows, rows_matter
from .coarse import Sampling, coarse
from .face_model import OnFace, again, beyond
from .parabola import MANY, Parabola, least
from .sets import charted

# Pair steps alone may prove an answer down to the tolerance CHEAP, and where the
# parabola promises at most the share CLOSE of F.
CHEAP, CLOSE = 1e-5, 0.05


@dataclass(eq=False, repr=False)
class Newton(BaseEstimator):
    """Minimise F(θ(φ)) over the unit simplex, one factorisation an iteration.

    For the sets {θ ≥ 0 : Σ c(θ_j) ≤ 1} with c convex and increasing (`Charted`): all
    but `GroupSimplex`. In φ_j = c(θ_j) they are a simplex and F stays convex, with

        ∇ = θ'∘F',    ∇² = diag(θ') F'' diag(θ') + diag(F'∘θ''),

    so one method serves all: minimise the quadratic model on the simplex exactly,
    then search along the line. For the square loss F, F' and F'' come from one
    Cholesky factor. This is the "custom interior-point method" announced by Kim,
    Magnani and Boyd (2006, §6), without the barrier.

    Where λ is small F has poles just outside the simplex, like 1/(λ + φ_j), which a
    parabola does not see: the model sends a weight to zero and F explodes. Such a
    weight is guarded: from then on it may shrink by a factor a step, 10, 100, 10⁴, ...
    """

    def iterates(
        self, problem: Problem, tol: float, start: Array | None
    ) -> Iterator[Iterate]:
        weights = charted(problem.weights, "Newton")
        anywhere = getattr(problem.loss, "starts_anywhere", False)
        # For a rough answer a quarter of the samples is near enough.
        phi, A = beginning(problem, tol, start, Sampling(2 if tol <= 1e-4 else 4))
        theta, at = weights.chart(phi)[0], problem.at
        rows = ActiveRows(problem, tol) if rows_matter(problem) else None
        if rows is not None:
            at = rows.at
            if A is not None:
                rows.see(theta, A)
        point = at(theta, A if anywhere else None)
        # What is handed out must not keep a matrix alive.
        yield Iterate(point.bare())
        guard = np.zeros(len(phi))
        # With A in a bounded set F is Lipschitz: there is no pole to guard against.
        poles = not getattr(problem.loss, "bounded", False)
        while True:
            model = Parabola.of(weights, point, phi)
            # Below this a change of F is rounding, and so is the test of descent.
            noise = 8 * np.finfo(float).eps * abs(point.value)
            floor = least(weights, point.s, phi)
            lower = np.maximum(guard * phi, floor)
            step = model.minimise(lower) - phi
            decrease, near = model.decrease(step), point.A
            bent = beyond(problem, point, phi, step, lower, decrease)
            if bent is not None:
                close = decrease <= CLOSE * abs(point.value)
                if rows is not None and close and tol >= CHEAP:
                    bent = yield from _products(problem, rows, bent, lower, tol)
                else:
                    yield Iterate(point.bare(), bent.A)
                if bent.value < point.value:
                    step, near = bent.phi - phi, bent.A
            elif decrease <= 0.5 * tol * abs(point.value):
                # F is there already; to prove it may need no further inner solve.
                A = point.predict(weights.chart(phi + step)[0])
                yield Iterate(point.bare(), A)
            if anywhere:
                # To first order in the step, where the inner maximum will be.
                aim = weights.chart(np.maximum(phi + step, 0.0))[0]
                predicted = point.predict(aim)
                near = near if predicted is None else predicted
            point = point.bare()
            t, cautious = 1.0, False
            while True:
                slope = t * float(model.gradient @ step)
                if -slope <= noise:
                    return
                new = np.maximum(phi + t * step, 0.0)
                whole = t == 1.0 and not cautious
                trial = at(weights.chart(new)[0], near if whole else point.A)
                yield Iterate(trial.bare())
                rise = trial.value - point.value
                if rise <= 1e-4 * slope + noise:
                    break
                trial = trial.bare()
                regretted = _regretted(weights, trial, phi, new)
                if t == 1.0 and poles and regretted.any():
                    guard[regretted] = np.maximum(0.1, np.sqrt(guard[regretted]))
                    step = model.minimise(np.maximum(guard * phi, floor)) - phi
                    cautious = True
                else:
                    # The minimum of the parabola through F(0), F'(0) and F(t).
                    t *= float(np.clip(-0.5 * slope / (rise - slope), 0.1, 0.5))
            if trial.value >= point.value:
                return
            if not cautious:
                guard = np.where(new <= 2 * guard * phi, guard**2, guard)
            phi, point = new, trial
            del trial


def _products(
    problem: Problem, rows: ActiveRows, bent: OnFace, lower: Array, tol: float
) -> Generator[Iterate, None, OnFace]:
    """Go on from the minimum on a face with its directions: products, no factor.

    As long as the gap between F and the minimum on the next face is halved. The best of
    these points comes back, with F there as its value.
    """
    weights, gap = charted(problem.weights, "Newton"), np.inf
    best: OnFace | None = None
    while True:
        point = rows.roughly(weights.chart(bent.phi)[0], bent.A, 0.1 * tol)
        if best is None or point.value < best.value:
            best = replace(bent, A=point.A, value=point.value)
        bent = again(problem, bent, point, lower)
        yield Iterate(point.bare(), bent.A)
        gap, before = point.value - bent.value, gap
        if gap > 0.5 * before:
            return best


def beginning(
    problem: Problem,
    tol: float,
    start: Array | None,
    sampling: Sampling,
) -> tuple[Array, Array | None]:
    """φ of the weights to start from: given, or those that some samples want.

    With an A to start from, if these samples tell one.
    """
    weights = charted(problem.weights, "Newton")
    p, A = problem.gram.p, None
    if isinstance(problem.gram, Housed):
        problem.gram.check_room()
    if start is None and p > 1:
        start, A = coarse(problem, tol, sampling)
    theta = weights.start(p) if start is None else np.array(start)
    phi = weights.coordinates(theta)
    if start is None and p > MANY and not weights.interior:
        # Few of so many kernels will be needed: begin with those that promise most.
        gradient = weights.chart(phi)[1] * problem.at(theta).gradient
        phi = np.zeros(p)
        phi[np.argsort(gradient)[:MANY]] = 1 / MANY
    if start is not None and weights.interior:
        # A weight that is far too small is only doubled by a step.
        phi = 0.999 * phi + 0.001 / len(phi)
    return phi, A


def _regretted(weights: Charted, trial: Point, phi: Array, new: Array) -> Array:
    """Weights that the step took away and that the gradient there wants back."""
    gradient = weights.chart(new)[1] * trial.gradient
    return (new < 0.5 * phi) & (gradient < new @ gradient)
