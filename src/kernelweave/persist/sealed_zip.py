"""Zip archives that notice when they were changed, and that cannot flood the memory."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator
from typing import Any

from ..grams.mapped import machine_memory

# Length of the comment that seals an archive.
_SEAL = 64

# Deflate makes at most 1032 bytes of one, and at most about 200 of the text of a model.
_MOST = 1032
_MOST_OF_TEXT = 200
_SMALL = 2**26

# Bytes that are held while a part is read.
_STEP = 2**20


def sealed(archive: bytes) -> bytes:
    """The archive with the SHA-256 of its bytes as its comment, at the end."""
    seal = hashlib.sha256(archive).hexdigest().encode()
    return archive[:-2] + len(seal).to_bytes(2, "little") + seal


def is_sealed(content: bytes) -> bool:
    """Whether no byte was changed since `sealed` made the archive."""
    return sealed(content[: -_SEAL - 2] + b"\0\0") == content


def directory(content: bytes) -> tuple[list[str], bytes]:
    """The names of the parts, whose sizes are plausible, and the comment."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        check_sizes(archive, len(content))
        return archive.namelist(), archive.comment


def check_sizes(archive: zipfile.ZipFile, size: int) -> None:
    """Refuse an archive of this size by what its directory says; no part is read.

    A `BadZipFile` cannot be what it says; of a `MemoryError` there is too much.
    """
    names = archive.namelist()
    if len(set(names)) < len(names):
        raise zipfile.BadZipFile("two parts have the same name")
    for part in archive.infolist():
        # The others have no bound on what they make of one byte.
        if part.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise zipfile.BadZipFile(f"{part.filename} is compressed in a foreign way")
    total = sum(part.file_size for part in archive.infolist())
    if total > _MOST * size:
        raise zipfile.BadZipFile(f"{size} bytes cannot hold {total}")
    if total > machine_memory():
        raise MemoryError(
            f"it takes {total / 1e9:.1f} GB of memory, and this machine has "
            f"{machine_memory() / 1e9:.1f}"
        )


def read_text(content: bytes, name: str) -> bytes:
    """A part that holds text."""
    check_text(content, name)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return b"".join(_pieces(archive, name))


def check_text(content: bytes, name: str) -> None:
    """Refuse a part that is larger than text of its compressed size can be."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        part = archive.getinfo(name)
        if part.file_size > max(_SMALL, _MOST_OF_TEXT * part.compress_size):
            raise zipfile.BadZipFile(
                f"{name} has {part.file_size} bytes, made of {part.compress_size}"
            )


def checksum(manifest: dict[str, Any], content: bytes, without: str = "") -> str:
    """SHA-256 of the manifest, and of the names, lengths and contents of the parts.

    The part `without` is left out. A megabyte of a part is held at a time.
    """
    digest = hashlib.sha256(json.dumps(manifest, sort_keys=True).encode())
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name in sorted(archive.namelist()):
            if name == without:
                continue
            digest.update(f"\n{name}\n{archive.getinfo(name).file_size}\n".encode())
            for piece in _pieces(archive, name):
                digest.update(piece)
    return digest.hexdigest()


def _pieces(archive: zipfile.ZipFile, name: str) -> Iterator[bytes]:
    """A part of an archive, as long as its directory says."""
    left = archive.getinfo(name).file_size
    with archive.open(name) as part:
        while piece := part.read(_STEP):
            left -= len(piece)
            yield piece
    if left:
        raise zipfile.BadZipFile(f"{name} is shorter than the directory says")
