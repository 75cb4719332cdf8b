"""Gram matrices that are stored: computed or given, centred, scaled and checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..arrays import filled, like, namespace
from .base import Array
from .check import check_entries, make_definite
from .dense import DenseStack
from .normalise import Statistics, normalise

if TYPE_CHECKING:
    from ..kernels import Kernel

# A mean of a kernel this many times its variance loses as many of its digits.
MUCH = 1e6


def stored_stack(
    kernels: Sequence[Kernel], X: Any, normalize: str | None, center: bool
) -> tuple[DenseStack, list[Statistics]]:
    """The matrices of fitted kernels on the rows of X, and what new rows need."""
    # kernels/ imports problem.py, which imports this.
    from ..kernels import DEFINITE
    from ..kernels.fitting import selected

    n = X.shape[0]
    like_X = getattr(X, "numbers", X)
    stack = filled((len(kernels), n, n), like_X)
    statistics = []
    for j, (kernel, rows) in enumerate(zip(kernels, selected(kernels, X), strict=True)):
        stack[j, ...] = kernel.between(rows, rows)
        label, present = f"{j} ({kernel.label!r})", kernel.n_present_
        known = type(kernel) in DEFINITE
        how = normalize, center, present
        statistics.append(_checked(stack[j, ...], label, known, *how))
    return DenseStack(stack), statistics


def given_stack(
    matrices: Array, normalize: str | None, center: bool
) -> tuple[DenseStack, list[Statistics]]:
    """The same of ready-made matrices (p, n, n), which are copied."""
    stack = namespace(matrices).asarray(like(matrices, matrices), copy=True)
    numbers = range(stack.shape[0])
    how = normalize, center, None
    statistics = [_checked(stack[j, ...], str(j), False, *how) for j in numbers]
    return DenseStack(stack), statistics


def _checked(
    K: Array,
    label: str,
    known: bool,
    normalize: str | None,
    center: bool,
    present: int | None,
) -> Statistics:
    """Centre and scale K in place, if it is a Gram matrix.

    `known`: whether it is one by its mathematics. Then only what is left of a large
    mean can be rounding.
    """
    if not known:
        check_entries(K, label)
    statistics = normalise(K, normalize, center, present)
    if not known or statistics.scale * abs(statistics.mean) > MUCH:
        make_definite(K, statistics, label)
    return statistics
