"""The manifest of a model file: format, version, metadata, and a checksum of all."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from pathlib import Path
from typing import Any

from .. import __version__
from .sealed_zip import check_text, checksum, directory, is_sealed, read_text, sealed

FORMAT = 3
MANIFEST = "kernelweave.json"
SCHEMA = "schema.json"


class ModelFileError(ValueError):
    """A model file that cannot be read, or must not be.

    Examples
    --------
    >>> load("nowhere.skops")
    Traceback (most recent call last):
        ...
    kernelweave.persist.ModelFileError: there is no model file nowhere.skops
    """

    # Where it is found, and what an uncaught one is called.
    __module__ = "kernelweave.persist"


def with_manifest(content: bytes, metadata: dict[str, Any]) -> bytes:
    """An archive of skops as a model file."""
    # As it will be read, for the checksum: keys that are numbers become text.
    remembered = json.loads(json.dumps(metadata))
    manifest = {"format": FORMAT, "kernelweave": __version__, "metadata": remembered}
    archive = io.BytesIO(content)
    with zipfile.ZipFile(archive, "a", compression=zipfile.ZIP_DEFLATED) as file:
        checked = manifest | {"sha256": checksum(manifest, content)}
        file.writestr(MANIFEST, json.dumps(checked, indent=2, ensure_ascii=False))
    return sealed(archive.getvalue())


def checked(path: Path) -> tuple[bytes, dict[str, Any]]:
    """The bytes of a file of ours, unchanged since it was written; and its manifest."""
    content = _content(path)
    try:
        names, comment = directory(content)
        # Another format may have another seal and other parts, but a format it has.
        manifest = _manifest(path, content) if MANIFEST in names else None
        # The checksum is of the parts; the seal is also of the headers between them.
        ours = manifest is not None or not comment.strip(b"0123456789abcdef")
        if comment and ours and not is_sealed(content):
            raise zipfile.BadZipFile("its seal does not match")
        if manifest is None:
            what = "a skops file" if SCHEMA in names else "a zip archive"
            raise ModelFileError(
                f"{path} is {what}, but was not written by kernelweave: it has no "
                f"{MANIFEST}"
            )
        if SCHEMA in names:
            check_text(content, SCHEMA)
        if manifest.pop("sha256", None) != checksum(manifest, content, MANIFEST):
            raise _changed(path)
        return content, manifest
    except ModelFileError:
        raise
    except MemoryError as e:
        raise ModelFileError(f"{path} is too large: {first_line(e)}") from e
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError) as e:
        raise ModelFileError(
            f"{path} is damaged or cut short ({first_line(e)}): copy it again, or fit "
            "the model again"
        ) from e


def _content(path: Path) -> bytes:
    """The bytes of a file that begins as a zip archive does."""
    try:
        with open(path, "rb") as file:
            start = file.read(2)
            if start == b"PK":
                return start + file.read()
    except FileNotFoundError:
        raise ModelFileError(f"there is no model file {path}") from None
    except IsADirectoryError:
        raise ModelFileError(f"{path} is a folder, not a model file") from None
    what = "a pickle, which can run any code" if start[:1] == b"\x80" else None
    raise ModelFileError(
        f"{path} is {what or 'no model file'}; kernelweave reads only what "
        "`kernelweave fit -o` or kernelweave.persist.save wrote"
    )


def _manifest(path: Path, content: bytes) -> dict[str, Any]:
    """The manifest, if it is that of this format."""
    text = read_text(content, MANIFEST)
    try:
        manifest = json.loads(text)
        version = manifest["format"]
    except (ValueError, TypeError, KeyError):
        raise _changed(path) from None
    if version != FORMAT:
        older = isinstance(version, int) and version < FORMAT
        raise ModelFileError(
            f"{path} was written by kernelweave {manifest.get('kernelweave')}, format "
            f"{version}; this is kernelweave {__version__}, which reads format "
            f"{FORMAT}: {'fit the model again' if older else 'update kernelweave'}"
        )
    if not {"kernelweave", "metadata"} <= set(manifest):
        raise _changed(path)
    return manifest


def _changed(path: Path) -> ModelFileError:
    return ModelFileError(
        f"{path} was changed after it was written (its checksum does not match): do "
        "not use it; get it again, or fit the model again"
    )


def first_line(error: BaseException) -> str:
    """What an error says, without a full stop."""
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
