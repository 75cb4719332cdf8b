"""Several small problems that share nothing but the weights.

    K_j = diag(R_1jR_1jᵀ, …, R_kjR_kjᵀ):   F(θ) = Σ_c F_c(θ)

Each column of the targets has samples of its own, so a matrix of kr rows is k of r.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import block_diag

from ..losses import Square
from ..losses.quadratic import QuadraticMaximum
from ..problem import Array, Inner


class ColumnStack:
    """Block-diagonal K_j, the blocks of low rank: R_cj (r_c, D_j) of column c.

    The n = kr samples are those of the columns, one column after the other, filled up
    with zeros to the same number r. `combine` gives the blocks of K(θ), (k, r, r),
    which `ColumnSquare` takes.

    Parameters
    ----------
    columns : sequence of k sequences of p arrays (r_c, D_j)

    Examples
    --------
    >>> import numpy as np
    >>> gram = ColumnStack([[np.array([[1.0], [2.0]])], [np.array([[3.0]])]])
    >>> gram[0]
    array([[1., 2., 0., 0.],
           [2., 4., 0., 0.],
           [0., 0., 9., 0.],
           [0., 0., 0., 0.]])
    """

    def __init__(self, columns: Sequence[Sequence[Array]]):
        r = max(len(parts[0]) for parts in columns)
        self.blocks = [
            np.stack([_filled(R, r) for R in of_kernel])
            for of_kernel in zip(*columns, strict=True)
        ]

    @property
    def n(self) -> int:
        k, r, _ = self.blocks[0].shape
        return k * r

    @property
    def p(self) -> int:
        return len(self.blocks)

    @property
    def traces(self) -> Array:
        return np.array([float(np.sum(R * R)) for R in self.blocks])

    def combine(self, theta: Array) -> Array:
        k, r, _ = self.blocks[0].shape
        active = np.flatnonzero(theta)
        if not len(active):
            return np.zeros((k, r, r))
        Z = np.concatenate([np.sqrt(theta[j]) * self.blocks[j] for j in active], axis=2)
        return Z @ Z.transpose(0, 2, 1)

    def apply(self, A: Array) -> Array:
        return self.apply_some(A, slice(None))

    def apply_some(self, A: Array, kernels: Array | slice) -> Array:
        k, r, _ = self.blocks[0].shape
        parts = A.reshape(k, r, -1)
        out = []
        for j in np.arange(self.p)[kernels]:
            R = self.blocks[j]
            out.append((R @ (R.transpose(0, 2, 1) @ parts)).reshape(self.n, -1))
        return np.stack(out)

    def quadratic(self, A: Array) -> Array:
        k, r, _ = self.blocks[0].shape
        parts = A.reshape(k, r, -1)
        return np.array(
            [
                float(np.sum(np.square(R.transpose(0, 2, 1) @ parts)))
                for R in self.blocks
            ]
        )

    def __getitem__(self, j: int) -> Array:
        return block_diag(*(R @ R.T for R in self.blocks[j]))


@dataclass(eq=False, repr=False)
class ColumnSquare(Square):
    """The square loss on a `ColumnStack`: g(A) = Σ_c ⟨A_c, H_c⟩ − (λ/2)‖A_c‖².

    H is (kr, 1), the targets of the columns one after the other. The inner maximum
    takes k factorisations of r equations.
    """

    def consume(self, K: Array, start: Array | None = None) -> Inner:
        k, r, _ = K.shape
        rows = [slice(c * r, (c + 1) * r) for c in range(k)]
        best = [
            Square(self.H[part], self.lam).maximum(K[c]) for c, part in enumerate(rows)
        ]
        pairs: list[tuple[QuadraticMaximum, slice]] = list(zip(best, rows, strict=True))

        def hessian(applied: Array) -> Array:
            p = len(applied)
            parts = (one.hessian(applied[:, part]) for one, part in pairs)
            return sum(parts, start=np.zeros((p, p)))

        def respond(change: Array) -> Array:
            return np.vstack([one.respond(change[part]) for one, part in pairs])

        A = np.vstack([one.A for one in best])
        value = float(sum(one.value for one in best))
        return Inner(A, value, np.zeros(1), hessian, respond)


def _filled(R: Array, r: int) -> Array:
    """R with rows of zeros below, r rows in all."""
    return np.vstack([R, np.zeros((r - len(R), R.shape[1]))])
