"""Collections of Dask, which need not be installed."""

from __future__ import annotations

from typing import Any


def is_dask(*tables: Any) -> bool:
    """Whether one of these is a collection of Dask."""
    return any(hasattr(type(table), "__dask_graph__") for table in tables)
