"""Nyström's approximation: a kernel seen from a few landmarks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import eigh, solve_triangular
from scipy.sparse import issparse

from ..problem import Array
from .features import Approximation

# Leverage scores are computed for at most this many rows.
_CANDIDATES = 10_000


@dataclass(eq=False, repr=False)
class Nystroem(Approximation):
    """k(x, z) ≈ k(x, L) K(L, L)⁺ k(L, z), with L a few landmarks.

    The features are z(x) = Λ^(−½)Uᵀk(L, x) with K(L, L) = UΛUᵀ; the eigenvalues that
    are rounding errors are left out. It is the best approximation in the span of the
    landmarks, never larger than the kernel, and exact for them.

    Parameters
    ----------
    kernel : Kernel
        RBF(gamma=0.1), say; its columns, name, scale and missing are used.
    n_components : int
        Number of landmarks. At most the training rows are used.
    sampling : {"uniform", "kmeans", "leverage"}
        Landmarks are training rows, each as likely; centres of `MiniBatchKMeans`;
        or training rows drawn by their ridge leverage scores
        [K(K + μI)⁻¹]_ii, μ the mean of the eigenvalues that are left over, which
        finds rows that few others resemble (Musco and Musco 2017).
    random_state : int, RandomState or None
        With the same number, different kernels draw different landmarks.
    name : str, optional
        The default is that of the kernel.

    Attributes
    ----------
    kernel_ : Kernel
        The fitted kernel.
    landmarks_ : ndarray or sparse (n_landmarks, d)
        In the kernel's columns.
    n_features_ : int
        The rank of K(L, L).
    error_ : float
        ‖K − ZZᵀ‖_F / ‖K‖_F on (at most 300) training rows that are no landmarks.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelweave.kernels import RBF, Nystroem
    >>> X = load_iris().data
    >>> kernel = Nystroem(RBF(), n_components=20).fit(X)
    >>> kernel.features(X).shape
    (150, 20)
    >>> kernel.error_ < 0.02
    True
    """

    kernel: Any = None
    n_components: int = 100
    sampling: str = "uniform"
    random_state: Any = 0
    name: Any = None

    def _fit_map(self, rows: Any, generator: np.random.RandomState) -> None:
        choices = {
            "uniform": self._uniform,
            "kmeans": self._centres,
            "leverage": self._leverage,
        }
        if self.sampling not in choices:
            raise ValueError(
                f"kernel {self.label!r}: sampling must be one of {tuple(choices)}, got "
                f"{self.sampling!r}"
            )
        self._chosen = np.empty(0, dtype=int)
        m = self.n_components
        if m < rows.shape[0]:
            self.landmarks_ = choices[self.sampling](rows, m, generator)
        else:
            self._chosen = np.arange(rows.shape[0])
            self.landmarks_ = rows[self._chosen]
        values, U = eigh(self.kernel_._gram(self.landmarks_, self.landmarks_))
        # What is below this is the rounding error of the largest.
        real = values > len(values) * np.finfo(float).eps * values[-1]
        self._whiten = U[:, real] / np.sqrt(values[real])

    def _uniform(self, rows: Any, m: int, generator: np.random.RandomState) -> Any:
        self._chosen = np.sort(generator.permutation(rows.shape[0])[:m])
        return rows[self._chosen]

    def _centres(self, rows: Any, m: int, generator: np.random.RandomState) -> Any:
        if not hasattr(self.kernel_, "gamma"):
            raise ValueError(
                f"kernel {self.label!r}: sampling='kmeans' takes means of rows, which "
                f"{type(self.kernel_).__name__} has not: use 'uniform'"
            )
        if issparse(rows):
            raise ValueError(
                f"kernel {self.label!r}: sampling='kmeans' takes no sparse table: use "
                "'uniform'"
            )
        from sklearn.cluster import MiniBatchKMeans

        about = self.kernel_._from_origin(rows)
        means = MiniBatchKMeans(m, random_state=generator, n_init=1).fit(about)
        centres, origin = means.cluster_centers_, self.kernel_._origin
        return centres if origin is None else centres + origin[0]

    def _leverage(self, rows: Any, m: int, generator: np.random.RandomState) -> Any:
        """Landmarks by approximate ridge leverage scores, from m uniform ones."""
        order = generator.permutation(rows.shape[0])
        pilot = rows[np.sort(order[:m])]
        candidates = np.sort(order[:_CANDIDATES])
        K = self.kernel_._gram(pilot, pilot)
        cross = self.kernel_._gram(rows[candidates], pilot)
        # μ: what the m/2 largest eigenvalues leave over, a row of the pilot.
        values = np.linalg.eigvalsh(K)
        mu = max(float(values[: (m + 1) // 2].sum()) / m, 1e-10 * float(np.trace(K)))
        L = np.linalg.cholesky(K + mu * np.eye(m))
        half = solve_triangular(L, cross.T, lower=True)
        diagonal = self.kernel_._diagonal(rows[candidates])
        score = np.maximum(diagonal - np.einsum("ij,ij->j", half, half), 0.0) / mu
        score = score + 1e-12 * (1 + score.max())
        chosen = generator.choice(len(score), m, False, score / score.sum())
        self._chosen = np.sort(candidates[chosen])
        return rows[self._chosen]

    def _used(self) -> Array:
        return self._chosen

    @property
    def n_features_(self) -> int:
        return self._whiten.shape[1]

    def _map(self, rows: Any) -> Array:
        return self.kernel_._gram(rows, self.landmarks_) @ self._whiten
