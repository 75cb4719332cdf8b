"""The automatic choice, put together from its parts alone."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone

from kernelweave.estimators.gaussian import fit_gaussians
from kernelweave.grams import DenseStack
from kernelweave.grams.stored import stored_stack
from kernelweave.kernels import AnisotropicRBF
from kernelweave.losses import discriminant_targets
from kernelweave.losses.quadratic import mean_shift
from kernelweave.selection import (
    ALPHAS,
    fit_temperature,
    learn,
    learn_widths,
    leave_out,
    worth_learning,
)


class Automatic(BaseEstimator):
    """Weights, λ and, for numbers, lengthscales by leave-one-out."""

    def __init__(self, kernels, lengthscales=False):
        self.kernels = kernels
        self.lengthscales = lengthscales

    def _learn(self, X, H):
        kernels = [clone(kernel).fit(X, centred=True) for kernel in self.kernels]
        stack, statistics = stored_stack(kernels, X, "variance", True)
        alive = np.array([s.scale > 0 for s in statistics])
        kernels = [k for k, a in zip(kernels, alive, strict=True) if a]
        statistics = [s for s, a in zip(statistics, alive, strict=True) if a]
        stack = stack.subset(alive)
        self.learned_ = learn(stack, H, ALPHAS)
        found = self.learned_.descent
        theta, lam = found.theta, found.lam
        if self.lengthscales and worth_learning(len(X), X.shape[1]):
            ard = AnisotropicRBF(scale=True).fit(X)
            self.widths_ = learn_widths(stack, H, theta, lam, [ard], [ard.select(X)])
            if self.widths_.accepted:
                ard = ard.learned(self.widths_.widths[0]).fit(X)
                extra, more = stored_stack([ard], X, "variance", True)
                both = np.concatenate([stack.matrices, extra.matrices])
                stack, theta = DenseStack(both), self.widths_.theta
                kernels, statistics = [*kernels, ard], [*statistics, *more]
                lam = self.widths_.lam
        self._kernels, self._statistics, self._X = kernels, statistics, X
        self._theta = theta
        at = leave_out(stack.combine(theta), lam, H)
        self._A, self._b = at.A, H.mean(axis=0)
        return at

    def _project(self, X):
        f = np.zeros((len(X), self._A.shape[1])) + self._b
        parts = zip(self._theta, self._kernels, self._statistics, strict=True)
        for weight, kernel, s in parts:
            f += weight * (s.cross(kernel(X, self._X), None) @ self._A)
        return f


class AutomaticClassifier(ClassifierMixin, Automatic):
    def fit(self, X, y):
        self.classes_, labels = np.unique(y, return_inverse=True)
        H = discriminant_targets(labels, len(self.classes_))
        at = self._learn(X, H)
        left_out = H - at.R + mean_shift(H, np.ones(len(H)))
        self._gaussians = fit_gaussians(left_out, H, labels, len(self.classes_))
        self.temperature_ = fit_temperature(self._gaussians.scores(left_out), labels)
        return self

    def decision_function(self, X):
        s = self.temperature_ * self._gaussians.scores(self._project(X))
        return s if s.shape[1] > 2 else s[:, 1] - s[:, 0]

    def predict_proba(self, X):
        s = self.temperature_ * self._gaussians.scores(self._project(X))
        P = np.exp(s - s.max(axis=1, keepdims=True))
        return P / P.sum(axis=1, keepdims=True)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class AutomaticRegressor(RegressorMixin, Automatic):
    def fit(self, X, y):
        self._learn(X, np.asarray(y, dtype=float)[:, None])
        return self

    def predict(self, X):
        return self._project(X)[:, 0]
