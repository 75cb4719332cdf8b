"""Kernels fitted to the rows of a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .base import Kernel
from .plain_parameters import fresh


def fit_kernels(
    kernels: Sequence[Kernel], X: Any, table: Any, centred: bool
) -> list[Kernel]:
    """Clones of the kernels, fitted: see `Kernel.fit`."""
    table = table if hasattr(table, "columns") else X
    table = getattr(table, "numbers", table)
    return [fresh(kernel).fit(X, table, centred) for kernel in kernels]


def names_of(kernels: Iterable[Kernel]) -> list[str]:
    """What the kernels are called in tables and messages."""
    return [kernel.label for kernel in kernels]


def selected(kernels: Iterable[Kernel], X: Any) -> list[Any]:
    """What every kernel selects of the rows of X; equal selections are made once."""
    found: dict[Any, Any] = {}
    out = []
    for kernel in kernels:
        key = kernel.selection
        if key not in found:
            found[key] = kernel.select(X)
        out.append(found[key])
    return out
