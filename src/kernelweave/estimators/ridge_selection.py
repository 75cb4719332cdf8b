"""Ridge regression that chooses the norm of the weights and the regularisation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.metrics import check_scoring

from ..grams import Stack
from ..problem import Array
from ..scale.held_out import Predicted
from ..scale.sample import RowSample
from ..scale.sums import FeatureSums
from ..select import ALPHAS, NORMS
from .ridge import MKLRidge
from .selecting import Selecting


class MKLRidgeCV(Selecting, MKLRidge):
    """Ridge regression that also chooses how sparse its weights are.

    For every norm p and every alpha of a grid the weights θ, ‖θ‖_p ≤ 1, and the
    functions f = Σ_j √θ_j f_j minimise

        ½Σ_j‖f_j‖² + ‖y − f − b‖²/(2α),

    and the point of the best score is fitted again, to `tol`.

    Parameters
    ----------
    kernels, norms, alphas, cv, solver, normalize, center, tol, max_iter, verbose
        As in `MKLDiscriminantAnalysisCV`.
    scoring : str, callable or None
        None is R², of which one standard error is given away as in
        `MKLDiscriminantAnalysisCV`. Else a scorer of scikit-learn.

    Attributes
    ----------
    norm_, alpha_, best_score_, best_index_, cv_results_
        As in `MKLDiscriminantAnalysisCV`.
    weights_, solution_, dual_coef_, intercept_, kernel_names_, n_iter_
        As in `MKLRidge`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from kernelweave import MKLRidgeCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = MKLRidgeCV(norms=[1, 2], alphas=[1, 10, 100]).fit(X, y)
    >>> bool(model.best_score_ > 0.45)
    True
    """

    def __init__(
        self,
        kernels=None,
        norms=NORMS,
        alphas=ALPHAS,
        cv=None,
        scoring=None,
        solver=None,
        normalize: str | None = "variance",
        center=True,
        tol=1e-6,
        max_iter=100,
        verbose=0,
    ):
        self.kernels = kernels
        self.norms = norms
        self.alphas = alphas
        self.cv = cv
        self.scoring = scoring
        self.solver = solver
        self.normalize = normalize
        self.center = center
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    def fit(self, X: Any, y: Any):
        """Choose the norm and alpha, and fit there to all samples.

        Ctrl-C on the grid raises KeyboardInterrupt, and leaves the model as it was.

        Parameters
        ----------
        X : array-like or sparse (n, d), or Gram matrices (p, n, n)
        y : array-like (n,) or (n, n_outputs)
        """
        if self.cv is not None:
            self._by_cross_validation(X, y)
        return super().fit(X, y)

    def _fit_stack(self, stack: Stack | FeatureSums, y: Array):
        if self.cv is None and not isinstance(stack, FeatureSums):
            H = np.asarray(y, dtype=float).reshape(len(y), -1)
            self._by_leave_one_out(stack, H, y)
        return super()._fit_stack(stack, y)

    def _plain(self) -> Any:
        return MKLRidge()

    def _left_out_score(self, H: Array, y: Array) -> Callable[[Array], float]:
        return self._score_of(y)

    def _held_out_score(self, sample: RowSample) -> Callable[[Predicted], float]:
        score = self._score_of(sample.y)
        return lambda found: score(found.rows)

    def _score_of(self, y: Array) -> Callable[[Array], float]:
        given = _GivenPredictions()
        scorer = check_scoring(given, self.scoring)
        return lambda f: float(scorer(given, f.reshape(y.shape), y))

    def _score(self) -> Callable[[Any, Any, Any], float]:
        return check_scoring(self._plain(), self.scoring)


class _GivenPredictions(MKLRidge):
    """What a scorer asks, of rows that are predictions already."""

    def predict(self, X: Any) -> Array:
        return X
