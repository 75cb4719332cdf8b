"""Regression of counts, quantiles and with outliers that chooses norm and alpha."""

from __future__ import annotations

from operator import attrgetter
from typing import Any, ClassVar, Self

from ..checks import between, positive
from ..selection.grid import ALPHAS
from ..selection.likelihood_grid import LIKELIHOOD_NORMS
from .choosing import chosen_weights
from .choosing_likelihood import fit_best
from .fitting import all_or_nothing
from .regressors import MKLHuberRegressor, MKLPoissonRegressor, MKLQuantileRegressor


class MKLPoissonRegressorCV(MKLPoissonRegressor):
    """Poisson regression that also chooses how sparse its weights are, and alpha.

    Parameters
    ----------
    kernels, solver, normalize, center, tol, max_iter, verbose
        As in `MKLPoissonRegressor`.
    norms, alphas, cv
        As in `MKLCoxRegressionCV`.
    scoring : str, callable or None
        A scorer of scikit-learn. None is D², the share of the deviance that is
        explained, of which with cv=None one standard error is given away for a larger
        norm.

    Attributes
    ----------
    norm_, alpha_, best_score_, best_index_, cv_results_
        As in `MKLCoxRegressionCV`.
    left_out_ : ndarray (n,) or (n, n_outputs)
        With cv=None: log μ of the training samples, each by the model without it.
    weights_, solution_, dual_coef_, intercept_, kernel_names_, n_iter_
        As in `MKLPoissonRegressor`.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelweave import MKLPoissonRegressorCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 2))
    >>> y = rng.poisson(np.exp(1 + X[:, 0]))
    >>> bool(MKLPoissonRegressorCV(norms=[1, 2]).fit(X, y).best_score_ > 0.5)
    True
    """

    # Every point of the grid reads the Gram matrices.
    _store = 2**30

    def __init__(
        self,
        kernels=None,
        norms=LIKELIHOOD_NORMS,
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

    weights = property(chosen_weights)
    alpha = property(attrgetter("alpha_"))

    @all_or_nothing
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None
    ) -> Self:
        """Choose the norm and alpha, and fit there; groups as in `MKLCoxRegressionCV`.

        Other parameters are those of the plain fit.
        """
        plain = MKLPoissonRegressor()
        return fit_best(self, plain, X, y, sample_weight, groups, self.scoring)


class MKLQuantileRegressorCV(MKLQuantileRegressor):
    """Quantile regression that also chooses how sparse its weights are, and alpha.

    Parameters
    ----------
    kernels, quantile, solver, normalize, center, tol, max_iter, verbose
        As in `MKLQuantileRegressor`.
    norms, alphas
        As in `MKLCoxRegressionCV`; alpha is in the units of y.
    cv : int, splitter, iterable or None
        As in GridSearchCV; None is five folds. The loss has kinks, so that no Newton
        step tells what it would say of left-out samples.
    scoring : str, callable or None
        A scorer of scikit-learn. None is D², the share of the pinball loss that is
        explained.

    Attributes
    ----------
    norm_, alpha_, best_score_, best_index_, cv_results_
        As in `MKLCoxRegressionCV`.
    weights_, solution_, dual_coef_, intercept_, kernel_names_, n_iter_
        As in `MKLQuantileRegressor`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from kernelweave import MKLQuantileRegressorCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = MKLQuantileRegressorCV(norms=[2], alphas=[1.0, 4.0], cv=3)
    >>> bool(model.fit(X[:150], y[:150]).best_score_ > 0.1)
    True
    """

    # Every point of the grid reads the Gram matrices.
    _store = 2**30
    _checks: ClassVar[dict[str, Any]] = {"quantile": between}

    def __init__(
        self,
        kernels=None,
        norms=LIKELIHOOD_NORMS,
        alphas=ALPHAS,
        quantile: float = 0.5,
        cv=None,
        scoring=None,
        solver=None,
        normalize: str | None = "variance",
        center=True,
        tol=1e-4,
        max_iter=100,
        verbose=0,
    ):
        self.kernels = kernels
        self.norms = norms
        self.alphas = alphas
        self.quantile = quantile
        self.cv = cv
        self.scoring = scoring
        self.solver = solver
        self.normalize = normalize
        self.center = center
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    weights = property(chosen_weights)
    alpha = property(attrgetter("alpha_"))

    @all_or_nothing
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None
    ) -> Self:
        """Choose the norm and alpha, and fit there; groups as in `MKLCoxRegressionCV`.

        Other parameters are those of the plain fit.
        """
        plain = MKLQuantileRegressor()
        return fit_best(self, plain, X, y, sample_weight, groups, self.scoring, None)


class MKLHuberRegressorCV(MKLHuberRegressor):
    """Huber regression that also chooses how sparse its weights are, and alpha.

    Parameters
    ----------
    kernels, epsilon, solver, normalize, center, tol, max_iter, verbose
        As in `MKLHuberRegressor`.
    norms, alphas
        As in `MKLCoxRegressionCV`.
    cv : int, splitter, iterable or None
        As in GridSearchCV; None is five folds.
    scoring : str, callable or None
        A scorer of scikit-learn. None is "d2_absolute_error_score", the share of the
        absolute error that is explained, which outliers do not rule.

    Attributes
    ----------
    norm_, alpha_, best_score_, best_index_, cv_results_
        As in `MKLCoxRegressionCV`.
    delta_, weights_, solution_, dual_coef_, intercept_, kernel_names_, n_iter_
        As in `MKLHuberRegressor`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from kernelweave import MKLHuberRegressorCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = MKLHuberRegressorCV(norms=[2], alphas=[4.0, 16.0], cv=3)
    >>> bool(model.fit(X[:150], y[:150]).best_score_ > 0.1)
    True
    """

    # Every point of the grid reads the Gram matrices.
    _store = 2**30
    _checks: ClassVar[dict[str, Any]] = {"epsilon": positive}

    def __init__(
        self,
        kernels=None,
        norms=LIKELIHOOD_NORMS,
        alphas=ALPHAS,
        epsilon: float = 1.35,
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
        self.epsilon = epsilon
        self.cv = cv
        self.scoring = scoring
        self.solver = solver
        self.normalize = normalize
        self.center = center
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    weights = property(chosen_weights)
    alpha = property(attrgetter("alpha_"))

    @all_or_nothing
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None
    ) -> Self:
        """Choose the norm and alpha, and fit there; groups as in `MKLCoxRegressionCV`.

        Other parameters are those of the plain fit.
        """
        plain, scoring = MKLHuberRegressor(), self.scoring
        scoring = "d2_absolute_error_score" if scoring is None else scoring
        return fit_best(self, plain, X, y, sample_weight, groups, scoring, None)
