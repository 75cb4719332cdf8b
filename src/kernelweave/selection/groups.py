"""Samples that belong together, such as those of a patient, and splits by them."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold

from ..problem import Array
from ..targets import refuse_missing

# Folds of groups, if no number was given.
FOLDS = 5


def check_groups(groups: Any, n: int) -> Array:
    """The group of every sample, (n,); refused if one is missing.

    Parameters
    ----------
    groups : array-like (n,)
    n : int
    """
    try:
        refuse_missing(groups)
    except ValueError as error:
        raise ValueError(f"groups: {error}".replace("y is", "it is")) from error
    groups = np.asarray(groups)
    if groups.shape != (n,):
        raise ValueError(
            f"groups must hold one group for each of the {n} rows, got shape "
            f"{groups.shape}"
        )
    if groups.dtype == object:
        groups = groups.astype(str)
    return groups


def group_numbers(groups: Any, n: int, kept: Array | None = None) -> Array | None:
    """The number of the group of each of n rows, or of the `kept` ones, if any."""
    if groups is None:
        return None
    found = np.unique(check_groups(groups, n), return_inverse=True)[1]
    return found if kept is None else found[kept]


def group_splits(
    cv: Any, y: Any, groups: Any, classes: bool = False
) -> list[tuple[Array, Array]]:
    """Training and test rows of every split; no group is on both sides of one.

    Parameters
    ----------
    cv : int, splitter, iterable of (train, test), or None
        A number is that of folds of whole groups, None five or as many as there are
        groups. A splitter gets the groups.
    y : array-like (n,) or (n, q)
        Folds get their shares of the classes, and of the events of survival times.
    groups : array-like (n,)
    classes : bool
        Whether y holds classes.

    Examples
    --------
    >>> splits = group_splits(None, [0.1, 0.2, 0.3, 0.4], ["a", "a", "b", "c"])
    >>> [test.tolist() for _, test in splits]
    [[0, 1], [3], [2]]
    """
    y = np.asarray(y)
    groups = check_groups(groups, len(y))
    there = len(np.unique(groups))
    if there < 2:
        raise ValueError(
            "groups has one group only, which cannot be left out: without groups rows "
            "are left out one by one"
        )
    if cv is None:
        cv = min(FOLDS, there)
    if isinstance(cv, Integral):
        cv = int(cv)
        if there < cv:
            raise ValueError(
                f"there are {there} groups, too few for cv={cv} folds: use cv={there} "
                "or less"
            )
        strata = _strata(y, classes)
        if strata is not None and classes:
            _check_classes(y, groups)
        cv = (GroupKFold if strata is None else StratifiedGroupKFold)(cv)
        y = y if strata is None else strata
    if hasattr(cv, "split"):
        with warnings.catch_warnings():
            # Groups that a splitter ignores are looked for in its splits.
            warnings.filterwarnings("ignore", "The groups parameter is ignored")
            cv = cv.split(np.zeros((len(y), 1)), y, groups)
    # Few groups of unlike classes may leave a fold empty.
    splits = [(train, test) for train, test in cv if len(test)]
    for number, (train, test) in enumerate(splits, 1):
        shared = np.intersect1d(groups[train], groups[test])
        if len(shared):
            raise ValueError(
                f"split {number} of cv has the group {shared[0]!s} on both sides: use "
                "cv=5, or a splitter that keeps groups together, such as GroupKFold"
            )
    return splits


def _strata(y: Array, classes: bool) -> Array | None:
    """What every fold has its share of, as numbers (n,): classes or events."""
    if y.dtype.names:
        return y["event"].astype(int)
    one_label = classes and y.ndim == 1
    return np.unique(y, return_inverse=True)[1] if one_label else None


def _check_classes(y: Array, groups: Array) -> None:
    """Refuse a class that is learned from in no fold where it is predicted."""
    for label in np.unique(y):
        if len(np.unique(groups[y == label])) < 2:
            raise ValueError(
                f"all rows of the class {label!s} are in one group, so that nothing "
                "can be learned of them when this group is left out: leave the class "
                "out, or give groups to which it is common"
            )
