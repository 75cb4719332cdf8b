"""Several tables, and targets, weights and groups that are joined to them by index."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

from sklearn.base import is_outlier_detector

from ..inputs.matrices import is_given
from ..views import aligned_with, by_place

# What methods take beside X and y, an entry a sample.
BESIDE = ("sample_weight", "groups")


def joined_tables(
    model: Any, X: Any, y: Any, **beside: Any
) -> tuple[Any, Any, dict[str, Any]]:
    """Several tables as one `Views`, with y, weights and groups in its order.

    Those of one table, or of a list of Gram matrices where the model takes these,
    which is no list of tables, stay in their places: see `by_place`.
    """
    # What a detector of outliers ignores is joined to nothing.
    known = None if is_outlier_detector(model) else y
    if is_given(model):
        known = by_place(X, known, "y")
        found = {what: by_place(X, values, what) for what, values in beside.items()}
    else:
        X, known, found = aligned_with(X, known, **beside)
    return X, y if known is None else known, found


def joining(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method of X, y and perhaps weights and groups that joins them by index."""
    names = list(inspect.signature(method).parameters)[3:]

    @wraps(method)
    def joined(self: Any, X: Any, y: Any = None, *rest: Any, **options: Any) -> Any:
        options |= zip(names, rest, strict=False)
        beside = {name: options[name] for name in BESIDE if name in options}
        X, y, beside = joined_tables(self, X, y, **beside)
        return method(self, X, y, **(options | beside))

    joined.joins_tables = True  # type: ignore[attr-defined]
    return joined
