"""Sums on disk, so that a fit that was killed goes on where it was.

A checkpoint is an .npz file without pickle: the arrays of the sums, and a manifest with
what they belong to, how far they are, and a checksum of all of it.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import zipfile
import zlib
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from sklearn.base import BaseEstimator

from ..persist.atomic import check_output, written_whole
from ..persist.npz import read_arrays
from ..problem import Array

FORMAT = 3

# The manifest of a checkpoint begins with this.
TITLE = "kernelweave checkpoint"

# Seconds between two writings, which take at most one part in SHARE of the time.
SECONDS = 30.0
SHARE = 20


class CheckpointError(ValueError):
    """A checkpoint that cannot be used."""


class Storable(Protocol):
    """Sums that are all in a few arrays."""

    def arrays(self) -> dict[str, Array]:
        """The sums as plain arrays."""
        ...

    def restore(self, arrays: dict[str, Array]) -> None:
        """Become what `arrays` were made of."""
        ...


class Checkpoint:
    """The passes that are finished, and the sums of the one that is not.

    Parameters
    ----------
    path : path
        If there is a file, it is read, and refused unless it is whole and belongs to
        the same work.
    about : dict of str
        What it belongs to, by name: "model", "source".

    Attributes
    ----------
    finished : list of (rows, arrays)
        One entry a pass.
    rows : int
        How many rows the current pass has counted.
    current : dict of arrays or None
    lacking : int
        How many rows a finished pass left out for want of a target.
    """

    def __init__(self, path: str | os.PathLike[str], about: dict[str, str]):
        self.path = Path(path)
        self.about = about
        self.finished: list[tuple[int, dict[str, Array]]] = []
        self.rows = self.lacking = 0
        self.current: dict[str, Array] | None = None
        check_output(path)
        if self.path.exists():
            self._read()
        self._wait = SECONDS
        self._last = time.monotonic()

    def due(self) -> bool:
        """Whether it is time to write."""
        return time.monotonic() - self._last >= self._wait

    def write(self, sums: Storable, rows: int) -> None:
        """Keep the sums of the rows that the current pass has counted."""
        self.rows, self.current = rows, sums.arrays()
        self._write()
        # The sums go on changing in place.
        self.current = None

    def finish(self, sums: Storable, rows: int, lacking: int = 0) -> None:
        """Keep the sums of a pass over all rows, without those that were left out."""
        self.finished.append((rows, sums.arrays()))
        self.lacking = lacking
        self.rows, self.current = 0, None
        self._write()

    def remove(self) -> None:
        """Delete the file: the work is done."""
        self.path.unlink(missing_ok=True)

    def _write(self) -> None:
        from .. import __version__

        began = time.monotonic()
        parts = [(str(k), arrays) for k, (_, arrays) in enumerate(self.finished)]
        if self.current is not None:
            parts.append(("current", self.current))
        arrays: dict[str, Any] = {
            f"{part}/{n}": array for part, found in parts for n, array in found.items()
        }
        manifest = {
            TITLE: FORMAT,
            "version": __version__,
            "about": self.about,
            "finished": [rows for rows, _ in self.finished],
            "rows": self.rows,
            "lacking": self.lacking,
        }
        checked = manifest | {"sha256": _checksum(manifest, arrays)}
        with written_whole(self.path) as part, open(part, "wb") as file:
            np.savez(file, manifest=np.array(json.dumps(checked)), **arrays)
            file.flush()
            os.fsync(file.fileno())
        self._last = time.monotonic()
        self._wait = max(SECONDS, SHARE * (self._last - began))

    def _read(self) -> None:
        from .. import __version__

        again = "delete it to begin again"
        foreign = CheckpointError(
            f"{self.path} is no checkpoint of kernelweave: choose another name"
        )
        try:
            with open(self.path, "rb") as raw:
                # The manifest is the first array, and not compressed.
                if np.array(TITLE).tobytes() not in raw.read(2048):
                    raise foreign
            arrays = read_arrays(self.path)
        except CheckpointError:
            raise
        except MemoryError as error:
            raise CheckpointError(
                f"the checkpoint {self.path} is too large: {error}"
            ) from error
        except (ValueError, EOFError, OSError, zipfile.BadZipFile, zlib.error) as error:
            raise CheckpointError(
                f"the checkpoint {self.path} is damaged or cut short ({error}): {again}"
            ) from error
        text = arrays.pop("manifest", None)
        if text is None or TITLE not in str(text):
            raise foreign
        manifest = json.loads(str(text))
        if manifest.pop("sha256", None) != _checksum(manifest, arrays):
            raise CheckpointError(
                f"the checkpoint {self.path} was changed after it was written (its "
                f"checksum does not match): {again}"
            )
        written = manifest[TITLE], manifest["version"]
        if written != (FORMAT, __version__):
            raise CheckpointError(
                f"the checkpoint {self.path} was written by kernelweave {written[1]} "
                f"(format {written[0]}), and this is {__version__} (format {FORMAT}): "
                f"{again}"
            )
        for what, value in self.about.items():
            if manifest["about"].get(what) != value:
                raise CheckpointError(
                    f"the checkpoint {self.path} belongs to another {what}, or the "
                    f"{what} was changed: {again}, or choose another name"
                )
        self.finished = [
            (rows, _part(arrays, str(k))) for k, rows in enumerate(manifest["finished"])
        ]
        self.rows, self.lacking = manifest["rows"], manifest["lacking"]
        self.current = _part(arrays, "current") or None


def description(value: Any) -> str:
    """What decides the sums of an estimator, as text: its class and parameters."""
    if isinstance(value, BaseEstimator):
        parameters = value.get_params(deep=False)
        if not isinstance(parameters.get("random_state", 0), int | np.integer):
            raise CheckpointError(
                "a fit that goes on must choose the same landmarks again: give "
                f"{type(value).__name__} a whole number as random_state, not "
                f"{parameters['random_state']!r}"
            )
        # How much is printed changes nothing.
        parameters.pop("verbose", None)
        inside = ", ".join(f"{n}={description(v)}" for n, v in parameters.items())
        return f"{type(value).__name__}({inside})"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(description, value))}]"
    if isinstance(value, np.ndarray):
        return f"{value.shape} {_checksum({}, {'': value})}"
    if callable(value):
        return getattr(value, "__qualname__", type(value).__qualname__)
    return repr(value)


def _part(arrays: dict[str, Array], part: str) -> dict[str, Array]:
    return {
        name.partition("/")[2]: array
        for name, array in arrays.items()
        if name.partition("/")[0] == part
    }


def _checksum(manifest: dict[str, Any], arrays: dict[str, Array]) -> str:
    """SHA-256 of the manifest, and of the names, types, shapes and values of arrays."""
    digest = hashlib.sha256(json.dumps(manifest, sort_keys=True).encode())
    for name in sorted(arrays):
        array = arrays[name]
        digest.update(f"\n{name}\n{array.dtype.str} {array.shape}\n".encode())
        # "A": as they lie in memory, without a copy.
        digest.update(np.atleast_1d(array).ravel(order="A").view(np.uint8).data)
    return digest.hexdigest()
