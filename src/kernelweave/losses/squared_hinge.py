"""The squared hinge loss: support vector machines with the 2-norm soft margin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import filled, namespace
from ..problem import Array
from .margin import BoxLoss, per_entry


@dataclass(eq=False, repr=False)
class SquaredHinge(BoxLoss):
    """g(A) = ΣY∘A − ‖A‖²/(2C) on Y∘A ≥ 0, with 1ᵀA = 0 if there is an intercept.

    In the primal: the smallest ½‖w‖² + (C/2) Σ (1 − Y∘(f + b))₊².

    Parameters
    ----------
    Y : ndarray (n, k)
        +1 and −1: one column for two classes, else one a class against the rest.
    C : float or ndarray (n,) or (n, k)
        Penalty of errors; zero leaves a sample out. np.inf, which allows no error, is
        for a stack `WithIdentity`, whose kernel 0 learns 1/C (SM2_C, Ye et al. 2008).
    intercept : bool
    """

    Y: Array
    C: Any = 1.0
    intercept: bool = True

    @property
    def box(self) -> tuple[Array, float, Array, Array, Array]:
        xp = namespace(self.Y)
        C = per_entry(self.C, self.Y, infinite=True)
        bound = xp.where(C > 0, filled(C.shape, C, np.inf), 0.0)
        d = 1 / xp.where(C > 0, C, 1.0)
        lower = xp.where(self.Y > 0, 0.0, -bound)
        upper = xp.where(self.Y > 0, bound, 0.0)
        return self.Y, 0.0, lower, upper, d

    def primal(self, A: Array, f: Array, bias: Array) -> float:
        hard = np.isinf(per_entry(self.C, self.Y, infinite=True))
        if not hard.any():
            return super().primal(A, f, bias)
        # The multiple of (w, b) that makes no error where none is allowed, by columns.
        margin = np.min(np.where(hard, self.Y * (f + bias), 1.0), axis=0)
        if np.any(margin <= 0):
            return np.inf
        t = 1 / np.minimum(margin, 1)
        with np.errstate(invalid="ignore"):
            soft = np.sum(self._phi(t * f, t * bias)[~hard])
        return 0.5 * float(np.sum(t * t * np.sum(A * f, axis=0))) + float(soft)
