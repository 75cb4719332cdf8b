"""Targets that cannot be learned from: missing ones, and labels of two kinds."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import is_classifier
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_y

from .arrays import host, is_foreign
from .checks import finite_squares
from .entries import refuse_masked
from .problem import Array


def missing_targets(y: Any) -> Array:
    """Which rows have no target, or lack one of several, (n,): a mask.

    Parameters
    ----------
    y : array-like (n,) or (n, n_outputs)
        A list, an array, or a Series of pandas or polars of any type.

    Examples
    --------
    >>> missing_targets(["a", None, "b", float("nan")]).tolist()
    [False, True, False, True]
    """
    values = y if isinstance(y, np.ndarray) else as_given(y)
    if values.ndim == 0:
        return np.zeros(0, dtype=bool)
    if values.dtype.kind in "fc":
        missing = np.isnan(values)
    elif values.dtype.kind in "mM":
        missing = np.isnat(values)
    elif values.dtype == object:
        found = [_is_missing(value) for value in values.ravel()]
        missing = np.array(found, dtype=bool).reshape(values.shape)
    else:
        missing = np.zeros(values.shape, dtype=bool)
    return np.any(missing, axis=tuple(range(1, missing.ndim)))


def refuse_missing(y: Any, where: str = "", first: int = 0) -> Array:
    """y as an array; a ValueError if some rows have no target.

    Examples
    --------
    >>> try:
    ...     _ = refuse_missing(["a", None, "b", None])
    ... except ValueError as error:
    ...     print(str(error).partition(",")[0])
    y is missing (NaN or None) in 2 of 4 rows
    """
    y = as_given(y)
    rows = np.flatnonzero(missing := missing_targets(y))
    if len(rows):
        raise ValueError(
            f"{where}y is missing (NaN or None) in {len(rows)} of {len(missing)} "
            f"rows, the first of them row {first + rows[0]} (counted from 0): leave "
            "these rows out; with classes, LaplacianMKLSVC learns from them, too"
        )
    return y


def read_targets(
    model: Any, y: Any, n: int, classes: bool | None, labels: bool = False
) -> Array:
    """The targets of n samples as an array, if they can be learned from.

    Missing ones are refused; where `classes`, those named both by text and by numbers;
    where not `classes`, those that are no numbers. None says nothing of their kind.

    Parameters
    ----------
    model : estimator
        For scikit-learn's messages.
    y : array-like (n,), or (n, k) of numbers
    n : int
    classes : bool or None
    labels : bool
        Whether y may be (n, q), of several labels.
    """
    if y is None:
        raise ValueError(
            f"This {type(model).__name__} estimator requires y to be passed, but the "
            "target y is None."
        )
    given = y if type(y) is np.ndarray else as_given(y)
    y = given if is_foreign(y) else y
    # Whole numbers, flags and texts of NumPy have no value that says "missing".
    gaps = classes is not None and given.dtype.kind not in "iubU"
    if gaps and missing_targets(given).any():
        refuse_missing(given)
    if classes is False and given.dtype.kind in "UOmM":
        _refuse_labels(given)
    elif classes and given.dtype == object and given.ndim:
        refuse_mixed(given.ravel(), np.ones(given.size, dtype=bool))
    numbers = classes is False
    # One column of labels is what scikit-learn calls a column-vector.
    several = numbers or (labels and given.ndim == 2 and given.shape[1] > 1)
    y = _check_y(y, multi_output=several, y_numeric=numbers, estimator=model)
    if y.shape[0] != n:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"[{n}, {y.shape[0]}]"
        )
    if numbers:
        finite_squares("y", y)
    return y


def refuse_several_labels(model: Any, y: Any, who: str) -> None:
    """Raise a ValueError where y holds several labels, of which `who` takes one."""
    if np.ndim(y) == 2 and np.shape(y)[1] > 1 and is_classifier(model):
        raise ValueError(
            f"y holds {np.shape(y)[1]} labels, and {who} looks at one at a time: pass "
            "a column of y, with a model of this label alone"
        )


def class_numbers(y: Array, who: str) -> tuple[Array, Array]:
    """The classes of validated labels, and the number of every label's class.

    `who` needs two classes at least.
    """
    plain = y.ndim == 1 and y.dtype.kind in "iubU"
    if not plain:
        check_classification_targets(y)
    classes, numbers = np.unique(y, return_inverse=True)
    if plain and 2 * len(classes) > len(y):
        # Whole numbers and texts are classes; of very many scikit-learn warns.
        check_classification_targets(y)
    if len(classes) < 2:
        require_classes(classes, who)
    return classes, numbers


def require_classes(classes: Array, who: str) -> None:
    """Raise a ValueError unless there are two classes at least."""
    if len(classes) < 2:
        raise ValueError(
            f"y has one class only ({classes.tolist()[0]!r}); {who} needs samples of "
            "at least two classes"
        )


def _refuse_labels(y: Array) -> None:
    values = y.ravel() if y.dtype.kind in "UO" else ()
    found = next((value for value in values if isinstance(value, str)), None)
    if found is not None:
        raise ValueError(
            f"y holds text, such as {str(found)!r}, and a regressor learns numbers: "
            "convert it, or use a classifier, such as MKLDiscriminantAnalysis or MKLSVC"
        )
    if y.dtype.kind in "mM":
        raise ValueError(
            f"y holds dates or times ({y.dtype}), and a regressor learns numbers: turn "
            "them into numbers, such as days since the first of them"
        )


def refuse_mixed(y: Array, some: Array) -> None:
    """Raise a ValueError if text and other labels are mixed among some of y (n,)."""
    text = np.array([isinstance(label, str) for label in y], dtype=bool)
    if (some & text).any() and (some & ~text).any():
        first, other = np.argmax(some & text), np.argmax(some & ~text)
        raise ValueError(
            f"y has labels of text and of other kinds: {y[first]!r} in row {first} and "
            f"{y[other]!r} in row {other}. Make them all text: [str(c) for c in y]"
        )


def as_given(y: Any) -> Array:
    """y as an array, in which the numbers and gaps of a list of texts stay.

    NumPy makes the text "nan" of a NaN among texts.

    Examples
    --------
    >>> as_given(["a", 1])
    array(['a', 1], dtype=object)
    """
    if is_foreign(y):
        return host(y)
    if issparse(y):
        raise ValueError("y is sparse: pass y.toarray(), or y.toarray()[:, 0]")
    if isinstance(y, np.ma.MaskedArray):
        refuse_masked("y", y)
    array = np.asarray(y)
    if array.dtype.kind in "US" and not hasattr(y, "dtype"):
        return np.array(y, dtype=object)
    return array


def _is_missing(value: Any) -> bool:
    # A comparison with pandas.NA is neither true nor false; NaN and NaT differ from
    # themselves.
    if value is None or type(value).__name__ == "NAType":
        return True
    differs = value != value
    return isinstance(differs, bool | np.bool_) and bool(differs)
