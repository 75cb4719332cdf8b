"""Gram matrices that are never stored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import _safe_indexing

from .base import Array
from .normalise import NEGLIGIBLE, NORMALIZATIONS, Statistics
from .tiles import TILE, group, in_parallel, spans

if TYPE_CHECKING:
    from ..kernels import Kernel


class LazyStack:
    """K_j = scale_j·P k_j(X, X) P, P = I − 11ᵀ/n, in tiles that are thrown away.

    A product with all kernels costs pn²/2 exponentials and no memory: each tile is
    used for its rows and, transposed, for its columns. RBF kernels on the same columns
    share the distances. Centring costs nothing: P K P A needs only column means. One
    pass over the tiles, at the start, finds the means and the scales.

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
        if normalize not in NORMALIZATIONS:
            raise ValueError(
                f"normalize must be one of {NORMALIZATIONS}, got {normalize!r}"
            )
        if not kernels or not all(hasattr(k, "columns_") for k in kernels):
            raise ValueError(
                "LazyStack needs at least one kernel, and fitted ones: "
                "[kernel.fit(X) for kernel in kernels]"
            )
        self.memory = memory
        self._again = lambda kernels, rows: LazyStack(
            kernels, _safe_indexing(X, rows), normalize, center, memory
        )
        self._kernels = list(kernels)
        self._n, self._p = int(X.shape[0]), len(kernels)
        self._groups = group(kernels, X, memory)
        self._center = center
        diagonal = np.stack([kernel.diagonal(X) for kernel in kernels])
        roots: list[Array | None] = [None] * self._p
        self._spherical = normalize == "spherical"
        if self._spherical:
            # A sample with k(x, x) = 0 is the zero vector: it stays so.
            roots = list(np.sqrt(np.where(diagonal > 0, diagonal, 1.0)))
            diagonal = np.sign(diagonal)
        self._roots = roots
        raw = diagonal.sum(axis=1)
        self._row_means, means = np.zeros((self._p, self._n)), np.zeros(self._p)
        if center or normalize == "variance":
            self._row_means = self._product(np.ones((self._n, 1)))[:, :, 0] / self._n
            means = self._row_means.mean(axis=1)
        centred = raw - self._n * means
        total = centred if center or normalize == "variance" else raw
        alive = total > NEGLIGIBLE * np.abs(raw)
        scale = {"variance": float(self._n), "trace": 1.0}.get(normalize or "")
        factor = (
            np.ones(self._p) if scale is None else scale / np.where(alive, total, 1)
        )
        self._scales = np.where(alive, factor, 0.0)
        if not center:
            self._row_means[:], means = 0.0, np.zeros(self._p)
        self._means = means
        self._traces = self._scales * (centred if center else raw)
        self.statistics = [
            Statistics(
                float(self._scales[j]),
                roots[j],
                self._row_means[j] if center else None,
                float(means[j]),
            )
            for j in range(self._p)
        ]

    @property
    def n(self) -> int:
        return self._n

    @property
    def p(self) -> int:
        return self._p

    @property
    def traces(self) -> Array:
        return self._traces.copy()

    def combine(self, theta: Array) -> Array:
        return self._sum(theta, spans(self._n, TILE), slice(None), self._n)

    def __getitem__(self, j: int) -> Array:
        return self.combine(np.eye(self._p)[j])

    def apply(self, A: Array) -> Array:
        out = self._product(A - A.mean(axis=0) if self._center else A)
        return self._finish(out)

    def quadratic(self, A: Array) -> Array:
        # AᵀPKPA = AᵀKA − 2(AᵀK1/n)(1ᵀA) + (1ᵀA)²(1ᵀK1/n²), and K only where A is not 0.
        rows = np.flatnonzero(A.any(axis=1))
        places = [rows[piece] for piece in spans(len(rows), TILE)]

        def work(queue: Iterator[int]) -> Array:
            out = np.zeros(self._p)
            for a in queue:
                I = places[a]
                for J in places[a:]:
                    times = 1 if J is I else 2
                    for j, tile in self._tiles(I, J):
                        out[j] += times * np.vdot(A[I], tile @ A[J])
            return out

        s = sum(in_parallel(work, len(places)), start=np.zeros(self._p))
        if self._center:
            total = A.sum(axis=0)
            s = s - 2 * (self._row_means @ A) @ total + self._means * (total @ total)
        return self._scales * s

    def rows(self, index: Array) -> Array:
        index = np.asarray(index)
        self._check(self._p * len(index) * self._n, f"{len(index)} rows of each kernel")
        out = np.empty((self._p, len(index), self._n))
        pieces = spans(self._n, TILE)

        def work(queue: Iterator[int]) -> None:
            for a in queue:
                for I in spans(len(index), TILE):
                    for j, tile in self._tiles(index[I], pieces[a]):
                        out[j, I, pieces[a]] = tile

        in_parallel(work, len(pieces))
        out -= self._row_means[:, index, None]
        out -= self._row_means[:, None]
        out += self._means[:, None, None]
        out *= self._scales[:, None, None]
        return out

    def block(self, theta: Array, index: Array) -> Array:
        index = np.asarray(index)
        places = [index[piece] for piece in spans(len(index), TILE)]
        return self._sum(theta, places, index, len(index))

    def _sum(self, theta: Array, places: Sequence[Any], index: Any, b: int) -> Array:
        """K(θ) of the rows in `index`, b of them, which `places` has in pieces."""
        self._check(b * b, f"K(θ) of {b} rows")
        weights = theta * self._scales
        means = (weights @ self._row_means)[index]
        mean = float(weights @ self._means)
        out = np.empty((b, b))
        pieces = spans(b, TILE)

        def work(queue: Iterator[int]) -> None:
            for a in queue:
                I = pieces[a]
                for c, J in enumerate(pieces[a:], a):
                    # One sum, so that the result is symmetric to the last bit.
                    total = mean - np.add.outer(means[I], means[J])
                    self._add(places[a], places[c], weights, total)
                    if J == I:
                        total = 0.5 * (total + total.T)
                    out[I, J] = total
                    out[J, I] = total.T

        in_parallel(work, len(pieces))
        return out

    def apply_rows(self, index: Array, A: Array) -> Array:
        index = np.asarray(index)
        out = np.zeros((self._p, self._n, A.shape[1]))
        pieces = spans(self._n, TILE)

        def work(queue: Iterator[int]) -> None:
            for a in queue:
                for J in spans(len(index), TILE):
                    for j, tile in self._tiles(pieces[a], index[J]):
                        out[j, pieces[a]] += tile @ A[J]

        in_parallel(work, len(pieces))
        if self._center:
            # K P with K1 known: the mean of A is taken off every row.
            out -= self._row_means[:, :, None] * A.sum(axis=0)
        return self._finish(out)

    def sample(self, rows: Array) -> LazyStack:
        """The samples in `rows`, centred and scaled by themselves."""
        return self._again(self._kernels, rows)

    def subset(self, keep: Array) -> LazyStack:
        """The kernels in the mask `keep`."""
        if keep.all():
            return self
        kept = [kernel for kernel, k in zip(self._kernels, keep, strict=True) if k]
        return self._again(kept, np.arange(self._n))

    def _finish(self, out: Array) -> Array:
        if self._center:
            out -= out.mean(axis=1, keepdims=True)
        out *= self._scales[:, None, None]
        return out

    def _product(self, A: Array) -> Array:
        """k_j(X, X)A, (p, n, k); each tile serves its rows and its columns."""
        pieces = spans(self._n, TILE)

        def work(queue: Iterator[int]) -> Array:
            out = np.zeros((self._p, self._n, A.shape[1]))
            for a in queue:
                I = pieces[a]
                for b, J in enumerate(pieces[a:], a):
                    for j, tile in self._tiles(I, J):
                        out[j, I] += tile @ A[J]
                        if b > a:
                            out[j, J] += tile.T @ A[I]
            return out

        # Each thread adds up in an array of its own.
        limit = self.memory // (8 * self._p * A.size)
        first, *others = in_parallel(work, len(pieces), limit)
        for other in others:
            first += other
        return first

    def _tiles(
        self, I: Any, J: Any, wanted: Array | None = None
    ) -> Iterator[tuple[int, Array]]:
        """(j, k_j(x_i, x_l)), i in I, l in J; the array is overwritten by the next."""
        wanted = np.ones(self._p, dtype=bool) if wanted is None else wanted
        for family in self._groups:
            for j, tile in family.tiles(I, J, wanted):
                root = self._roots[j]
                if root is not None:
                    tile = tile / root[I][:, None] / root[J]
                yield j, tile

    def _add(self, I: Any, J: Any, weights: Array, out: Array) -> None:
        """out += Σ_j w_jk_j(x_i, x_l), i in I, l in J."""
        if not self._spherical:
            for family in self._groups:
                family.add(I, J, weights, out)
            return
        for j, tile in self._tiles(I, J, weights != 0):
            out += weights[j] * tile

    def _check(self, size: int, what: str) -> None:
        if 8 * size > self.memory:
            raise ValueError(
                f"{what} would take {8 * size / 1e9:.3g} GB, over the memory of "
                f"{self.memory / 1e9:.3g} GB of this LazyStack: use a solver that "
                "stores no matrix, Interleaved() or DualLBFGS(), or raise memory"
            )
