"""Several tables, and targets and weights that are joined to them by index."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

from sklearn.base import is_outlier_detector

from ..inputs.matrices import is_given
from ..views import aligned_with, by_place


def joined_tables(
    model: Any, X: Any, y: Any, sample_weight: Any = None
) -> tuple[Any, Any, Any]:
    """Several tables as one `Views`, with y and sample_weight in its order.

    Those of one table, or of a list of Gram matrices where the model takes these,
    which is no list of tables, stay in their places: see `by_place`.
    """
    # What a detector of outliers ignores is joined to nothing.
    known = None if is_outlier_detector(model) else y
    if is_given(model):
        known = by_place(X, known, "y")
        weight = by_place(X, sample_weight, "sample_weight")
    else:
        X, known, weight = aligned_with(X, known, sample_weight, "sample_weight")
    return X, y if known is None else known, weight


def joining(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method of X, y and perhaps sample_weight that joins them by index."""
    names = list(inspect.signature(method).parameters)[3:]
    place = names.index("sample_weight") if "sample_weight" in names else None

    @wraps(method)
    def joined(self: Any, X: Any, y: Any = None, *rest: Any, **options: Any) -> Any:
        others = list(rest)
        if place is not None and place < len(others):
            X, y, others[place] = joined_tables(self, X, y, others[place])
        elif place is not None and "sample_weight" in options:
            X, y, weight = joined_tables(self, X, y, options["sample_weight"])
            options["sample_weight"] = weight
        else:
            X, y, _ = joined_tables(self, X, y)
        return method(self, X, y, *others, **options)

    joined.joins_tables = True  # type: ignore[attr-defined]
    return joined
