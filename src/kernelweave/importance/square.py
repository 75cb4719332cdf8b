"""Fits of the square loss, with every sample left out in closed form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..grams import DenseStack
from ..losses import Square, WeightedSquare
from ..problem import Array, Problem
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
    weights : weight set
        Of all p kernels.
    intercept : bool
    groups : ndarray (n,) or None
        Samples that are left out together.
    v : ndarray (n,) or None
        Weights of the samples.
    """

    matrices: Array
    targets: Callable[[Array | None], Array]
    lam: float
    weights: Any
    intercept: bool
    groups: Array | None = None
    v: Array | None = None

    score_name = "R²"

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
            mask = np.isin(np.arange(p), members)
            theta = self._learn(K, H, v, self.weights.restrict(mask))
            parts = left_out_parts(K, theta, self.lam, H, self.intercept, groups, v)
        weights, shares = np.zeros((2, p))
        weights[members], shares[members] = theta, parts.shares
        return Found(weights, shares, parts.score)

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

    def at(self, theta: Array) -> SquareEngine:
        """The same with these weights in every fit, those of absent kernels left out.

        Weights that were not learned from the training objective are not learned again.
        """
        return replace(self, weights=Fixed(theta))

    def _learn(self, K: Array, H: Array, v: Array | None, weights: Any) -> Array:
        if isinstance(weights, Fixed):
            return np.asarray(weights.start(len(K)))
        loss: Any = Square(H, self.lam, self.intercept)
        if v is not None:
            loss = WeightedSquare(H, self.lam, v, self.intercept)
        return solve(Problem(DenseStack(K), loss, weights), tol=TOL).weights
