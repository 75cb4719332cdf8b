"""A stack whose kernels are multiplied by numbers."""

from __future__ import annotations

from typing import Any

from ..arrays import like
from .base import Array


class ScaledStack:
    """c_1K_1..c_pK_p, where K_1..K_p are those of a stack that computes its tiles.

    Parameters
    ----------
    stack : LazyStack
    factors : ndarray (p,)
        c_j ≥ 0.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelweave.grams import LazyStack
    >>> from kernelweave.grams.scaled import ScaledStack
    >>> from kernelweave.kernels import Linear
    >>> X = np.array([[1.0], [2.0]])
    >>> stack = LazyStack([Linear().fit(X)], X, None, False)
    >>> ScaledStack(stack, np.array([10.0]))[0]
    array([[10., 20.],
           [20., 40.]])
    """

    def __init__(self, stack: Any, factors: Array):
        self._stack, self._c = stack, factors

    @property
    def n(self) -> int:
        return self._stack.n

    @property
    def p(self) -> int:
        return self._stack.p

    @property
    def traces(self) -> Array:
        return self._c * self._stack.traces

    def combine(self, theta: Array) -> Array:
        return self._stack.combine(self._c * theta)

    def __getitem__(self, j: int) -> Array:
        return float(self._c[j]) * self._stack[j]

    def apply(self, A: Array) -> Array:
        return self._scaled(self._stack.apply(A))

    def quadratic(self, A: Array) -> Array:
        return self._c * self._stack.quadratic(A)

    def pair_products(self, Q: Array) -> Array:
        return like(self._c, Q)[:, None] * self._stack.pair_products(Q)

    def rows(self, index: Array) -> Array:
        return self._scaled(self._stack.rows(index))

    def block(self, theta: Array, index: Array) -> Array:
        return self._stack.block(self._c * theta, index)

    def apply_rows(self, index: Array, A: Array) -> Array:
        return self._scaled(self._stack.apply_rows(index, A))

    def sample(self, rows: Array) -> ScaledStack:
        """The samples in `rows`, centred and scaled by themselves."""
        return ScaledStack(self._stack.sample(rows), self._c)

    def subset(self, keep: Array) -> ScaledStack:
        """The kernels in the mask `keep`."""
        if keep.all():
            return self
        return ScaledStack(self._stack.subset(keep), self._c[keep])

    def home(self, numbers: Array) -> Array:
        """Numbers of the host in an array where the tiles are."""
        return self._stack.home(numbers)

    def check_room(self) -> None:
        self._stack.check_room()

    def _scaled(self, products: Array) -> Array:
        products *= like(self._c, products)[:, None, None]
        return products
