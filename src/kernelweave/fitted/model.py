"""All that a fitted estimator keeps to predict, as one object."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from ..inputs.rows import Reader
from ..problem import Array


@dataclass(frozen=True)
class FittedModel:
    """From new rows, as the user has them, to f (m, k).

    Attributes
    ----------
    reader : Reader
    expansion : callable
        From rows that the kernels take to f (m, k): see `expansion`.
    head : Any
        What makes classes or numbers of f, by the kind of the estimator.
    """

    reader: Reader
    expansion: Callable[[Any], Array]
    head: Any = None

    def __call__(self, model: Any, X: Any) -> Array:
        """f of new rows."""
        return self.expansion(self.reader(model, X))

    def with_head(self, head: Any) -> FittedModel:
        """The same with another head."""
        return replace(self, head=head)


@dataclass(frozen=True)
class Coefficients:
    """What a representation makes of A: coefficients (.., k), intercept (k,), and f."""

    coef: Array
    intercept: Array
    expansion: Any
