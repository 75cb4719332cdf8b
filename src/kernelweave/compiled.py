"""Functions that numba compiles; where it is not installed, others in their place."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any


def compiled(
    otherwise: Callable[..., Any] | None = None, **options: Any
) -> Callable[[Callable[..., Any]], Any]:
    """`numba.njit(cache=True, **options)`, or what comes nearest to it on this machine.

    Without numba it is the function `otherwise`, which does the same by NumPy, or else
    the function itself, as slow as Python is. Numba refuses to decorate at all if
    neither the folder of the package nor that of the user can be written to: then there
    is no cache, and compiling again in every process takes seconds only.

    Examples
    --------
    >>> @compiled(nogil=True)
    ... def double(x):
    ...     return 2 * x
    >>> double(21)
    42
    """

    def decorate(function: Callable[..., Any]) -> Any:
        if find_spec("numba") is None:
            return function if otherwise is None else otherwise
        from numba import njit

        try:
            return njit(cache=True, **options)(function)
        except RuntimeError as error:
            if "cannot cache function" not in str(error):
                raise
            return njit(**options)(function)

    return decorate
