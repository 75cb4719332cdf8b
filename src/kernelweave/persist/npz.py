"""Arrays of an .npz file that are as large as its directory says."""

from __future__ import annotations

import math
import os
import zipfile
from typing import Any

import numpy as np
from numpy.lib import format as npy

from ..problem import Array
from .sealed_zip import check_sizes

_HEADERS: dict[tuple[int, int], Any] = {
    (1, 0): npy.read_array_header_1_0,
    (2, 0): npy.read_array_header_2_0,
}


def read_arrays(path: str | os.PathLike[str]) -> dict[str, Array]:
    """All arrays of the file, by their names, none of them a pickle.

    What is wrong with the file is a `ValueError`, `EOFError`, `BadZipFile` or
    `zlib.error`; what is too large for this machine is a `MemoryError`, before
    anything is read.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "arrays.npz"
    >>> np.savez(path, a=[1, 2], b=np.eye(2))
    >>> list(read_arrays(path))
    ['a', 'b']
    """
    with open(path, "rb") as raw:
        with zipfile.ZipFile(raw) as archive:
            check_sizes(archive, os.fstat(raw.fileno()).st_size)
            for part in archive.infolist():
                _check_part(archive, part)
        raw.seek(0)
        with np.load(raw, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}


def _check_part(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> None:
    """Refuse an array that claims another size than its part has."""
    name = part.filename.removesuffix(".npy")
    if name == part.filename:
        raise ValueError(f"it holds {name!r}, which is no array")
    with archive.open(part) as file:
        version = npy.read_magic(file)
        if version not in _HEADERS:
            raise ValueError(f"array {name!r} has a header of version {version}")
        shape, _, dtype = _HEADERS[version](file)
        size = file.tell() + math.prod(shape) * dtype.itemsize
    if size != part.file_size and not dtype.hasobject:
        raise ValueError(
            f"array {name!r} claims {size} bytes, but there are {part.file_size}"
        )
