"""Where rows come from: a chunk at a time, as often as they are asked for."""

from __future__ import annotations

import hashlib
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from scipy.sparse import issparse

# Bytes of a chunk of an array.
_CHUNK = 2**26

# Rows by which an array is recognised.
_LOOK = 1000


class Source(ABC):
    """Rows that can be read several times, always in the same order.

    Attributes
    ----------
    width : int
        The number of columns.
    names : list or None
        Those of the columns, if they have any.
    lacking : int
        Rows that were left out for want of a target, when all were read.
    """

    width: int
    names: list[Any] | None = None
    lacking: int = 0

    @property
    def rows(self) -> int | None:
        """How many rows there are, exactly or about, if that is known."""
        return None

    @abstractmethod
    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        """Chunks X (m, d) and y (m, ...), from the first row on."""

    @abstractmethod
    def fingerprint(self) -> str:
        """A text that changes when the rows do."""


class ArraySource(Source):
    """The rows of arrays, memory-mapped or not; they are read when they are needed.

    Parameters
    ----------
    X : ndarray, memmap or sparse matrix (n, d)
    y : ndarray or memmap (n,) or (n, n_outputs)

    Examples
    --------
    >>> import numpy as np
    >>> from kernelweave.streamed import ArraySource
    >>> source = ArraySource(np.zeros((10, 3)), np.arange(10))
    >>> source.rows, source.width, len(list(source))
    (10, 3, 1)
    """

    def __init__(self, X: Any, y: Any):
        if len(np.shape(X)) != 2 or not len(np.shape(y)):
            raise ValueError(
                f"X must be an array (n, d) and y (n,), got shapes {np.shape(X)} and "
                f"{np.shape(y)}"
            )
        if X.shape[0] != len(y):
            raise ValueError(f"X has {X.shape[0]} rows, and y {len(y)}")
        self.X, self.y = (X.tocsr() if issparse(X) else X), y
        self.width = X.shape[1]

    @property
    def rows(self) -> int:
        return self.X.shape[0]

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        n, d = self.X.shape
        step = max(1, _CHUNK // (8 * max(d, 1)))
        for first in range(0, n, step):
            part = slice(first, first + step)
            yield self.X[part], self.y[part]

    def fingerprint(self) -> str:
        """Shapes, some of the rows, and when mapped files were last written."""
        n = self.X.shape[0]
        some = np.unique(np.linspace(0, max(n - 1, 0), min(n, _LOOK)).astype(int))
        files = [
            _written(a.filename) for a in (self.X, self.y) if hasattr(a, "filename")
        ]
        return _text(self.X.shape, files, _digest(self.X[some], self.y[some]))


class FunctionSource(Source):
    """The chunks that a function gives, every time that it is called.

    Parameters
    ----------
    make : callable, or iterable
        Returns a new iterator of pairs (X, y): arrays, sparse matrices or DataFrames of
        numbers. Something that can be iterated over again, such as a list of pairs,
        will do, too.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelweave.streamed import FunctionSource
    >>> def chunks():
    ...     for i in range(3):
    ...         yield np.full((2, 4), i), np.array([0, 1])
    >>> source = FunctionSource(chunks)
    >>> source.width, len(list(source)), len(list(source))
    (4, 3, 3)
    """

    def __init__(self, make: Callable[[], Iterable[Any]] | Iterable[Any]):
        if hasattr(make, "__next__") or not (
            callable(make) or hasattr(make, "__iter__")
        ):
            raise ValueError(
                "the rows are read more than once: pass a function that returns a new "
                "iterator of chunks (X, y) at every call (a generator function without "
                f"its parentheses), got {type(make).__name__}"
            )
        self._make = make if callable(make) else make.__iter__
        self._last: Any = None
        self._framed: bool | None = None
        first = next(iter(self), None)
        if first is None:
            raise ValueError("there is no chunk of rows")
        X, y = first
        if len(np.shape(X)) != 2:
            raise ValueError(f"X of a chunk must be (m, d), got shape {np.shape(X)}")
        self.width = np.shape(X)[1]
        self.names = list(X.columns) if hasattr(X, "columns") else None
        # What else there is shows only when it is read.
        self._look = _digest(X, y)

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        chunks = iter(self._make())
        if chunks is self._last:
            raise ValueError(
                "the function returned the same iterator as before, which is used up: "
                "it must make a new one at every call"
            )
        self._last = chunks
        for chunk in chunks:
            if not isinstance(chunk, tuple | list) or len(chunk) != 2:
                raise ValueError(
                    f"a chunk is a pair (X, y), got {type(chunk).__name__}; arrays are "
                    "wrapped as ArraySource(X, y)"
                )
            framed = hasattr(chunk[0], "columns")
            if self._framed not in (None, framed):
                raise ValueError(
                    "some chunks are DataFrames and some are not: make them all alike"
                )
            self._framed = framed
            yield chunk[0], chunk[1]

    def fingerprint(self) -> str:
        """Names of the columns, and the first chunk."""
        return _text(self.width, self.names, self._look)


def as_source(source: Any) -> Source:
    """A source as it is, and what gives chunks as a `FunctionSource`."""
    return source if isinstance(source, Source) else FunctionSource(source)


def file_facts(path: str | os.PathLike[str]) -> list[Any]:
    """Size and last change of a file."""
    facts = os.stat(path)
    return [facts.st_size, facts.st_mtime_ns]


def _written(path: Any) -> list[Any]:
    return [] if path is None else file_facts(path)


def _digest(*arrays: Any) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        array = array.toarray() if issparse(array) else np.asarray(array)
        digest.update(f"{array.shape} {array.dtype}\n".encode())
        plain = array.tolist() if array.dtype == object else None
        digest.update(array.tobytes() if plain is None else repr(plain).encode())
    return digest.hexdigest()


def _text(*facts: Any) -> str:
    return json.dumps(facts, default=str)
