"""Bars for terminals."""

from __future__ import annotations


def text_bar(share: float, width: int = 24) -> str:
    """A bar of up to `width` characters for a share between 0 and 1.

    Examples
    --------
    >>> text_bar(0.5, 4)
    '██'
    """
    eighths = round(max(0.0, min(1.0, share)) * width * 8)
    full, rest = divmod(eighths, 8)
    return "█" * full + (" ▏▎▍▌▋▊▉"[rest] if rest else "")
