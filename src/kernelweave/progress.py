"""How far long work is, on a terminal."""

from __future__ import annotations

import sys
import time
from typing import TextIO

from .plots.text import text_bar

WIDTH = 79
BAR = 20


class Progress:
    """A line on standard error that says how far long work is; silent elsewhere.

    `progress(done, total, text)` draws it again, without a bar if total is 0 (not
    known); at the end of the `with` it is wiped. Fewer done than before is new work,
    whose time counts from there. Where standard error is a file, nothing is written.

    Examples
    --------
    >>> with Progress() as progress:
    ...     for i in range(3):
    ...         progress(i, 3, f"fold {i + 1}")
    """

    def __init__(self, stream: TextIO | None = None):
        self._stream = sys.stderr if stream is None else stream
        self._live = self._stream.isatty()
        self._began = time.monotonic()
        self._done = 0

    def __call__(self, done: int, total: int, text: str) -> None:
        if not self._live:
            return
        if done < self._done:
            self._began = time.monotonic()
        self._done = done
        if total == 0:
            self._write(text[:WIDTH])
            return
        share, left = done / total, ""
        if 0 < done < total:
            seconds = (time.monotonic() - self._began) * (1 - share) / share
            left = f", {_duration(seconds)} left"
        line = f"{text_bar(share, BAR):{BAR}} {share:4.0%}{left}  {text}"
        self._write(line[:WIDTH])

    def _write(self, line: str) -> None:
        # \r to the beginning, \033[K wipes what the last line left.
        self._stream.write(f"\r{line}\033[K")
        self._stream.flush()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            self._write("")


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    if seconds < 3600:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
