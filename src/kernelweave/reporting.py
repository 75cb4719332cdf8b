"""How far long work is, told from wherever it is done to whoever wants to know."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

# report(done, total, text); total is 0 where it is not known.
Report = Callable[[int, int, str], object]


def nobody(done: int, total: int, text: str) -> None:
    """What is reported to where nobody listens."""


_report: ContextVar[Report] = ContextVar("report", default=nobody)


@contextmanager
def reporting(report: Report) -> Iterator[None]:
    """Inside, `report(done, total, text)` hears of every iteration and grid point.

    Of this thread, or asynchronous task, alone.

    Examples
    --------
    >>> from kernelweave import MKLRidgeCV
    >>> model = MKLRidgeCV(norms=[1], alphas=[0.1, 1])
    >>> with reporting(print):
    ...     _ = model.fit([[0.0], [1.0], [2.5], [4.0]], [0.0, 1.0, 2.0, 4.0])
    1 2 choosing norm and alpha
    2 2 choosing norm and alpha
    0 0 iteration 1, gap ...
    """
    token = _report.set(report)
    try:
        yield
    finally:
        _report.reset(token)


def listener() -> Report:
    """Who hears of the work at this place: `nobody`, unless `reporting` says who."""
    return _report.get()


@contextmanager
def reporter() -> Iterator[Report]:
    """What to report to; inside, the parts of the work report to nobody.

    Examples
    --------
    >>> with reporting(print), reporter() as report:
    ...     with reporter() as inner:
    ...         inner(1, 3, "a step of a part")
    ...     report(1, 2, "a part")
    1 2 a part
    """
    token = _report.set(nobody)
    try:
        yield nobody if token.old_value is token.MISSING else token.old_value
    finally:
        _report.reset(token)
