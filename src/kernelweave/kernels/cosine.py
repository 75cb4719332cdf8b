"""The cosine of the angle between rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sklearn.metrics import pairwise

from ..problem import Array
from .base import Kernel


@dataclass(eq=False, repr=False)
class Cosine(Kernel):
    """k(x, z) = xᵀz/(‖x‖‖z‖), 0 where a row is zero; also for sparse tables.

    Parameters
    ----------
    columns, name, scale, missing
        See `Kernel`.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelweave.kernels import Cosine
    >>> X = np.array([[1.0, 0.0], [5.0, 5.0]])
    >>> Cosine().fit(X)(X).round(3)
    array([[1.   , 0.707],
           [0.707, 1.   ]])
    """

    columns: Any = None
    name: Any = None
    scale: bool | str = False
    missing: str = "error"

    _unpacks = True

    def compare(self, X: Any, Y: Any) -> Array:
        return pairwise.cosine_similarity(X, Y)

    def _diagonal(self, X: Any) -> Array:
        return (pairwise.paired_euclidean_distances(X, 0 * X) > 0).astype(float)
