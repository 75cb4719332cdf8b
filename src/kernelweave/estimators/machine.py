"""What the support vector machines share: C, and the support vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..arrays import host, namespace, take
from ..fitted.grams import GramData
from ..problem import Array, Loss
from ..solution import Solution
from .hard_margin import without_errors
from .keeping import keep_prediction
from .learning import learn


def learn_machine(
    model: Any,
    C: float,
    data: GramData,
    weight: Array,
    loss: Callable[[Array], Loss],
    spread: float = 1.0,
) -> Solution:
    """The solution for bounds C·weight of the coefficients, C perhaps infinite.

    `loss` takes the bounds; `spread` is that of y.
    """
    if np.isfinite(C):
        return learn(model, data, loss(C * weight))[0]
    if model.loss.startswith("squared"):
        raise ValueError(
            f"C=inf allows no errors, of which loss={model.loss!r} always has some: "
            f"use loss={model.loss.removeprefix('squared_')!r}, or a large C"
        )
    return without_errors(
        lambda bound: learn(model, data, loss(bound))[0], data, weight, spread
    )


def keep_support(
    model: Any,
    data: GramData,
    A: Array,
    bias: Array,
    W: Array,
    order: Array,
    head: Any = None,
) -> None:
    """Set the support vectors, their coefficients, and what predicts.

    A (n, k), bias (k,), W (k, p) the weights of each column, and the rows in the order
    in which the support vectors are to stand.
    """
    model.support_ = order[np.any(host(A)[order] != 0, axis=1)]
    xp = namespace(A)
    model.dual_coef_ = xp.asarray(take(A, model.support_).T, copy=True)
    rows = getattr(data.X, "numbers", data.X)
    model.support_vectors_ = np.empty((0, 0))
    if rows is not None:
        model.support_vectors_ = take(rows, model.support_)
    # Where the kernels are centred 1ᵀA = 0.
    found = data.coefficients(W, A, bias, balanced=True)
    model.intercept_ = found.expansion.constant
    keep_prediction(model, data, found, head)
