"""Scores of projections of left-out samples, for the choice of a discriminant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.metrics import check_scoring, r2_score

from ..fitted.features import FeatureData
from ..fitted.model import FittedModel
from ..losses.quadratic import mean_shift
from ..problem import Array
from ..streamed.held_out import Predicted
from .discriminant import MKLDiscriminantAnalysis
from .gaussian import fit_gaussians, gaussians_of
from .label_gaussians import label_gaussians
from .projections import check_priors


def left_out_score(
    model: Any, H: Array, labels: Array, v: Array | None
) -> Callable[[Array], float]:
    """From left-out projections (n, k) to the score that `scoring` asks for.

    Classes are placed by samples as their weights v are; the scorer counts them alike.
    `labels` are class numbers (n,), or zeros and ones (n, q).
    """
    given = _GivenProjections(model)
    weights = np.ones(len(H)) if v is None else v
    shift = mean_shift(H, weights) if model.center else 0.0

    def score(f: Array) -> float:
        f = f + shift
        if labels.ndim == 2:
            several = label_gaussians(f, H, labels, v, fit_gaussians)
            return given.score_by(several, f, labels)
        found = fit_gaussians(f, H, labels, len(model.classes_), v)
        return given.score_by(found, f, model.classes_[labels])

    return score


def held_out_score(model: Any, data: FeatureData) -> Callable[[Predicted], float]:
    """The same from projections of the rows of a sample, by the other folds."""
    given = _GivenProjections(model)
    y = data.sums.sample.y
    return lambda found: given.score_by(gaussians_of(found), found.rows, y)


def new_rows_score(scoring: Any) -> Callable[[Any, Any, Any], float]:
    """The scorer of a fitted estimator and rows that are new to it."""
    if scoring is not None:
        return check_scoring(MKLDiscriminantAnalysis(), scoring)

    def score(model: Any, X: Any, y: Any) -> float:
        """R² of the projections of new rows, in the coding of the training ones."""
        H = model._fitted.head.coded(y, model.classes_)
        f = model._scores(X)
        return float(r2_score(H, f, multioutput="variance_weighted"))

    return score


class _GivenProjections(MKLDiscriminantAnalysis):
    """What a scorer asks, of rows that are projections already."""

    def __init__(self, model: Any):
        self.classes_ = model.classes_
        self.kernels = None
        self.priors = model.priors
        self._scorer = check_scoring(self, model.scoring)

    def score_by(self, gaussians: Any, f: Array, y: Array) -> float:
        if self.priors is not None:
            priors = check_priors(self.priors, len(self.classes_))
            gaussians = gaussians.with_priors(priors)
        same: Any = np.asarray
        self._fitted = FittedModel(same, same, gaussians)
        return float(self._scorer(self, f, y))

    def _scores(self, X: Any) -> Array:
        return X
