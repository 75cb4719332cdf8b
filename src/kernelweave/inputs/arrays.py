"""Tables that are arrays of PyTorch, CuPy or another kind.

They stay where they are, and so does what is predicted from them; labels, weights and
what else is small is NumPy's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_X_y
from sklearn.utils.validation import validate_data

from ..arrays import host, is_foreign, like, place
from ..problem import Array
from .columns import TableColumns
from .table import TableReader, other_place


@dataclass(frozen=True)
class ArrayReader:
    """New rows in float64, where the training rows were: `where`, in words."""

    where: str

    def __call__(self, model: Any, X: Any) -> Any:
        if place(X) != self.where:
            raise other_place(self.where, X)
        X = _table(X)
        validate_data(model, X, reset=False, skip_check_array=True)
        return X

    def on_host(self) -> TableReader:
        """The reader of the same rows in arrays of NumPy."""
        return TableReader(TableColumns([], {}))


def read_array(model: Any, X: Any, y: Any, **options: Any) -> tuple[Any, Array, Any]:
    """X in float64 where it is, y as an array of NumPy, and the reader of new rows."""
    X = _table(X)
    validate_data(model, X, reset=True, skip_check_array=True)
    return X, check_labels(X.shape[0], y, **options), ArrayReader(place(X))


def check_labels(n: int, y: Any, **options: Any) -> Array:
    """y of n samples, as an array of NumPy."""
    y = host(y) if is_foreign(y) else y
    return check_X_y(np.zeros((n, 1)), y, ensure_min_samples=2, **options)[1]


def _table(X: Any) -> Any:
    if X.ndim != 2:
        raise ValueError(
            f"X must be a table of rows and columns, got shape {tuple(X.shape)}"
        )
    return like(X.detach() if hasattr(X, "detach") else X, X)
