"""λ of the square losses: given as `alpha`, or learned with the weights."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..grams import GramStack
from ..problem import Array, Loss
from ..solve import Solution
from ..stacklevel import outside
from ..weights import Simplex


def learn_with_ridge(
    model: Any, data: Any, make_loss: Callable[[float], Loss]
) -> Solution:
    """Learn the weights of a model with a parameter alpha, and set attributes.

    `make_loss(lam)` makes the loss; λ = 0 if λ is to be learned.
    """
    lam = None if isinstance(model.alpha, str) else float(model.alpha)
    weights = model._weight_set()
    if lam is None and not (isinstance(weights, Simplex) and weights.r is None):
        raise ValueError(
            "alpha='learn' takes part in the constraint on the weights, which "
            f"must be Simplex(), got {weights!r}"
        )
    solution, ridge = model._learn(data, make_loss(lam or 0.0), identity=lam is None)
    model.alpha_ = ridge if lam is None else lam
    return solution


def warn_of_large_ridge(
    alpha: float | str, loss: Loss, gram: GramStack, theta: Array
) -> None:
    """Warn if the regularisation makes no sense for the scale of the kernels."""
    ridge = float(np.mean(getattr(loss, "ridge", getattr(loss, "lam", 0.0))))
    trace = float(theta @ gram.traces)
    if trace < ridge:
        # tr K(λI + K)⁻¹ ≤ tr K/λ
        warnings.warn(
            f"alpha={alpha:g} is too large for these kernels: their mean "
            f"trace is {trace:.3g}, so the model has less than one effective "
            "degree of freedom and predicts hardly more than the mean. Use "
            "normalize='variance', or a smaller alpha",
            UserWarning,
            stacklevel=outside(),
        )
