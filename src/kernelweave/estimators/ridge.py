"""Kernel ridge regression with several kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if

from ..grams import Stack
from ..losses import Square
from ..problem import Array
from ..scale.blockwise import by_blocks
from ..scale.distributed import fit_dask, is_dask
from ..scale.reduced import Reduced
from ..scale.sample import RowSample
from ..scale.sums import FeatureSums
from ..scale.targets import Outputs
from .featured import FeaturedEstimator, has_features
from .ridged import RidgedEstimator


class MKLRidge(MultiOutputMixin, RegressorMixin, RidgedEstimator, FeaturedEstimator):
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
        Not there if the kernels have features and 2D < n; then:
    coef_ : ndarray (D,) or (D, n_outputs)
    intercept_ : float or ndarray (n_outputs,)
    approximation_error_, kernel_names_, solution_, alpha_, n_iter_, n_features_in_
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

    _anywhere = True

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
            Also a Dask array or DataFrame, if the kernels have features; or an array
            of PyTorch or CuPy, which is learned from where it is.
        y : array-like (n,) or (n, n_outputs)
            Of Dask's, if X is.
        """
        if is_dask(X, y):
            return fit_dask(self, X, y)
        return self._fit_stack(*self._begin(X, y))

    @available_if(has_features)
    def partial_fit(self, X: Any, y: Any):
        """Learn from these rows and from those of the calls before.

        For kernels with features (`Nystroem`, `RandomFourier`, `Linear`): only sums
        over the rows are kept. The first call chooses landmarks and widths, so its
        rows should be like the others; the kernels cannot change afterwards. `fit`
        keeps no sums, so a model that it fitted learns no more. On an error the model
        stays as it was.

        Parameters
        ----------
        X : array-like or sparse (m, d)
        y : array-like (m,) or (m, n_outputs)
        """
        return self._partial_fit(X, y, multi_output=True, y_numeric=True)

    def _begin(self, X: Any, y: Any) -> tuple[Stack | FeatureSums, Array]:
        """The Gram stack, or sums over rows, and the targets."""
        self._forget()
        table = X
        X, y = self._check_train(X, y)
        return self._prepare(X, y, table), y

    def _targets(self, sample: RowSample) -> Outputs:
        self._one = np.ndim(sample.y) == 1
        return Outputs()

    def _coding(self, totals: Array) -> Array:
        return np.eye(len(totals))

    def _fit_reduced(self, reduced: Reduced, sums: FeatureSums, coding: Array) -> None:
        coef, intercept = self._learn_features(reduced)
        self.coef_ = coef[:, 0] if self._one else coef
        self.intercept_ = float(intercept[0]) if self._one else intercept

    def _fit_stack(self, stack: Stack | FeatureSums, y: Array):
        if isinstance(stack, FeatureSums):
            return self._fit_sums(stack)
        H = np.asarray(y, dtype=float).reshape(len(y), -1)
        solution = self._learn(stack, lambda lam: Square(H, lam, self.center))
        self._one = one = np.ndim(y) == 1
        self.dual_coef_ = solution.A[:, 0] if one else solution.A
        self.intercept_ = float(solution.bias[0]) if one else solution.bias
        self._expand(self.weights_, solution.A, solution.bias)
        return self

    @by_blocks
    def predict(self, X: Any) -> Array:
        """Predicted targets, (m,) or (m, n_outputs)."""
        f = self._scores(X)
        return f[:, 0] if self._one else f
