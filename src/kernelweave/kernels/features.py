"""Kernels with finitely many features: k(x, z) = ⟨z(x), z(z)⟩."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Protocol, runtime_checkable
from zlib import crc32

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from ..problem import Array
from .base import Kernel
from .foreign_arrays import refuse_foreign

# Rows on which an approximation is compared with its kernel.
_COMPARED = 300


@runtime_checkable
class Featured(Protocol):
    """A kernel that gives its features: K_j = Z_jZ_jᵀ, Z_j (n, D_j)."""

    def features(self, X: Any) -> Array:
        """Z_j of the rows of X, (m, D_j)."""
        ...


class Approximation(Kernel):
    """What Nyström's and Fourier's approximations of a kernel share.

    Columns, scaling and missing values are those of the kernel that is approximated.
    An absent row (`missing="mean"`) has the mean of the features of the others.
    """

    kernel: Any
    n_components: int
    random_state: Any
    name: Any

    @property
    def columns(self) -> Any:
        return self.kernel.columns

    @property
    def missing(self) -> str:
        return self.kernel.missing

    @property
    def label(self) -> str:
        return self.kernel.label if self.name is None else str(self.name)

    def fit(self, X: Any, table: Any = None, centred: bool = False) -> Approximation:
        """Fit the kernel to the rows of X (see `Kernel.fit`), and the map."""
        if not isinstance(self.kernel, Kernel) or isinstance(
            self.kernel, Approximation
        ):
            raise ValueError(
                f"{type(self).__name__} approximates a kernel such as RBF(), got "
                f"{self.kernel!r}"
            )
        if not (
            isinstance(self.n_components, int | np.integer) and self.n_components >= 1
        ):
            raise ValueError(
                f"kernel {self.label!r}: n_components must be a whole number of at "
                f"least 1, got {self.n_components!r}"
            )
        refuse_foreign(self, X)
        self.kernel_ = clone(self.kernel).fit(X, table, centred)
        self.columns_ = self.kernel_.columns_
        self.column_names_ = self.kernel_.column_names_
        self.n_present_ = self.kernel_.n_present_
        rows = self.kernel_.select(X)
        present = self.kernel_._present(rows)
        rows = rows if present.all() else rows[present]
        generator = self._generator()
        self._fit_map(rows, generator)
        self._mean = None
        if self.missing == "mean":
            self._mean = self._map(rows).mean(axis=0)
        self.error_ = self._compare(rows, generator)
        return self

    def _generator(self) -> np.random.RandomState:
        """Random numbers by `random_state` and by the kernel.

        Several widths that draw other landmarks together see more of the rows.
        """
        if not isinstance(self.random_state, int | np.integer):
            return check_random_state(self.random_state)
        plain = (str, int, float, bool)
        parameters = [
            f"{name}={value}"
            for name, value in sorted(self.kernel.get_params().items())
            if isinstance(value, plain) and name != "name"
        ]
        text = f"{type(self.kernel).__name__} {self.columns_} {parameters}"
        return np.random.RandomState([int(self.random_state), crc32(text.encode())])

    @abstractmethod
    def _fit_map(self, rows: Any, generator: np.random.RandomState) -> None:
        """Learn the map to features from rows that the kernel selected."""

    @abstractmethod
    def _map(self, rows: Any) -> Array:
        """Features of rows that the kernel selected, none of them absent."""

    def _compare(self, rows: Any, generator: np.random.RandomState) -> float:
        """‖K − ZZᵀ‖_F / ‖K‖_F on some of the rows, none of them a landmark."""
        free = np.setdiff1d(np.arange(rows.shape[0]), self._used())
        if len(free) < 2:
            free = np.arange(rows.shape[0])
        some = rows[generator.permutation(free)[:_COMPARED]]
        K, Z = self.kernel_._gram(some, some), self._map(some)
        return float(np.linalg.norm(K - Z @ Z.T) / np.linalg.norm(K))

    def _used(self) -> Array:
        """Rows of the training table that the map is exact for."""
        return np.empty(0, dtype=int)

    def features(self, X: Any) -> Array:
        """Z of the rows of X, (m, D)."""
        self._check_fitted()
        return self._features(self.kernel_.select(X))

    def _features(self, rows: Any) -> Array:
        present = self.kernel_._present(rows)
        if present.all():
            return self._map(rows)
        assert self._mean is not None
        Z = np.tile(self._mean, (len(rows), 1))
        if present.any():
            Z[present] = self._map(rows[present])
        return Z

    def select(self, X: Any) -> Any:
        self._check_fitted()
        return self.kernel_.select(X)

    def absent(self, X: Any) -> Array:
        self._check_fitted()
        return self.kernel_.absent(X)

    def between(self, X: Any, Y: Any) -> Array:
        """The approximate Gram matrix ZZᵀ of rows that `select` returned."""
        Z = self._features(X)
        return Z @ (Z if Y is X else self._features(Y)).T

    @property
    def selection(self) -> tuple[Any, ...]:
        return self.kernel_.selection

    def diagonal(self, X: Any) -> Array:
        Z = self.features(X)
        return np.einsum("ij,ij->i", Z, Z)

    def _gram(self, X: Any, Y: Any) -> Array:
        return self._map(X) @ self._map(Y).T
