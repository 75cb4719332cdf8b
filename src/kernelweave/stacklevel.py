"""Where a warning points."""

from __future__ import annotations

import sys


def outside() -> int:
    """The `stacklevel` that names the line of the user's code, however deep we are."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and _ours(frame.f_globals.get("__name__", "")):
        level, frame = level + 1, frame.f_back
    return level


def _ours(module: str) -> bool:
    return module.partition(".")[0] == "kernelweave"
