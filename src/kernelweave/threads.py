"""How many threads the linear algebra may use."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


def blas_threads(n: int) -> AbstractContextManager[Any]:
    """One thread for matrices of fewer than 1000 rows, all of them above.

    A second thread gains nothing there, and where another process keeps its core
    busy OpenBLAS waits for it: a factorisation of 600 rows then took 700 ms instead
    of 3.
    """
    return _controller().limit(limits=1, user_api="blas") if n < 1000 else nullcontext()


@cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()
