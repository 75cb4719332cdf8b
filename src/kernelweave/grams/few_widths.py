"""Hundreds of widths on the same columns, as combinations of few.

exp(−γd), d ≥ 0, is analytic in t = log γ, and at most one where |Im t| ≤ π/2. So its
interpolation in t by m + 1 Chebyshev points of the interval [a, b] is off by

    4ρ⁻ᵐ/(ρ − 1),   ρ = h + √(1 + h²),   h = π/(b − a),

at most, whatever d (Trefethen 2013, theorem 8.2): ρ belongs to the ellipse about [a, b]
that touches |Im t| = π/2. Where this is rounding, the matrix of any width is the same
combination of the matrices of m + 1 widths: 105 for γ from 1 to 10,000.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .base import Array

# No entry of a matrix, one at most, is off by more than this.
ERROR = 1e-14


class FewWidths:
    """A family of exp(−γ_jd), with few of its widths in the place of all.

    Products with all kernels are those of `nodes`, which have the first numbers of the
    family, and then `spread`.

    Parameters
    ----------
    family : RBFTiles
    gammas : ndarray (q,)
    C : ndarray (p', q)
        K_j = Σ_l C_jl K_l, j in the order of the family, l in that of `gammas`.
    """

    def __init__(self, family: Any, gammas: Array, C: Array):
        self._family, self._C = family, C
        self.numbers = family.numbers
        self.nodes = type(family)(self.numbers[: len(gammas)], family.Z, gammas)
        # Distances that are kept serve both.
        self.nodes.keep, self.nodes._kept = family.keep, family._kept

    def tiles(self, I: Any, J: Any, wanted: Array) -> Iterator[tuple[int, Array]]:
        yield from self._family.tiles(I, J, wanted)

    def add(self, I: Any, J: Any, weights: Array, out: Array) -> None:
        """out += Σ_j w_j exp(−γ_jd)."""
        w = weights[self.numbers]
        if np.count_nonzero(w) <= self._C.shape[1]:
            self._family.add(I, J, weights, out)
            return
        gathered = np.zeros_like(weights)
        gathered[self.nodes.numbers] = w @ self._C
        self.nodes.add(I, J, gathered, out)

    def spread(self, out: Array) -> None:
        """What is linear in K_j, (p, ...), of the family, from that of the nodes."""
        out[self.numbers] = np.tensordot(self._C, out[self.nodes.numbers], axes=1)


def nodes_of(groups: list[Any]) -> list[Any]:
    """The families with few widths in the place of many; k(x, x) is one of all."""
    return [f.nodes if isinstance(f, FewWidths) else f for f in groups]


def spread(groups: list[Any], out: Array) -> Array:
    """What is linear in K_j, (p, ...), of all kernels, from that of `nodes_of`."""
    for family in groups:
        if isinstance(family, FewWidths):
            family.spread(out)
    return out


def in_few_widths(family: Any) -> Any:
    """The family with few widths in the place of all, if two thirds are enough."""
    gammas = np.array(family.gammas)
    m = _degree(gammas)
    if 3 * (m + 1) > 2 * len(gammas):
        return family
    nodes, C = _interpolation(gammas, m)
    return FewWidths(family, nodes, C)


def _degree(gammas: Array) -> int:
    """The m for which interpolation is off by ERROR at most."""
    if not gammas.min() > 0:
        return len(gammas)
    h = np.pi / max(np.log(gammas.max() / gammas.min()), 1e-3)
    rho = h + np.sqrt(1 + h * h)
    return int(np.ceil(np.log(4 / (ERROR * (rho - 1))) / np.log(rho)))


def _interpolation(gammas: Array, m: int) -> tuple[Array, Array]:
    """m + 1 widths of rising γ, and C (p, m + 1): barycentric, of the second kind."""
    t = np.log(gammas)
    a, b = t.min(), t.max()
    points = (a + b) / 2 - (b - a) / 2 * np.cos(np.pi * np.arange(m + 1) / m)
    points[[0, -1]] = a, b
    signs = np.where(np.arange(m + 1) % 2, -1.0, 1.0)
    signs[[0, -1]] /= 2
    apart = t[:, None] - points
    hit = apart == 0
    C = signs / np.where(hit, 1.0, apart)
    C = np.where(hit.any(axis=1, keepdims=True), hit, C)
    return np.exp(points), C / C.sum(axis=1, keepdims=True)
