"""Tiles of raw Gram matrices, computed when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from joblib import cpu_count
from scipy.sparse import issparse
from scipy.spatial.distance import cdist

from ..arrays import is_foreign, take
from ..threads import blas_threads
from .base import Array
from .few_widths import FewWidths, in_few_widths
from .rbf_arrays import RBFArrayTiles

if TYPE_CHECKING:
    from ..kernels import Kernel

Result = TypeVar("Result")

# Two tiles of 256 × 256 numbers are a megabyte: they stay in a core's cache from the
# exponential to the product. A GPU wants more work at once: 4096 × 4096 numbers take
# 134 MB, and smaller tiles take longer (n = 20,000, ten kernels, on an H200: 33 ms for
# all products with this, 83 ms with 2048).
TILE = 256
ARRAY_TILE = 4096


# Distances of rows with at least this many columns are kept: computing them again takes
# longer than to read them. Sums of absolute differences take longer than squares.
WIDE = 32
WIDE_SUMS = 4

# Bytes up to which Laplacian kernels are stored, for their distances are slow to make.
STORE_SUMS = 2**30


class RBFTiles:
    """exp(−γ_j‖x − z‖²) for several γ_j: one squared distance serves them all.

    Z holds the rows as seen from the kernels' origin. The distances are one product,
    −‖x − z‖² = (x, ‖x‖², 1)ᵀ(2z, −1, −‖z‖²). Rounding may leave them above zero, which
    the exponential sees to. Of wide tables they are kept once they are computed, n²/2
    numbers.
    """

    # Columns from which on distances are kept.
    wide = WIDE

    def __init__(self, numbers: list[int], Z: Array, gammas: Sequence[float]):
        # By rising γ: where one is 2 or 4 times the last, its matrix is a square.
        order = np.argsort(gammas, kind="stable")
        self.numbers = [numbers[i] for i in order]
        self.gammas = [gammas[i] for i in order]
        self.Z = Z
        self._prepare()
        self.keep = False
        self._kept: dict[tuple[int, int], Array] = {}

    def tiles(self, I: Any, J: Any, wanted: Array) -> Iterator[tuple[int, Array]]:
        from .rbf_steps import MOST_SQUARINGS, fill_tile, square_tile, squarings

        D = self._distances(I, J)
        tile = np.empty_like(D)
        last, depth = 0.0, 0
        for j, gamma in zip(self.numbers, self.gammas, strict=True):
            if not wanted[j]:
                continue
            q = squarings(last, gamma)
            if q and depth + q <= MOST_SQUARINGS:
                square_tile(tile, q)
                depth += q
            else:
                fill_tile(D, gamma, tile)
                depth = 0
            last = gamma
            yield j, tile

    def add(self, I: Any, J: Any, weights: Array, out: Array) -> None:
        """out += Σ_j w_j exp(−γ_j‖x − z‖²)."""
        from .rbf_steps import add_tiles

        w = weights[self.numbers]
        if w.any():
            gammas = np.array(self.gammas)[w != 0]
            add_tiles(self._distances(I, J), gammas, w[w != 0], out)

    def _distances(self, I: Any, J: Any) -> Array:
        """−‖x − z‖², or what stands for it."""
        keep = self.keep and isinstance(I, slice) and isinstance(J, slice)
        D = self._kept.get((I.start, J.start)) if keep else None
        if D is None:
            D = self._new_distances(I, J)
        if keep:
            self._kept[I.start, J.start] = D
        return D

    def _prepare(self) -> None:
        squares = np.sum(self.Z * self.Z, axis=1)
        ones = np.ones_like(squares)
        self._left = np.column_stack([self.Z, squares, ones])
        self._right = np.column_stack([2 * self.Z, -ones, -squares])

    def _new_distances(self, I: Any, J: Any) -> Array:
        return self._left[I] @ self._right[J].T


class LaplacianTiles(RBFTiles):
    """exp(−γ_j‖x − z‖₁) for several γ_j."""

    wide = WIDE_SUMS

    def _prepare(self) -> None:
        """Distances are made of Z itself."""

    def _new_distances(self, I: Any, J: Any) -> Array:
        return -cdist(self.Z[I], self.Z[J], "cityblock")


class KernelTiles:
    """One kernel of any kind."""

    def __init__(self, number: int, Z: Any, kernel: Kernel):
        self.number = number
        self.Z = Z
        self.kernel = kernel

    def tiles(self, I: Any, J: Any, wanted: Array) -> Iterator[tuple[int, Array]]:
        if wanted[self.number]:
            yield self.number, self.kernel._gram(take(self.Z, I), take(self.Z, J))

    def add(self, I: Any, J: Any, weights: Array, out: Array) -> None:
        """out += w·k(x, z)."""
        for j, tile in self.tiles(I, J, weights != 0):
            out += float(weights[j]) * tile


Tiles = RBFTiles | RBFArrayTiles | FewWidths | KernelTiles


def group(kernels: Sequence[Kernel], X: Any, memory: int) -> list[Tiles]:
    """RBF or Laplacian kernels on the same columns together, all others for themselves.

    Of hundreds of widths few stand for all. Distances are kept in at most a quarter of
    the memory, in bytes.
    """
    # kernels/ imports problem.py, which imports this folder.
    from ..kernels import RBF, Laplacian

    families: dict[Any, list[int]] = {}
    alone: list[Tiles] = []
    for j, kernel in enumerate(kernels):
        if kernel.missing == "mean" and kernel.absent(X).any():
            raise ValueError(
                f"kernel {kernel.label!r}: rows that lack all of its columns need a "
                "stored Gram matrix, which a LazyStack does not have: leave them out, "
                "or choose missing='impute'"
            )
        columns = kernel.columns_
        together = (RBF,) if is_foreign(X) else (RBF, Laplacian)
        if type(kernel) in together and not issparse(X):
            key = (None if columns is None else tuple(columns), kernel.scale)
            key = (type(kernel), *key, kernel.missing)
            families.setdefault(key, []).append(j)
        else:
            alone.append(KernelTiles(j, kernel.select(X), kernel))
    shared: list[RBFTiles | RBFArrayTiles] = []
    for (kind, *_), numbers in families.items():
        one = kernels[numbers[0]]
        make = LaplacianTiles if kind is Laplacian else RBFTiles
        make = RBFArrayTiles if is_foreign(X) else make
        Z = one._from_origin(one.select(X))
        shared.append(make(numbers, Z, _gammas(kernels, numbers)))
    # For two families together as much as one K(θ).
    kept = [family for family in shared if isinstance(family, RBFTiles)]
    wide = [family for family in kept if family.Z.shape[1] >= family.wide][:2]
    for family in wide:
        family.keep = 4 * X.shape[0] ** 2 * len(wide) <= memory // 4
    many = [f if isinstance(f, RBFArrayTiles) else in_few_widths(f) for f in shared]
    return [*many, *alone]


def cheap(kernels: Sequence[Kernel], X: Any) -> bool:
    """Whether a tile of these kernels costs about as much as to read it."""
    from ..kernels import RBF, Laplacian, Linear, Polynomial

    kinds = {type(kernel) for kernel in kernels}
    stored = 8 * len(kernels) * X.shape[0] ** 2 <= STORE_SUMS
    return (
        not issparse(X)
        and kinds <= {RBF, Laplacian, Linear, Polynomial}
        and not (Laplacian in kinds and stored)
        and not any(kernel.missing == "mean" for kernel in kernels)
    )


def _gammas(kernels: Sequence[Any], numbers: Sequence[int]) -> list[float]:
    return [kernels[j].gamma_ for j in numbers]


def require_room(size: int, what: str, memory: int) -> None:
    """Refuse arrays of more numbers than the bytes of a LazyStack's memory hold."""
    if 8 * size > memory:
        raise ValueError(
            f"{what} would take {8 * size / 1e9:.3g} GB, over the memory of "
            f"{memory / 1e9:.3g} GB of this LazyStack: use a solver that stores no "
            "matrix, Interleaved() or DualLBFGS(), or raise memory"
        )


def spans(n: int, size: int) -> list[slice]:
    """0..n in pieces of `size`."""
    return [slice(a, min(a + size, n)) for a in range(0, n, size)]


def at_once(
    work: Callable[[Iterator[int]], Result], tasks: int, limit: int = 1
) -> list[Result]:
    """`in_parallel` where the arrays bring a parallelism of their own."""
    return [work(iter(range(tasks)))]


def in_parallel(
    work: Callable[[Iterator[int]], Result], tasks: int, limit: int = 1024
) -> list[Result]:
    """Call work in at most `limit` threads; they share one iterator over the tasks."""
    workers = max(1, min(cpu_count(), tasks, limit))
    queue = iter(range(tasks))
    # Each thread calls BLAS for itself.
    with blas_threads(1), ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(work, queue) for _ in range(workers)]
        return [future.result() for future in futures]
