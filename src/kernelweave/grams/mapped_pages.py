"""Pages of memory-mapped files, and how much memory there is for them."""

from __future__ import annotations

import mmap
import os
from typing import Any

import numpy as np

from .base import Array


def give_back(K: Array) -> None:
    """Let go of the pages of a mapped file that were read: they can be read again."""
    mapped: Any = K
    while isinstance(mapped, np.ndarray):
        mapped = mapped.base
    # In the mode "c" pages may hold what the file does not.
    file = not (isinstance(K, np.memmap) and K.mode == "c")
    if file and isinstance(mapped, mmap.mmap) and hasattr(mapped, "madvise"):
        mapped.madvise(mmap.MADV_DONTNEED)


def machine_memory() -> int:
    """Bytes of memory of this machine, or 8 GiB where it does not tell."""
    if not hasattr(os, "sysconf"):
        return 2**33
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
