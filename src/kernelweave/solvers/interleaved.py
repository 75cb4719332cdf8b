"""A few rows of A, then θ, with rows of the kernels computed when they are needed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from sklearn.base import BaseEstimator

from ..arrays import require_host
from ..grams import BlockStack, DenseStack
from ..losses import Square
from ..problem import Array, Charted, Iterate, Penalised, Problem, Solver, WeightSet
from ..solution import uninterrupted
from ..solve import solve
from .dual_lbfgs import DualLBFGS
from .newton import Newton
from .projected_newton import ProjectedNewton
from .subspace import Subspace


@dataclass(eq=False, repr=False)
class Interleaved(BaseEstimator):
    """Solve for the rows B of A, the others and θ being fixed; then for θ; and again.

    With the residual R = H − λA − K(θ)A the step in the rows B is the inner problem of
    these rows,

        D_B = (λI + K(θ)[B, B])⁻¹ R_B,    1ᵀD_B = 0 if there is an intercept,

    a Cholesky factor of b rows. Yan et al. (2012, §2.3.1) would go on with the best θ
    for A + D, but where A is no inner maximum such a step may rise. Here every step
    stays in a subspace of A's, and on the subspace of all steps so far the problem,
    θ and step lengths together, is a small one of the same kind (see `Subspace`):
    Newton's method solves it exactly, for every set of weights. So D(A) never falls,
    and the steps are conjugate.

    Neither the Gram matrices nor K(θ) are formed: a pass over the rows computes pn²
    kernel values. With ten blocks and kernels of implied variance one a gap of 1e-3
    took 4 passes at λ = 1 and 6 at λ = 0.1; one of 1e-6 takes up to 25.

    Parameters
    ----------
    block : int
        Rows in a block. More rows a block are fewer passes; it takes 24b² bytes.
    memory : int
        Bytes for the subspace: 8n(p + 1) for each of its vectors.
    seed : int
        The blocks are random, other ones in each pass.
    """

    block: int = 2000
    memory: int = 2**29
    seed: int = 0

    def iterates(
        self, problem: Problem, tol: float, start: Array | None
    ) -> Iterator[Iterate]:
        gram, loss, weights = problem.gram, problem.loss, problem.weights
        if not isinstance(loss, Square):
            raise TypeError(
                f"Interleaved is for the square loss, not {type(loss).__name__}"
            )
        if not isinstance(gram, BlockStack):
            raise TypeError(
                f"Interleaved needs rows of the kernels, which {type(gram).__name__} "
                "does not give: use DenseStack or LazyStack"
            )
        require_host(loss, "Interleaved")
        if self.block < 2:
            raise ValueError(f"block must be at least 2, got {self.block!r}")
        H = loss.gradient(np.zeros((gram.n, 1)))
        theta = weights.start(gram.p) if start is None else np.array(start)
        A, KA = np.zeros(H.shape), np.zeros((gram.p, *H.shape))
        C = np.zeros((0, H.shape[1]))
        space = Subspace(H, gram.p, self.memory, gram.apply, loss.into_domain)
        solver = _small_solver(weights)
        rng = np.random.default_rng(self.seed)
        while True:
            progress = False
            for B in _partition(rng, gram.n, self.block):
                R = loss.gradient(A)[B] - np.tensordot(theta, KA[:, B], 1)
                local = Square(R, loss.lam, loss.intercept)
                D = local.inner(gram.block(theta, B)).A
                step = np.zeros((H.shape[1], gram.n))
                step[:, B] = D.T
                applied = gram.apply_rows(B, D).transpose(2, 0, 1)
                if space.add(step, C, applied):
                    progress = True
                    small = Problem(
                        DenseStack(space.grams),
                        Square(space.targets, loss.lam),
                        weights,
                    )
                    best = uninterrupted(solve(small, solver, 0.01 * tol, start=theta))
                    # `dual_A` is the A that proves the larger lower bound.
                    theta, C = best.weights, best.dual_A
                    A, KA = space.expand(C)
                yield Iterate(problem.bound(theta, A, KA))
            if not progress:
                return


def _small_solver(weights: WeightSet) -> Solver:
    """The solver of the problem on the subspace."""
    if isinstance(weights, Penalised):
        return DualLBFGS()
    return Newton() if isinstance(weights, Charted) else ProjectedNewton()


def _partition(rng: np.random.Generator, n: int, size: int) -> list[Array]:
    """0..n−1 in random parts of about `size`, at least two numbers in each."""
    return np.array_split(rng.permutation(n), max(1, round(n / size)))
