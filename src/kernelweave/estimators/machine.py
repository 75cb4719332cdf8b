"""What the support vector machines share: C, the support vectors, and prediction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays import host, namespace, take
from ..fitted.grams import GramData
from ..problem import Array, Loss
from ..solution import Solution
from .base import KernelEstimator
from .hard_margin import without_errors
from .keeping import keep_prediction
from .learning import learn, require_simplex


class SupportVectorMachine(KernelEstimator):
    """From dual coefficients to support vectors and to scores of new rows."""

    C: Any
    loss: str
    _softer = "decrease C"
    _balanced = True

    support_: Array
    dual_coef_: Array
    intercept_: Array

    def _require_learnable(self, squared: bool) -> None:
        """Refuse C="learn" where 1/C is no weight of the identity."""
        if not squared:
            raise ValueError(
                f"C='learn' is for a squared loss, got loss={self.loss!r}: with "
                "it 1/C is the weight of the identity among the kernels"
            )
        require_simplex("C", self.weights)

    def _solved(
        self,
        C: float,
        data: GramData,
        weight: Array,
        loss: Callable[[Array], Loss],
        spread: float = 1.0,
    ) -> Solution:
        """The solution for bounds C·weight of the coefficients, C perhaps infinite.

        `loss` takes the bounds; `spread` is that of y.
        """
        if np.isinf(C) and self.loss.startswith("squared"):
            raise ValueError(
                f"C=inf allows no errors, of which loss={self.loss!r} always has some: "
                f"use loss={self.loss.removeprefix('squared_')!r}, or a large C"
            )

        if np.isfinite(C):
            return learn(self, data, loss(C * weight))[0]
        return without_errors(
            lambda bound: learn(self, data, loss(bound))[0], data, weight, spread
        )

    def _keep_support(
        self,
        data: GramData,
        A: Array,
        bias: Array,
        W: Array,
        order: Array,
        head: Any = None,
    ) -> None:
        """Set the support vectors and their coefficients.

        A (n, k), bias (k,), W (k, p) the weights of each column, and the rows in the
        order in which the support vectors are to stand.
        """
        self.support_ = order[np.any(host(A)[order] != 0, axis=1)]
        xp = namespace(A)
        self.dual_coef_ = xp.asarray(take(A, self.support_).T, copy=True)
        rows = getattr(data.X, "numbers", data.X)
        self.support_vectors_ = np.empty((0, 0))
        if rows is not None:
            self.support_vectors_ = take(rows, self.support_)
        # Where the kernels are centred 1ᵀA = 0.
        found = data.coefficients(W, A, bias, balanced=True)
        self.intercept_ = found.expansion.constant
        keep_prediction(self, data, found, head)
