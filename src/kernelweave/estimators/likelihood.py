"""What the estimators of other outcomes share: the fit, and its dual coefficients."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from ..checks import positive
from ..fitted.grams import GramData
from ..inputs.rows import Rows, as_rows
from ..problem import Array, Loss
from ..solution import Solution
from ..streamed.blockwise import by_blocks
from ..threads import blas_threads
from .base import KernelEstimator
from .fitting import all_or_nothing
from .keeping import keep_prediction
from .learning import learn
from .ridge import columns_of_targets
from .weighing import keep_sample_weights, sample_weights


@dataclass(frozen=True)
class Outcome:
    """What is learned of the training rows.

    Attributes
    ----------
    loss : callable(float) -> Loss
        From the penalty C of errors, 1/α, to the loss of the targets.
    y : Any
        The targets, as scores take them.
    weight : ndarray (n,)
        How often every sample counts.
    one : bool
        Whether there is one column of coefficients, (n,).
    head : Any
        What makes classes or numbers of f.
    """

    loss: Callable[[float], Loss]
    y: Any
    weight: Array
    one: bool
    head: Any = None


class LikelihoodEstimator(KernelEstimator):
    """Gram matrices, a loss whose dual coefficients add up to zero, and its answer.

    Targets are numbers, (n,) or (n, n_outputs), where a class does not say otherwise.
    """

    _classes = False
    # Whether y may hold several labels, (n, q).
    _labels = False
    _balanced = True
    _softer = "increase alpha"
    _checks: ClassVar[dict[str, Any]] = {"alpha": positive}

    alpha: Any

    dual_coef_: Array
    intercept_: Any

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the weights of the kernels and the coefficients.

        Parameters
        ----------
        X : array-like or sparse (n, d), or Gram matrices (p, n, n)
        y : array-like (n,) or (n, n_outputs)
        sample_weight : array-like (n,), optional
            Multiplies 1/α.
        """
        return self._fit_data(*self._begin(X, y, sample_weight))

    def _begin(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> tuple[GramData, Outcome]:
        """The Gram matrices of the training rows, and what is learned of them."""
        rows = self._read(X, y)
        weight = sample_weights(sample_weight, rows.X, rows.n)
        keep_sample_weights(self, weight)
        # What cannot be learned from is said before matrices are made.
        outcome = self._outcome(rows.y, weight)
        return self._represent(rows), outcome

    def _read(self, X: Any, y: Any) -> Rows:
        """Training rows and targets, validated."""
        return as_rows(self, X, y, classes=self._classes, labels=self._labels)

    def _outcome(self, y: Any, weight: Array) -> Outcome:
        one, H = np.ndim(y) == 1, columns_of_targets(y)
        self._check_outcome(H, weight)
        return Outcome(lambda C: self._loss(H, C * weight), y, weight, one, head=one)

    def _check_outcome(self, H: Array, weight: Array) -> None:
        """Look at the targets (n, k), and refuse those that nothing is learned from."""

    def _loss(self, H: Array, C: Array) -> Loss:
        raise NotImplementedError

    def _penalty(self) -> float:
        """C of the loss."""
        return 1 / float(self.alpha)

    def _fit_data(self, data: GramData, outcome: Outcome) -> Self:
        self._fit_loss(data, outcome)
        return self

    def _fit_loss(self, data: GramData, outcome: Outcome) -> Solution:
        """Learn the weights and the coefficients, and keep what predicts."""
        with blas_threads(data.stack.n):
            solution, _ = learn(self, data, outcome.loss(self._penalty()))
            found = data.coefficients(
                self.weights_, solution.A, solution.bias, balanced=True
            )
        self._keep_coefficients(data, found, outcome)
        return solution

    def _keep_coefficients(self, data: GramData, found: Any, outcome: Outcome) -> None:
        one = outcome.one
        self.dual_coef_ = found.coef[:, 0] if one else found.coef
        self.intercept_ = float(found.intercept[0]) if one else found.intercept
        flat = one and not self._classes
        keep_prediction(self, data, found, outcome.head, flat)

    @by_blocks
    def predict(self, X: Any) -> Array:
        """Predicted targets, (m,) or (m, n_outputs)."""
        f = self._scores(X)
        return f[:, 0] if self._fitted.head else f
