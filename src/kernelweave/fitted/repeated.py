"""New rows that are predicted at many points of a grid: compared once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..grams import DenseStack
from ..inputs.rows import Reader
from ..kernels.fitting import selected
from ..problem import Array
from .grams import GramData


class RepeatedRows:
    """A reader of new rows that keeps k_j(x, X), (p, m, n), of those it saw last.

    On a grid the same rows are predicted by every model; only weights and coefficients
    differ. They are known again by being the same object.

    Parameters
    ----------
    data : GramData
        The training rows.
    """

    def __init__(self, data: GramData):
        self._data = data
        self._last: tuple[Any, Array] | None = None

    def __call__(self, model: Any, X: Any) -> Array:
        """k_j(x, X) for rows x as the user has them, (p, m, n)."""
        if self._last is None or self._last[0] is not X:
            self._last = X, self._compare(self._data.reader(model, X))
        return self._last[1]

    def _compare(self, rows: Any) -> Array:
        kernels = self._data.kernels
        if kernels is None:
            return rows
        pairs = zip(
            selected(kernels, rows), selected(kernels, self._data.X), strict=True
        )
        return np.stack(
            [k.between(*pair) for k, pair in zip(kernels, pairs, strict=True)]
        )

    def on_host(self) -> Reader:
        """The reader of rows in arrays of NumPy: this one takes no others."""
        return self


def repeated(data: Any, new: int) -> Any:
    """The same training rows, where `new` rows will be predicted by many models.

    Only where the matrices of the new rows need no more memory than the stored ones of
    the training rows. Spherical kernels also need k(x, x): they stay as they are.
    """
    if not isinstance(data, GramData) or not isinstance(data.stack, DenseStack):
        return data
    spherical = any(s.root_diagonal is not None for s in data.statistics)
    if new > data.n or spherical or not data.host:
        return data
    # Its matrices have the rows of the stack, not those of weight zero.
    return replace(data, kernels=None, X=None, reader=RepeatedRows(data), kept=None)
