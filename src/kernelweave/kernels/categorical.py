"""The kernel of categories: the share of columns that agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse
from scipy.spatial.distance import cdist

from ..frames import is_frame
from ..inputs.columns import TableColumns
from ..problem import Array
from .texts import mixed
from .unit_diagonal import UnitDiagonalKernel

# A text that no training row has: equal to none of theirs.
UNKNOWN = -1.0


@dataclass(eq=False, repr=False)
class Overlap(UnitDiagonalKernel):
    """k(x, z) = (1/d) Σ_i [x_i = z_i], the share of the d columns that are equal.

    For categories: text, codes, yes and no. It is the linear kernel of the one-hot
    code of the columns, divided by d. A category that no training row has is equal to
    none.

    Parameters
    ----------
    columns, name, missing
        See `Kernel`.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"sex": ["f", "m", "f"], "smokes": [True, True, False]})
    >>> Overlap().fit(table)(table)
    array([[1. , 0.5, 0.5],
           [0.5, 1. , 0. ],
           [0.5, 0. , 1. ]])
    """

    columns: Any = None
    name: Any = None
    missing: str = "error"

    _takes_labels = True
    _computes = False

    def _fit_texts(self, X: Any) -> None:
        """A number for every text; the numbers mean nothing but equality."""
        self._table = TableColumns.of(X)
        self._codes: dict[int, dict[str, float]] = {}
        for j, texts in mixed(X, self._table, self.columns_).items():
            seen = dict.fromkeys(text for text in texts if text is not None)
            self._codes[j] = {text: float(i) for i, text in enumerate(seen)}

    def _numbers(self, X: Any) -> Any:
        self._check_fitted()
        texts = mixed(X, self._table, self.columns_)
        Z = super()._numbers(self._table.read(X)[0] if is_frame(X) else X)
        if issparse(Z):
            raise ValueError(
                f"kernel {self.label!r} needs a dense table: pass X.toarray()"
            )
        if texts:
            Z = Z.copy()
        for j, entries in texts.items():
            codes = self._codes[j] | {None: np.nan}
            places = [j]
            if self.columns_ is not None:
                places = np.flatnonzero(self.columns_ == j)
            Z[:, places] = [[codes.get(text, UNKNOWN)] for text in entries]
        return Z

    def _fill(self, Z: Any) -> Array:
        super()._fill(Z)  # refuses a column without values
        modes = []
        for z in Z.T:
            values, counts = np.unique(z[~np.isnan(z)], return_counts=True)
            modes.append(values[np.argmax(counts)])
        return np.array(modes)

    def _gram(self, X: Any, Y: Any) -> Array:
        return 1 - cdist(X, Y, "hamming")
