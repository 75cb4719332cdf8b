"""How badly samples are predicted that were left out, as a function of the weights.

    P(θ, λ) = Σ_i ‖h_i − f_{−i}(x_i)‖²

with f_{−i} fitted without sample i, or without the fold that i is in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..arrays import host
from ..grams.base import Array, GramStack
from ..streamed.held_out import HeldOut
from .left_out import LeftOut, inner_products, leave_out


class LeftOutError(Protocol):
    """P with its derivatives, which the descent of `selection.descent` asks for."""

    @property
    def p(self) -> int:
        """Number of kernels."""
        ...

    @property
    def n(self) -> int:
        """Number of samples."""
        ...

    @property
    def total(self) -> float:
        """Σ_i‖h_i‖²."""
        ...

    def errors(self, theta: Array, lam: float) -> Array:
        """The terms of P: of every sample, or added up over every fold."""
        ...

    def slopes(self, theta: Array, lam: float) -> tuple[float, Array]:
        """P and ∂P/∂log θ (p,)."""
        ...


@dataclass(frozen=True)
class SampleErrors:
    """Every sample is left out alone, exactly: `leave_out`.

    Attributes
    ----------
    gram : GramStack
        K_1..K_p on n samples, centred and scaled.
    H : array (n, k)
    intercept : bool
    v : array (n,), optional
        Weights of the samples.
    """

    gram: GramStack
    H: Array
    intercept: bool = True
    v: Array | None = None

    @property
    def p(self) -> int:
        return self.gram.p

    @property
    def n(self) -> int:
        return self.gram.n

    @property
    def total(self) -> float:
        return float(np.sum(host(self.H) ** 2))

    def errors(self, theta: Array, lam: float) -> Array:
        return host(self._at(theta, lam).errors)

    def slopes(self, theta: Array, lam: float) -> tuple[float, Array]:
        at = self._at(theta, lam)
        return at.value, inner_products(self.gram, at.sensitivity()) * theta

    def _at(self, theta: Array, lam: float) -> LeftOut:
        K = self.gram.combine(theta)
        return leave_out(K, lam, self.H, self.intercept, self.v)


@dataclass(frozen=True)
class FoldErrors:
    """Folds are left out, of rows that are known by sums over their features.

    Attributes
    ----------
    held_out : HeldOut
    keep : ndarray of bool
        Which kernels take part. The others have weight zero.
    n : int
    total : float
        Σ_i‖h_i‖².
    """

    held_out: HeldOut
    keep: Array
    n: int
    total: float

    @property
    def p(self) -> int:
        return int(np.sum(self.keep))

    def errors(self, theta: Array, lam: float) -> Array:
        return self.held_out(self._all(theta), lam).errors

    def slopes(self, theta: Array, lam: float) -> tuple[float, Array]:
        value, slopes = self.held_out.slopes(self._all(theta), lam)
        return value, slopes[self.keep]

    def _all(self, theta: Array) -> Array:
        weights = np.zeros(len(self.keep))
        weights[self.keep] = theta
        return weights
