"""The identity as kernel 0: its weight is the regularisation λ, learned."""

from __future__ import annotations

import numpy as np

from ..arrays import add_to_diagonal, namespace
from .base import Array, GramStack, Stored


class WithIdentity:
    """(scale·I, K_1, ..., K_p): Ye et al. 2008, equations (41)–(47).

    The identity is the kernel 1{x is the same sample as z}, which is zero between a
    training sample and a new one, so it takes no part in prediction.

    Parameters
    ----------
    base : GramStack
    scale : float
        1/n for a stack of unit traces, so that tr(scale·I) = 1 as well; the learned
        regularisation is λ = scale·θ_0.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelweave.grams import DenseStack, WithIdentity
    >>> gram = WithIdentity(DenseStack(np.ones((1, 2, 2))))
    >>> gram.combine(np.array([0.1, 0.9]))
    array([[1. , 0.9],
           [0.9, 1. ]])
    """

    def __init__(self, base: GramStack, scale: float = 1.0):
        self.base = base
        self.scale = scale

    @property
    def n(self) -> int:
        return self.base.n

    @property
    def p(self) -> int:
        return self.base.p + 1

    @property
    def traces(self) -> Array:
        return np.append(self.scale * self.n, self.base.traces)

    def combine(self, theta: Array) -> Array:
        K = self.base.combine(theta[1:])
        add_to_diagonal(K, float(self.scale * theta[0]))
        return K

    def apply(self, A: Array) -> Array:
        first = self.scale * A[None, ...]
        return namespace(A).concat([first, self.base.apply(A)])

    def quadratic(self, A: Array) -> Array:
        first = self.scale * float(namespace(A).sum(A * A))
        return np.append(first, self.base.quadratic(A))

    def rounding(self, A: Array) -> Array:
        rest = self.base.rounding(A) if isinstance(self.base, Stored) else 0.0
        return np.append(0.0, rest * np.ones(self.base.p))

    def exact(self, A: Array) -> Array:
        assert isinstance(self.base, Stored)
        return np.append(self.scale * np.sum(A * A), self.base.exact(A))

    def __getitem__(self, j: int) -> Array:
        return self.scale * np.eye(self.n) if j == 0 else self.base[j - 1]
