"""Gram matrices in files, larger than memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .base import Array
from .check import INDEFINITE, ROUNDING, check_entries, indefinite, negative_part
from .mapped_pages import give_back, machine_memory
from .normalise import Statistics, check_normalize, varies
from .tiles import spans

if TYPE_CHECKING:
    from ..kernels import Kernel

# Numbers of a panel: 8 MB.
PANEL = 2**20

# Rows of a matrix in a file whose eigenvalues are looked at.
LARGE = 500

# Memory mapped matrices are loaded if all of them take at most this share of memory.
SHARE = 0.25


class MappedStack:
    """K_j = scale_j·P K_j P, P = I − 11ᵀ/n, with K_j in a memory-mapped file.

    Panels of rows are read when they are asked for, and given back at once: a product
    with all kernels reads 8pn² bytes and keeps 8 MB of them. Centring and scaling cost
    no copy: P K P A needs only column means. One pass over the files, at the start,
    finds the means and the scales, and looks whether the matrices can be Gram matrices:
    symmetric, every k(x, z)² ≤ k(x, x)k(z, z), and no negative eigenvalue on 500 of
    the rows. A certificate rests on their being positive semidefinite, which of
    matrices that are too large to factorise this does not prove.

    Parameters
    ----------
    kernels : sequence of Precomputed
        Fitted, with `K` a memory-mapped array: `np.load(file, mmap_mode="r")`.
    X : ndarray (n, 1)
        The row numbers of the samples.
    normalize : {"variance", "trace", "spherical", None}
    center : bool
        Both as in `kernelweave.grams.normalise.normalise`.
    memory : int
        Bytes. Arrays that would be larger, such as K(θ) of many samples, are refused;
        the default is a quarter of the machine's.

    Attributes
    ----------
    statistics : list of Statistics
        How to treat new rows of every kernel.
    """

    def __init__(
        self,
        kernels: Sequence[Any],
        X: Any,
        normalize: str | None = "variance",
        center: bool = True,
        memory: int | None = None,
    ):
        check_normalize(normalize)
        self.memory = int(SHARE * machine_memory()) if memory is None else memory
        self._K = [kernel.K for kernel in kernels]
        self._rows = [kernel._rows(kernel.select(X)) for kernel in kernels]
        self._n = int(X.shape[0])
        self._center = center
        self.statistics: list[Statistics] = []
        traces, diagonals = [], []
        for j, kernel in enumerate(kernels):
            diagonal = self._diagonal(j)
            root = None
            if normalize == "spherical":
                # A sample with k(x, x) = 0 is the zero vector: it stays so.
                root = np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
                diagonal = diagonal / root**2
            # The panels ask for it.
            self.statistics.append(Statistics(1.0, root, None, 0.0))
            means = self._look(j, diagonal, f"{j} ({kernel.label!r})")
            raw, mean = float(diagonal.sum()), float(means.mean())
            # tr PKP = tr K − 1ᵀK1/n
            trace = raw - self._n * mean if center else raw
            total = raw - self._n * mean if normalize == "variance" else trace
            unit = {"variance": float(self._n), "trace": 1.0}.get(normalize or "")
            scale = 0.0
            if varies(total, raw):
                scale = 1.0 if unit is None else unit / total
            self.statistics[j] = Statistics(
                scale, root, means if center else None, mean if center else 0.0
            )
            traces.append(scale * trace)
            middle = 2 * means - mean if center else 0.0
            diagonals.append(scale * (diagonal - middle))
        self._traces = np.array(traces)
        self._root = np.sqrt(np.maximum(diagonals, 0.0))

    def _diagonal(self, j: int) -> Array:
        """k(x, x) of the samples, (n,), as the file has it."""
        K, rows = self._K[j], self._rows[j]
        out = np.empty(self._n)
        for I in spans(self._n, 8):
            out[I] = K[rows[I], rows[I]]
            give_back(K)
        return out

    def _look(self, j: int, diagonal: Array, label: str) -> Array:
        """The row means of K_j; whether it can be a Gram matrix."""
        n, K = self._n, self._K[j]
        some = np.unique(np.linspace(0, n - 1, LARGE).astype(int))
        parts = [P[:, some] for _, P in self._panels(j, some)]
        part = np.vstack(parts)
        check_entries(part, label)
        found = negative_part(part)
        # Principal parts of a Gram matrix are Gram matrices.
        if found is not None and found[0][0] < -ROUNDING * found[0][-1]:
            raise ValueError(indefinite(label, found[0]))
        root = np.sqrt(np.maximum(diagonal, 0.0))
        # K = Kᵀ if K and Kᵀ agree on a random vector.
        v = np.random.default_rng(0).normal(size=n)
        sums, there, back = np.empty(n), np.empty(n), np.zeros(n)
        excess = 0.0
        for I, P in self._panels(j, np.arange(n)):
            sums[I], there[I] = P.sum(axis=1), P @ v
            back += v[I] @ P
            excess = max(excess, float(np.max(np.abs(P) - np.outer(root[I], root))))
        if not np.all(np.isfinite(sums)):
            raise ValueError(
                f"kernel {label} contains NaN or infinity: compute it again or impute "
                "the data it was made from"
            )
        # Rounding of single precision at least: the file may hold what was cast.
        given = np.finfo(K.dtype if K.dtype.kind == "f" else np.float32).eps
        slack = 10 * np.sqrt(n) * max(given, np.finfo(np.float32).eps)
        largest = float(np.max(np.abs(diagonal)))
        if np.max(np.abs(there - back)) > slack * largest:
            raise ValueError(
                f"kernel {label} is not symmetric: write (K + K.T) / 2 if that is "
                "rounding, or check that rows and columns are the same samples in the "
                "same order"
            )
        if excess > INDEFINITE * largest:
            raise ValueError(
                f"kernel {label} is not positive semidefinite: a k(x, z) is larger "
                f"than √(k(x, x)k(z, z)), by {excess:.2g}; check how it was made"
            )
        return sums / n

    @property
    def n(self) -> int:
        return self._n

    @property
    def p(self) -> int:
        return len(self._K)

    @property
    def traces(self) -> Array:
        return self._traces.copy()

    def combine(self, theta: Array) -> Array:
        return self.block(theta, np.arange(self._n))

    def __getitem__(self, j: int) -> Array:
        return self.combine(np.eye(self.p)[j])

    def apply(self, A: Array) -> Array:
        return np.stack([self._apply(j, A) for j in range(self.p)])

    def product(self, theta: Array, A: Array) -> Array:
        """K(θ)A (n, k), without K(θ); kernels of weight zero are not read."""
        out = np.zeros(A.shape)
        for j in np.flatnonzero(theta):
            out += theta[j] * self._apply(int(j), A)
        return out

    def quadratic(self, A: Array) -> Array:
        return np.array([float(np.sum(A * self._apply(j, A))) for j in range(self.p)])

    def rounding(self, A: Array) -> Array:
        reach = self._root @ np.abs(A)
        return 0.5 * np.finfo(float).eps * np.sum(reach * reach, axis=1)

    def exact(self, A: Array) -> Array:
        from .twice import energy  # numba takes a second to import

        A = np.ascontiguousarray(A, dtype=float)
        out, every = np.zeros(self.p), np.arange(self._n)
        for j in range(self.p):
            for I, P in self._panels(j, every):
                rows = self._finished(j, P, I, slice(None))
                out[j] += energy(np.ascontiguousarray(rows), A[I], A)
        return out

    def rows(self, index: Array) -> Array:
        index = np.asarray(index)
        self._check(self.p * len(index) * self._n, f"{len(index)} rows of each kernel")
        out = np.empty((self.p, len(index), self._n))
        for j in range(self.p):
            for I, P in self._panels(j, index):
                out[j, I] = self._finished(j, P, index[I], slice(None))
        return out

    def block(self, theta: Array, index: Array) -> Array:
        index = np.asarray(index)
        self._check(len(index) ** 2, f"K(θ) of {len(index)} rows")
        out = np.zeros((len(index), len(index)))
        for j in np.flatnonzero(theta):
            for I, P in self._panels(int(j), index):
                part = self._finished(int(j), P[:, index], index[I], index)
                out[I] += theta[j] * part
        # Symmetric to the last bit, as those who factorise it may expect.
        for I in spans(len(index), 256):
            rest = slice(I.start, None)
            part = 0.5 * (out[I, rest] + out[rest, I].T)
            out[I, rest], out[rest, I] = part, part.T
        return out

    def apply_rows(self, index: Array, A: Array) -> Array:
        index = np.asarray(index)
        out = np.zeros((self.p, self._n, A.shape[1]))
        for j, statistics in enumerate(self.statistics):
            for I, P in self._panels(j, index):
                out[j] += P.T @ A[I]
            if statistics.row_means is not None:
                # K P with K1 known: the mean of A is taken off every row.
                out[j] -= np.outer(statistics.row_means, A.sum(axis=0))
                out[j] -= out[j].mean(axis=0)
            out[j] *= statistics.scale
        return out

    def subset(self, keep: Array) -> MappedStack:
        """The kernels in the mask `keep`."""
        some = np.flatnonzero(keep)
        part = object.__new__(MappedStack)
        part.__dict__.update(self.__dict__)
        part._K = [self._K[j] for j in some]
        part._rows = [self._rows[j] for j in some]
        part.statistics = [self.statistics[j] for j in some]
        part._traces, part._root = self._traces[some], self._root[some]
        return part

    def _apply(self, j: int, A: Array) -> Array:
        """K_jA, (n, k)."""
        A = A - A.mean(axis=0) if self._center else A
        out = np.empty(A.shape)
        for I, P in self._panels(j, np.arange(self._n)):
            out[I] = P @ A
        if self._center:
            out -= out.mean(axis=0)
        return self.statistics[j].scale * out

    def _finished(self, j: int, P: Array, I: Any, J: Any) -> Array:
        """K̃_j of the rows I and columns J, from what the file says of them."""
        statistics = self.statistics[j]
        if statistics.row_means is not None:
            P = P - statistics.row_means[I][:, None] - statistics.row_means[J]
            P = P + statistics.mean
        return statistics.scale * P

    def _panels(self, j: int, index: Array) -> Iterator[tuple[slice, Array]]:
        """Some of the rows `index` at a time, as the file has them, (b, n)."""
        K, rows, root = self._K[j], self._rows[j], self.statistics[j].root_diagonal
        every = np.array_equal(rows, np.arange(len(K)))
        for I in spans(len(index), max(1, PANEL // len(K))):
            P = np.empty((I.stop - I.start, len(K)))
            # A row that is far from the others brings up to 2 MB with it.
            for part in spans(len(P), 8):
                P[part] = K[rows[index[I][part]]]
                give_back(K)
            P = P if every else P[:, rows]
            if root is not None:
                P = P / root[index[I]][:, None] / root
            yield I, P

    def _check(self, size: int, what: str) -> None:
        if 8 * size > self.memory:
            raise ValueError(
                f"{what} would take {8 * size / 1e9:.3g} GB, over the "
                f"{self.memory / 1e9:.3g} GB that matrices in files may take of this "
                "machine's memory: use the square loss (MKLDiscriminantAnalysis, "
                "MKLRidge) with a given alpha, whose solver stores no matrix"
            )


def too_large(kernels: Sequence[Kernel], n: int) -> bool:
    """Whether these kernels are matrices in files that take too much memory."""
    from ..kernels import Precomputed  # kernels/ imports this folder

    in_files = all(
        isinstance(kernel, Precomputed)
        and isinstance(kernel.K, np.memmap)
        and kernel.missing == "error"
        for kernel in kernels
    )
    return in_files and 8 * len(kernels) * n * n > SHARE * machine_memory()
