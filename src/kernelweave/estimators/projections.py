"""The projections of a discriminant, and the classes in their space."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..fitted.features import FeatureData
from ..fitted.grams import GramData
from ..fitted.model import Coefficients
from ..kernels import Linear
from ..losses import MajorizedSquare, discriminant_targets
from ..losses.square import class_coding
from ..losses.weighted_square import weighted_targets
from ..problem import Array
from ..stacklevel import outside
from ..threads import blas_threads
from .class_scores import fisher_ratio
from .gaussian import GaussianClasses, class_gaussians


def learn_projections(
    model: Any, data: GramData | FeatureData, labels: Any, chosen: Any = None
) -> tuple[Coefficients, GaussianClasses]:
    """Learn weights and coefficients, set the weights, and place the classes.

    Rows that are known by sums have their classes there, and labels are None.
    `chosen`: the weight set and λ that were chosen, else those of the parameters.
    """
    weights, alpha = (None, model.alpha) if chosen is None else chosen
    lam = 0.0 if isinstance(alpha, str) else float(alpha)
    v = data.v if isinstance(data, GramData) else None
    k = len(model.classes_)
    with blas_threads(data.stack.n):
        H: Any = None if labels is None else class_targets(labels, k, v)
        if model.scatter == "within":
            loss: Any = fisher_ratio(np.asarray(labels), k, lam)
        elif model.multiclass_sdp == "approximate":
            loss = MajorizedSquare(
                class_coding(np.asarray(labels), k), lam, model.center
            )
        else:
            loss = data.square(H, lam)
        solution, model.alpha_ = model._learn_ridge(data, loss, lam, weights)
        A, bias, theta = solution.A, solution.bias, model.weights_
        weigh = {}
        if model.scatter == "within":
            # Fisher's direction is that of a ridge regression with an intercept in
            # which a sample weighs one over the size of its class.
            weigh = {"v": 1 / np.bincount(np.asarray(labels))[labels]}
        elif model.multiclass_sdp == "approximate":
            # The weights are learned; the projections are those of the square loss.
            inner = data.square(H, model.alpha_).inner(data.stack.combine(theta))
            A, bias = inner.A, inner.bias
        found = data.coefficients(theta, A, bias)
        left_out = data.left_out(theta, H, A, bias, model.alpha_, **weigh)
        gaussians = class_gaussians(left_out, labels, k, v)
    if model.priors is not None:
        gaussians = gaussians.with_priors(check_priors(model.priors, k))
    return found, gaussians


def class_targets(labels: Array, k: int, v: Array | None = None) -> Array:
    """The class coding (n, k − 1) of samples, whose weights may be v."""
    if v is None:
        return discriminant_targets(labels, k)
    return weighted_targets(labels, v)[0]


def describe_classes(model: Any, found: GaussianClasses) -> None:
    """Set priors_ and explained_variance_ratio_."""
    model.priors_ = found.priors
    model.explained_variance_ratio_ = found.separations[: model._n_features_out]


def checked_components(model: Any, most: int) -> int:
    """The number of directions that `transform` keeps."""
    if model.n_components is None:
        return most
    if all(isinstance(kernel, Linear) for kernel in getattr(model, "kernels_", [None])):
        most = min(most, model.n_features_in_)
    if model.n_components > most:
        raise ValueError(
            "n_components cannot be larger than min(n_features, n_classes - 1), here "
            f"{most}; got {model.n_components}"
        )
    return int(model.n_components)


def check_priors(priors: Any, k: int) -> Array:
    """Probabilities (k,) of the classes; numbers of another sum are divided by it."""
    priors = np.asarray(priors, dtype=float)
    if priors.shape != (k,):
        raise ValueError(
            f"priors must hold one number for each of the {k} classes, got shape "
            f"{priors.shape}"
        )
    if not np.all(priors >= 0) or not np.isfinite(priors.sum()):
        raise ValueError(f"priors must be non-negative numbers, got {priors.tolist()}")
    total = priors.sum()
    if not total > 0:
        raise ValueError("priors must not all be zero")
    if abs(total - 1) > 1e-5:
        warnings.warn(
            f"The priors do not sum to 1 but to {total:.6g}. Renormalizing",
            UserWarning,
            stacklevel=outside(),
        )
    return priors / total
