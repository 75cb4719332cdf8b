"""Tables: DataFrames, arrays of NumPy and sparse matrices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import validate_data

from ..arrays import is_foreign, namespace, place
from ..entries import plain_table, without_duplicates
from ..frames import is_dask, is_frame
from ..views import as_trained, is_views
from .columns import TableColumns
from .mixed_table import MixedTable

# A kernel refuses or takes the missing values of its own columns.
_OPTIONS: dict[str, Any] = {
    "accept_sparse": "csr",
    "dtype": [np.float64, np.float32],
    "ensure_all_finite": "allow-nan",
}


@dataclass(frozen=True)
class TableReader:
    """New rows of a table as the kernels take them."""

    columns: TableColumns

    def __call__(self, model: Any, X: Any) -> Any:
        """An array, a sparse matrix, or a `MixedTable`."""
        if is_dask(X):
            raise ValueError(
                f"{type(model).__name__} takes new rows in memory: use X.map_blocks or "
                "X.map_partitions with its method"
            )
        if is_foreign(X):
            raise other_place("NumPy", X)
        if is_views(X):
            X = as_trained(X, getattr(model, "feature_names_in_", []))
        return _validated(model, X, self.columns, reset=False)[0]

    def on_host(self) -> TableReader:
        return self


def read_table(model: Any, X: Any, y: Any, **options: Any) -> tuple[Any, Any, Any]:
    """X and y of a training table as numbers and texts, and the reader of new rows."""
    columns = TableColumns.of(X)
    X, y = _validated(model, X, columns, y, ensure_min_samples=2, **options)
    return X, y, TableReader(columns)


def read_chunk(
    model: Any, X: Any, y: Any, reader: TableReader | None, **options: Any
) -> tuple[Any, Any, TableReader]:
    """X and y of one call of `partial_fit`: columns of numbers, as in the first."""
    if reader is None:
        names = list(X.columns) if is_frame(X) else []
        options["reset"] = True
        reader = TableReader(TableColumns(names, {}))
    else:
        options["reset"] = False
    options["dtype"] = np.float64
    X, y = _validated(model, X, reader.columns, y, **options)
    return X, y, reader


def other_place(fitted: str, X: Any) -> TypeError:
    """What to say of new rows that are not where the training rows were."""
    return TypeError(
        f"the model was fitted with arrays of {fitted}, and the new rows are of "
        f"{place(X)}: move them there, or the model to NumPy with model.to_numpy()"
    )


def own(X: Any, given: Any) -> Any:
    """The validated table X as an array that the user's `given` does not share.

    What was converted is a copy already. Memory-mapped arrays stay in their files: they
    must not be changed as long as the model is used.
    """
    if is_foreign(X):
        return namespace(X).asarray(X, copy=True) if X.dtype == given.dtype else X
    if isinstance(X, MixedTable):
        return X
    if issparse(X):
        same = issparse(given) and given.format == X.format
        return X.copy() if same and np.may_share_memory(X.data, given.data) else X
    if isinstance(given, np.memmap) or (X is not given and X.flags.owndata):
        return X
    return X.copy(order="K")


def _validated(
    model: Any, X: Any, columns: TableColumns, y: Any = "no_validation", **options: Any
) -> tuple[Any, Any]:
    """X and y, of which nothing was lost on the way to numbers."""
    X, texts = columns.read(X)
    found = validate_data(model, plain_table(X), y, **(_OPTIONS | options))
    X, y = found if isinstance(found, tuple) else (found, None)
    X = without_duplicates(X)
    return (MixedTable(X, texts) if texts else X), y
