"""Classes and scores: what the classifiers share."""

from __future__ import annotations

from typing import Any

import numpy as np
from array_api_compat import device

from ..arrays import host, is_foreign, namespace
from ..losses import FisherRatio
from ..problem import Array


def sign_targets(labels: Array, k: int) -> Array:
    """+1 for the class of a sample and −1 for the others, (n, k); k = 2: (n, 1)."""
    Y = -np.ones((len(labels), k))
    Y[np.arange(len(labels)), labels] = 1
    return Y[:, 1:] if k == 2 else Y


def fisher_ratio(labels: Array, k: int, lam: float) -> FisherRatio:
    """Kim's loss, for `scatter="within"`, if there are two classes and a given λ."""
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


def class_places(y: Any, classes: Array) -> Array:
    """The numbers of labels y (m,) among the sorted classes of a training part."""
    new = np.setdiff1d(y, classes)
    if len(new):
        raise ValueError(
            f"the training part of a split has no sample of the class {str(new[0])!r}, "
            "which its test part has: use StratifiedKFold, or fewer splits"
        )
    return np.searchsorted(classes, y)


def labelled(classes: Array, scores: Array) -> Any:
    """The class of the largest score in each row, (m,); of one score, its sign.

    An array of the kind of the scores, unless the classes have no numbers.
    """
    xp = namespace(scores)
    if scores.shape[1] == 1:
        scores = xp.concat([-scores, scores], axis=1)
    best = xp.argmax(scores, axis=1)
    if not is_foreign(scores) or classes.dtype.kind not in "fiub":
        return classes[host(best)]
    numbers = xp.asarray(np.array(classes), device=device(scores))
    return xp.take(numbers, best)


def softmax(scores: Array) -> Array:
    """exp(s)/Σexp(s) in each row."""
    xp = namespace(scores)
    E = xp.exp(scores - xp.max(scores, axis=1, keepdims=True))
    return E / xp.sum(E, axis=1, keepdims=True)


def log_softmax(scores: Array) -> Array:
    """s − log Σexp(s) in each row."""
    xp = namespace(scores)
    scores = scores - xp.max(scores, axis=1, keepdims=True)
    return scores - xp.log(xp.sum(xp.exp(scores), axis=1, keepdims=True))
