"""Tiles of RBF kernels by array operations: for arrays that are not NumPy's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..arrays import filled, namespace, take
from .base import Array

# Columns up to which a product takes less time than to read and write its result.
NARROW = 64


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

    def tiles(self, I: Any, J: Any, wanted: Array) -> Iterator[tuple[int, Array]]:
        left, right = take(self._left, I), take(self._right, J).T
        xp, narrow = namespace(left), left.shape[1] <= NARROW
        D = None if narrow else left @ right
        for j, gamma in zip(self.numbers, self.gammas, strict=True):
            if wanted[j]:
                scaled = (gamma * left) @ right if D is None else gamma * D
                # Rounding may leave −γ‖x − z‖² above zero by as much, which the
                # exponential hands on: there is no need to clip it.
                yield j, xp.exp(scaled)

    def add(self, I: Any, J: Any, weights: Array, out: Array) -> None:
        """out += Σ_j w_j exp(−γ_j‖x − z‖²)."""
        if weights[self.numbers].any():
            for j, tile in self.tiles(I, J, weights != 0):
                tile *= float(weights[j])
                out += tile
