"""Support vector regression with several kernels."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin

from ..checks import one_of, penalty
from ..fitted.grams import GramData
from ..inputs.rows import as_rows
from ..losses import EpsilonInsensitive, SquaredEpsilonInsensitive
from ..problem import Array
from ..streamed.blockwise import by_blocks
from .base import KernelEstimator
from .fitting import all_or_nothing
from .machine import keep_support, learn_machine
from .ridge import columns_of_targets
from .weighing import keep_sample_weights, sample_weights

LOSSES = ("epsilon_insensitive", "squared_epsilon_insensitive")


class MKLSVR(MultiOutputMixin, RegressorMixin, KernelEstimator):
    """Support vector regression that learns how to combine several kernels.

    Minimises over the weights θ ∈ Θ and the functions f = Σ_j √θ_j f_j

        ½Σ_j‖f_j‖² + C Σ_i (abs(y_i − f(x_i) − b) − ε)₊,

    or with the square of the last bracket, times ½; several outputs share one set of
    weights. With one kernel and `normalize=None` it is scikit-learn's SVR. C and ε
    are in the units of y: scale y, or choose them accordingly.

    Parameters
    ----------
    kernels, weights, solver, normalize, center, tol, max_iter, verbose
        As in `MKLSVC`.
    C : float
        Penalty of errors; inf, for the ε-insensitive loss, allows none above ε.
    epsilon : float
        Errors up to ε cost nothing.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}

    Attributes
    ----------
    weights_ : ndarray (p,)
    support_ : ndarray of int (n_SV,)
    support_vectors_ : ndarray or sparse (n_SV, d)
        Empty if `kernels="precomputed"`.
    n_support_ : ndarray of int (1,)
    dual_coef_ : ndarray (1, n_SV) or (n_outputs, n_SV)
    intercept_ : ndarray (1,) or (n_outputs,)
    kernel_names_, solution_, C_, n_iter_, n_features_in_
        As in `MKLSVC`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from kernelweave import MKLSVR
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = MKLSVR(C=100, epsilon=10).fit(X, y)
    >>> model.solution_.certificate.relative_gap < 1e-4
    True
    """

    _balanced = True
    _classes = False
    _softer = "decrease C"

    support_: Array

    _checks: ClassVar = {"C": penalty, "loss": partial(one_of, choices=LOSSES)}

    def __init__(
        self,
        kernels=None,
        weights=None,
        C: float = 1.0,
        epsilon=0.1,
        loss="epsilon_insensitive",
        solver=None,
        normalize: str | None = "variance",
        center=False,
        tol=1e-4,
        max_iter=200,
        verbose=0,
    ):
        self.kernels = kernels
        self.weights = weights
        self.C = C
        self.epsilon = epsilon
        self.loss = loss
        self.solver = solver
        self.normalize = normalize
        self.center = center
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the weights of the kernels and the support vectors.

        Parameters
        ----------
        X : array-like or sparse (n, d), or Gram matrices (p, n, n)
        y : array-like (n,) or (n, n_outputs)
        sample_weight : array-like (n,), optional
            Multiplies C.
        """
        return self._fit_data(*self._begin(X, y, sample_weight))

    def _begin(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> tuple[GramData, Array, Array]:
        """The training rows, the targets, and what C is multiplied by."""
        rows = as_rows(self, X, y, classes=False)
        weight = sample_weights(sample_weight, rows.X, rows.n)
        keep_sample_weights(self, weight)
        return self._represent(rows), rows.y, weight

    def _fit_data(self, data: GramData, y: Array, weight: Array):
        self.C_ = C = float(self.C)
        H = columns_of_targets(y)
        squared = self.loss == LOSSES[1]
        make = SquaredEpsilonInsensitive if squared else EpsilonInsensitive
        loss = partial(make, H, epsilon=float(self.epsilon))
        spread = float(np.std(H, axis=0).max())
        solution = learn_machine(self, C, data, weight, loss, spread)
        W = np.tile(self.weights_, (H.shape[1], 1))
        one, order = np.ndim(y) == 1, np.arange(len(y))
        keep_support(self, data, solution.A, solution.bias, W, order, one)
        self.n_support_ = np.array([len(self.support_)])
        return self

    @by_blocks
    def predict(self, X: Any) -> Array:
        """Predicted targets, (m,) or (m, n_outputs)."""
        f = self._scores(X)
        return f[:, 0] if self._fitted.head else f
