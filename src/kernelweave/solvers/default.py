"""Which solver, if none was asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sklearn.base import BaseEstimator

from ..arrays import is_foreign
from ..grams import MappedStack
from ..grams.base import Sampled
from ..losses import Square, SquaredHinge
from ..problem import Array, Charted, Iterate, Penalised, Problem, Solver
from ..weights import LpBall
from .alternating import Alternating
from .galerkin import Galerkin, applies
from .interleaved import Interleaved
from .newton import Newton
from .primal import Primal
from .projected_newton import ProjectedNewton


@dataclass(eq=False, repr=False)
class InTurn(BaseEstimator):
    """One solver and, should it end, another from the best weights that it found.

    `solve` stops at the gap that it wants: a solver that ends of itself has not closed
    it.

    Parameters
    ----------
    first, then : Solver

    Examples
    --------
    >>> from kernelweave.solvers import Alternating, Newton
    >>> InTurn(Alternating(), Newton())
    InTurn(first=Alternating(), then=Newton())
    """

    first: Solver
    then: Solver

    def iterates(
        self, problem: Problem, tol: float, start: Array | None
    ) -> Iterator[Iterate]:
        best = None
        for iterate in self.first.iterates(problem, tol, start):
            yield iterate
            if best is None or iterate.point.value < best:
                best, start = iterate.point.value, iterate.point.theta
        yield from self.then.iterates(problem, tol, start)


def default_solver(problem: Problem) -> Solver:
    """Galerkin() for the square loss, where a factorisation is dear; else Newton().

    Newton() also goes on where Galerkin() or the alternation end above the tolerance.
    With hundreds of kernels the products are dear, and the subspace is too small; and
    where all of them keep a weight Newton's matrix is. The alternation then takes a
    dozen steps, unless the norm is near one. Primal() for the squared hinge of arrays
    that are not NumPy's. Interleaved(), which stores no matrix, for the square loss of
    matrices in files. ProjectedNewton() for a set of weights that has no chart.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelweave import Problem
    >>> from kernelweave.grams import DenseStack
    >>> from kernelweave.losses import Square
    >>> from kernelweave.weights import Simplex
    >>> gram, loss = DenseStack(np.eye(5)[None]), Square(np.ones((5, 1)), lam=1.0)
    >>> default_solver(Problem(gram, loss, Simplex()))
    Newton()
    """
    gram, loss, weights = problem.gram, problem.loss, problem.weights
    square = isinstance(loss, Square) and loss.lam > 0
    if isinstance(gram, MappedStack) and square:
        return Interleaved(block=min(2000, max(2, gram.n // 5)))
    if isinstance(loss, SquaredHinge) and is_foreign(loss.Y):
        return Primal()
    if not isinstance(weights, Charted | Penalised):
        return ProjectedNewton()
    if gram.p > 100:
        dense = isinstance(weights, LpBall) and weights.p >= 1.5
        return InTurn(Alternating(), Newton()) if dense else Newton()
    # Galerkin wants a start near the optimum, which a sample of the rows gives.
    near = gram.n >= 400 and isinstance(gram, Sampled)
    return InTurn(Galerkin(), Newton()) if near and applies(problem) else Newton()
