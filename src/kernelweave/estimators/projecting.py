"""What the discriminants share: from coefficients to projections and classes."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.base import (
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
)
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets

from ..arrays import host
from ..grams import MappedStack, Stack
from ..grams.normalise import is_centred
from ..losses import FisherRatio, MajorizedSquare, Square, discriminant_targets
from ..losses.quadratic import leave_one_out, mean_shift
from ..losses.square import class_coding, code_of_classes
from ..problem import Array
from ..scale.blockwise import by_blocks
from ..scale.cross_fit import cross_fitted
from ..scale.distributed import fit_dask, is_dask
from ..scale.held_out import HeldOut
from ..scale.reduced import Reduced
from ..scale.sample import RowSample
from ..scale.sums import FeatureSums
from ..scale.targets import Indicators
from ..solve import Solution
from .elsewhere import home_of, labelled, softmax
from .featured import FeaturedEstimator, has_features
from .gaussian import fit_gaussians, gaussians_of
from .ridged import RidgedEstimator


class Discriminant(
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    RidgedEstimator,
    FeaturedEstimator,
):
    """From coefficients to projections, classes and probabilities."""

    scatter: str = "total"
    multiclass_sdp: str = "exact"

    def fit(self, X: Any, y: Any):
        """Learn the weights of the kernels and the discriminant projections.

        Parameters
        ----------
        X : array-like or sparse (n, d), or Gram matrices (p, n, n)
            Gram matrices if `kernels="precomputed"`. Also a Dask array or DataFrame,
            if the kernels have features (`Nystroem`, `RandomFourier`, `Linear`); or
            an array of PyTorch or CuPy, which is learned from where it is.
        y : array-like (n,)
            Class labels, of any type; of Dask's, if X is.
        """
        if is_dask(X, y):
            return fit_dask(self, X, y)
        return self._fit_stack(*self._begin(X, y))

    @available_if(has_features)
    def partial_fit(self, X: Any, y: Any, classes: Any = None):
        """Learn from these rows and from those of the calls before.

        For kernels with features (`Nystroem`, `RandomFourier`, `Linear`): only sums
        over the rows are kept. The first call chooses landmarks and widths, so its
        rows should be like the others; the kernels cannot change afterwards. `fit`
        keeps no sums, so a model that it fitted learns no more. On an error the model
        stays as it was.

        Parameters
        ----------
        X : array-like or sparse (m, d)
        y : array-like (m,)
            Of two classes at least at the first call. A class that no row has had so
            far has the probability zero.
        classes : array-like
            All classes; needed at the first call.
        """
        known: Any = getattr(self, "classes_", None)
        if classes is None and known is None:
            raise ValueError(
                "the first call of partial_fit needs all classes: "
                "partial_fit(X, y, classes=[...])"
            )
        given = known if classes is None else np.unique(classes)
        if hasattr(self, "_sums") and not np.array_equal(given, known):
            raise ValueError(
                f"classes={given.tolist()} are not those of the first call, "
                f"{known.tolist()}: begin anew with clone(model)"
            )
        return self._partial_fit(X, y, given)

    def _begin(self, X: Any, y: Any) -> tuple[Stack | FeatureSums, Array]:
        """The Gram stack, or sums over rows, and the class numbers."""
        self._forget()
        table = X
        X, y = self._check_train(X, y)
        check_classification_targets(y)
        classes, labels = np.unique(y, return_inverse=True)
        self._set_classes(classes)
        return self._prepare(X, y, table), labels

    def _set_classes(self, classes: Array) -> None:
        if len(classes) < 2:
            raise ValueError(
                f"y has one class only ({classes.tolist()[0]!r}); a discriminant needs "
                "samples of at least two classes"
            )
        self.classes_ = classes

    def _fit_stack(self, stack: Stack | FeatureSums, labels: Array):
        if isinstance(stack, FeatureSums):
            return self._fit_sums(stack)
        k = len(self.classes_)
        solution = self._learn(stack, lambda lam: self._loss(lam, labels, k))
        if isinstance(stack, MappedStack) and self._square():
            return self._fit_mapped(stack, solution, labels)
        K = stack.combine(self.weights_)
        A, bias, v = solution.A, solution.bias, np.ones(len(labels))
        intercept = self.center
        if self.scatter == "within":
            # Fisher's direction is that of a ridge regression with an intercept in
            # which a sample weighs one over the size of its class.
            v = 1 / np.bincount(labels)[labels]
            intercept = True
        elif self.multiclass_sdp == "approximate":
            # The weights are learned; the projections are those of the square loss.
            targets = discriminant_targets(labels, k)
            inner = Square(targets, self.alpha_, self.center).inner(K)
            A, bias = inner.A, inner.bias
        self.dual_coef_ = A
        self.intercept_ = bias
        home = home_of(stack)
        ridge = home(self.alpha_ / v)
        targets = K @ A + bias + ridge[:, None] * A
        left_out = targets - leave_one_out(K, ridge, A, intercept)
        if intercept:
            left_out += mean_shift(targets, home(v))
        self._expand(self.weights_, A, bias)
        self._gaussians = fit_gaussians(host(left_out), host(targets), labels, k)
        self._n_features_out = A.shape[1]
        return self

    def _fit_mapped(self, stack: MappedStack, solution: Solution, labels: Array):
        """Thresholds by folds, from products: no matrix is formed."""
        k = len(self.classes_)
        self.dual_coef_, self.intercept_ = solution.A, solution.bias
        H = discriminant_targets(labels, k)
        product = partial(stack.product, self.weights_)
        centred = not self.center and self._centred(stack)
        left_out = cross_fitted(product, H, self.alpha_, self.center, centred)
        self._expand(self.weights_, solution.A, solution.bias)
        self._gaussians = fit_gaussians(left_out, H, labels, k)
        self._n_features_out = solution.A.shape[1]
        return self

    def _centred(self, stack: MappedStack) -> bool:
        """Whether K(θ)1 = 0."""
        totals = stack.quadratic(np.ones((stack.n, 1)))
        return bool(is_centred(self.weights_ @ totals, self.weights_ @ stack.traces))

    def _loss(self, lam: float, labels: Array, k: int) -> Any:
        if self.scatter == "within":
            if k != 2:
                raise ValueError(
                    f"scatter='within' is Kim's ratio for two classes, but y has {k}; "
                    "use scatter='total'"
                )
            if lam == 0:
                raise ValueError(
                    "alpha='learn' is for scatter='total'; with scatter='within' give "
                    "a positive number"
                )
            return FisherRatio(2.0 * labels - 1, lam)
        if self.multiclass_sdp == "approximate":
            return MajorizedSquare(class_coding(labels, k), lam, self.center)
        return Square(discriminant_targets(labels, k), lam, self.center)

    def _square(self) -> bool:
        return self.scatter == "total" and self.multiclass_sdp == "exact"

    def _targets(self, sample: RowSample) -> Indicators:
        self._set_classes(sample.classes)
        return Indicators(self.classes_)

    def _coding(self, totals: Array) -> Array:
        seen = totals > 0.5
        if np.sum(seen) < 2:
            raise ValueError(
                f"all rows so far are of one class, {self.classes_[seen].tolist()}: "
                "the first chunk needs rows of two classes at least"
            )
        coding = np.zeros((len(totals), np.sum(seen) - 1))
        coding[seen] = code_of_classes(totals[seen])
        return coding

    def _fit_reduced(self, reduced: Reduced, sums: FeatureSums, coding: Array) -> None:
        self.coef_, self.intercept_ = self._learn_features(reduced)
        held_out = HeldOut(sums.folds, reduced.scaling, coding)
        self._gaussians = gaussians_of(held_out(self.weights_, self.alpha_))
        self._n_features_out = self.coef_.shape[1]

    @by_blocks
    def transform(self, X: Any) -> Array:
        """Project to the discriminant space, (m, number of classes − 1).

        In units of the within-class spread of left-out samples, the directions sorted
        by how far they separate the classes.
        """
        f = self._scores(X)
        return self._gaussians.transform(f)

    @by_blocks
    def decision_function(self, X: Any) -> Array:
        """Two classes: log-odds of `classes_[1]`, (m,). More: scores (m, k)."""
        f = self._scores(X)
        scores = self._gaussians.scores(f)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    @by_blocks
    def predict(self, X: Any) -> Array:
        """The most probable class of every row."""
        f = self._scores(X)
        return labelled(self.classes_, self._gaussians.scores(f))

    @by_blocks
    def predict_proba(self, X: Any) -> Array:
        """Probabilities (m, k), from Gaussians fitted to left-out projections."""
        f = self._scores(X)
        return softmax(self._gaussians.scores(f))
