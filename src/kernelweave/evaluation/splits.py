"""Training and test rows of every split, by folds or by a splitter of the user."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.model_selection import (
    GroupKFold,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
)

from ..problem import Array
from .concordance import is_survival

Split = tuple[Array, Array]


def make_splits(
    estimator: Any,
    y: Array,
    groups: Array | None,
    cv: Any,
    repeats: int,
    random_state: int | None,
) -> list[Split]:
    """Training and test rows of all splits, checked.

    Parameters
    ----------
    estimator : classifier or regressor
    y : ndarray
        Targets, without missing ones; of survival, events and times (n, 2).
    groups : ndarray (n,) or None
        No group is on both sides of a split.
    cv : int, splitter of scikit-learn, or iterable of (train, test)
    repeats : int
    random_state : int or None
    """
    if not (isinstance(repeats, int) and repeats >= 1):
        raise ValueError(
            f"repeats must be a whole number of at least 1, got {repeats!r}"
        )
    if isinstance(cv, int) and not isinstance(cv, bool):
        if cv < 2:
            raise ValueError(f"cv must be a whole number of at least 2, got {cv!r}")
        _check_classes(estimator, y, groups, cv)
        _check_enough(estimator, y, groups, cv)
        splits = list(_folds(estimator, y, groups, cv, repeats, random_state))
    else:
        if repeats > 1:
            raise ValueError(
                "repeats is for cv=N; give a splitter that repeats itself, such as "
                f"RepeatedStratifiedKFold, in place of {cv!r}"
            )
        _check_classes(estimator, y, groups, 1)
        splits = _from_user(cv, y, groups)
    for number, (train, test) in enumerate(splits, 1):
        _check(number, train, test, y, groups, is_classifier(estimator))
    return splits


def _folds(
    estimator: Any,
    y: Array,
    groups: Array | None,
    cv: int,
    repeats: int,
    random_state: int | None,
) -> Iterator[Split]:
    rows = np.zeros((len(y), 1))
    stratified = is_classifier(estimator)
    if stratified:
        y = np.unique(y, return_inverse=True)[1]
    elif is_survival(estimator):
        # Every fold has its share of the events.
        y, stratified = y[:, 0].astype(int), True
    if groups is None:
        kind = RepeatedStratifiedKFold if stratified else RepeatedKFold
        folds = kind(n_splits=cv, n_repeats=repeats, random_state=random_state)
        yield from folds.split(rows, y)
        return
    seeds = np.random.default_rng(random_state).integers(2**31, size=repeats)
    for seed in seeds.tolist():
        kind = StratifiedGroupKFold if stratified else GroupKFold
        folds = kind(n_splits=cv, shuffle=True, random_state=seed)
        yield from folds.split(rows, y, groups)


def _from_user(cv: Any, y: Array, groups: Array | None) -> list[Split]:
    if hasattr(cv, "get_n_splits"):
        with warnings.catch_warnings():
            # Groups that a splitter ignores are looked for in its splits.
            warnings.filterwarnings("ignore", "The groups parameter is ignored")
            pairs = list(cv.split(np.zeros((len(y), 1)), y, groups))
    elif isinstance(cv, str) or not hasattr(cv, "__iter__"):
        raise ValueError(
            "cv must be a whole number of at least 2, a splitter of scikit-learn or a "
            f"list of (train, test), got {cv!r}"
        )
    else:
        pairs = cv
    splits = [(np.asarray(train), np.asarray(test)) for train, test in pairs]
    if not splits:
        raise ValueError("cv has no split")
    for number, split in enumerate(splits, 1):
        for part in split:
            if part.ndim != 1 or part.dtype.kind not in "iu":
                raise ValueError(
                    f"split {number} of cv must hold numbers of rows, got an array of "
                    f"shape {part.shape} and type {part.dtype}"
                )
            if len(part) and not 0 <= part.min() <= part.max() < len(y):
                raise ValueError(
                    f"split {number} of cv has rows beyond 0..{len(y) - 1}"
                )
    return splits


def _check_classes(estimator: Any, y: Array, groups: Array | None, cv: int) -> None:
    if not is_classifier(estimator):
        return
    classes, counts = np.unique(y, return_counts=True)
    if len(classes) < 2:
        raise ValueError("y has one class only: there is nothing to evaluate")
    what, needed = "labelled sample", cv
    if groups is not None:
        counts = np.array([len(np.unique(groups[y == c])) for c in classes])
        what, needed = "group", 2
    if np.min(counts) < needed:
        few, count = classes[np.argmin(counts)], np.min(counts)
        remedy = f"use at most {count}" if count > 1 else "leave the class out"
        why = f"too few for {cv} folds" if groups is None else "the rows of which are "
        if groups is not None:
            why += "never learned from when they are predicted"
        has = f"has {count} {what}{'' if count == 1 else 's'}"
        raise ValueError(f"class {few!s} {has}, {why}: {remedy}")


def _check_enough(estimator: Any, y: Array, groups: Array | None, cv: int) -> None:
    if is_survival(estimator) and np.sum(y[:, 0]) < cv:
        raise ValueError(
            f"{int(np.sum(y[:, 0]))} events are too few for {cv} folds: use fewer folds"
        )
    if groups is not None:
        there = len(np.unique(groups))
        if there < cv:
            raise ValueError(
                f"there are {there} groups, too few for {cv} folds: use cv={there} or "
                "less"
                if there > 1
                else "groups has one group only, which cannot be left out"
            )
    # R² of one sample is not defined.
    elif not is_classifier(estimator) and len(y) < 2 * cv:
        raise ValueError(
            f"{len(y)} samples are too few for {cv} folds of at least two: "
            + ("use fewer folds" if len(y) >= 4 else "4 are the fewest")
        )


def _check(
    number: int,
    train: Array,
    test: Array,
    y: Array,
    groups: Array | None,
    classes: bool,
) -> None:
    """Refuse a split that leaks, or that nothing can be learned from."""
    if len(train) == 0 or len(test) == 0:
        raise ValueError(f"split {number} has an empty training or test part")
    both = np.intersect1d(train, test)
    if len(both):
        raise ValueError(
            f"split {number} has {len(both)} rows on both sides, such as row "
            f"{both[0]}: what is learned from cannot be tested on"
        )
    if classes and len(np.unique(y[train])) < 2:
        raise ValueError(f"split {number} has one class only to learn from")
    if groups is not None:
        shared = np.intersect1d(groups[train], groups[test])
        if len(shared):
            raise ValueError(
                f"split {number} has the group {shared[0]!s} on both sides: use a "
                "splitter that keeps groups together, such as GroupKFold, or cv=5"
            )
