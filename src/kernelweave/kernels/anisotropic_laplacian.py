"""A Laplacian kernel with one lengthscale a column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse
from scipy.spatial.distance import cdist

from ..problem import Array
from .unit_diagonal import UnitDiagonalKernel


@dataclass(eq=False, repr=False)
class AnisotropicLaplacian(UnitDiagonalKernel):
    """k(x, z) = exp(−Σ_c abs(x_c − z_c)/ℓ_c).

    A column of a long lengthscale hardly matters. Estimators that learn for prediction
    make such kernels of `Laplacian`: see `kernelweave.selection.learn_relevances`.

    Parameters
    ----------
    lengthscales : array (d,)
        ℓ > 0, one a column.
    columns, name, scale, missing
        See `Kernel`.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelweave.kernels import AnisotropicLaplacian
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> AnisotropicLaplacian([1.0, 100.0]).fit(X)(X).round(3)
    array([[1.   , 0.368, 0.99 ],
           [0.368, 1.   , 0.364],
           [0.99 , 0.364, 1.   ]])
    """

    lengthscales: Any
    columns: Any = None
    name: Any = None
    scale: bool | str = False
    missing: str = "error"

    _moving = "itself"
    _direct = True

    def _fit(self, X: Any) -> None:
        if issparse(X):
            raise ValueError(
                f"kernel {self.label!r} needs a dense table: pass X.toarray()"
            )
        d = X.shape[1]
        try:
            lengths = np.asarray(self.lengthscales, dtype=float)
        except (TypeError, ValueError):
            lengths = np.empty(0)
        if lengths.shape != (d,) or not np.all((lengths > 0) & np.isfinite(lengths)):
            raise ValueError(
                f"kernel {self.label!r}: lengthscales must be one positive number for "
                f"each of the {d} columns, got {self.lengthscales!r}"
            )
        self.lengthscales_ = lengths

    def _gram(self, X: Any, Y: Any) -> Array:
        X, Y = (np.asarray(Z) / self.lengthscales_ for Z in (X, Y))
        return np.exp(-cdist(X, Y, "cityblock"))
