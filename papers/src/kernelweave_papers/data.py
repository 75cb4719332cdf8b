"""Which data sets are here."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import NoReturn

from kernelweave.datasets import at_hand, load_table
from kernelweave.openml import SOURCES


def missing(names: Iterable[str], download: bool = True) -> list[str]:
    """Those of the data sets that `kernelweave.datasets` could not load.

    What only OpenML has is fetched to know it, unless download is false: then it counts
    as available. Why one cannot be loaded is what `load_table` says.

    Examples
    --------
    >>> missing(["iris", "no such set"])
    ['no such set']
    """
    return [name for name in names if not _here(name, download)]


def to_fetch(names: Iterable[str]) -> list[str]:
    """Those of the data sets that OpenML would be asked for.

    Examples
    --------
    >>> to_fetch(["iris", "no such set"])
    []
    """
    return [name for name in names if not at_hand(name) and name in SOURCES]


def _here(name: str, download: bool) -> bool:
    return at_hand(name) or (name in SOURCES and (not download or _fetched(name)))


@cache
def _fetched(name: str) -> bool:
    try:
        load_table(name)
    except FileNotFoundError:
        return False
    return True


def not_at_hand(_split: int) -> NoReturn:
    """What runs a table whose data sets nobody has."""
    raise FileNotFoundError("there is no protocol yet: its data sets were not at hand")
