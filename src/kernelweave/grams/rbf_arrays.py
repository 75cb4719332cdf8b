"""Tiles of RBF kernels by array operations: for arrays that are not NumPy's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ..arrays import filled, like, namespace, take
from .base import Array

# Columns up to which a product takes less time than to read and write its result.
NARROW = 64

# Numbers in the tiles of several kernels that are made together: half a gigabyte. One
# operation on all of them keeps a GPU busy while the host prepares the next.
TOGETHER = 2**26


class RBFArrayTiles:
    """exp(−γ_j‖x − z‖²) for several γ_j: one squared distance serves them all.

    Z holds the rows as seen from the kernels' origin. It is one product,
    −‖x − z‖² = (x, ‖x‖², 1)ᵀ(2z, −1, −‖z‖²). Of a narrow table the product itself is
    taken for every γ_j, which writes a tile and reads none, where to multiply a
    distance by γ_j does both.
    """

    def __init__(self, numbers: list[int], Z: Array, gammas: Sequence[float]):
        self.numbers = numbers
        self.gammas = gammas
        xp = namespace(Z)
        squares = xp.sum(Z * Z, axis=1)[:, None]
        ones = filled(squares.shape, Z, 1.0)
        self._left = xp.concat([Z, squares, ones], axis=1)
        self._right = xp.concat([2 * Z, -ones, -squares], axis=1)

    def batches(
        self, I: Any, J: Any, wanted: Array
    ) -> Iterator[tuple[list[int], Array]]:
        """Numbers of kernels, and their tiles together, (b, |I|, |J|)."""
        left, right = take(self._left, I), take(self._right, J).T
        xp, narrow = namespace(left), left.shape[1] <= NARROW
        D = None if narrow else left @ right
        pairs = zip(self.numbers, self.gammas, strict=True)
        chosen = [(j, gamma) for j, gamma in pairs if wanted[j]]
        most = max(1, TOGETHER // (left.shape[0] * right.shape[1]))
        for first in range(0, len(chosen), most):
            some = chosen[first : first + most]
            g = like(np.array([gamma for _, gamma in some]), left)[:, None, None]
            # Rounding may leave −γ‖x − z‖² above zero by as much, which the
            # exponential hands on: there is no need to clip it.
            yield [j for j, _ in some], xp.exp((g * left) @ right if narrow else g * D)

    def tiles(self, I: Any, J: Any, wanted: Array) -> Iterator[tuple[int, Array]]:
        for numbers, tiles in self.batches(I, J, wanted):
            for place, j in enumerate(numbers):
                yield j, tiles[place, ...]

    def add(self, I: Any, J: Any, weights: Array, out: Array) -> None:
        """out += Σ_j w_j exp(−γ_j‖x − z‖²)."""
        for numbers, tiles in self.batches(I, J, weights != 0):
            out += namespace(out).tensordot(like(weights[numbers], out), tiles, axes=1)

    def add_products(self, I: Any, J: Any, A: Array, out: Array, both: bool) -> None:
        """out_j[I] += K_j[I, J]A[J] and, for `both`, out_j[J] += K_j[J, I]A[I]."""
        xp = namespace(A)
        for numbers, tiles in self.batches(I, J, np.ones(out.shape[0], dtype=bool)):
            here = tiles @ A[J, :]
            there = xp.matrix_transpose(tiles) @ A[I, :] if both else None
            for place, j in _runs(numbers):
                out[j, I, :] += here[place, ...]
                if there is not None:
                    out[j, J, :] += there[place, ...]


def batch_bytes(p: int, n: int) -> int:
    """What the tiles of p kernels on n rows take, with the arrays they are made of."""
    return 16 * min(p * n**2, TOGETHER)


def _runs(numbers: list[int]) -> Iterator[tuple[slice, slice]]:
    """Places of numbers that follow each other, and the numbers."""
    first = 0
    for last in range(1, len(numbers) + 1):
        if last == len(numbers) or numbers[last] != numbers[last - 1] + 1:
            yield slice(first, last), slice(numbers[first], numbers[last - 1] + 1)
            first = last
