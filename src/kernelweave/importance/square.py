"""Fits of the square loss, with every sample left out in closed form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..grams import DenseStack
from ..losses import Square, WeightedSquare
from ..problem import Array, Problem
from ..selection.descent import learn
from ..selection.ridge_path import SAME, finely, ridge_path
from ..solve import solve
from ..threads import blas_threads
from ..weights import Fixed
from .candidate import Candidate, Found, taken
from .contributions import Parts, left_out_parts

# Weights of a fit among many need not be exact to more than this relative gap.
TOL = 1e-3


@dataclass(frozen=True)
class SquareEngine:
    """min_θ F(θ) for the square loss, then leave-one-out at θ.

    Attributes
    ----------
    matrices : ndarray (p, n, n)
        Gram matrices, centred and scaled as in the model.
    targets : callable
        From rows, None for all, to H (m, k).
    lam : float
        λ of the model.
    compared : float
        λ at which it is compared with other fits by squared errors: that which these
        ask for, where the model's own is that of its classes.
    weights : weight set
        Of all p kernels.
    intercept : bool
    groups : ndarray (n,) or None
        Samples that are left out together.
    v : ndarray (n,) or None
        Weights of the samples.
    alphas : sequence of float or None
        Of a model whose weights and λ were learned from left-out samples: where its
        search for λ begins. Such a model is learned again in the same way, but for
        permuted views, which get the weights of the model itself: they are many.
    share : float
        λ of such a model is the largest whose left-out error exceeds the least by this
        share.
    equal : bool
        Whether such a model chose kernels, and gave equal weights to these.
    """

    matrices: Array
    targets: Callable[[Array | None], Array]
    lam: float
    compared: float
    weights: Any
    intercept: bool
    groups: Array | None = None
    v: Array | None = None
    alphas: Sequence[float] | None = None
    share: float = SAME
    equal: bool = False

    score_name = "R²"

    @property
    def folds(self) -> int:
        """How many times samples are left out."""
        n = self.matrices.shape[1]
        return n if self.groups is None else len(np.unique(self.groups))

    @property
    def splits(self) -> str:
        what = "sample" if self.groups is None else "group"
        return f"each {what} left out in turn"

    def __call__(self, candidate: Candidate) -> Found:
        members, p = candidate.members, len(self.matrices)
        K = taken(self.matrices, candidate)
        H = self.targets(candidate.rows)
        groups, v = self.groups, self.v
        if candidate.rows is not None:
            groups = None if groups is None else groups[candidate.rows]
            v = None if v is None else v[candidate.rows]
        with blas_threads(len(H)):
            theta, lam = self._learn(K, H, v, candidate)
            parts = left_out_parts(K, theta, lam, H, self.intercept, groups, v)
        weights, shares = np.zeros((2, p))
        weights[members], shares[members] = theta, parts.shares
        return Found(weights, shares, parts.score, parts.losses)

    def parts(self, theta: Array) -> Parts:
        """Left-out predictions of all samples at given weights, by kernel."""
        with blas_threads(self.matrices.shape[1]):
            return left_out_parts(
                self.matrices,
                theta,
                self.lam,
                self.targets(None),
                self.intercept,
                self.groups,
                self.v,
            )

    def _learn(
        self, K: Array, H: Array, v: Array | None, candidate: Candidate
    ) -> tuple[Array, float]:
        """θ of the members, and λ."""
        if self.alphas is not None and not candidate.kept:
            gram = DenseStack(K)
            theta = np.full(gram.p, 1 / gram.p)
            if not self.equal:
                found = learn(gram, H, self.alphas, intercept=self.intercept)
                theta = found.descent.theta
            lams = finely(self.alphas)
            path = ridge_path(gram.combine(theta), H, lams, self.intercept, v)
            return theta, float(path.lams[path.largest(self.share)])
        mask = np.isin(np.arange(len(self.matrices)), candidate.members)
        weights = self.weights.restrict(mask)
        if isinstance(weights, Fixed):
            return np.asarray(weights.start(len(K))), self.compared
        loss: Any = Square(H, self.lam, self.intercept)
        if v is not None:
            loss = WeightedSquare(H, self.lam, v, self.intercept)
        solution = solve(Problem(DenseStack(K), loss, weights), tol=TOL)
        return solution.weights, self.lam
