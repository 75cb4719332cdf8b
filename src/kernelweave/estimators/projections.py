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
from .label_gaussians import LabelGaussians, label_gaussians
from .several_targets import learn_apart


def learn_projections(
    model: Any, data: GramData | FeatureData, labels: Any, chosen: Any = None
) -> tuple[Coefficients, GaussianClasses | LabelGaussians]:
    """Learn weights and coefficients, set the weights, and place the classes.

    Rows that are known by sums have their classes there, and labels are None. Several
    labels are zeros and ones, (n, q).
    `chosen`: the weight set and λ that were chosen, else those of the parameters.
    """
    if np.ndim(labels) == 2:
        return _learn_labels(model, data, labels, chosen)
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


def _learn_labels(
    model: Any, data: Any, labels: Array, chosen: Any
) -> tuple[Coefficients, LabelGaussians]:
    """The same for several labels: one column each, of weights that they share or not.

    The left-out error of a label does not depend on the other columns.
    """
    weights, alpha = (None, model.alpha) if chosen is None else chosen
    lam = 0.0 if isinstance(alpha, str) else float(alpha)
    H, q = class_targets(labels, 2, data.v), labels.shape[1]
    columns = [H[:, c : c + 1] for c in range(q)]
    with blas_threads(data.stack.n):
        if model.weights_per_target:
            lams: list[float] = []

            def learn(c: int) -> Any:
                loss = data.square(columns[c], lam)
                solution, found = model._learn_ridge(data, loss, lam, weights)
                lams.append(found)
                return solution

            A, bias, W = learn_apart(model, learn, q)
            model.alpha_ = np.array(lams) if lam == 0 else lam
            parts = [
                data.left_out(W[c], h, A[:, c : c + 1], bias[c : c + 1], lams[c])
                for c, h in enumerate(columns)
            ]
            f, T = (np.hstack(part) for part in zip(*parts, strict=True))
        else:
            loss = data.square(H, lam)
            solution, model.alpha_ = model._learn_ridge(data, loss, lam, weights)
            A, bias, W = solution.A, solution.bias, model.weights_
            f, T = data.left_out(W, H, A, bias, model.alpha_)
        found = data.coefficients(W, A, bias)
        return found, label_gaussians(f, T, labels, data.v)


def class_targets(labels: Array, k: int, v: Array | None = None) -> Array:
    """The class coding (n, k − 1) of samples, whose weights may be v.

    Of several labels (n, q), two classes each, their columns (n, q).
    """
    if labels.ndim == 2:
        return np.hstack([class_targets(label, 2, v) for label in labels.T])
    if v is None:
        return discriminant_targets(labels, k)
    return weighted_targets(labels, v)[0]


def describe_classes(
    model: Any, data: Any, labels: Any, found: GaussianClasses | LabelGaussians
) -> None:
    """Set priors_, explained_variance_ratio_ and, of arrays in memory, means_.

    Of several labels only the first.
    """
    model.priors_ = found.priors
    if isinstance(found, LabelGaussians):
        return
    model.explained_variance_ratio_ = found.separations[: model._n_features_out]
    means = _class_means(data, labels, len(model.classes_))
    if means is not None:
        model.means_ = means


def _class_means(data: Any, labels: Any, k: int) -> Array | None:
    """Means (k, d) of the columns in each class, of an array of numbers in memory."""
    X = getattr(data, "X", None)
    if not isinstance(X, np.ndarray):
        return None
    v = np.ones(len(X)) if data.v is None else data.v
    Y = v[:, None] * (np.asarray(labels)[:, None] == np.arange(k))
    return Y.T @ X / Y.sum(axis=0)[:, None]


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
