"""Where rows come from, a chunk at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeVar

from ..problem import Array

# Rows of a chunk of an array in memory.
_ROWS = 65_536


class Sums(Protocol):
    """What a pass leaves behind: sums over rows, of any order and grouping."""

    def add(self, X: Any, y: Any, first: int) -> None:
        """Count rows whose numbers are first, first + 1, ..."""
        ...

    def merge(self, other: Any) -> None:
        """Count what another of the same kind has counted."""
        ...


S = TypeVar("S", bound=Sums)


class Chunks(Protocol):
    """Rows X (m, d) and y (m, ...) that can be passed over several times."""

    def accumulate(self, make: Callable[[], S]) -> S:
        """The sums, from empty ones that `make` makes, of all rows."""
        ...


class ArrayChunks:
    """The rows of arrays in memory, or of memory-mapped ones, which are not loaded."""

    def __init__(self, X: Any, y: Array, rows: int = _ROWS):
        self.X, self.y, self.rows = X, y, rows

    def __iter__(self) -> Iterator[tuple[int, Any, Array]]:
        for first in range(0, self.X.shape[0], self.rows):
            part = slice(first, first + self.rows)
            yield first, self.X[part], self.y[part]

    def accumulate(self, make: Callable[[], S]) -> S:
        sums = make()
        for first, X, y in self:
            sums.add(X, y, first)
        return sums
