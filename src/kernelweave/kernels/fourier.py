"""Random Fourier features: a kernel of differences as a mean of waves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.extmath import safe_sparse_dot

from ..problem import Array
from .distance import RBF, Laplacian
from .features import Approximation


@dataclass(eq=False, repr=False)
class RandomFourier(Approximation):
    """k(x − z) = E cos ωᵀ(x − z), the mean over a sample of frequencies ω.

    The features are √(2/D)·[cos ωᵀx, sin ωᵀx], D/2 frequencies drawn from the Fourier
    transform of the kernel: normal for RBF, Cauchy for Laplacian (Rahimi and Recht
    2007). They need no training rows but for the width, and cost less than landmarks;
    the error falls as 1/√D only.

    Parameters
    ----------
    kernel : RBF or Laplacian
    n_components : int
        D, an even number.
    random_state, name
        As in `Nystroem`.

    Attributes
    ----------
    kernel_, error_, n_features_
        As in `Nystroem`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelweave.kernels import RBF, RandomFourier
    >>> X = load_iris().data
    >>> RandomFourier(RBF(), n_components=2000).fit(X).error_ < 0.1
    True
    """

    kernel: Any = None
    n_components: int = 100
    random_state: Any = 0
    name: Any = None

    def _fit_map(self, rows: Any, generator: np.random.RandomState) -> None:
        if self.n_components % 2:
            raise ValueError(
                f"kernel {self.label!r}: n_components must be even, a cosine and a "
                f"sine for every frequency, got {self.n_components}"
            )
        shape = (rows.shape[1], self.n_components // 2)
        if isinstance(self.kernel_, RBF):
            spread = np.sqrt(2 * self.kernel_.gamma_)
            self._frequencies = spread * generator.standard_normal(shape)
        elif isinstance(self.kernel_, Laplacian):
            self._frequencies = self.kernel_.gamma_ * generator.standard_cauchy(shape)
        else:
            raise ValueError(
                f"kernel {self.label!r}: random Fourier features are for RBF and "
                f"Laplacian, not {type(self.kernel_).__name__}: use Nystroem"
            )

    @property
    def n_features_(self) -> int:
        return 2 * self._frequencies.shape[1]

    def _map(self, rows: Any) -> Array:
        rows = self.kernel_._from_origin(rows)
        angles = safe_sparse_dot(rows, self._frequencies, dense_output=True)
        half = angles.shape[1]
        Z = np.empty((len(angles), 2 * half))
        np.cos(angles, out=Z[:, :half])
        np.sin(angles, out=Z[:, half:])
        Z /= np.sqrt(half)
        return Z
