"""Regression with several kernels: counts, quantiles, and targets with outliers."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.metrics import d2_pinball_score, d2_tweedie_score

from ..checks import between, positive
from ..losses import Huber, Poisson, Quantile
from ..problem import Array, Loss
from ..streamed.blockwise import by_blocks
from .likelihood import LikelihoodEstimator
from .ridge import columns_of_targets


class MKLPoissonRegressor(MultiOutputMixin, RegressorMixin, LikelihoodEstimator):
    """Poisson regression of counts that learns how to combine several kernels.

    Minimises over the weights θ ∈ Θ and the functions f = Σ_j √θ_j f_j

        ½Σ_j‖f_j‖² + (1/α) Σ_i (μ_i − y_i log μ_i),   μ_i = exp(f(x_i) + b).

    With one linear kernel and `normalize=None` it is scikit-learn's
    `PoissonRegressor(alpha / n)`. For rates take y/exposure, and the exposure as
    `sample_weight`.

    Parameters
    ----------
    kernels, weights, solver, normalize, center, tol, max_iter, verbose
        As in `MKLRidge`.
    alpha : float
        The larger, the smoother.

    Attributes
    ----------
    weights_, dual_coef_, intercept_, kernel_names_, solution_, n_iter_, n_features_in_
        As in `MKLRidge`.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelweave import MKLPoissonRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 2))
    >>> y = rng.poisson(np.exp(1 + X[:, 0]))
    >>> model = MKLPoissonRegressor().fit(X, y)
    >>> bool((model.predict(X) > 0).all())
    True
    """

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

    def _check_outcome(self, H: Array, weight: Array) -> None:
        if np.any(H < 0):
            row = int(np.argmax(np.any(H < 0, axis=1)))
            raise ValueError(
                f"counts are not negative, and y is {H[row].min():g} in row {row}: use "
                "MKLRidge for numbers of either sign"
            )
        if not np.all(weight @ H > 0):
            raise ValueError(
                "every count of y is zero (in the samples of positive weight), so "
                "there is nothing to learn from"
            )

    def _loss(self, H: Array, C: Array) -> Loss:
        return Poisson(H, C)

    @by_blocks
    def predict(self, X: Any) -> Array:
        """Expected counts exp(f + b), (m,) or (m, n_outputs)."""
        f = np.exp(self._scores(X))
        return f[:, 0] if self._fitted.head else f

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """D², the share of the deviance that is explained.

        Of equal counts it is 0, or 1 if all are predicted exactly, as in `r2_score`.
        """
        true, found = (
            columns_of_targets(v).T for v in (np.asarray(y), self.predict(X))
        )
        options = {"sample_weight": sample_weight, "power": 1}
        pairs = zip(true, found, strict=True)
        shares = [
            d2_tweedie_score(a, b, **options) if np.ptp(a) > 0 else np.all(a == b)
            for a, b in pairs
        ]
        return float(np.mean(shares))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags


class MKLQuantileRegressor(MultiOutputMixin, RegressorMixin, LikelihoodEstimator):
    """Quantile regression that learns how to combine several kernels.

    Minimises over the weights θ ∈ Θ and the functions f = Σ_j √θ_j f_j

        ½Σ_j‖f_j‖² + (1/α) Σ_i max(q r_i, (q − 1) r_i),   r_i = y_i − f(x_i) − b,

    so that a share q of the targets lies below the prediction. scikit-learn's
    QuantileRegressor penalises Σ abs(w) in the place of ‖w‖²: with a linear kernel the
    two agree as α → 0 only.

    Parameters
    ----------
    kernels, weights, solver, normalize, center, tol, max_iter, verbose
        As in `MKLRidge`.
    quantile : float
        q, between 0 and 1; 0.5 is the median.
    alpha : float
        The larger, the smoother. In the units of y: scale y, or choose it accordingly.

    Attributes
    ----------
    weights_, dual_coef_, intercept_, kernel_names_, solution_, n_iter_, n_features_in_
        As in `MKLRidge`.

    Notes
    -----
    The quantiles are of the training samples. A model that fits these closely, at a
    small alpha, is too narrow for new ones.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from kernelweave import MKLQuantileRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = MKLQuantileRegressor(quantile=0.9, alpha=1.0).fit(X, y)
    >>> bool(0.88 < (y <= model.predict(X) + 1e-9).mean() < 0.97)
    True
    """

    _checks: ClassVar[dict[str, Any]] = {"alpha": positive, "quantile": between}

    def __init__(
        self,
        kernels=None,
        weights=None,
        quantile: float = 0.5,
        alpha: float = 1.0,
        solver=None,
        normalize: str | None = "variance",
        center=True,
        tol=1e-4,
        max_iter=100,
        verbose=0,
    ):
        self.kernels = kernels
        self.weights = weights
        self.quantile = quantile
        self.alpha = alpha
        self.solver = solver
        self.normalize = normalize
        self.center = center
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    def _loss(self, H: Array, C: Array) -> Loss:
        return Quantile(H, C, float(self.quantile))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """D², the share of the pinball loss of the plain quantile that is explained."""
        options = {"sample_weight": sample_weight, "alpha": float(self.quantile)}
        return float(d2_pinball_score(y, self.predict(X), **options))


class MKLHuberRegressor(MultiOutputMixin, RegressorMixin, LikelihoodEstimator):
    """Regression that outliers cannot pull far, and that learns the kernels' weights.

    Minimises over the weights θ ∈ Θ and the functions f = Σ_j √θ_j f_j

        ½Σ_j‖f_j‖² + (1/α) Σ_i φ(y_i − f(x_i) − b),

    φ(r) = ½r² for errors up to δ, and δ·abs(r) − ½δ² beyond (Huber 1964). For a large
    δ it is `MKLRidge`.

    Parameters
    ----------
    kernels, weights, solver, normalize, center, tol, max_iter, verbose
        As in `MKLRidge`.
    epsilon : float
        δ in units of the spread of y, which is 1.4826 times the median distance from
        the median.
    alpha : float
        As in `MKLRidge`.

    Attributes
    ----------
    delta_ : float or ndarray (n_outputs,)
        δ, in the units of y.
    weights_, dual_coef_, intercept_, kernel_names_, solution_, n_iter_, n_features_in_
        As in `MKLRidge`.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelweave import MKLHuberRegressor, MKLRidge
    >>> from kernelweave.kernels import Linear
    >>> x = np.linspace(-1, 1, 50)[:, None]
    >>> y = 3 * x[:, 0]
    >>> y[-1] = -100
    >>> robust = MKLHuberRegressor([Linear()], epsilon=0.1).fit(x, y)
    >>> plain = MKLRidge([Linear()]).fit(x, y)
    >>> (robust.predict([[0.5]]).round(1), plain.predict([[0.5]]).round(1))
    (array([1.5]), array([-3.5]))
    """

    _checks: ClassVar[dict[str, Any]] = {"alpha": positive, "epsilon": positive}

    def __init__(
        self,
        kernels=None,
        weights=None,
        epsilon: float = 1.35,
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
        self.epsilon = epsilon
        self.alpha = alpha
        self.solver = solver
        self.normalize = normalize
        self.center = center
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    def _check_outcome(self, H: Array, weight: Array) -> None:
        used = H[weight > 0] if np.any(weight > 0) else H
        spread = 1.4826 * np.median(np.abs(used - np.median(used, axis=0)), axis=0)
        # Where more than half of the targets are equal their deviation is what is left.
        spread = np.where(spread > 0, spread, np.std(used, axis=0))
        delta = float(self.epsilon) * np.where(spread > 0, spread, 1.0)
        self.delta_ = float(delta[0]) if len(delta) == 1 else delta

    def _loss(self, H: Array, C: Array) -> Loss:
        return Huber(H, C, self.delta_)
