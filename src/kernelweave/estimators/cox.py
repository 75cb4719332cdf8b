"""Cox regression with several kernels: times to an event."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np

from ..fitted.grams import GramData
from ..inputs.rows import Rows, as_rows
from ..losses import Cox
from ..problem import Array
from ..streamed.blockwise import by_blocks
from ..survival import (
    breslow,
    concordance_index,
    survival_array,
    survival_function,
    survival_target,
)
from .likelihood import LikelihoodEstimator, Outcome


class MKLCoxRegression(LikelihoodEstimator):
    """Cox regression that learns how to combine several kernels.

    Minimises over the weights θ ∈ Θ and the functions f = Σ_j √θ_j f_j half the norm,
    ½Σ_j‖f_j‖², plus 1/α times the negative partial log-likelihood,

        (1/α) Σ_{events i} (log Σ_{j at risk at t_i} exp(f(x_j)) − f(x_i)),

    with Breslow's treatment of ties. The hazard of a sample is exp(f(x)) times that of
    a baseline. With one linear kernel and `normalize=None` it is scikit-survival's
    `CoxPHSurvivalAnalysis(alpha)`.

    Parameters
    ----------
    kernels, weights, solver, normalize, center, tol, max_iter, verbose
        As in `MKLSVC`.
    alpha : float
        The larger, the smoother.

    Attributes
    ----------
    weights_ : ndarray (p,)
    dual_coef_ : ndarray (n,)
    event_times_ : ndarray
        The times at which training samples had their event.
    kernel_names_, solution_, n_iter_, n_features_in_
        As in `MKLSVC`.

    References
    ----------
    Cox (1972), Regression models and life-tables, J. R. Stat. Soc. B 34.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from kernelweave import MKLCoxRegression
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 3))
    >>> time, censored = rng.exponential(np.exp(-X[:, 0])), rng.exponential(2, 80)
    >>> y = pd.DataFrame(
    ...     {"event": time <= censored, "time": np.minimum(time, censored)}
    ... )
    >>> model = MKLCoxRegression(alpha=10).fit(X, y)
    >>> model.score(X, y) > 0.65
    True
    >>> model.predict_survival_function(X[:2], times=[0.0, 1.0]).shape
    (2, 2)
    """

    # What y may be is seen by `survival_target`.
    _classes = None

    def __init__(
        self,
        kernels=None,
        weights=None,
        alpha: float = 1.0,
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the weights of the kernels and the coefficients.

        Parameters
        ----------
        X : array-like or sparse (n, d), or Gram matrices (p, n, n)
        y : structured array (n,), or DataFrame of two columns
            Whether the event was seen ("event", of bool), and the time ("time").
        sample_weight : array-like (n,), optional
            How often a sample counts.
        """
        return super().fit(X, y, sample_weight)

    def _read(self, X: Any, y: Any) -> Rows:
        event, time = survival_target(y)
        rows = as_rows(self, X)
        if len(time) != rows.n:
            raise ValueError(f"X has {rows.n} rows, and y has {len(time)}")
        return replace(rows, y=survival_array(event, time))

    def _outcome(self, y: Any, weight: Array) -> Outcome:
        event, time = y["event"], y["time"]
        if not np.any(weight[event] > 0):
            raise ValueError("sample_weight leaves no sample that had its event")
        return Outcome(lambda C: Cox(time, event, C, weight), y, weight, one=True)

    def _fit_data(self, data: GramData, outcome: Outcome) -> Self:
        solution = self._fit_loss(data, outcome)
        f = data.stack.combine(self.weights_) @ solution.A
        event, time = outcome.y["event"], outcome.y["time"]
        # Held beside f: what a risk of zero means in terms of time.
        baseline = breslow(event, time, f[:, 0], outcome.weight)
        self._fitted = self._fitted.with_head(baseline)
        self.event_times_ = baseline.times
        return self

    @by_blocks
    def predict(self, X: Any) -> Array:
        """The risk f(x), (m,): the larger, the earlier the event."""
        return self._scores(X)[:, 0]

    def predict_survival_function(self, X: Any, times: Any = None) -> Array:
        """The probability that a sample has had no event by the times, (m, q).

        Parameters
        ----------
        X : array-like or sparse (m, d)
        times : array-like (q,), optional
            `event_times_` by default. After the last of these it stays as it is there.
        """
        risk = self.predict(X)
        at = self.event_times_ if times is None else times
        return survival_function(self._fitted.head, risk, at)

    def score(self, X: Any, y: Any) -> float:
        """The concordance index of Harrell: 0.5 is chance, 1 the right order.

        Parameters
        ----------
        X : array-like or sparse (m, d)
        y : structured array (m,), or DataFrame of two columns
        """
        event, time = survival_target(y)
        return concordance_index(event, time, self.predict(X))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
