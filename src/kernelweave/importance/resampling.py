"""Halves of the samples, and permutations of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..problem import Array


def halves(
    y: Array, classes: bool, groups: Array | None, count: int, rng: Any
) -> list[Array]:
    """Random halves of the samples, without repetition, each class halved.

    A half of n samples varies about as much as n samples drawn anew do: its variance is
    that of n/2 of n without repetition, (1/(n/2))(1 − 1/2) = 1/n. Groups are taken
    whole.
    """
    found = []
    while len(found) < count:
        if groups is not None:
            chosen = rng.permutation(np.unique(groups))[: (groups.max() + 2) // 2]
            rows = np.flatnonzero(np.isin(groups, chosen))
            if classes and len(np.unique(y[rows])) < len(np.unique(y)):
                raise ValueError(
                    "half of the groups lack a class: there are too few groups for "
                    "intervals; pass n_subsamples=0"
                )
        elif classes:
            parts = []
            for c in np.unique(y):
                rows = rng.permutation(np.flatnonzero(y == c))
                parts.append(rows[: (len(rows) + 1) // 2])
            rows = np.concatenate(parts)
        else:
            rows = rng.permutation(len(y))[: (len(y) + 1) // 2]
        found.append(np.sort(rows))
    return found


def permutations(n: int, groups: Array | None, count: int, rng: Any) -> list[Array]:
    """Random orders of the samples; whole groups change places.

    Groups of different sizes cannot, so then samples do.
    """
    if groups is None or np.ptp(np.bincount(groups)):
        return [rng.permutation(n) for _ in range(count)]
    size = n // (groups.max() + 1)
    by_group = np.argsort(groups, kind="stable").reshape(-1, size)
    orders = []
    for _ in range(count):
        order = np.empty(n, dtype=int)
        order[by_group.ravel()] = by_group[rng.permutation(len(by_group))].ravel()
        orders.append(order)
    return orders
