"""Gram matrices that are stored: computed or given, centred, scaled and checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import filled, like, namespace
from .base import Array
from .check import check_entries, make_definite
from .dense import DenseStack
from .normalise import Statistics, normalise
from .rbf_matrices import negative_squares, symmetric_exponentials

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
    rows = selected(kernels, X)
    distances: dict[int, Array] = {}
    for j, kernel in enumerate(kernels):
        _fill(stack, j, kernel, rows[j], distances)
        known = type(kernel) in DEFINITE
        how = normalize, center, kernel.n_present_
        statistics.append(_checked(stack[j, ...], (j, kernel), known, *how))
    return DenseStack(stack), statistics


def given_stack(
    matrices: Array, normalize: str | None, center: bool
) -> tuple[DenseStack, list[Statistics]]:
    """The same of ready-made matrices (p, n, n), which are copied."""
    stack = namespace(matrices).asarray(like(matrices, matrices), copy=True)
    numbers = range(stack.shape[0])
    how = normalize, center, None
    statistics = [_checked(stack[j, ...], (j, None), False, *how) for j in numbers]
    return DenseStack(stack), statistics


def _fill(
    stack: Array, j: int, kernel: Any, Z: Any, distances: dict[int, Array]
) -> None:
    """Write K_j of the rows Z that the kernel selected.

    RBF kernels of the same rows share their distances, which `distances` keeps by the
    identity of Z.
    """
    from ..kernels import RBF

    if type(kernel) is not RBF or type(Z) is not np.ndarray or kernel.missing == "mean":
        stack[j, ...] = kernel.between(Z, Z)
        return
    if id(Z) not in distances:
        distances[id(Z)] = negative_squares(kernel._from_origin(Z))
    symmetric_exponentials(distances[id(Z)], kernel.gamma_, stack[j])


def _checked(
    K: Array,
    which: tuple[int, Kernel | None],
    known: bool,
    normalize: str | None,
    center: bool,
    present: int | None,
) -> Statistics:
    """Centre and scale K in place, if it is a Gram matrix.

    `which`: its number, and its kernel. `known`: whether it is one by its mathematics.
    Then only what is left of a large mean can be rounding.
    """
    if not known:
        check_entries(K, _named(*which))
    statistics = normalise(K, normalize, center, present)
    if not known or statistics.scale * abs(statistics.mean) > MUCH:
        make_definite(K, statistics, _named(*which))
    return statistics


def _named(j: int, kernel: Kernel | None) -> str:
    return str(j) if kernel is None else f"{j} ({kernel.label!r})"
