"""What is fitted again: which views, which rows, and whose rows are permuted."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..problem import Array


@dataclass(frozen=True)
class Candidate:
    """A fit to be made.

    Attributes
    ----------
    members : ndarray of int
        The kernels to learn from.
    rows : ndarray of int, optional
        The samples to learn from; all of them by default.
    permuted : ndarray of int, optional
        The kernels whose rows are permuted, so that they tell nothing.
    order : ndarray of int, optional
        The permutation of the rows.
    kept : bool
        Whether weights that were learned from left-out samples are kept.
    """

    members: Array
    rows: Array | None = None
    permuted: Array | None = None
    order: Array | None = field(default=None, repr=False)
    kept: bool = False


@dataclass(frozen=True)
class Found:
    """What a fit found.

    Attributes
    ----------
    weights : ndarray (p,)
        Of all kernels; those that took no part have 0.
    shares : ndarray (p,)
        What each kernel contributes to left-out predictions, in shares of the targets.
    score : float
        Of the left-out predictions.
    losses : ndarray (m,) or None
        Of every sample when left out, whose mean is what the score lacks to 1; a
        concordance has none.
    """

    weights: Array
    shares: Array
    score: float
    losses: Array | None = None


def taken(matrices: Array, candidate: Candidate) -> Array:
    """The Gram matrices that a candidate is fitted to, as a copy.

    Permuting the rows of a view permutes rows and columns of its matrices: K[o, o].
    """
    rows = candidate.rows
    if rows is None:
        K = matrices[candidate.members]
    else:
        K = matrices[np.ix_(candidate.members, rows, rows)]
    if candidate.permuted is not None and candidate.order is not None:
        order = candidate.order
        for j in np.flatnonzero(np.isin(candidate.members, candidate.permuted)):
            K[j] = K[j][order[:, None], order]
    return K
