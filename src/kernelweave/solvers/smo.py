"""Sequential minimal optimisation of the dual without θ."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator

from ..arrays import require_host
from ..grams import DenseStack
from ..losses import Square
from ..problem import Array, Iterate, Problem, WeightSet
from ..weights import Fixed, LpBall, LpPenalty
from .dual_lbfgs import best_start
from .sets import general


@dataclass(eq=False, repr=False)
class SMO(BaseEstimator):
    """Ascend D(A) = g(A) − ½σ_Θ(s(A)) in two rows of A at a time.

    With R = H − λA − K(θ)A and θ the maximiser for s(A), a step goes along
    A_i += δ, A_j −= δ, which keeps 1ᵀA = 0 (without an intercept: one row), by the best
    multiple of

        δ = (R_i − R_j)/(2λ + κ_ij),   κ_ij = K(θ)_ii + K(θ)_jj − 2K(θ)_ij.

    On that line s is a parabola in the step, so the exact maximum costs p numbers. i
    has the largest residual, j gains the most with it. `LpPenalty` gives equation (26)
    of Yan et al. 2012, §2.3.2, `LpBall` the constrained form; p > 1. For stored
    matrices and the square loss. A step costs O(pnk), and how many it takes grows with
    ‖K(θ)‖/λ (with `DualLBFGS`, with its root): it is for moderate λ.

    Parameters
    ----------
    passes : int
        There are passes·n steps between two iterates.
    """

    passes: int = 10

    def iterates(
        self, problem: Problem, tol: float, start: Array | None
    ) -> Iterator[Iterate]:
        from .pair_steps import ascend  # numba takes a second to import

        gram, loss = problem.gram, problem.loss
        if not isinstance(loss, Square):
            raise TypeError(f"SMO is for the square loss, not {type(loss).__name__}")
        if not isinstance(gram, DenseStack):
            raise TypeError(
                f"SMO is for stored matrices, a DenseStack, not {type(gram).__name__}; "
                "use Interleaved() or DualLBFGS()"
            )
        require_host(loss, "SMO")
        c, q, mu = _norm(problem.weights, gram.p)
        H = loss.gradient(np.zeros((gram.n, 1)))
        A = best_start(problem)
        while True:
            KA = gram.apply(A)
            s = problem.quadratic(A, KA)
            yield Iterate(problem.bound(problem.weights.maximiser(s), A, KA))
            A, KA, s = A.copy(), np.ascontiguousarray(KA), s.copy()
            steps = ascend(
                *(gram.matrices, H, float(loss.lam), bool(loss.intercept)),
                *(A, KA, s, c, q, mu, self.passes * gram.n),
            )
            if loss.intercept:
                A -= A.mean(axis=0)
            if steps == 0:
                return


def _norm(weights: WeightSet, p: int) -> tuple[Array, float, float]:
    """c, q and μ of σ(s) = ‖c∘s‖_q, or ‖c∘s‖_q²/(4μ) if μ > 0."""
    if isinstance(weights, Fixed):
        return weights.start(p), 1.0, 0.0
    if isinstance(weights, LpBall | LpPenalty) and weights.smooth and weights.p > 1:
        q = 1 + 1 / (float(weights.p) - 1)
        return np.ones(p), q, float(getattr(weights, "mu", 0.0))
    raise TypeError(
        f"SMO is for LpBall(p) and LpPenalty(p) with p > 1 and for Fixed, not "
        f"{weights!r}; use {general(weights)}"
    )
