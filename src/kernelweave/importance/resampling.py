"""Halves of the samples, and permutations of them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..problem import Array
from ..stacklevel import outside

# Halves of groups that lack a class are drawn again, at most this many times.
MOST_DRAWS = 100


def halves(
    y: Array, classes: bool, groups: Array | None, count: int, rng: Any
) -> list[Array]:
    """Random halves of the samples, without repetition, each class halved.

    A half of n samples varies about as much as n samples drawn anew do: its variance is
    that of n/2 of n without repetition, (1/(n/2))(1 − 1/2) = 1/n. Groups are taken
    whole, and those of the same rarest class are halved; there is no half, and a
    warning, if halves lack a class again and again.

    Parameters
    ----------
    y : ndarray (n,) or (n, outputs)
    classes : bool
        Whether y holds classes.
    groups : ndarray of int (n,), optional
    count : int
    rng : Generator
    """
    if groups is None:
        strata = y if classes else np.zeros(len(y), dtype=int)
        return [np.sort(_half(strata, rng)) for _ in range(count)]
    strata = _rarest_class(y, groups) if classes else np.zeros(groups.max() + 1)
    found = []
    while len(found) < count:
        rows = _half_of_groups(y, classes, groups, strata, rng)
        if rows is None:
            warnings.warn(
                "half of the groups lack a class: there are too few groups for "
                "intervals, which are left out",
                stacklevel=outside(),
            )
            return []
        found.append(rows)
    return found


def permutations(n: int, groups: Array | None, count: int, rng: Any) -> list[Array]:
    """Random orders of the samples: sample i gets the row order[i] of another.

    Whole groups change places, so that rows of a group stay rows of one group. Where
    groups differ in size, a group gets a random part of the rows of a larger one, and
    those of a smaller one several times.

    Parameters
    ----------
    n : int
    groups : ndarray of int (n,), optional
    count : int
    rng : Generator
    """
    if groups is None:
        return [rng.permutation(n) for _ in range(count)]
    rows = [np.flatnonzero(groups == g) for g in range(groups.max() + 1)]
    orders = []
    for _ in range(count):
        order = np.empty(n, dtype=int)
        for to, source in enumerate(rng.permutation(len(rows))):
            there = rng.permutation(rows[source])
            if len(there) == len(rows[to]):
                there = rows[source]
            order[rows[to]] = np.resize(there, len(rows[to]))
        orders.append(order)
    return orders


def _half(strata: Array, rng: Any) -> Array:
    """Half of the places of every stratum, rounded up."""
    parts = []
    for stratum in np.unique(strata):
        members = rng.permutation(np.flatnonzero(strata == stratum))
        parts.append(members[: (len(members) + 1) // 2])
    return np.concatenate(parts)


def _half_of_groups(
    y: Array, classes: bool, groups: Array, strata: Array, rng: Any
) -> Array | None:
    """The samples of half of the groups with all classes; None if there is no such."""
    for _ in range(MOST_DRAWS):
        chosen = _half(strata, rng)
        # Classes of one group each are never halved.
        if len(chosen) > 0.75 * len(strata):
            return None
        rows = np.flatnonzero(np.isin(groups, chosen))
        if not classes or len(np.unique(y[rows])) == len(np.unique(y)):
            return rows
    return None


def _rarest_class(y: Array, groups: Array) -> Array:
    """The class of each group that the fewest groups have, (n_groups,)."""
    labels = np.unique(y, return_inverse=True)[1]
    has = np.zeros((groups.max() + 1, labels.max() + 1), dtype=bool)
    has[groups, labels] = True
    return np.argmin(np.where(has, has.sum(axis=0), len(has) + 1), axis=1)
