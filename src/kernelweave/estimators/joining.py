"""Several tables, and targets that are joined to them by index."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from ..inputs.matrices import is_given
from ..views import aligned, groups_of, is_views


def joined_tables(model: Any, X: Any, y: Any) -> tuple[Any, Any]:
    """Several tables as one `Views`, with y in its order; others as they are.

    A list of Gram matrices, where the model takes these, is no list of tables.
    """
    return (X, y) if is_given(model) else aligned(X, y)


def joined_groups(model: Any, X: Any, y: Any, groups: Any) -> tuple[Any, Any, Any]:
    """The same with the group of every row, joined by index as y is.

    Without groups nothing is joined.
    """
    if groups is None or is_given(model):
        return X, y, groups
    joined, y = aligned(X, y)
    return joined, y, groups_of(X, joined, groups) if is_views(X) else groups


def joining(score: Callable[..., Any]) -> Callable[..., Any]:
    """`score` that joins the targets of several tables by index."""

    @wraps(score)
    def joined(self: Any, X: Any, y: Any = None, *rest: Any, **options: Any) -> Any:
        return score(self, *joined_tables(self, X, y), *rest, **options)

    joined.joins_tables = True  # type: ignore[attr-defined]
    return joined
