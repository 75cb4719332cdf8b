"""From rows to the features of all kernels, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from ..kernels import Approximation, Nystroem
from ..problem import Array
from .sample import table_arrays, table_of


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
        self._set_blocks([kernel.features(row).shape[1] for kernel in self.kernels])

    def _set_blocks(self, widths: Sequence[int]) -> None:
        self.blocks = [slice(a, b) for a, b in pairwise([0, *accumulate(widths)])]

    def arrays(self) -> dict[str, Array]:
        """What rounding decides of the features, as plain arrays.

        The eigenvectors of small eigenvalues are others with another number of threads.
        """
        out = {"widths": np.array([block.stop - block.start for block in self.blocks])}
        for j, kernel in self._approximate():
            out |= table_arrays(kernel.landmarks_, f"{j}.landmarks")
            out |= {f"{j}.whiten": kernel._whiten, f"{j}.seen": _seen(kernel)}
            if kernel._mean is not None:
                out[f"{j}.mean"] = kernel._mean
        return out

    def restore(self, arrays: dict[str, Array]) -> None:
        """Make the features those of `arrays`, if the kernels are the same."""
        for j, kernel in self._approximate():
            kernel.landmarks_ = table_of(arrays, f"{j}.landmarks")
            kernel._whiten, kernel._mean = (
                arrays[f"{j}.whiten"],
                arrays.get(f"{j}.mean"),
            )
            old, new = arrays[f"{j}.seen"], _seen(kernel)
            if np.max(abs(new - old)) > 1e-6 * np.max(abs(old)):
                raise OtherFeatures()
        self._set_blocks(arrays["widths"].tolist())

    def _approximate(self) -> list[tuple[int, Nystroem]]:
        """The kernels whose features rounding decides, with their numbers."""
        return [(j, k) for j, k in enumerate(self.kernels) if isinstance(k, Nystroem)]

    @property
    def repeated(self) -> Array:
        """Whether a feature is the same to rounding whenever it is learned, (D,)."""
        mask = np.ones(self.width, dtype=bool)
        for j, _ in self._approximate():
            mask[self.blocks[j]] = False
        return mask

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

    def present(self, X: Any, v: Array | None = None) -> Array:
        """How many of the rows each kernel describes, or their weight, (p,)."""
        v = np.ones(X.shape[0], dtype=int) if v is None else v
        m = v.sum()
        return np.array(
            [
                m - np.sum(v[kernel.absent(X)]) if kernel.missing == "mean" else m
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


class OtherFeatures(ValueError):
    """Sums of features that the kernels do not have."""

    def __init__(self) -> None:
        super().__init__(
            "the features of the kernels are not those that the sums were made of: "
            "another machine or version of the libraries?"
        )


def _seen(kernel: Nystroem) -> Array:
    """The features of the first landmarks, which tell kernels apart."""
    return kernel._map(kernel.landmarks_[:5])
