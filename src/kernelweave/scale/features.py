"""From rows to the features of all kernels, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from ..kernels import Approximation
from ..problem import Array


class FeatureMap:
    """Z = [Z_1 … Z_p] (m, D) of a table's rows, with K_j = Z_jZ_jᵀ.

    Parameters
    ----------
    kernels : sequence of fitted kernels with features
    spherical : bool
        Whether the features of every row get length one, kernel by kernel.
    row : array (1, d)
        Any row, to see how many features there are.

    Attributes
    ----------
    blocks : list of slices
        The columns of each kernel.
    """

    def __init__(self, kernels: Sequence[Any], spherical: bool, row: Any):
        self.kernels = list(kernels)
        self.spherical = spherical
        widths = [kernel.features(row).shape[1] for kernel in self.kernels]
        ends = [0, *accumulate(widths)]
        self.blocks = [slice(a, b) for a, b in pairwise(ends)]

    @property
    def width(self) -> int:
        """D."""
        return self.blocks[-1].stop

    def block(self, X: Any, j: int) -> Array:
        """Z_j, (m, D_j)."""
        Z = self.kernels[j].features(X)
        if self.spherical:
            length = np.sqrt(np.einsum("ij,ij->i", Z, Z))
            # A row of length zero is the zero vector: it stays so.
            Z = Z / np.where(length > 0, length, 1.0)[:, None]
        return Z

    def __call__(self, X: Any, out: Array | None = None) -> Array:
        """Z (m, D), written to `out` if it is given."""
        Z = np.empty((X.shape[0], self.width)) if out is None else out
        for j, block in enumerate(self.blocks):
            Z[:, block] = self.block(X, j)
        return Z

    def predict(self, X: Any, coef: Array) -> Array:
        """Z·coef (m, k); kernels whose coefficients are zero are not computed."""
        f = np.zeros((X.shape[0], coef.shape[1]))
        for j, block in enumerate(self.blocks):
            if np.any(coef[block]):
                f += self.block(X, j) @ coef[block]
        return f

    def present(self, X: Any) -> Array:
        """How many of the rows each kernel describes, (p,)."""
        m = X.shape[0]
        return np.array(
            [
                m - int(np.sum(kernel.absent(X))) if kernel.missing == "mean" else m
                for kernel in self.kernels
            ]
        )

    @property
    def origins(self) -> Array:
        """Where the features are seen from, (D,): far rows of a linear kernel."""
        out = np.zeros(self.width)
        for kernel, block in zip(self.kernels, self.blocks, strict=True):
            if kernel._origin is not None:
                out[block] = kernel._origin[0]
        return out

    @property
    def errors(self) -> Array:
        """‖K_j − Z_jZ_jᵀ‖_F/‖K_j‖_F on sampled rows; zero for exact features, (p,)."""
        return np.array(
            [
                kernel.error_ if isinstance(kernel, Approximation) else 0.0
                for kernel in self.kernels
            ]
        )
