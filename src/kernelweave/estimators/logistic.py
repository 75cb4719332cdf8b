"""Logistic regression with several kernels."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import expit, log_expit, log_softmax, softmax
from sklearn.base import ClassifierMixin

from ..checks import positive
from ..fitted.grams import GramData
from ..losses import Logistic, Multinomial
from ..problem import Array
from ..streamed.blockwise import by_blocks
from ..targets import class_numbers
from ..threads import blas_threads
from .class_scores import labelled, sign_targets
from .learning import learn
from .likelihood import LikelihoodEstimator, Outcome
from .several_targets import (
    LABELS,
    learn_apart,
    refuse_one_target,
    signs_of_labels,
)
from .weighing import weighed_classes


class MKLLogisticRegression(ClassifierMixin, LikelihoodEstimator):
    """Logistic regression that learns how to combine several kernels.

    Minimises over the weights θ ∈ Θ and the functions f = Σ_j √θ_j f_j

        ½Σ_j‖f_j‖² + C Σ_i log(1 + exp(−y_i(f(x_i) + b))),

    and for k classes C Σ_i (log Σ_c exp(f_c(x_i) + b_c) − f_{y_i}(x_i) − b_{y_i}), one
    set of weights for all. Its probabilities are those of the likelihood. With one
    linear kernel and `normalize=None` it is scikit-learn's LogisticRegression.

    Of several labels, which a sample may have or not, the losses add up: y is (n, q) of
    zeros and ones.

    Parameters
    ----------
    kernels, weights, class_weight, solver, normalize, center, tol, max_iter, verbose
        As in `MKLSVC`.
    C : float
        Weight of the likelihood against the norm: the larger, the closer the fit.
    weights_per_target : bool
        Of several labels: whether each has weights of its own.

    Attributes
    ----------
    weights_ : ndarray (p,), or (q, p) with `weights_per_target`
    classes_ : ndarray (k,)
        Of several labels their numbers, as in OneVsRestClassifier.
    dual_coef_ : ndarray (n,), or (n, k) for more than two classes or several labels
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
    >>> labels = np.column_stack([X[:, 0] > 6, y == 2]).astype(int)
    >>> MKLLogisticRegression().fit(X, labels).predict(X[-1:])
    array([[0, 1]])
    """

    _classes = True
    _labels = True
    _softer = "decrease C"
    _checks: ClassVar[dict[str, Any]] = {"C": positive}

    def __init__(
        self,
        kernels=None,
        weights=None,
        C: float = 1.0,
        class_weight=None,
        weights_per_target=False,
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
        self.weights_per_target = weights_per_target
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
        y : array-like (n,), or (n, q) of zeros and ones
            Class labels, of any type; or several labels, each there or not.
        sample_weight : array-like (n,), optional
            Multiplies C.
        """
        return super().fit(X, y, sample_weight)

    def _penalty(self) -> float:
        return float(self.C)

    def _outcome(self, y: Any, weight: Array) -> Outcome:
        if np.ndim(y) == 2:
            return self._several(y, weight)
        if self.weights_per_target:
            refuse_one_target(y)
        self.classes_, labels = class_numbers(y, "a classifier")
        weight = weighed_classes(weight, y, self.class_weight)
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

    def _several(self, y: Array, weight: Array) -> Outcome:
        """One column of signs a label."""
        Y = signs_of_labels(y, weight)
        if self.class_weight is not None:
            raise ValueError(
                "class_weight is for classes, of which a sample has one, and y holds "
                f"{y.shape[1]} labels: use sample_weight"
            )
        self.classes_ = np.arange(y.shape[1])
        return Outcome(
            lambda C: Logistic(Y, np.tile(C * weight[:, None], Y.shape[1])),
            y,
            weight,
            one=False,
            head=LABELS,
        )

    def _fit_loss(self, data: GramData, outcome: Outcome) -> Any:
        if outcome.head != LABELS or not self.weights_per_target:
            return super()._fit_loss(data, outcome)
        loss: Any = outcome.loss(self._penalty())
        alone = [Logistic(Y[:, None], loss.C[:, 0]) for Y in loss.Y.T]
        with blas_threads(data.stack.n):
            A, bias, W = learn_apart(
                self, lambda c: learn(self, data, alone[c])[0], len(alone)
            )
            found = data.coefficients(W, A, bias, balanced=True)
        self._keep_coefficients(data, found, outcome)
        return self.solution_

    @by_blocks
    def decision_function(self, X: Any) -> Array:
        """Two classes: log-odds of `classes_[1]`, (m,). More: scores (m, k).

        Of several labels: the log-odds of each, (m, q).
        """
        f = self._scores(X)
        return f[:, 0] if f.shape[1] == 1 else f

    @by_blocks
    def predict(self, X: Any) -> Array:
        """The most probable class; of several labels, (m, q), those above one half."""
        f = self._scores(X)
        if self._fitted.head == LABELS:
            return (f > 0).astype(int)
        return labelled(self.classes_, f)

    @by_blocks
    def predict_proba(self, X: Any) -> Array:
        """The probabilities of the classes, (m, k), or of each label, (m, q)."""
        f = self._scores(X)
        if self._fitted.head == LABELS:
            return expit(f)
        return softmax(f, axis=1) if f.shape[1] > 1 else expit(np.hstack([-f, f]))

    @by_blocks
    def predict_log_proba(self, X: Any) -> Array:
        """Their logarithms, (m, k)."""
        f = self._scores(X)
        if self._fitted.head == LABELS:
            return log_expit(f)
        if f.shape[1] > 1:
            return log_softmax(f, axis=1)
        return log_expit(np.hstack([-f, f]))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags
