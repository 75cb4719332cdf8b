"""Kernels fitted to the rows of a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..problem import Array
from .base import Kernel
from .function import as_kernels
from .learned_widths import refuse_widths
from .plain_parameters import fresh


def fit_kernels(
    kernels: Iterable[Any], X: Any, table: Any, centred: bool, learner: bool = False
) -> list[Kernel]:
    """Clones of the kernels, fitted: see `Kernel.fit`. A function stands for itself.

    `learner`: whether widths are learned afterwards, where a kernel says "learn".
    """
    kernels = as_kernels(kernels)
    refuse_widths(kernels, learner)
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


def cross_matrices(trained: Sequence[tuple[Kernel, Any]], X: Any) -> Iterator[Array]:
    """k_j(x, z) of the rows x of X with rows z that a kernel selected, (m, n) each.

    `trained` are the kernels, each with such rows; one matrix is there at a time.
    """
    rows = selected([kernel for kernel, _ in trained], X)
    for (kernel, known), new in zip(trained, rows, strict=True):
        yield kernel.between(new, known)
