"""Output files that are whole or not there at all."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from zlib import crc32


def check_output(path: str | os.PathLike[str]) -> Path:
    """The path, if a file can be written there; to be asked before long work."""
    path = Path(path)
    target = path.resolve()
    if not target.parent.is_dir():
        raise ValueError(f"there is no folder {path.parent} to write {path.name} into")
    if target.exists() and not target.is_file():
        raise ValueError(f"{path} is not a plain file: choose another name")
    if not os.access(target.parent, os.W_OK):
        raise ValueError(f"no permission to write into the folder {path.parent}")
    return target


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A file beside `path` to write to, which becomes `path` when all went well.

    On an error or an interruption it is removed, and what was at `path` stays. A
    process that is killed leaves it behind; the next one to write `path` removes it.

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
    _remove_left_behind(target)
    part = target.with_name(f".{target.name}.{_machine()}.{os.getpid()}.part")
    try:
        yield part
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)


def _machine() -> str:
    """A name of this machine: the numbers of its processes are its own."""
    return f"{crc32(platform.node().encode()):08x}"


def _remove_left_behind(target: Path) -> None:
    """Remove parts of `target` by processes of this machine that are no more."""
    if os.name != "posix":
        # There is no harmless signal to ask with.
        return
    mark = re.compile(rf"\.{re.escape(target.name)}\.{_machine()}\.(\d+)\.part")
    for part in target.parent.iterdir():
        found = mark.fullmatch(part.name)
        if found and not _is_running(int(found[1])):
            # Another process may have removed it, or may own it.
            with suppress(OSError):
                part.unlink()


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
