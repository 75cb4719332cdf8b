"""Discriminant analysis with several kernels."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from sklearn.base import (
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)

from ..fitted import features
from ..fitted.features import TrainingData
from ..frames import is_dask
from ..inputs.rows import as_rows
from ..problem import Array
from ..streamed.blockwise import by_blocks
from ..streamed.sample import RowSample
from ..streamed.targets import Indicators
from ..targets import class_numbers, require_classes
from .base import KernelEstimator
from .class_columns import describe_columns
from .fitting import all_or_nothing
from .projections import learn_projections
from .several_targets import labelled_rows
from .square_sums import SquareSums
from .streaming import adding, all_classes, count_chunk, fit_dask, grams_or_sums
from .weighing import weigh_rows


class MKLDiscriminantAnalysis(
    ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelEstimator
):
    """Discriminant analysis that learns how to combine several kernels.

    Minimises over the weights θ, Σθ_j = 1,

        F(θ) = max_A ⟨A, H⟩ − ½⟨A, (αI + Σ_j θ_j K_j)A⟩

    with H the class coding: the kernel that separates the classes best, relative to the
    total scatter. The answer comes with a proof of how near it is to the optimum.
    Several labels, y (n, q) of zeros and ones, are coded as two classes each.

    Parameters
    ----------
    kernels : list of kernels, "precomputed" or None
        Any mix of `kernelweave.kernels`, each on its columns. "precomputed": X holds
        Gram matrices, (p, n, n) in `fit`, then (p, m, n). None: `number_kernels`.
    weights : weight set, default Simplex()
        The constraint on the weights.
    alpha : float or "learn"
        Regularisation, the papers' λ. "learn" learns it with the weights.
    scatter : {"total", "within"}
        "within" is the ratio of Kim et al. (2006), for two classes.
    solver : solver, optional
        By default what `kernelweave.solvers.default.default_solver` chooses.
    normalize : {"variance", "trace", "spherical", None}
        Scale of the kernels: variance one, trace one, k(x, x) = 1, or as they are.
    center : bool
        Centre the kernels in feature space, and fit an intercept.
    multiclass_sdp : {"exact", "approximate"}
        "approximate" is the restricted problem (32) of Ye et al. (2008).
    tol : float
        Relative duality gap.
    max_iter, verbose : int
    class_weight : dict, "balanced" or None
        Multiplies the weights of samples; "balanced" gives all classes the same.
    priors : array-like (n_classes,), optional
        Shares of the classes where the model will be used: for probabilities and
        predictions only. By default those of the training samples, or of their weights,
        drawn towards equal ones where samples are few.
    n_components : int, optional
        Directions that `transform` keeps, n_classes − 1 at most.
    store_covariance : bool
        Whether `covariance_` is computed.
    weights_per_target : bool
        Of several labels: whether each has weights of its own.

    Attributes
    ----------
    weights_ : ndarray (p,), or (q, p) with `weights_per_target`
    kernel_names_ : ndarray of str (p,)
    solution_ : Solution
    alpha_ : float
        The regularisation used, or learned.
    dual_coef_ : ndarray (n, n_classes − 1)
        Not there if the kernels have features and 2D < n, D their number; then:
    coef_ : ndarray (D, n_classes − 1)
        Beside `dual_coef_`, where all kernels are `Linear`, (n_classes − 1, d).
    approximation_error_ : ndarray (p,)
        ‖K_j − Z_jZ_jᵀ‖_F/‖K_j‖_F on sampled rows, Z_j the features, for which the
        certificate holds.
    intercept_ : ndarray (n_classes − 1,)
    classes_, priors_ : ndarray (n_classes,)
    means_ : ndarray (n_classes, d)
        Of the columns in each class, if X is an array of numbers.
    covariance_ : ndarray (d, d)
        Σ_c π_cC_c of the columns, if `store_covariance`; it takes no part in the rest.
    explained_variance_ratio_ : ndarray (n_components,)
        Shares of the directions in the variance between the classes.
    row_weights_ : ndarray (n,)
        What every sample weighs, if not all weigh one.
    n_iter_, n_features_in_ : int

    Notes
    -----
    Thresholds and probabilities come from leave-one-out projections of the training
    samples: exact at the learned weights, but for the mean of the other targets, which
    is taken out (`losses.quadratic`). Of more than 2000 rows of equal weight half are
    exact, to single precision, and the others estimated, where 2 % are reached.

    References
    ----------
    Ye, Ji and Chen (2008), JMLR 9. Kim, Magnani and Boyd (2006), ICML.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from kernelweave import MKLDiscriminantAnalysis
    >>> from kernelweave.kernels import RBF
    >>> X, y = load_wine(as_frame=True, return_X_y=True)
    >>> X = (X - X.mean()) / X.std()
    >>> kernels = [
    ...     RBF(columns=slice("alcohol", "magnesium"), name="general"),
    ...     RBF(columns=slice("total_phenols", "proanthocyanins"), name="phenols"),
    ...     RBF(columns=["color_intensity", "hue"], name="colour"),
    ... ]
    >>> model = MKLDiscriminantAnalysis(kernels).fit(X, y)
    >>> dict(zip(model.kernel_names_, model.weights_.round(2).tolist()))
    {'general': 0.42, 'phenols': 0.34, 'colour': 0.25}
    >>> model.solution_.certificate.relative_gap < 1e-6
    True
    """

    _anywhere = True
    _classes = True
    _softer = "increase alpha"
    _streaming = SquareSums()

    def __init__(
        self,
        kernels=None,
        weights=None,
        alpha: float | Literal["learn"] = 1.0,
        scatter="total",
        solver=None,
        normalize: str | None = "variance",
        center=True,
        multiclass_sdp="exact",
        tol=1e-6,
        max_iter=100,
        verbose=0,
        class_weight=None,
        priors=None,
        n_components=None,
        store_covariance=False,
        weights_per_target=False,
    ):
        self.kernels = kernels
        self.weights = weights
        self.alpha = alpha
        self.scatter = scatter
        self.solver = solver
        self.normalize = normalize
        self.center = center
        self.multiclass_sdp = multiclass_sdp
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose
        self.class_weight = class_weight
        self.priors = priors
        self.n_components = n_components
        self.store_covariance = store_covariance
        self.weights_per_target = weights_per_target

    @all_or_nothing
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the weights of the kernels and the discriminant projections.

        Parameters
        ----------
        X : array-like or sparse (n, d), or Gram matrices (p, n, n)
            Gram matrices if `kernels="precomputed"`. Also a Dask array or DataFrame,
            if the kernels have features (`Nystroem`, `RandomFourier`, `Linear`); or
            an array of PyTorch or CuPy, which is learned from where it is.
        y : array-like (n,), or (n, q) of zeros and ones
            Class labels, of any type; of Dask's, if X is; or several labels.
        sample_weight : array-like (n,), optional
            A sample of weight 2 counts as two, one of weight 0 not at all.
        """
        if is_dask(X, y):
            return fit_dask(self, X, y, sample_weight)
        return self._fit_data(*self._begin(X, y, sample_weight))

    @adding
    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Learn from these rows and from those of the calls before.

        For kernels with features (`Nystroem`, `RandomFourier`, `Linear`): only sums
        over the rows are kept. The first call chooses landmarks and widths, so its
        rows should be like the others. A model that `fit` fitted learns no more.

        Parameters
        ----------
        X : array-like or sparse (m, d)
        y : array-like (m,), of two classes at least at the first call
        classes : array-like
            All classes; needed at the first call.
        """
        self.classes_ = all_classes(self, classes)
        return self._fit_data(count_chunk(self, X, y, self.classes_))

    def _begin(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> tuple[TrainingData, Array]:
        """The training rows, and the class numbers (n,), or several labels (n, q)."""
        rows = as_rows(self, X, y, classes=True, labels=True, anywhere=self._anywhere)
        if np.ndim(rows.y) == 2 or self.weights_per_target:
            return labelled_rows(self, rows, sample_weight)
        if sample_weight is not None or self.class_weight is not None:
            rows = weigh_rows(self, rows, sample_weight, self.class_weight)
        self.classes_, labels = class_numbers(rows.y, "a discriminant")
        if rows.n == len(self.classes_):
            raise ValueError(
                "The number of samples must be more than the number of classes: each "
                f"of {rows.n} samples has a class of its own, and nothing tells how "
                "those of a class differ"
            )
        if isinstance(rows.X, np.ndarray) or self.store_covariance:
            describe_columns(self, rows, labels)
        few = rows.n <= features.MANY
        return self._represent(rows) if few else grams_or_sums(self, rows), labels

    def _fit_data(self, data: TrainingData, labels: Any = None):
        """Learn from rows, or from sums, which have their classes."""
        learn_projections(self, data, labels)
        return self

    @property
    def priors_(self) -> Array:
        """Shares of the classes that probabilities go by, (n_classes,)."""
        return self._fitted.head.priors

    @property
    def explained_variance_ratio_(self) -> Array:
        """Shares of the directions in the variance between the classes."""
        return self._fitted.head.separations[: self._n_features_out]

    def _sums_do(self) -> bool:
        return self.scatter == "total" and self.multiclass_sdp == "exact"

    def _sum_targets(self, sample: RowSample) -> Indicators:
        require_classes(sample.classes, "a discriminant")
        self.classes_ = sample.classes
        return Indicators(sample.classes)

    @by_blocks
    def transform(self, X: Any) -> Array:
        """Project to the discriminant space, (m, number of classes − 1 or less).

        In units of the within-class spread of left-out samples; the directions that
        separate the classes most come first. Of several labels: one column each.
        """
        f = self._scores(X)
        return self._fitted.head.transform(f)[:, : self._n_features_out]

    @by_blocks
    def decision_function(self, X: Any) -> Array:
        """Log-odds of `classes_[1]`, (m,), or of labels, (m, q); else scores (m, k)."""
        f = self._scores(X)
        return self._fitted.head.decision(f)

    @by_blocks
    def predict(self, X: Any) -> Array:
        """The most probable class; of several labels, (m, q), those above one half."""
        f = self._scores(X)
        return self._fitted.head.predicted(f, self.classes_)

    @by_blocks
    def predict_proba(self, X: Any) -> Array:
        """Probabilities (m, k); of several labels, of each, (m, q)."""
        f = self._scores(X)
        return self._fitted.head.probabilities(f)

    @by_blocks
    def predict_log_proba(self, X: Any) -> Array:
        """Logarithms of the probabilities, (m, k)."""
        f = self._scores(X)
        return self._fitted.head.log_probabilities(f)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags
