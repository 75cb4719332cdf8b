"""The pinball loss: quantiles of the target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..problem import Array
from .margin import BoxLoss, per_entry


@dataclass(eq=False, repr=False)
class Quantile(BoxLoss):
    """g(A) = ⟨A, H⟩ on −(1 − q)C ≤ A ≤ qC, with 1ᵀA = 0 if there is an intercept.

    In the primal: the smallest ½‖w‖² + ΣC·max(qr, (q − 1)r), r = H − f − b. A share q
    of the targets lies below the fit (Koenker and Bassett 1978).

    Parameters
    ----------
    H : ndarray (n, k)
        Targets.
    C : float or ndarray (n,) or (n, k)
        Penalty of errors; zero leaves a sample out.
    quantile : float
        q, between 0 and 1; 0.5 is the median.
    intercept : bool
    """

    H: Array
    C: Any = 1.0
    quantile: float = 0.5
    intercept: bool = True

    @property
    def bounded(self) -> bool:
        """A is; but where C is large F rises as steeply as beside a pole."""
        return False

    @property
    def box(self) -> tuple[Array, float, Array, Array, Array]:
        if not 0 < self.quantile < 1:
            raise ValueError(
                f"quantile must lie between 0 and 1, got {self.quantile!r}"
            )
        C = per_entry(self.C, self.H)
        low, high = (self.quantile - 1) * C, self.quantile * C
        return self.H, 0.0, low, high, np.zeros(self.H.shape)
