"""Several targets at once: labels, and weights or an alpha for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.utils.multiclass import type_of_target

from ..arrays import namespace
from ..fitted.features import FeatureData
from ..inputs.rows import Rows
from ..losses import ByTarget
from ..problem import Array
from ..solution import Solution, uninterrupted
from .learning import square_loss
from .weighing import weigh_rows

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
    found = np.unique(y)
    if not np.isin(found, (0, 1)).all():
        raise ValueError(
            f"y has {y.shape[1]} columns, and several labels are zeros and ones, or "
            f"False and True; got {found.tolist()}: pass (y == {found.tolist()[-1]})"
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


def refuse_one_target(y: Array) -> None:
    """Say that weights of every target are for several of them."""
    raise ValueError(
        "weights_per_target=True is for several labels, y (n, q) of zeros and "
        f"ones; got y of shape {np.shape(y)}"
    )


def labelled_rows(model: Any, rows: Rows, sample_weight: Any) -> tuple[Any, Array]:
    """Gram matrices for a discriminant of several labels, and these as 0 and 1 (n, q).

    What is for classes, of which a sample has one, is refused.
    """
    y = rows.y
    if y.ndim == 1:
        refuse_one_target(y)
    for name, plain in (("scatter", "total"), ("multiclass_sdp", "exact")):
        if getattr(model, name) != plain:
            raise ValueError(
                f"{name}={getattr(model, name)!r} is for classes, of which a sample "
                f"has one, and y holds {y.shape[1]} labels: use {name}={plain!r}"
            )
    for name in ("class_weight", "priors", "n_components"):
        if getattr(model, name) is not None:
            raise ValueError(
                f"{name} is for classes, of which a sample has one, and y holds "
                f"{y.shape[1]} labels: leave it out, or fit one model a label, as "
                "sklearn.multioutput.MultiOutputClassifier does"
            )
    if sample_weight is not None:
        rows = weigh_rows(model, rows, sample_weight)
    labels = (signs_of_labels(rows.y, np.ones(len(rows.y))) > 0).astype(int)
    model.classes_ = np.arange(labels.shape[1])
    return model._represent(rows), labels


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


def square_by_target(data: Any, H: Array, lam: Array) -> ByTarget:
    """The sum of the square losses of targets that have a λ each, (k,)."""
    values = np.unique(lam)
    columns = [np.flatnonzero(lam == value) for value in values]
    pairs = zip(values, columns, strict=True)
    losses = [square_loss(data, H[:, c], float(v)) for v, c in pairs]
    return ByTarget(losses, columns)
