"""Tables and Gram matrices that are arrays of PyTorch, CuPy or another kind.

They stay where they are, and so does what is predicted from them; labels, weights and
what else is small is NumPy's.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from array_api_compat import device
from sklearn.utils import check_X_y
from sklearn.utils.validation import validate_data

from ..arrays import elsewhere, host, like, namespace, place
from ..kernels.labels import LabelCodes
from ..problem import Array


def check_training_array(
    estimator: Any, X: Any, y: Any, **options: Any
) -> tuple[Any, Array]:
    """X in float64 where it is, and y as an array of NumPy."""
    refuse_elsewhere(estimator, X)
    X = _table(X)
    validate_data(estimator, X, reset=True, skip_check_array=True)
    estimator._codes = LabelCodes([], {})
    return X, check_labels(X.shape[0], y, **options)


def refuse_elsewhere(estimator: Any, X: Any) -> None:
    """Raise a TypeError if the estimator learns on the host, and X is elsewhere."""
    if elsewhere(X) and not estimator._anywhere:
        raise TypeError(
            f"{type(estimator).__name__} learns from arrays of NumPy, not from those "
            f"of {place(X)}: pass numpy.asarray(X), or use MKLDiscriminantAnalysis, "
            "MKLRidge, MKLSVC(loss='squared_hinge') or KernelDiscriminantAnalysis"
        )


def check_labels(n: int, y: Any, **options: Any) -> Array:
    """y of n samples, as an array of NumPy."""
    y = host(y) if elsewhere(y) else y
    return check_X_y(np.zeros((n, 1)), y, ensure_min_samples=2, **options)[1]


def check_new_array(estimator: Any, X: Any) -> Any:
    """New rows in float64, where they are."""
    X = _table(X)
    validate_data(estimator, X, reset=False, skip_check_array=True)
    return X


def check_place(estimator: Any, X: Any) -> None:
    """Refuse new rows that are not where the training rows were."""
    fitted = place(getattr(estimator, "dual_coef_", None))
    if place(X) != fitted:
        raise TypeError(
            f"the model was fitted with arrays of {fitted}, and the new rows are of "
            f"{place(X)}: move them there, or the model to NumPy with "
            "model.to_numpy()"
        )


def at_home(loss: Any, stack: Any) -> Any:
    """The loss with its arrays where the Gram matrices are."""
    home = home_of(stack)
    arrays = {k: v for k, v in vars(loss).items() if isinstance(v, np.ndarray)}
    moved = {name: home(value) for name, value in arrays.items()}
    changed = any(elsewhere(value) for value in moved.values())
    return replace(loss, **moved) if changed else loss


def home_of(stack: Any) -> Any:
    """What moves an array of NumPy to where the Gram matrices of a stack are."""
    return getattr(stack, "home", np.asarray)


def labelled(classes: Array, scores: Array) -> Any:
    """The class of the largest score in each row, (m,).

    An array of the kind of the scores, unless the classes have no numbers.
    """
    xp = namespace(scores)
    best = xp.argmax(scores, axis=1)
    if not elsewhere(scores) or classes.dtype.kind not in "fiub":
        return classes[host(best)]
    numbers = xp.asarray(np.array(classes), device=device(scores))
    return xp.take(numbers, best)


def softmax(scores: Array) -> Array:
    """exp(s)/Σexp(s) in each row."""
    xp = namespace(scores)
    E = xp.exp(scores - xp.max(scores, axis=1, keepdims=True))
    return E / xp.sum(E, axis=1, keepdims=True)


def _table(X: Any) -> Any:
    if X.ndim != 2:
        raise ValueError(
            f"X must be a table of rows and columns, got shape {tuple(X.shape)}"
        )
    return like(X.detach() if hasattr(X, "detach") else X, X)
