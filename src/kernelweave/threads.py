"""How many threads the linear algebra may use."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


def blas_threads(n: int) -> AbstractContextManager[Any]:
    """One thread for matrices of fewer than 3000 rows and on a busy machine.

    Below, most of the time is spent reading the stack, and the second of two threads
    gains nothing (a fit of 1000 rows took 0.37 s with one, 0.64 s with two; 2000 rows
    1.9 and 2.3 s; 4000 rows 10.6 and 9.2 s). Where another process keeps its core busy
    OpenBLAS even waits for it: a factorisation of 600 rows then took 700 ms instead of
    3, one of 2000 rows 1000 ms instead of 90.
    """
    return _one() if n < 3000 else blas_threads_unless_busy()


def blas_threads_unless_busy() -> AbstractContextManager[Any]:
    """One thread on a busy machine: for products of many rows, which two speed up."""
    return _one() if _busy() else nullcontext()


def _one() -> AbstractContextManager[Any]:
    return _controller().limit(limits=1, user_api="blas")


def _busy() -> bool:
    """Whether others want the cores: more runnable tasks than our threads alone."""
    if not hasattr(os, "getloadavg"):
        return False
    return os.getloadavg()[0] > (os.cpu_count() or 1) + 0.5


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()
