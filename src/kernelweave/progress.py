"""How far long work is, on a terminal or in a notebook."""

from __future__ import annotations

import sys
import time
from html import escape
from importlib import import_module
from typing import Any, TextIO

from .plots.text import text_bar

WIDTH = 79
BAR = 20


class Progress:
    """A line on standard error, or a bar in a notebook, that says how far work is.

    `progress(done, total, text)` draws it again, without a bar if total is 0 (not
    known); at the end of the `with` it is wiped. Fewer done than before is new work,
    whose time counts from there. Where standard error is a file, nothing is written.
    With `kernelweave.reporting.reporting(progress)` fits tell it of their iterations.

    Examples
    --------
    >>> with Progress() as progress:
    ...     for i in range(3):
    ...         progress(i, 3, f"fold {i + 1}")
    """

    def __init__(self, stream: TextIO | None = None):
        self._stream = sys.stderr if stream is None else stream
        self._shown: Any = _notebook_display() if stream is None else None
        self._live = self._shown is not None or self._stream.isatty()
        self._began = time.monotonic()
        self._done = 0

    def __call__(self, done: int, total: int, text: str) -> None:
        if not self._live:
            return
        if done < self._done:
            self._began = time.monotonic()
        self._done = done
        if total == 0:
            self._draw(None, text)
            return
        share, left = done / total, ""
        if 0 < done < total:
            seconds = (time.monotonic() - self._began) * (1 - share) / share
            left = f", {_duration(seconds)} left"
        self._draw(share, f"{share:4.0%}{left}  {text}")

    def _draw(self, share: float | None, text: str) -> None:
        if self._shown is not None:
            value = "" if share is None else f' value="{share:.4f}"'
            bar = f"<progress{value}></progress>"
            self._update(f"<div>{bar} <code>{escape(text)}</code></div>")
            return
        bar = "" if share is None else f"{text_bar(share, BAR):{BAR}} "
        self._write((bar + text)[:WIDTH])

    def _update(self, html: str) -> None:
        self._shown.update({"text/html": html, "text/plain": ""}, raw=True)

    def _write(self, line: str) -> None:
        # \r to the beginning, \033[K wipes what the last line left.
        self._stream.write(f"\r{line}\033[K")
        self._stream.flush()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown is not None:
            self._update("")
        elif self._live:
            self._write("")


def _notebook_display() -> Any:
    """Where a notebook shows something that changes; None outside of notebooks."""
    # A notebook has imported IPython already, and its shell has a kernel.
    interactive = sys.modules.get("IPython")
    shell = None if interactive is None else interactive.get_ipython()
    if not hasattr(shell, "kernel"):
        return None
    display = import_module("IPython.display").display
    return display({"text/html": "", "text/plain": ""}, raw=True, display_id=True)


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    if seconds < 3600:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
