"""Gram matrices that are never stored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from array_api_compat import device

from ..arrays import (
    energies,
    filled,
    host,
    is_foreign,
    like,
    namespace,
    require_memory,
    take,
)
from ..frames import some_rows
from .base import Array
from .few_widths import nodes_of, spread
from .normalise import Statistics, check_normalize, root_of, varies
from .pair_products import lazy_pair_products
from .rbf_arrays import RBFArrayTiles, batch_bytes
from .reduced import lazy_reduced
from .some_rows import lazy_cross, lazy_within
from .tiles import ARRAY_TILE, TILE, at_once, group, in_parallel, require_room, spans

if TYPE_CHECKING:
    from ..kernels import Kernel


class LazyStack:
    """K_j = scale_j·P k_j(X, X) P, P = I − 11ᵀ/n, in tiles that are thrown away.

    A product with all kernels costs pn²/2 exponentials and no memory: each tile is
    used for its rows and, transposed, for its columns. RBF kernels on the same columns
    share the distances. Centring costs nothing: P K P A needs only column means. One
    pass over the tiles, at the start, finds the means and the scales. The tiles are of
    the kind of X, and where X is.

    Parameters
    ----------
    kernels : sequence of Kernel
        Fitted: `kernel.fit(X)`.
    X : array or DataFrame (n, d)
    normalize : {"variance", "trace", "spherical", None}
    center : bool
        Both as in `kernelweave.grams.normalise.normalise`.
    memory : int
        Bytes. Arrays that would be larger, such as K(θ) of many samples, are refused.

    Attributes
    ----------
    statistics : list of Statistics
        How to treat new rows of every kernel.
    """

    def __init__(
        self,
        kernels: Sequence[Kernel],
        X: Any,
        normalize: str | None = "variance",
        center: bool = True,
        memory: int = 2**30,
    ):
        check_normalize(normalize)
        if not kernels or not all(hasattr(k, "columns_") for k in kernels):
            raise ValueError(
                "LazyStack needs at least one kernel, and fitted ones: "
                "[kernel.fit(X) for kernel in kernels]"
            )
        self.memory, self._center = memory, center
        self._foreign = is_foreign(X)
        self._tile = ARRAY_TILE if self._foreign else TILE
        self._run: Any = at_once if self._foreign else in_parallel
        choose = take if self._foreign else some_rows
        self._again = lambda kernels, rows: LazyStack(
            kernels, choose(X, rows), normalize, center, memory
        )
        self._kernels = list(kernels)
        self.n, self.p = int(X.shape[0]), len(kernels)
        self._groups = group(kernels, X, memory)
        diagonals = [kernel.diagonal(X) for kernel in kernels]
        xp = namespace(*diagonals)
        diagonal = xp.stack(diagonals)
        roots: list[Array | None] = [None] * self.p
        self._spherical = normalize == "spherical"
        if self._spherical:
            # A sample with k(x, x) = 0 is the zero vector: it stays so.
            roots = [root_of(diagonal[j, :]) for j in range(self.p)]
            diagonal = xp.sign(diagonal)
        self._roots = roots
        raw = host(xp.sum(diagonal, axis=1))
        self._row_means, means = filled((self.p, self.n), diagonal), 0.0 * raw
        if center or normalize == "variance":
            ones = filled((self.n, 1), diagonal, 1.0)
            self._row_means = self._product(ones)[:, :, 0] / self.n
            means = host(xp.mean(self._row_means, axis=1))
        centred = raw - self.n * means
        total = centred if center or normalize == "variance" else raw
        alive = varies(total, raw)
        unit = {"variance": float(self.n), "trace": 1.0}.get(normalize or "", total)
        self._scales = np.where(alive, unit / np.where(alive, total, 1.0), 0.0)
        if not center:
            self._row_means, means = 0.0 * self._row_means, 0.0 * means
        self._means = means
        self._traces = self._scales * (centred if center else raw)
        rows = [self._row_means[j, :] if center else None for j in range(self.p)]
        numbers = zip(self._scales.tolist(), roots, rows, means.tolist(), strict=True)
        self.statistics = [Statistics(*each) for each in numbers]

    @property
    def traces(self) -> Array:
        return self._traces.copy()

    def combine(self, theta: Array) -> Array:
        return self._sum(theta, spans(self.n, self._tile), slice(None), self.n)

    def __getitem__(self, j: int) -> Array:
        return self.combine(np.eye(self.p)[j])

    def apply(self, A: Array) -> Array:
        means = namespace(A).mean(A, axis=0)
        return self._finish(self._product(A - means if self._center else A))

    def quadratic(self, A: Array) -> Array:
        if self._foreign:
            return energies(A, self.apply(A))
        return np.einsum("jcc->j", lazy_reduced(self, A, np.arange(self.p)))

    def reduced(self, V: Array, kernels: Array) -> Array:
        return lazy_reduced(self, V, kernels)

    def rows(self, index: Array) -> Array:
        index = np.asarray(index)
        b = len(index)
        require_room(self.p * b * self.n, f"{b} rows of each kernel", self.memory)
        out = filled((self.p, len(index), self.n), self._row_means)
        pieces = spans(self.n, self._tile)

        def work(queue: Iterator[int]) -> None:
            for a in queue:
                for I in spans(len(index), self._tile):
                    for j, tile in self._tiles(index[I], pieces[a]):
                        out[j, I, pieces[a]] = tile

        self._run(work, len(pieces))
        means = (
            take(self._row_means, index, 1)[:, :, None] + self._row_means[:, None, :]
        )
        out += like(self._means, out)[:, None, None] - means
        out *= like(self._scales, out)[:, None, None]
        return out

    def block(self, theta: Array, index: Array) -> Array:
        index = np.asarray(index)
        places = [index[piece] for piece in spans(len(index), self._tile)]
        return self._sum(theta, places, index, len(index))

    def _sum(self, theta: Array, places: Sequence[Any], index: Any, b: int) -> Array:
        """K(θ) of the rows in `index`, b of them, which `places` has in pieces."""
        require_room(b * b, f"K(θ) of {b} rows", self.memory)
        weights = theta * self._scales
        means = take(like(weights, self._row_means) @ self._row_means, index)
        mean = float(weights @ self._means)
        out = namespace(means).empty((b, b), dtype=means.dtype, device=device(means))
        pieces = spans(b, self._tile)

        def work(queue: Iterator[int]) -> None:
            for a in queue:
                I = pieces[a]
                for c, J in enumerate(pieces[a:], a):
                    # One sum, so that the result is symmetric to the last bit.
                    total = mean - (means[I][:, None] + means[J])
                    self._add(places[a], places[c], weights, total)
                    if J == I:
                        total = 0.5 * (total + total.T)
                    out[I, J] = total
                    out[J, I] = total.T

        self._run(work, len(pieces))
        return out

    def apply_rows(self, index: Array, A: Array) -> Array:
        index = np.asarray(index)
        out = filled((self.p, self.n, A.shape[1]), A)
        pieces = spans(self.n, self._tile)

        def work(queue: Iterator[int]) -> None:
            for a in queue:
                for J in spans(len(index), self._tile):
                    for j, tile in self._tiles(pieces[a], index[J]):
                        out[j, pieces[a], :] += tile @ A[J, :]

        self._run(work, len(pieces))
        if self._center:
            # K P with K1 known: the mean of A is taken off every row.
            out -= self._row_means[:, :, None] * namespace(A).sum(A, axis=0)
        return self._finish(out)

    def cross(self, theta: Array, index: Array, others: Array) -> Array:
        return lazy_cross(self, theta, index, others)

    def within(self, index: Array, A: Array) -> Array:
        return lazy_within(self, index, A)

    def sample(self, rows: Array) -> LazyStack:
        """The samples in `rows`, centred and scaled by themselves."""
        return self._again(self._kernels, rows)

    def subset(self, keep: Array) -> LazyStack:
        """The kernels in the mask `keep`."""
        if keep.all():
            return self
        kept = [kernel for kernel, k in zip(self._kernels, keep, strict=True) if k]
        return self._again(kept, np.arange(self.n))

    def _finish(self, out: Array) -> Array:
        if self._center:
            out -= namespace(out).mean(out, axis=1, keepdims=True)
        out *= like(self._scales, out)[:, None, None]
        return out

    def _product(self, A: Array) -> Array:
        """k_j(X, X)A, (p, n, k); each tile serves its rows and its columns."""
        pieces = spans(self.n, self._tile)
        whole = all(isinstance(family, RBFArrayTiles) for family in self._groups)
        batched: Any = self._groups if whole and not self._spherical else []

        def work(queue: Iterator[int]) -> Array:
            out = filled((self.p, self.n, A.shape[1]), A)
            for a in queue:
                I = pieces[a]
                for b, J in enumerate(pieces[a:], a):
                    if batched:
                        for family in batched:
                            family.add_products(I, J, A, out, b > a)
                        continue
                    for j, tile in self._tiles(I, J, nodes=True):
                        out[j, I, :] += tile @ A[J, :]
                        if b > a:
                            out[j, J, :] += tile.T @ A[I, :]
            return out

        # Each thread adds up in an array of its own.
        limit = self.memory // (8 * self.p * self.n * A.shape[1])
        first, *others = self._run(work, len(pieces), limit)
        for other in others:
            first += other
        return spread(self._groups, first)

    def _tiles(
        self, I: Any, J: Any, wanted: Array | None = None, nodes: bool = False
    ) -> Iterator[tuple[int, Array]]:
        """(j, k_j(x_i, x_l)), i in I, l in J; the array is overwritten by the next."""
        wanted = np.ones(self.p, dtype=bool) if wanted is None else wanted
        for family in nodes_of(self._groups) if nodes else self._groups:
            for j, tile in family.tiles(I, J, wanted):
                root = self._roots[j]
                if root is not None:
                    tile = tile / take(root, I)[:, None] / take(root, J)
                yield j, tile

    def _add(self, I: Any, J: Any, weights: Array, out: Array) -> None:
        """out += Σ_j w_jk_j(x_i, x_l), i in I, l in J."""
        if not self._spherical:
            for family in self._groups:
                family.add(I, J, weights, out)
            return
        for j, tile in self._tiles(I, J, weights != 0):
            out += float(weights[j]) * tile

    def pair_products(self, Q: Array) -> Array:
        return lazy_pair_products(self, Q)

    def home(self, numbers: Array) -> Array:
        return like(numbers, self._row_means)

    def check_room(self) -> None:
        # Beside the two, distances and tiles of several kernels.
        size = 48 * min(self.n, self._tile) ** 2 + batch_bytes(self.p, self.n)
        what = f"K(θ) of {self.n} rows and its factor"
        require_memory(16 * self.n**2 + size, self._row_means, what)
