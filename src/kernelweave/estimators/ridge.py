"""Kernel ridge regression with several kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from ..grams import Stack
from ..losses import Square
from ..problem import Array
from .ridged import RidgedEstimator


class MKLRidge(MultiOutputMixin, RegressorMixin, RidgedEstimator):
    """Ridge regression that learns how much each kernel is worth.

    Minimises over the weights θ, Σθ_j = 1, and the functions f = Σ_j √θ_j f_j

        ½Σ_j‖f_j‖² + ‖y − f − b‖²/(2α);

    several outputs share one set of weights. With one kernel, `normalize=None` and
    `center=False` it is scikit-learn's KernelRidge.

    Parameters
    ----------
    kernels, weights, alpha, solver, normalize, center, tol, max_iter, verbose
        As in `MKLDiscriminantAnalysis`.

    Attributes
    ----------
    weights_ : ndarray (p,)
    dual_coef_ : ndarray (n,) or (n, n_outputs)
    intercept_ : float or ndarray (n_outputs,)
    kernel_names_, solution_, alpha_, n_iter_, n_features_in_
        As in `MKLDiscriminantAnalysis`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from kernelweave import MKLRidge
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = MKLRidge(alpha=1.0).fit(X, y)
    >>> bool(model.solution_.certificate.relative_gap < 1e-6)
    True
    """

    def __init__(
        self,
        kernels=None,
        weights=None,
        alpha: float | str = 1.0,
        solver=None,
        normalize: str | None = "variance",
        center=True,
        tol=1e-6,
        max_iter=100,
        verbose=0,
    ):
        self.kernels = kernels
        self.weights = weights
        self.alpha = alpha
        self.solver = solver
        self.normalize = normalize
        self.center = center
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    def fit(self, X: Any, y: Any):
        """Learn the weights of the kernels and the coefficients.

        Parameters
        ----------
        X : array-like or sparse (n, d), or Gram matrices (p, n, n)
        y : array-like (n,) or (n, n_outputs)
        """
        return self._fit_stack(*self._begin(X, y))

    def _begin(self, X: Any, y: Any) -> tuple[Stack, Array]:
        """The Gram stack and the targets."""
        table = X
        X, y = self._check_train(X, y, multi_output=True, y_numeric=True)
        return self._grams(X, table), y

    def _fit_stack(self, stack: Stack, y: Array):
        H = np.asarray(y, dtype=float).reshape(len(y), -1)
        solution = self._learn(stack, lambda lam: Square(H, lam, self.center))
        one = np.ndim(y) == 1
        self.dual_coef_ = solution.A[:, 0] if one else solution.A
        self.intercept_ = float(solution.bias[0]) if one else solution.bias
        return self

    def predict(self, X: Any) -> Array:
        """Predicted targets, (m,) or (m, n_outputs)."""
        check_is_fitted(self, "weights_")
        return self._product(X, self._by_kernel(self.dual_coef_)) + self.intercept_
