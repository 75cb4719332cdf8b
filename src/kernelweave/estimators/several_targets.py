"""Several targets at once: labels, and weights or an alpha for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils.multiclass import type_of_target

from ..arrays import namespace
from ..fitted.features import FeatureData
from ..losses import ByTarget
from ..problem import Array
from ..solution import Solution, uninterrupted
from .learning import square_loss

# What an estimator keeps beside f where y held several labels.
LABELS = "labels"


def signs_of_labels(y: Array, weight: Array) -> Array:
    """+1 where a sample has a label and −1 where it has not, (n, q).

    Every label must be there, and lack, in samples of positive weight.

    Examples
    --------
    >>> signs_of_labels(np.array([[0, 1], [1, 0]]), np.ones(2))
    array([[-1.,  1.],
           [ 1., -1.]])
    """
    kind = type_of_target(y)
    if kind != "multilabel-indicator":
        raise ValueError(
            f"y has {y.shape[1]} columns, and several labels are zeros and ones; got "
            f"{kind!r} targets: fit one model a column, as with "
            "sklearn.multioutput.MultiOutputClassifier"
        )
    Y = 2.0 * np.asarray(y, dtype=float) - 1.0
    used = Y[weight > 0]
    same = np.flatnonzero(np.all(used == used[:1], axis=0))
    if len(same):
        what = "no sample" if used[0, same[0]] < 0 else "every sample"
        raise ValueError(
            f"label {same[0]} (a column of y, from 0) has one class only: {what} has "
            "it, so nothing tells who has; leave the column out"
        )
    return Y


def learn_apart(
    model: Any, learn: Callable[[int], Solution], count: int
) -> tuple[Array, Array, Array]:
    """Weights for every target alone: A (n, q), the biases (q,), and W (q, p).

    `learn(c)` learns the weights of target c, and sets those of the model, which gets
    them all in the end, with its solutions. There are `count` targets.
    """
    parts = []
    for c in range(count):
        solution = uninterrupted(learn(c))
        parts.append((solution.A, solution.bias, model.weights_, solution))
    A, bias, W, solutions = zip(*parts, strict=True)
    model.weights_, model.solution_ = np.array(W), solutions
    model.n_iter_ = max(solution.n_iter for solution in solutions)
    xp = namespace(*A)
    return xp.concat(A, axis=1), xp.concat(bias), model.weights_


def ridge_of_targets(alpha: Any, data: Any, H: Array | None) -> float | Array:
    """λ, zero if it is to be learned, or one for every target, (k,)."""
    if isinstance(alpha, str):
        return 0.0
    if np.ndim(alpha) == 0:
        return float(alpha)
    lam = np.asarray(alpha, dtype=float)
    if H is None or isinstance(data, FeatureData):
        raise ValueError(
            "one alpha for every target compares all pairs of rows, and the kernels "
            "here have features whose sums are kept instead: fit one model a target"
        )
    if lam.shape != (H.shape[1],):
        raise ValueError(
            f"alpha must be one number, or one for each of the {H.shape[1]} targets; "
            f"got shape {lam.shape}"
        )
    return lam


def square_of_targets(data: Any, H: Array | None, lam: float | Array) -> Any:
    """The square loss; of targets that have a λ each the sum of theirs."""
    if isinstance(lam, float):
        return square_loss(data, H, lam)
    assert H is not None
    values = np.unique(lam)
    columns = [np.flatnonzero(lam == value) for value in values]
    pairs = zip(values, columns, strict=True)
    losses = [square_loss(data, H[:, c], float(v)) for v, c in pairs]
    return ByTarget(losses, columns)
