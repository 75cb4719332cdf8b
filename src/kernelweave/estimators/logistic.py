"""Logistic regression with several kernels."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import expit, log_expit, log_softmax, softmax
from sklearn.base import ClassifierMixin
from sklearn.utils.class_weight import compute_sample_weight

from ..checks import positive
from ..losses import Logistic, Multinomial
from ..problem import Array
from ..streamed.blockwise import by_blocks
from ..targets import class_numbers
from .class_scores import labelled, sign_targets
from .likelihood import LikelihoodEstimator, Outcome


class MKLLogisticRegression(ClassifierMixin, LikelihoodEstimator):
    """Logistic regression that learns how to combine several kernels.

    Minimises over the weights θ ∈ Θ and the functions f = Σ_j √θ_j f_j

        ½Σ_j‖f_j‖² + C Σ_i log(1 + exp(−y_i(f(x_i) + b))),

    and for k classes C Σ_i (log Σ_c exp(f_c(x_i) + b_c) − f_{y_i}(x_i) − b_{y_i}), one
    set of weights for all. Its probabilities are those of the likelihood. With one
    linear kernel and `normalize=None` it is scikit-learn's LogisticRegression.

    Parameters
    ----------
    kernels, weights, class_weight, solver, normalize, center, tol, max_iter, verbose
        As in `MKLSVC`.
    C : float
        Weight of the likelihood against the norm: the larger, the closer the fit.

    Attributes
    ----------
    weights_ : ndarray (p,)
    classes_ : ndarray (k,)
    dual_coef_ : ndarray (n,), or (n, k) for more than two classes
    intercept_ : float, or ndarray (k,)
    kernel_names_, solution_, n_iter_, n_features_in_
        As in `MKLSVC`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelweave import MKLLogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MKLLogisticRegression().fit(X, y)
    >>> model.predict_proba(X[:1]).shape, model.solution_.converged
    ((1, 3), True)
    """

    _classes = True
    _softer = "decrease C"
    _checks: ClassVar[dict[str, Any]] = {"C": positive}

    def __init__(
        self,
        kernels=None,
        weights=None,
        C=1.0,
        class_weight=None,
        solver=None,
        normalize: str | None = "variance",
        center=True,
        tol=1e-6,
        max_iter=100,
        verbose=0,
    ):
        self.kernels = kernels
        self.weights = weights
        self.C = C
        self.class_weight = class_weight
        self.solver = solver
        self.normalize = normalize
        self.center = center
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the weights of the kernels and the coefficients.

        Parameters
        ----------
        X : array-like or sparse (n, d), or Gram matrices (p, n, n)
        y : array-like (n,)
            Class labels, of any type.
        sample_weight : array-like (n,), optional
            Multiplies C.
        """
        return super().fit(X, y, sample_weight)

    def _penalty(self) -> float:
        return float(self.C)

    def _outcome(self, y: Any, weight: Array) -> Outcome:
        self.classes_, labels = class_numbers(y, "a classifier")
        if self.class_weight is not None:
            weight = weight * compute_sample_weight(self.class_weight, y)
        k = len(self.classes_)
        empty = np.bincount(labels, weight, minlength=k) == 0
        if empty.any():
            raise ValueError(
                f"the samples of class {self.classes_[empty].tolist()[0]!r} have "
                "weight 0 by sample_weight or class_weight: leave them out of X "
                "and y, as a class that nobody has has no probability"
            )
        if k == 2:
            loss, Y = Logistic, sign_targets(labels, 2)
        else:
            loss, Y = Multinomial, np.eye(k)[labels]
        return Outcome(lambda C: loss(Y, C * weight), y, weight, one=k == 2)

    @by_blocks
    def decision_function(self, X: Any) -> Array:
        """Two classes: log-odds of `classes_[1]`, (m,). More: scores (m, k)."""
        f = self._scores(X)
        return f[:, 0] if f.shape[1] == 1 else f

    @by_blocks
    def predict(self, X: Any) -> Array:
        """The most probable class."""
        f = self._scores(X)
        return labelled(self.classes_, f)

    @by_blocks
    def predict_proba(self, X: Any) -> Array:
        """The probabilities of the classes, (m, k)."""
        f = self._scores(X)
        return softmax(f, axis=1) if f.shape[1] > 1 else expit(np.hstack([-f, f]))

    @by_blocks
    def predict_log_proba(self, X: Any) -> Array:
        """Their logarithms, (m, k)."""
        f = self._scores(X)
        if f.shape[1] > 1:
            return log_softmax(f, axis=1)
        return log_expit(np.hstack([-f, f]))
