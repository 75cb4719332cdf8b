"""A Gaussian kernel with one lengthscale a column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone

from ..arrays import is_foreign, like, namespace
from ..problem import Array
from .distance import median_distance
from .foreign_arrays import squared_distances
from .unit_diagonal import UnitDiagonalKernel


@dataclass(eq=False, repr=False)
class AnisotropicRBF(UnitDiagonalKernel):
    """k(x, z) = exp(−½Σ_c ((x_c − z_c)/ℓ_c)²).

    Parameters
    ----------
    lengthscales : ndarray (d,) or "learn"
        ℓ, one a column. "learn": `MKLDiscriminantAnalysisCV` and `MKLRidgeCV` learn
        them by exact leave-one-out, from m, the median distance between training rows,
        in every column; all other estimators refuse it. See
        `kernelweave.selection.learn_widths`.
    columns, name, scale, missing
        See `Kernel`.

    Attributes
    ----------
    lengthscales_ : ndarray (d,)

    Examples
    --------
    >>> import numpy as np
    >>> from kernelweave.kernels import AnisotropicRBF
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> AnisotropicRBF(lengthscales=[1.0, 100.0]).fit(X)(X).round(3)
    array([[1.   , 0.607, 1.   ],
           [0.607, 1.   , 0.607],
           [1.   , 0.607, 1.   ]])
    """

    lengthscales: Any = "learn"
    columns: Any = None
    name: Any = None
    scale: bool | str = False
    missing: str = "error"

    _anywhere = True
    _moving = "itself"

    def _fit(self, X: Any) -> None:
        if issparse(X):
            raise ValueError(
                f"kernel {self.label!r} needs a dense table: pass X.toarray()"
            )
        d = X.shape[1]
        given = self.lengthscales
        if isinstance(given, str) and given == "learn":
            self.lengthscales_ = np.full(d, median_distance(X))
            return
        lengths = np.empty(0) if isinstance(given, str) else np.asarray(given, float)
        if lengths.shape != (d,) or not np.all((lengths > 0) & np.isfinite(lengths)):
            raise ValueError(
                f"kernel {self.label!r}: lengthscales must be 'learn' or one positive "
                f"number for each of the {d} columns, got {self.lengthscales!r}"
            )
        self.lengthscales_ = lengths

    def _gram(self, X: Any, Y: Any) -> Array:
        return self._at(X, Y, self.lengthscales_)

    def _at(self, X: Any, Y: Any, lengths: Array) -> Array:
        X, Y = self._from_origin(X), self._from_origin(Y)
        if not is_foreign(X):
            X, Y = np.asarray(X), np.asarray(Y)
        unit = like(lengths, X) * 2**0.5
        return namespace(X).exp(-squared_distances(X / unit, Y / unit))

    @property
    def widths(self) -> Array:
        """ℓ, which `learn_widths` changes."""
        return self.lengthscales_

    def at_widths(self, Z: Array, widths: Array) -> Array:
        """The Gram matrix of rows that `select` returned, for other lengthscales."""
        return self._at(Z, Z, widths)

    def width_slopes(self, Z: Array, widths: Array, W: Array) -> Array:
        """∂⟨Q, K⟩/∂log ℓ, (d,): Σ_il W_il((x_ic − x_lc)/ℓ_c)² with W = Q∘K."""
        Z = self._from_origin(Z) / widths
        return 2 * ((Z * Z).T @ W.sum(axis=1) - np.sum(Z * (W @ Z), axis=0))

    def learned(self, widths: Array) -> AnisotropicRBF:
        """The same kernel with these lengthscales, not fitted."""
        return clone(self).set_params(lengthscales=np.array(widths))
