"""What the support vector machines share: C, the support vectors, and prediction."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from ..arrays import elsewhere, filled, host, like, namespace, take
from ..checks import finite_squares
from ..entries import refuse_masked
from ..problem import Array
from ..weights import Simplex
from .base import KernelEstimator


class SupportVectorEstimator(KernelEstimator):
    """From dual coefficients to support vectors and to scores of new rows."""

    C: Any
    loss: str
    _softer = "decrease C"
    _balanced = True

    support_: Array
    dual_coef_: Array
    intercept_: Array

    def _penalty(self, squared: bool) -> float | None:
        """C, or None if it is to be learned."""
        C = self.C
        if isinstance(C, str) and C == "learn":
            weights = self._weight_set()
            if not squared:
                raise ValueError(
                    f"C='learn' is for a squared loss, got loss={self.loss!r}: with "
                    "it 1/C is the weight of the identity among the kernels"
                )
            if not isinstance(weights, Simplex) or weights.r is not None:
                raise ValueError(
                    "C='learn' takes part in the constraint on the weights, which "
                    f"must be Simplex(), got {weights!r}"
                )
            return None
        return float(C)

    def _sample_weights(self, sample_weight: Any, X: Any, n: int) -> Array:
        """What every sample's C is multiplied by, (n,)."""
        if sample_weight is None:
            return np.ones(n)
        rows = np.zeros((n, 1)) if self._given() or elsewhere(X) else X
        sample_weight = host(sample_weight) if elsewhere(X) else sample_weight
        refuse_masked("sample_weight", sample_weight)
        weight = _check_sample_weight(
            sample_weight, rows, dtype=np.float64, ensure_non_negative=True
        )
        finite_squares("sample_weight", weight)
        return weight

    def _keep(self, A: Array, bias: Array, W: Array, order: Array) -> None:
        """Set the support vectors and their coefficients.

        A (n, k), bias (k,), W (k, p) the weights of each column, and the rows in the
        order in which the support vectors are to stand.
        """
        self.support_ = order[np.any(host(A)[order] != 0, axis=1)]
        xp = namespace(A)
        self.dual_coef_ = xp.asarray(take(A, self.support_).T, copy=True)
        offset = filled(bias.shape[0], A)
        for j, statistics in enumerate(self._statistics):
            # K̃a = Ka − (row meansᵀa) where Σa = 0.
            if statistics.row_means is not None:
                scaled = like(statistics.scale * W[:, j], A)
                offset += scaled * (statistics.row_means @ A)
        self.intercept_ = bias - offset
        self._statistics = [s.uncentred(self.support_) for s in self._statistics]
        if self._given():
            self.support_vectors_ = np.empty((0, 0))
        else:
            rows = self.X_fit_
            chosen = take(rows, self.support_) if elsewhere(rows) else None
            self.support_vectors_ = rows[self.support_] if chosen is None else chosen
            del self.X_fit_

    def _scores(self, X: Any) -> Array:
        """f (m, k) of new rows, from support vectors and non-zero kernels only."""
        check_is_fitted(self, "dual_coef_")
        parts = [self._part_scores(X) for X in self._parts(X, len(self.support_) + 1)]
        return namespace(*parts).concat(parts)

    def _part_scores(self, X: Any) -> Array:
        m = X.shape[1] if self._given() else X.shape[0]
        k = self.dual_coef_.shape[0]
        W = np.broadcast_to(self.weights_, (k, len(self.kernel_names_)))
        f = filled((m, k), self.dual_coef_) + self.intercept_
        if len(self.support_) == 0:
            # Every target lies in the tube: f is the constant.
            return f
        for j in np.flatnonzero(W.any(axis=0)).tolist():
            if self._given():
                K, diagonal = take(X[j, ...], self.support_, 1), None
            else:
                kernel = self.kernels_[j]
                K = kernel(X, self.support_vectors_)
                spherical = self._statistics[j].root_diagonal is not None
                diagonal = kernel.diagonal(X) if spherical else None
            K = self._statistics[j].cross(K, diagonal)
            f += K @ (self.dual_coef_ * like(W[:, j : j + 1], f)).T
        return f
