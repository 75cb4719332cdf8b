"""The ε-insensitive losses: support vector regression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..problem import Array
from .margin import BoxLoss, per_entry


@dataclass(eq=False, repr=False)
class EpsilonInsensitive(BoxLoss):
    """g(A) = ⟨A, H⟩ − ε‖A‖₁ on −C ≤ A ≤ C, with 1ᵀA = 0 if there is an intercept.

    In the primal: the smallest ½‖w‖² + Σ C(abs(H − f − b) − ε)₊.

    Parameters
    ----------
    H : ndarray (n, k)
        Targets.
    C : float or ndarray (n,) or (n, k)
        Penalty of errors; zero leaves a sample out.
    epsilon : float
        Errors up to ε cost nothing.
    intercept : bool
    """

    H: Array
    C: Any = 1.0
    epsilon: float = 0.1
    intercept: bool = True

    @property
    def box(self) -> tuple[Array, float, Array, Array, Array]:
        C = per_entry(self.C, self.H)
        return self.H, _tube(self.epsilon), -C, C, np.zeros(self.H.shape)


@dataclass(eq=False, repr=False)
class SquaredEpsilonInsensitive(BoxLoss):
    """g(A) = ⟨A, H⟩ − ε‖A‖₁ − ‖A‖²/(2C), with 1ᵀA = 0 if there is an intercept.

    In the primal: the smallest ½‖w‖² + (C/2) Σ (abs(H − f − b) − ε)₊².

    Parameters
    ----------
    H, C, epsilon, intercept
        As in `EpsilonInsensitive`.
    """

    H: Array
    C: Any = 1.0
    epsilon: float = 0.1
    intercept: bool = True

    @property
    def box(self) -> tuple[Array, float, Array, Array, Array]:
        C = per_entry(self.C, self.H)
        bound = np.where(C > 0, np.inf, 0.0)
        d = 1 / np.where(C > 0, C, 1.0)
        return self.H, _tube(self.epsilon), -bound, bound, d


def _tube(epsilon: float) -> float:
    if not 0 <= epsilon < np.inf:
        raise ValueError(f"epsilon must not be negative, got {epsilon!r}")
    return float(epsilon)
