"""Estimators of the square loss whose kernels have features: fitted from sums."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, is_classifier

from ..arrays import elsewhere
from ..fitted import FeatureExpansion
from ..grams import Stack
from ..grams.normalise import Statistics
from ..kernels import Approximation, Featured
from ..kernels.labels import LabelCodes
from ..losses import Square
from ..problem import Array, Loss
from ..scale.chunks import ArrayChunks, Chunks
from ..scale.features import FeatureMap
from ..scale.moments import Moments
from ..scale.reduced import Reduced, Scaling, find_scaling, reduce
from ..scale.sample import RowSample
from ..scale.sums import FeatureSums, origin
from ..solve import Solution
from ..targets import check_targets
from ..threads import blas_threads
from .base import KernelEstimator
from .entrance import check_chunk_of_rows

# Up to so many rows n×n matrices cost little.
_MANY = 1000


def has_features(estimator: Any) -> bool:
    """Whether all kernels of the estimator have features."""
    kernels = estimator.kernels
    return isinstance(kernels, list | tuple) and all(
        isinstance(kernel, Featured) for kernel in kernels
    )


def fit_to_chunks(
    model: FeaturedEstimator, chunks: Chunks, width: int, names: Any = None
) -> Any:
    """Fit a model to rows of `width` columns, in passes over the chunks.

    `names` are those of the columns, if they have any.
    """
    return model._fit_chunks(chunks, width, names)


def _alike(a: Any, b: Any) -> bool:
    """Whether two values of a parameter, or lists of kernels, say the same."""
    if isinstance(a, list | tuple):
        pair = isinstance(b, list | tuple) and len(a) == len(b)
        return pair and all(map(_alike, a, b))
    if hasattr(a, "__array__") or hasattr(b, "__array__"):
        return np.array_equal(a, b)
    if isinstance(a, np.random.RandomState | np.random.Generator):
        # A clone has one of its own, which has drawn its numbers.
        return type(a) is type(b)
    if isinstance(a, FunctionType) or not hasattr(a, "__dict__"):
        return bool(a == b)
    x = a.get_params(deep=False) if isinstance(a, BaseEstimator) else vars(a)
    return type(a) is type(b) and all(_alike(x[n], getattr(b, n)) for n in x)


class FeaturedEstimator(KernelEstimator):
    """K_j = Z_jZ_jᵀ with features Z_j (n, D_j): all is learned from ZᵀZ, ZᵀT, TᵀT.

    Attributes
    ----------
    coef_ : ndarray (D, k)
        Of the features of all kernels, side by side, in the place of `dual_coef_`.
    approximation_error_ : ndarray (p,)
        ‖K_j − Z_jZ_jᵀ‖_F/‖K_j‖_F on sampled rows. The certificate is that of the
        kernels Z_jZ_jᵀ.
    """

    coef_: Array

    # Whether rows are read again after the two passes that make the sums.
    _many_passes = False

    @abstractmethod
    def _targets(self, sample: RowSample) -> Callable[[Any], Array]:
        """How y becomes the columns T whose sums are kept."""

    @abstractmethod
    def _coding(self, totals: Array) -> Array:
        """(q, k): the targets are H = T·coding; `totals` are Σ_i t_i."""

    @abstractmethod
    def _learn(self, stack: Stack, make_loss: Callable[[float], Loss]) -> Solution:
        """Learn the weights, and set attributes: see `RidgedEstimator`."""

    @abstractmethod
    def _fit_reduced(self, reduced: Reduced, sums: FeatureSums, coding: Array) -> None:
        """Learn from the reduced problem, and set attributes."""

    def _square(self) -> bool:
        """Whether the parameters ask for the square loss."""
        return True

    def _looks_again(self) -> bool:
        """Whether the sampled rows are needed after the sums are made."""
        return False

    def _prepare(self, X: Any, y: Array, table: Any) -> Stack | FeatureSums:
        """The Gram stack, or the sums of features where D×D is less than n×n.

        X and y are validated; `table` is what the user passed.
        """
        if elsewhere(X) or not self._featured(*X.shape[:2]):
            return self._grams(X, table)
        return self._sums_of(ArrayChunks(X, y), getattr(table, "columns", None))

    def _featured(self, n: int, d: int) -> bool:
        if self._given() or self.kernels is None or not self._square():
            return False
        if not has_features(self):
            return False
        return n > _MANY and 2 * self._width(d) < n

    def _width(self, d: int) -> int:
        """How many features the kernels have at most, on d columns."""
        return sum(
            kernel.n_components if isinstance(kernel, Approximation) else d
            for kernel in self._kernel_list()
        )

    def _fit_chunks(self, chunks: Chunks, width: int, names: Any = None):
        """Learn from rows of `width` columns that come in chunks."""
        self._forget()
        self._check_featured()
        self.n_features_in_ = width
        self.__dict__.pop("feature_names_in_", None)
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        self._codes = LabelCodes([] if names is None else list(names), {})
        return self._learn_chunks(chunks, names)

    def _learn_chunks(self, chunks: Chunks, names: Any):
        return self._fit_sums(self._sums_of(chunks, names))

    def _sums_of(self, chunks: Chunks, names: Any = None) -> FeatureSums:
        """Two passes over the rows: a sample for the kernels, and the sums.

        `names` are those of the columns, if they have any.
        """
        labels = is_classifier(self)
        sample = chunks.accumulate(partial(RowSample, labels=labels))
        sums = chunks.accumulate(self._empty_sums(sample, names))
        if self._looks_again():
            # Not in what goes to the chunks, which may be elsewhere.
            sums.sample = sample
        return sums

    def _empty_sums(
        self, sample: RowSample, names: Any = None
    ) -> Callable[[], FeatureSums]:
        """Fit the kernels to the sample; what makes empty sums of their features."""
        X = table = sample.X
        if names is not None:
            import pandas as pd

            table = pd.DataFrame(X, columns=names)
        names = self._fitted_kernels(X, table)
        self.kernel_names_ = np.array(names, dtype=object)
        self._map = FeatureMap(self.kernels_, self.normalize == "spherical", X[:1])
        self.approximation_error_ = self._map.errors
        targets = self._targets(sample)
        about = origin(self._map, targets, sample)
        return partial(FeatureSums.empty, self._map, targets, about)

    def _fit_sums(self, sums: FeatureSums):
        """Learn the weights and coefficients from the sums over all rows."""
        total = sums.folds.total()
        scaling = self._scaling(sums, total)
        coding = self._coding(self._n * total.mean[self._map.width :])
        with blas_threads(self._map.width):
            self._fit_reduced(reduce(total, scaling, coding), sums, coding)
        return self

    def _scaling(self, sums: FeatureSums, total: Moments) -> Scaling:
        """How the features are scaled, by their sums over all rows."""
        self._n = int(total.count)
        scaling = find_scaling(
            total, self._map, sums.present, self.normalize, self.center
        )
        self._statistics = [
            Statistics(float(scale), None, None, 0.0) for scale in scaling.scales
        ]
        return scaling

    def _learn_features(self, reduced: Reduced) -> tuple[Array, Array]:
        """Learn the weights; coefficients (D, k) of the features, and intercept."""
        solution = self._learn(reduced.gram, lambda lam: Square(reduced.H, lam))
        coef = reduced.coefficients(self.weights_, solution.A)
        intercept = reduced.intercept(coef)
        self._expand_features(coef, intercept)
        return coef, intercept

    def _expand_features(self, coef: Array, intercept: Array) -> None:
        """Keep what predicts: f = Zᵀcoef + intercept."""
        self._expansion = FeatureExpansion(self._map, coef, intercept)
        del self._statistics

    def _forget(self) -> None:
        """Drop what an earlier fit, of another kind perhaps, has left."""
        for name in ("coef_", "dual_coef_", "approximation_error_", "_map", "_sums"):
            self.__dict__.pop(name, None)

    def _partial_fit(self, X: Any, y: Any, classes: Any = None, **options: Any):
        """Count a chunk of rows, and learn from all that were counted.

        The first chunk places the landmarks and sets the widths of the kernels. On an
        error all is as it was.
        """
        self._count_chunk(X, y, classes, options)
        return self._fit_sums(self._sums)

    def _count_chunk(
        self, X: Any, y: Any, classes: Any, options: dict[str, Any]
    ) -> None:
        first = not hasattr(self, "_sums")
        if first and hasattr(self, "weights_"):
            raise ValueError(
                f"this {type(self).__name__} was fitted to all rows at once, and kept "
                "no sums to which others could be added: fit all rows together, or "
                "begin with clone(model).partial_fit(...)"
            )
        self._check_featured()
        if not first:
            self._check_same_features()
        check_targets(y, is_classifier(self))
        table = X
        X, y = check_chunk_of_rows(self, X, y, first, **options)
        if first:
            sample = RowSample()
            sample.add(X, y, 0)
            sample.classes = classes
            self._sums = self._empty_sums(sample, getattr(table, "columns", None))()
            if self._looks_again():
                self._sums.sample = sample
        else:
            self._sums = self._sums.copy()
        self._sums.add(X, y, self._sums.count)

    def _check_same_features(self) -> None:
        """Refuse parameters that the sums so far were not made with."""
        if self._looks_again() and not hasattr(self._sums, "sample"):
            raise ValueError(
                "the first call of partial_fit had no scoring, and kept no rows to "
                "score: set it before, or fit anew"
            )
        spherical = self.normalize == "spherical"
        changed = "" if _alike(self._kernel_list(), self.kernels_) else "kernels"
        changed = "normalize" if spherical != self._map.spherical else changed
        if changed:
            raise ValueError(
                f"{changed} was changed after the first call of partial_fit, which "
                "made the features of the rows so far: set it back, or begin anew "
                "with clone(model)"
            )

    def _check_featured(self) -> None:
        """Refuse kernels and losses that have no sums over chunks."""
        if not self._square():
            raise ValueError(
                "rows that come in chunks are learned from by the square loss: use "
                "scatter='total' and multiclass_sdp='exact'"
            )
        if not has_features(self):
            raise ValueError(
                "rows that come in chunks need kernels with features: wrap each as "
                "Nystroem(RBF(), n_components=200), or use Linear(); got "
                f"{self.kernels!r}"
            )
