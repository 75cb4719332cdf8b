"""Kernels fitted to the rows of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sklearn.base import clone

from .base import Kernel


def fit_kernels(
    kernels: Sequence[Kernel], X: Any, table: Any, centred: bool
) -> list[Kernel]:
    """Clones of the kernels, fitted: see `Kernel.fit`."""
    table = table if hasattr(table, "columns") else X
    table = getattr(table, "numbers", table)
    return [clone(kernel).fit(X, table, centred) for kernel in kernels]
