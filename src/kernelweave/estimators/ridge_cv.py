"""Ridge regression that chooses the norm of the weights and the regularisation."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, Self

from sklearn.metrics import check_scoring

from ..fitted.features import FeatureData, TrainingData
from ..frames import is_dask
from ..inputs.rows import as_rows
from ..problem import Array
from ..selection.choice import keep_choice
from ..selection.grid import ALPHAS
from .choosing import by_left_out, by_splits, chosen_weights
from .fitting import all_or_nothing
from .prediction import learn_to_predict, predicts
from .ridge import MKLRidge, columns_of_targets
from .streaming import fit_dask, refuse_groups


class MKLRidgeCV(MKLRidge):
    """Ridge regression whose weights and alpha predict best.

    By default weights and alpha minimise the exact left-out error, of f_{−i}(x_i) for
    y_i, as in `MKLDiscriminantAnalysisCV`. With `kernels=None`, and 20 rows or more for
    every column, a kernel with one lengthscale a column is learned in the same way, and
    joins the others if left-out samples speak for it.

    With `norms`, for every norm p and every alpha of a grid the weights θ, ‖θ‖_p ≤ 1,
    and the functions f = Σ_j √θ_j f_j minimise

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
    descent_, norm_, alpha_, best_score_, best_index_, cv_results_
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

    _anywhere = False
    weights_per_target = False
    # Every point of the grid reads the Gram matrices.
    _store = 2**30

    def __init__(
        self,
        kernels=None,
        norms=None,
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

    @all_or_nothing
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None
    ) -> Self:
        """Choose the norm and alpha, and fit there to all samples.

        Ctrl-C on the grid raises KeyboardInterrupt, and leaves the model as it was.

        Parameters
        ----------
        X : array-like or sparse (n, d), or Gram matrices (p, n, n)
        y : array-like (n,) or (n, n_outputs)
        sample_weight : array-like (n,), optional
            As in `MKLRidge`. A sample is left out with all its weight, and its error
            counts as its weight.
        groups : array-like (n,), optional
            As in `MKLDiscriminantAnalysisCV`.
        """
        if is_dask(X, y):
            refuse_groups(groups)
            return fit_dask(self, X, y, sample_weight)
        if self.cv is None and groups is None:
            return self._fit_data(*self._begin(X, y, sample_weight))
        rows = as_rows(self, X, y, classes=False)
        plain, score = MKLRidge(), check_scoring(MKLRidge(), self.scoring)
        beside, average = (sample_weight, groups), predicts(self)
        choice = by_splits(
            self, plain, rows, score, self.cv, *beside, average=average, widen=average
        )
        keep_choice(self, choice)
        chosen = self.weights, self.alpha_
        return self._fit_data(*self._begin(X, y, sample_weight), chosen=chosen)

    def _fit_data(self, data: TrainingData, y: Any = None, chosen: Any = None):
        if chosen is not None:
            return super()._fit_data(data, y, chosen)
        if predicts(self):
            H = None if y is None else columns_of_targets(y)
            found = learn_to_predict(self, data, H, lengthscales=self.kernels is None)
            data, choice, self.descent_ = found
            keep_choice(self, choice)
        else:
            keep_choice(self, self._chosen(data, y))
        return super()._fit_data(data, y, (self.weights, self.alpha_))

    def _chosen(self, data: TrainingData, y: Array | None) -> Any:
        scored = self.scoring is not None
        if isinstance(data, FeatureData):
            if not scored:
                return by_left_out(self, data, None)
            of_rows = self._score_of(data.sums.sample.y)
            return by_left_out(self, data, None, lambda found: of_rows(found.rows))
        assert y is not None
        score = self._score_of(y) if scored else None
        return by_left_out(self, data, columns_of_targets(y), score)

    weights = property(chosen_weights)
    alpha = property(attrgetter("alpha_"))
    _learns_widths = property(predicts)

    def _score_of(self, y: Array) -> Callable[[Array], float]:
        """From left-out predictions (n, k) to the score that `scoring` asks for."""
        given = _GivenPredictions()
        scorer = check_scoring(given, self.scoring)
        return lambda f: float(scorer(given, f.reshape(y.shape), y))


class _GivenPredictions(MKLRidge):
    """What a scorer asks, of rows that are predictions already."""

    def predict(self, X: Any) -> Array:
        return X
