"""Tables that are arrays of PyTorch, CuPy or another kind.

They stay where they are, and so does what is predicted from them; labels, weights and
what else is small is NumPy's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sklearn.utils.validation import validate_data

from ..arrays import like, place
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


def read_array(model: Any, X: Any) -> tuple[Any, ArrayReader]:
    """X in float64 where it is, and the reader of new rows."""
    X = _table(X)
    if X.shape[0] < 2:
        raise ValueError(
            f"Found array with {X.shape[0]} sample(s) while a minimum of 2 is required"
        )
    validate_data(model, X, reset=True, skip_check_array=True)
    return X, ArrayReader(place(X))


def _table(X: Any) -> Any:
    if X.ndim != 2:
        raise ValueError(
            f"X must be a table of rows and columns, got shape {tuple(X.shape)}"
        )
    return like(X.detach() if hasattr(X, "detach") else X, X)
