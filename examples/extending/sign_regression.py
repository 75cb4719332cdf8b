"""An estimator of one's own: two classes, with a loss of one's own."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from kernelweave import Problem, solve
from kernelweave.fitted.expansion import expand
from kernelweave.grams.stored import stored_stack
from kernelweave.kernels import default_kernels
from kernelweave.kernels.fitting import fit_kernels, names_of
from kernelweave.losses import SquaredHinge
from kernelweave.weights import Simplex


class SignRegression(ClassifierMixin, BaseEstimator):
    """Classification by the sign of f, for a loss of +1 and −1.

    Four steps: fit the kernels, make a Gram stack, solve, and keep the expansion.

    Parameters
    ----------
    loss : class, optional
        Of a loss that takes the signs (n,); the default is `SquaredHinge`.
    kernels, weights, tol
        As in `kernelweave.MKLSVC`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_val_score
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> float(cross_val_score(SignRegression(), X[:200], y[:200], cv=3).mean()) > 0.9
    True
    """

    def __init__(self, loss=None, kernels=None, weights=None, tol=1e-6):
        self.loss = loss
        self.kernels = kernels
        self.weights = weights
        self.tol = tol

    def fit(self, X, y):
        X, y = validate_data(self, X, y)
        check_classification_targets(y)
        self.classes_, labels = np.unique(y, return_inverse=True)
        if len(self.classes_) != 2:
            raise ValueError(
                "Only binary classification is supported: y has "
                f"{len(self.classes_)} class(es)"
            )
        kernels = default_kernels() if self.kernels is None else self.kernels
        self.kernels_ = fit_kernels(kernels, X, X, centred=True)
        self.kernel_names_ = names_of(self.kernels_)
        stack, statistics = stored_stack(self.kernels_, X, "variance", center=True)
        signs = 2.0 * labels - 1
        loss = SquaredHinge(signs[:, None]) if self.loss is None else self.loss(signs)
        weights = Simplex() if self.weights is None else self.weights
        self.solution_ = solve(Problem(stack, loss, weights), tol=self.tol)
        self.weights_, A = self.solution_.weights, self.solution_.A
        parts = ((j, weight * A) for j, weight in enumerate(self.weights_) if weight)
        bias, rows = self.solution_.bias, X.copy()
        self.expansion_ = expand(
            self.kernels_, rows, statistics, parts, bias, balanced=False
        )
        return self

    def decision_function(self, X):
        check_is_fitted(self)
        return self.expansion_(validate_data(self, X, reset=False))[:, 0]

    def predict(self, X):
        positive = self.decision_function(X) > 0
        return self.classes_[positive.astype(int)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
