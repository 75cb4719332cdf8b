"""Which solver, if none was asked for."""

from __future__ import annotations

from ..problem import Problem, Solver
from ..weights import LpBall
from .alternating import Alternating
from .galerkin import Galerkin, applies
from .newton import Newton


def default_solver(problem: Problem) -> Solver:
    """Galerkin() for the square loss, where a factorisation is dear; else Newton().

    With hundreds of kernels the products are dear, and the subspace is too small; and
    where all of them keep a weight Newton's matrix is. The alternation then takes a
    dozen steps, unless the norm is near one.

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
    gram, weights = problem.gram, problem.weights
    if gram.p > 100:
        dense = isinstance(weights, LpBall) and weights.p >= 1.5
        return Alternating() if dense else Newton()
    return Galerkin() if gram.n >= 400 and applies(problem) else Newton()
