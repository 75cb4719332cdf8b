"""Output files that are whole or not there at all."""

from __future__ import annotations

import errno
import glob
import hashlib
import os
import platform
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# The errors of a disk, a quota or a file that is full: they name no file.
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def check_output(path: str | os.PathLike[str]) -> Path:
    """The path, if a file can be written there; to be asked before long work."""
    path = Path(path)
    target = path.resolve()
    if not target.parent.is_dir():
        raise ValueError(f"there is no folder {path.parent} to write {path.name} into")
    if target.exists() and not target.is_file():
        raise ValueError(f"{path} is not a plain file: choose another name")
    try:
        # A trial: permissions alone do not tell.
        with tempfile.TemporaryFile(dir=target.parent):
            pass
    except OSError as error:
        raise ValueError(
            f"cannot write {path.name} into the folder {path.parent}: {error.strerror}"
        ) from error
    return target


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A file beside `path` to write to, which becomes `path` when all went well.

    On an error or an interruption it is removed, and what was at `path` stays. What a
    killed process left behind is removed by the next one that writes the same file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "answer.txt"
    >>> with written_whole(path) as part:
    ...     _ = part.write_text("42")
    ...     path.exists()
    False
    >>> path.read_text()
    '42'
    """
    target = check_output(path)
    # The folder may be shared by machines, which give the same numbers to processes.
    machine = hashlib.sha256(platform.node().encode()).hexdigest()[:8]
    start = f".{target.name}.{machine}."
    _remove_stale(target.parent, start)
    part = target.with_name(f"{start}{os.getpid()}.part")
    try:
        yield part
        os.replace(part, target)
    except OSError as error:
        # Other files may be read meanwhile: their errors are their own.
        if error.filename != str(part) and error.errno not in FULL:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error
    finally:
        part.unlink(missing_ok=True)


def _remove_stale(folder: Path, start: str) -> None:
    """Remove what processes that are no more were writing under this name."""
    for file in folder.glob(f"{glob.escape(start)}*.part"):
        number = file.name.removeprefix(start).removesuffix(".part")
        if number.isdecimal() and not _is_alive(int(number)):
            file.unlink(missing_ok=True)


def _is_alive(process: int) -> bool:
    """Whether there is another process with this number; where unknown, yes."""
    if process == os.getpid():
        return False
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
