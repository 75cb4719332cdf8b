"""Zip archives that notice when they were changed."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from typing import Any

# Length of the comment that seals an archive.
_SEAL = 64


def sealed(archive: bytes) -> bytes:
    """The archive with the SHA-256 of its bytes as its comment, at the end."""
    seal = hashlib.sha256(archive).hexdigest().encode()
    return archive[:-2] + len(seal).to_bytes(2, "little") + seal


def is_sealed(content: bytes) -> bool:
    """Whether no byte was changed since `sealed` made the archive."""
    return sealed(content[: -_SEAL - 2] + b"\0\0") == content


def comment_of(content: bytes) -> bytes:
    """The comment at the end of a zip archive."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return archive.comment


def members_of(content: bytes) -> dict[str, bytes]:
    """The parts of a zip archive, by their names."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        names = archive.namelist()
        if len(set(names)) < len(names):
            raise ValueError("two parts have the same name")
        return {name: archive.read(name) for name in names}


def checksum(manifest: dict[str, Any], members: dict[str, bytes]) -> str:
    """SHA-256 of the manifest, and of the names, lengths and contents of the parts."""
    digest = hashlib.sha256(json.dumps(manifest, sort_keys=True).encode())
    for name in sorted(members):
        digest.update(f"\n{name}\n{len(members[name])}\n".encode())
        digest.update(members[name])
    return digest.hexdigest()
