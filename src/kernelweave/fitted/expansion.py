"""f(x) = b + Σ_j k_j(x, X)C_j: what a fitted model says of new rows.

The kernels of a model are centred and scaled, K̃ = s·P(K ∘ 1/qqᵀ)P. In f that falls on
the coefficients, which are prepared once: with m the row means of the training matrix

    K̃C = K·(sPC) − mᵀ(sPC),

so that new rows are neither centred nor scaled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import filled, host, is_foreign, like, namespace, take
from ..grams.normalise import Statistics, root_of
from ..grams.tiles import spans
from ..kernels import Kernel
from ..kernels.fitting import cross_matrices, selected
from ..problem import Array
from ..streamed.features import FeatureMap

# New rows are predicted in parts whose Gram matrix has at most this many numbers: 64 MB
# of memory, and 1 GB on a GPU.
PART = 2**23
ARRAY_PART = 2**27


@dataclass(frozen=True)
class KernelTerm:
    """One kernel of the sum: what it selected of the training rows, and C (n, k).

    `spherical` kernels are divided by √k(x, x) of the new row. `number` is the place of
    the kernel among all, and `offset` (k,) what its centring takes off f.
    """

    number: int
    kernel: Kernel
    rows: Any
    C: Array
    spherical: bool
    offset: Array


@dataclass(frozen=True)
class KernelExpansion:
    """f(x) = b + Σ_j k_j(x, X)C_j for rows of a table."""

    terms: list[KernelTerm]
    constant: Array

    def __call__(self, X: Any) -> Array:
        """f of the rows of X, (m, k)."""
        m = getattr(X, "numbers", X).shape[0]
        n = max((term.C.shape[0] for term in self.terms), default=1)
        size = 1 + (ARRAY_PART if is_foreign(X) else PART) // max(n, 1)
        parts = []
        for first in range(0, max(m, 1), size):
            last = min(first + size, m)
            rows = X if m <= size else take(X, slice(first, last))
            shape = last - first, self.constant.shape[0]
            f = filled(shape, self.constant) + self.constant
            for product in self._products(rows):
                f += product
            parts.append(f)
        return parts[0] if len(parts) == 1 else namespace(*parts).concat(parts)

    def _products(self, X: Any) -> list[Array]:
        """k_j(x, X)C_j of every kernel."""
        pairs = [(term.kernel, term.rows) for term in self.terms]
        out = []
        for term, K in zip(self.terms, cross_matrices(pairs, X), strict=True):
            if term.spherical:
                K = K / root_of(term.kernel.diagonal(X))[:, None]
            out.append(K @ term.C)
        return out

    def parts(self, X: Any, p: int) -> Array:
        """What each of the p kernels adds to f, (p, m, k); the rest of f is constant.

        Of a centred kernel it is zero on average over the training rows.
        """
        out = filled((p, X.shape[0], self.constant.shape[0]), self.constant)
        for term, product in zip(self.terms, self._products(X), strict=True):
            out[term.number, ...] = product + term.offset
        return out


@dataclass(frozen=True)
class MatrixExpansion:
    """f(x) = b + Σ_j k_j(x, X)C_j for ready-made matrices k_j(x, X), (p, m, n).

    `columns` are the training rows that C (n_columns, k) of the kernels is of.
    """

    kernels: Array
    columns: Array
    C: list[Array]
    offsets: list[Array]
    constant: Array
    spherical: bool

    def __call__(self, X: Array) -> Array:
        f = filled((X.shape[1], self.constant.shape[0]), self.constant) + self.constant
        for _, product in self._products(X):
            f += product
        return f

    def parts(self, X: Array, p: int) -> Array:
        """What each of the p kernels adds to f, (p, m, k); its rest is constant."""
        out = filled((p, X.shape[1], self.constant.shape[0]), self.constant)
        for i, product in self._products(X):
            out[int(self.kernels[i]), ...] = product + self.offsets[i]
        return out

    def _products(self, X: Array) -> Iterator[tuple[int, Array]]:
        """k_j(x, X)C_j of the i-th kernel that counts."""
        if self.spherical:
            raise ValueError(
                "normalize='spherical' needs k(x, x) of the new rows, which Gram "
                "matrices (p, m, n) do not hold: use kernels=[Precomputed(K), ...] "
                "or normalise the matrices yourself and pass normalize=None"
            )
        for i, C in enumerate(self.C):
            K = like(X[int(self.kernels[i]), ...], self.constant)
            yield i, take(K, self.columns, 1) @ C


@dataclass(frozen=True)
class FeatureExpansion:
    """f(x) = b + z(x)ᵀC for kernels with features z, side by side; C (D, k).

    `mean` (D,) is that of the features of the training rows, if they are centred.
    """

    map: FeatureMap
    C: Array
    constant: Array
    mean: Array | None = None

    def parts(self, X: Any, p: int) -> Array:
        """What each of the p kernels adds to f, (p, m, k); its rest is constant."""
        out = np.zeros((p, X.shape[0], self.C.shape[1]))
        for j, block in enumerate(self.map.blocks):
            about = 0.0 if self.mean is None else self.mean[block]
            out[j] = (self.map.block(X, j) - about) @ self.C[block]
        return out

    def __call__(self, X: Any) -> Array:
        parts = spans(X.shape[0], 1 + PART // self.map.width)
        return np.concatenate(
            [self.map.predict(X[rows], self.C) + self.constant for rows in parts]
        )


def expand(
    kernels: Sequence[Kernel] | None,
    X: Any,
    statistics: Sequence[Statistics],
    coefficients: Iterator[tuple[int, Array]],
    bias: Array,
    *,
    balanced: bool,
) -> KernelExpansion | MatrixExpansion:
    """Σ_j K̃_jC_j + b of new rows, with all that depends on training rows prepared.

    Parameters
    ----------
    kernels : sequence of fitted kernels, or None for ready-made matrices
    X : the training rows, or None
    statistics : one a kernel
    coefficients : (j, C_j (n, k)) of the kernels that count
    bias : array (k,)
    balanced : bool
        Whether 1ᵀC_j = 0, so that centring leaves C_j as it is, with its zeros.
    """
    prepared: dict[int, Array] = {}
    offsets: dict[int, Array] = {}
    constant = bias
    for j, C in coefficients:
        s, xp = statistics[j], namespace(C)
        if s.row_means is not None and not balanced:
            C = C - xp.mean(C, axis=0)
        C = s.scale * C
        offsets[j] = 0 * bias
        if s.row_means is not None:
            offsets[j] = -(s.row_means @ C)
            constant = constant + offsets[j]
        if s.root_diagonal is not None:
            C = C / s.root_diagonal[:, None]
        prepared[j] = C
    used = np.any([np.any(host(C) != 0, axis=1) for C in prepared.values()], axis=0)
    rows = np.flatnonzero(used)
    if not used.all():
        prepared = {j: take(C, rows) for j, C in prepared.items()}
    if kernels is None:
        spherical = any(s.root_diagonal is not None for s in statistics)
        places = np.array(list(prepared), dtype=int)
        C = list(prepared.values())
        shifts = list(offsets.values())
        return MatrixExpansion(places, rows, C, shifts, constant, spherical)
    if not len(rows):
        # Without a single coefficient f is constant.
        return KernelExpansion([], constant)
    chosen = [kernels[j] for j in prepared]
    X = X if used.all() else take(X, rows)
    terms = [
        KernelTerm(
            j, kernel, part, C, statistics[j].root_diagonal is not None, offsets[j]
        )
        for kernel, part, (j, C) in zip(
            chosen, selected(chosen, X), prepared.items(), strict=True
        )
    ]
    return KernelExpansion(terms, constant)
