"""The kernel of categories: the share of columns that agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse
from scipy.spatial.distance import cdist

from ..frames import is_frame
from ..problem import Array
from .base import Kernel
from .labels import LabelCodes
from .unit_diagonal import UnitDiagonalKernel


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

    def fit(self, X: Any, table: Any = None, centred: bool = False) -> Kernel:
        # An estimator has put numbers in the place of text; a user may not have.
        self._codes = LabelCodes.of(X)
        return super().fit(X, table, centred)

    def _numbers(self, X: Any) -> Any:
        self._check_fitted()
        Z = super()._numbers(self._codes.encode(X) if is_frame(X) else X)
        if issparse(Z):
            raise ValueError(
                f"kernel {self.label!r} needs a dense table: pass X.toarray()"
            )
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
