"""Tables: DataFrames, arrays of NumPy and sparse matrices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import check_array
from sklearn.utils.validation import _check_feature_names, _check_n_features

from ..arrays import is_foreign, place
from ..entries import plain_table, without_duplicates
from ..frames import from_arrow, is_dask, is_frame, without_na
from ..problem import Array
from ..views import as_trained, is_views
from .columns import TableColumns
from .infinite import name_infinite_column
from .mixed_table import MixedTable


@dataclass(frozen=True)
class TableReader:
    """New rows of a table as the kernels take them."""

    columns: TableColumns

    def __call__(self, model: Any, X: Any) -> Any:
        """An array, a sparse matrix, or a `MixedTable`."""
        X = from_arrow(X)
        if is_dask(X):
            raise ValueError(
                f"{type(model).__name__} takes new rows in memory: use X.map_blocks or "
                "X.map_partitions with its method"
            )
        if is_foreign(X):
            raise other_place("NumPy", X)
        if not is_frame(X) and not isinstance(X, np.ndarray) and is_views(X):
            X = as_trained(X, getattr(model, "feature_names_in_", []))
        return read_table(model, X, self.columns)[0]

    def on_host(self) -> TableReader:
        return self


def read_table(
    model: Any,
    X: Any,
    columns: TableColumns | None = None,
    *,
    first: bool | None = None,
    types: tuple[type, ...] = (np.float64, np.float32),
) -> tuple[Any, TableReader]:
    """The numbers and texts of a table, of which nothing was lost, and its reader.

    Without `columns` the table is the training table, and scikit-learn's attributes of
    the model (`n_features_in_`, `feature_names_in_`) are set, as with `first`; else
    they are compared.
    """
    training = columns is None
    first = training if first is None else first
    texts: dict[int, Array] = {}
    if is_frame(X):
        if columns is None:
            columns, X, texts = TableColumns.read_first(X)
        else:
            X, texts = columns.read(X)
        X = without_na(X)
    else:
        columns = TableColumns([], {}) if columns is None else columns
        if columns.texts:
            columns.read(X)
        X = plain_table(X)
    _check_feature_names(model, X, reset=first)
    try:
        checked = check_array(
            X,
            accept_sparse="csr",
            dtype=list(types),
            # A kernel refuses or takes the missing values of its own columns.
            ensure_all_finite="allow-nan",
            ensure_min_samples=2 if training else 1,
            estimator=model,
            input_name="X",
        )
    except ValueError as error:
        name_infinite_column(X, error)
        raise
    X = checked
    _check_n_features(model, X, reset=first)
    X = without_duplicates(X) if issparse(X) else X
    return (MixedTable(X, texts) if texts else X), TableReader(columns)


def read_chunk(
    model: Any, X: Any, reader: TableReader | None
) -> tuple[Any, TableReader]:
    """X of one call of `partial_fit`: columns of numbers, as in the first."""
    X, columns = from_arrow(X), None if reader is None else reader.columns
    first = columns is None
    if columns is None:
        columns = TableColumns(list(X.columns) if is_frame(X) else [], {})
    return read_table(model, X, columns, first=first, types=(np.float64,))


def other_place(fitted: str, X: Any) -> TypeError:
    """What to say of new rows that are not where the training rows were."""
    return TypeError(
        f"the model was fitted with arrays of {fitted}, and the new rows are of "
        f"{place(X)}: move them there, or the model to NumPy with model.to_numpy()"
    )
