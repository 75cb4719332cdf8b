"""The projections of a discriminant, and the classes in their space."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..fitted.features import FeatureData, TrainingData
from ..fitted.left_out import left_out
from ..fitted.model import Coefficients
from ..kernels import Linear
from ..losses import MajorizedSquare, Square, discriminant_targets
from ..losses.square import class_coding
from ..problem import Array
from ..stacklevel import outside
from ..threads import blas_threads
from .class_scores import fisher_ratio
from .gaussian import class_gaussians
from .keeping import keep_prediction
from .label_gaussians import LabelGaussians, label_gaussians
from .learning import learn_ridge, square_loss
from .several_targets import learn_apart


def learn_projections(
    model: Any,
    data: TrainingData,
    labels: Any,
    H: Array | None = None,
    chosen: Any = None,
    groups: Array | None = None,
) -> None:
    """Learn weights and projections, place the classes, and set what was learned.

    Rows that are known by sums have their classes there, and labels are None. Several
    labels are zeros and ones, (n, q). H is the class coding, where it is known.
    `chosen`: the weight set and λ that were chosen, else those of the parameters.
    Classes are placed by samples, or whole groups (n,), that are left out.
    """
    weights, alpha = (None, model.alpha) if chosen is None else chosen
    lam = 0.0 if isinstance(alpha, str) else float(alpha)
    k = len(model.classes_)
    if isinstance(data, FeatureData):
        H = data.reduced.H
    elif H is None:
        H = discriminant_targets(labels, k, data.v)
    # Some classes of a stream may have had no rows so far.
    model._n_features_out = H.shape[1]
    if model.n_components is not None:
        model._n_features_out = _checked_components(model, data, H.shape[1])
    with blas_threads(data.stack.n):
        if np.ndim(labels) == 2:
            found, head = _learn_labels(model, data, labels, H, (lam, weights), groups)
        else:
            loss, v = square_loss(data, H, lam), None
            if model.scatter == "within":
                # Fisher's direction is that of a ridge regression with an intercept in
                # which a sample weighs one over the size of its class.
                loss, v = fisher_ratio(labels, k, lam), 1 / np.bincount(labels)[labels]
            elif model.multiclass_sdp == "approximate":
                loss = MajorizedSquare(class_coding(labels, k), lam, model.center)
            solution, model.alpha_ = learn_ridge(model, data, lam, loss, weights)
            A, bias, theta = solution.A, solution.bias, model.weights_
            if isinstance(loss, MajorizedSquare):
                # The weights are learned; the projections are those of the square loss.
                square = Square(H, model.alpha_, data.center)
                inner = square.inner(data.stack.combine(theta))
                A, bias = inner.A, inner.bias
            projections = left_out(data, theta, H, A, bias, model.alpha_, v, groups)
            head = class_gaussians(projections, labels, k, data.v)
            if model.priors is not None:
                head = head.with_priors(check_priors(model.priors, k))
            found = data.coefficients(theta, A, bias)
    if isinstance(data, FeatureData):
        model.coef_, model.approximation_error_ = found.coef, data.errors
    else:
        model.dual_coef_ = found.coef
    model.intercept_ = found.intercept
    keep_prediction(model, data, found, head)


def _learn_labels(
    model: Any,
    data: Any,
    labels: Array,
    H: Array,
    chosen: tuple[float, Any],
    groups: Array | None,
) -> tuple[Coefficients, LabelGaussians]:
    """f and classes of several labels: one column each, of weights they share or not.

    The left-out error of a label does not depend on the other columns.
    """
    (lam, weights), q = chosen, labels.shape[1]
    columns = [H[:, c : c + 1] for c in range(q)]
    if model.weights_per_target:
        lams: list[float] = []

        def learn(c: int) -> Any:
            loss = square_loss(data, columns[c], lam)
            solution, found = learn_ridge(model, data, lam, loss, weights)
            lams.append(found)
            return solution

        A, bias, W = learn_apart(model, learn, q)
        model.alpha_ = np.array(lams) if lam == 0 else lam
        parts: Any = [
            left_out(data, W[c], h, A[:, c : c + 1], bias[c : c + 1], lams[c])
            for c, h in enumerate(columns)
        ]
        f, T = (np.hstack(part) for part in zip(*parts, strict=True))
    else:
        loss = square_loss(data, H, lam)
        solution, model.alpha_ = learn_ridge(model, data, lam, loss, weights)
        A, bias, W = solution.A, solution.bias, model.weights_
        both: Any = left_out(data, W, H, A, bias, model.alpha_, groups=groups)
        f, T = both
    return data.coefficients(W, A, bias), label_gaussians(f, T, labels, data.v)


def _checked_components(model: Any, data: TrainingData, most: int) -> int:
    """How many directions `transform` keeps, of at most `most`."""
    if all(isinstance(kernel, Linear) for kernel in data.kernels or [None]):
        most = min(most, model.n_features_in_)
    if model.n_components > most:
        raise ValueError(
            "n_components cannot be larger than min(n_features, n_classes - 1), "
            f"here {most}; got {model.n_components}"
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
