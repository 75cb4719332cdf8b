"""What the estimators of other outcomes share: the fit, and its dual coefficients."""

from __future__ import annotations

from typing import Any, ClassVar

from ..checks import positive
from ..fitted.grams import GramData
from ..problem import Array, Loss
from ..threads import blas_threads
from .base import KernelEstimator


class LikelihoodEstimator(KernelEstimator):
    """Gram matrices, a loss whose dual coefficients add up to zero, and its answer."""

    _balanced = True
    _softer = "increase alpha"
    _checks: ClassVar[dict[str, Any]] = {"alpha": positive}

    dual_coef_: Array
    intercept_: Any

    def _fit_loss(self, data: GramData, loss: Loss, one: bool, head: Any = None):
        """Learn the weights; with `one` the columns of A are one."""
        self._name(data)
        with blas_threads(data.stack.n):
            solution, _ = self._learn(data, loss)
            found = data.coefficients(
                self.weights_, solution.A, solution.bias, balanced=True
            )
        self.dual_coef_ = found.coef[:, 0] if one else found.coef
        self.intercept_ = float(found.intercept[0]) if one else found.intercept
        self._keep(data, found, head)
        return solution
