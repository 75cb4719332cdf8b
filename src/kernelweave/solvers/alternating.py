"""Alternating steps in closed form."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from ..problem import Array, Iterate, Problem
from .sets import general


@dataclass(eq=False, repr=False)
class Alternating(BaseEstimator):
    """Solve for A at θ, then for θ at the functions f_j = θ_jK_jA, and again.

    With ‖w_j‖² = θ_j²s_j(A) the second step minimises Σ_j‖w_j‖²/θ_j over Θ, which has
    a closed form: Kloft et al. 2011, equation (12). Each step descends. It is for
    sets whose weights stay positive: a weight of zero would remain so.
    """

    def iterates(
        self, problem: Problem, tol: float, start: Array | None
    ) -> Iterator[Iterate]:
        weights: Any = problem.weights
        if not hasattr(weights, "balance"):
            raise TypeError(
                f"Alternating has no closed form for {type(weights).__name__}; use "
                f"{general(weights)}"
            )
        theta = weights.start(problem.gram.p) if start is None else np.array(start)
        point = problem.at(theta)
        while True:
            yield Iterate(point)
            v = point.theta**2 * point.s
            if not np.any(v > 0):
                return
            theta = weights.balance(v)
            new = problem.at(theta, point.A)
            # The value no longer changes: what is left is rounding.
            if new.value > point.value * (1 + 1e-14):
                return
            point = new
