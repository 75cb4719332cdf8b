"""Targets that have losses of their own, and share the weights of the kernels."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from ..arrays import namespace, take
from ..problem import Array, Inner


@dataclass(eq=False, repr=False)
class ByTarget(BaseEstimator):
    """g(A) = Σ_t g_t(A_t), with A_t the columns of A that belong to loss t.

    F(θ) = Σ_t F_t(θ) with one inner maximiser a loss: the square loss with one λ for
    each of several targets, say.

    Parameters
    ----------
    losses : list of quadratic losses
        g_t(sA) = s·b − s²c/2 for a number s, as the square loss is.
    columns : list of arrays of int
        Columns of A and of the targets, for every loss; each once.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelweave.losses import ByTarget, Square
    >>> H = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> loss = ByTarget([Square(H[:, :1], 1.0), Square(H[:, 1:], 3.0)], [[0], [1]])
    >>> loss.inner(np.zeros((2, 2))).A
    array([[1.        , 0.        ],
           [0.        , 0.33333333]])
    """

    losses: list[Any]
    columns: list[Any]
    _order: Array = field(init=False)

    def __post_init__(self):
        self._order = np.argsort(np.concatenate(self.columns))

    def value(self, A: Array) -> float:
        return sum(loss.value(part) for loss, part in self._parts(A))

    def best_scale(self, A: Array, support: float) -> float:
        # g(sA) = s·b − s²c/2: b and c from g(A) and g(2A); max_s g(sA) − ½s²σ
        once, twice = self.value(A), self.value(2 * A)
        b = 2 * once - 0.5 * twice
        curvature = 2 * (b - once) + support
        return b / curvature if curvature > 0 else 1.0

    def inner(self, K: Array, start: Array | None = None) -> Inner:
        found = [loss.inner(K) for loss in self.losses]
        xp = namespace(K)
        A = take(xp.concat([part.A for part in found], axis=1), self._order, 1)
        bias = take(xp.concat([part.bias for part in found]), self._order)

        def hessian(applied: Array) -> Array:
            """Σ_t ∇²F_t, from K_jA (p, n, k)."""
            parts = [
                part.hessian(take(applied, columns, 2))
                for part, columns in zip(found, self.columns, strict=True)
            ]
            return np.sum(parts, axis=0)

        def respond(change: Array) -> Array:
            """The change of A, from that of K(θ) times A, (n, k)."""
            parts = [
                part.respond(take(change, columns, 1))
                for part, columns in zip(found, self.columns, strict=True)
            ]
            return take(xp.concat(parts, axis=1), self._order, 1)

        value, slack = (sum(getattr(p, n) for p in found) for n in ("value", "slack"))
        return Inner(A, value, bias, hessian, respond, slack)

    def _parts(self, A: Array) -> Any:
        parts = (take(A, columns, 1) for columns in self.columns)
        return zip(self.losses, parts, strict=True)
