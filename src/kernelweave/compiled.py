"""Functions that numba compiles, kept on disk where there is a place for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit


def compiled(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """`numba.njit(cache=True, **options)`, or without a cache where none can be kept.

    numba refuses to decorate at all if neither the folder of the package nor that of
    the user can be written to. Compiling again in every process takes seconds only.

    Examples
    --------
    >>> @compiled(nogil=True)
    ... def double(x):
    ...     return 2 * x
    >>> double(21)
    42
    """

    def decorate(function: Callable[..., Any]) -> Any:
        try:
            return njit(cache=True, **options)(function)
        except RuntimeError as error:
            if "cannot cache function" not in str(error):
                raise
            return njit(**options)(function)

    return decorate
