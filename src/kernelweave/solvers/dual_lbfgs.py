"""The dual without θ, by L-BFGS."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from sklearn.base import BaseEstimator

from ..arrays import combination, filled, host, like, namespace
from ..problem import Array, Iterate, Problem, Smooth, WeightSet
from .sets import general


@dataclass(eq=False, repr=False)
class DualLBFGS(BaseEstimator):
    """Maximise D(A) = g(A) − ½σ_Θ(s(A)); only A ↦ K_jA is ever needed.

    With θ the maximiser for s(A), ∇D(A) = ∇g(A) − K(θ)A, less its column means if
    there is an intercept. K(θ) is neither formed nor factorised. At the optimum θ is
    the answer, and before it `Problem.bound` at θ is the upper bound. `LpPenalty` gives
    equation (26) of Yan et al. 2012, §2.3.2, `LpBall` the constrained form.

    The weights must be smooth, p > 1. The number of iterations grows with
    √(‖K(θ)‖/λ): on 120 rows with ten RBF kernels a gap of 1e-5 takes 50 to 100 for any
    λ from 1e-6 to 1 in units of the implied variance; without the narrow kernels, which
    bound the condition number, up to 1200. The weights to start from are not used: the
    start is the best multiple of ∇g(0), the targets of the square loss. The products
    are taken where the arrays are; L-BFGS itself, on nk numbers, runs on the host.

    Parameters
    ----------
    steps : int
        Iterations of L-BFGS between two iterates. Each iterate forgets the curvature
        that was learned before it.
    memory : int
        Pairs of vectors that hold the curvature.
    """

    steps: int = 50
    memory: int = 20

    def iterates(
        self, problem: Problem, tol: float, start: Array | None
    ) -> Iterator[Iterate]:
        weights = problem.weights
        require_smooth(weights, "DualLBFGS")
        objective = _Dual(problem)
        A, last = best_start(problem), -np.inf
        while True:
            applied = problem.gram.apply(A)
            s = problem.quadratic(A, applied)
            yield Iterate(problem.bound(weights.maximiser(s), A, applied))
            value = problem.loss.value(A) - 0.5 * weights.support(s)
            # What is left is rounding.
            if not value > last:
                return
            A, last = self._ascend(objective, A, abs(value) or 1.0), value

    def _ascend(self, objective: _Dual, A: Array, scale: float) -> Array:
        """A few steps of L-BFGS, in units in which A and D are about one.

        The first step of L-BFGS has the length one.
        """
        first = host(A)
        unit = float(np.sqrt(np.mean(first * first))) or 1.0

        def scaled(x: Array) -> tuple[float, Array]:
            D, G = objective(like(unit * x.reshape(A.shape), A))
            return -D / scale, -unit / scale * host(G).ravel()

        result = minimize(
            scaled,
            first.ravel() / unit,
            jac=True,
            method="L-BFGS-B",
            # The duality gap ends the iteration, not these.
            options={
                "maxiter": self.steps,
                "maxcor": self.memory,
                "ftol": 0.0,
                "gtol": 0.0,
            },
        )
        return objective.into_domain(like(unit * result.x.reshape(A.shape), A))


class _Dual:
    """A ↦ D(A) and ∇D(A) at the point of the domain nearest to A."""

    def __init__(self, problem: Problem):
        self.problem = problem
        self.loss = _smooth_loss(problem)

    def into_domain(self, A: Array) -> Array:
        return A - namespace(A).mean(A, axis=0) if self.loss.intercept else A

    def __call__(self, A: Array) -> tuple[float, Array]:
        problem, A = self.problem, self.into_domain(A)
        applied = problem.gram.apply(A)
        s = problem.quadratic(A, applied)
        f = combination(problem.weights.maximiser(s), applied)
        D = problem.loss.value(A) - 0.5 * problem.weights.support(s)
        return D, self.into_domain(self.loss.gradient(A) - f)


def best_start(problem: Problem) -> Array:
    """The best multiple of ∇g(0), in the domain."""
    dual = _Dual(problem)
    targets = getattr(problem.loss, "H", np.zeros(0))
    # Zeros in one column spread to the k columns of the targets.
    G = dual.loss.gradient(filled((problem.gram.n, 1), targets))
    return problem.dual(dual.into_domain(G)).A


def require_smooth(weights: WeightSet, solver: str) -> None:
    """Raise a TypeError unless σ_Θ is differentiable."""
    if not getattr(weights, "smooth", False):
        raise TypeError(
            f"{solver} needs weights whose support function is differentiable, such as "
            f"LpBall(p) with p > 1, not {weights!r}; use {general(weights)} or "
            "Interleaved()"
        )


def _smooth_loss(problem: Problem) -> Smooth:
    if not isinstance(problem.loss, Smooth):
        raise TypeError(
            f"{type(problem.loss).__name__} is not smooth on its domain: solvers of "
            "the dual without θ need its `gradient`; use "
            f"{general(problem.weights)}"
        )
    return problem.loss
