"""What the estimators with a regularisation alpha share."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..grams import GramStack, Stack
from ..problem import Array, Loss
from ..solve import Solution
from ..stacklevel import outside
from ..weights import Simplex
from .base import KernelEstimator


class RidgedEstimator(KernelEstimator):
    """λ of the square losses: given as `alpha`, or learned with the weights."""

    alpha: Any
    _softer = "increase alpha"

    def _learn(self, stack: Stack, make_loss: Callable[[float], Loss]) -> Solution:
        """Learn the weights, and set attributes.

        `make_loss(lam)` makes the loss; λ = 0 if λ is to be learned.
        """
        lam = self._lambda()
        if lam is None and not _plain_simplex(self._weight_set()):
            raise ValueError(
                "alpha='learn' takes part in the constraint on the weights, which "
                f"must be Simplex(), got {self.weights!r}"
            )
        solution = self._solve(stack, make_loss(lam or 0.0), identity=lam is None)
        self.alpha_ = self._ridge if lam is None else lam
        return solution

    def _lambda(self) -> float | None:
        """λ, or None if it is to be learned."""
        return None if isinstance(self.alpha, str) else float(self.alpha)

    def _check_scale(self, loss: Loss, gram: GramStack, theta: Array) -> None:
        """Warn if the regularisation makes no sense for the scale of the kernels."""
        ridge = float(np.mean(getattr(loss, "ridge", getattr(loss, "lam", 0.0))))
        trace = float(theta @ gram.traces)
        if trace < ridge:
            # tr K(λI + K)⁻¹ ≤ tr K/λ
            warnings.warn(
                f"alpha={self.alpha:g} is too large for these kernels: their mean "
                f"trace is {trace:.3g}, so the model has less than one effective "
                "degree of freedom and predicts hardly more than the mean. Use "
                "normalize='variance', or a smaller alpha",
                UserWarning,
                stacklevel=outside(),
            )


def _plain_simplex(weights: Any) -> bool:
    return isinstance(weights, Simplex) and weights.r is None
