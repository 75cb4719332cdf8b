"""Scores of several tables, whose targets are joined by index."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from ..views import aligned


def joining(score: Callable[..., Any]) -> Callable[..., Any]:
    """`score` that joins the targets of several tables by index."""

    @wraps(score)
    def joined(self: Any, X: Any, y: Any = None, *rest: Any, **options: Any) -> Any:
        return score(self, *aligned(X, y), *rest, **options)

    joined.joins_tables = True  # type: ignore[attr-defined]
    return joined
