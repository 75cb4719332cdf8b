"""A sample of the rows that does not depend on how they come."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix, issparse

from ..inputs.mixed_table import stacked
from ..problem import Array

# Enough to place landmarks and to see widths.
ROWS = 10_000


def priorities(numbers: Array) -> Array:
    """A random-looking number for each row, by its number (SplitMix64).

    It depends on the row's number only, so that the rows with the smallest are the same
    ones whatever the chunks are.
    """
    with np.errstate(over="ignore"):
        z = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def table_arrays(X: Any, name: str) -> dict[str, Array]:
    """A table, sparse or not, as plain arrays, from which `table_of` makes the same."""
    if not issparse(X):
        return {name: X}
    parts = {n: getattr(X, n) for n in ("data", "indices", "indptr")}
    parts["shape"] = np.array(X.shape)
    return {f"{name}.{n}": part for n, part in parts.items()}


def table_of(arrays: dict[str, Array], name: str) -> Any:
    """The table that `table_arrays` took apart; None if it is not there."""
    if f"{name}.shape" not in arrays:
        return arrays.get(name)
    parts = (arrays[f"{name}.{n}"] for n in ("data", "indices", "indptr"))
    return csr_matrix(tuple(parts), shape=tuple(arrays[f"{name}.shape"]))


@dataclass
class RowSample:
    """The rows with the smallest priorities, in their order; and what all rows tell.

    Attributes
    ----------
    size : int
        At most so many rows are kept.
    labels : bool
        Whether y holds classes, which are collected.
    count : int
        Rows seen.
    classes : ndarray
        The different labels seen, sorted.
    """

    size: int = ROWS
    labels: bool = False
    count: int = 0
    classes: Any = None
    _numbers: Array = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    _X: Any = None
    _y: Any = None

    def add(self, X: Any, y: Array, first: int) -> None:
        """See rows whose numbers are first, first + 1, ..."""
        m = X.shape[0]
        if not m:
            return
        self.count += m
        if self.labels:
            self._see(np.unique(y))
        numbers = np.arange(first, first + m)
        if len(self._numbers) == self.size and m > 0:
            # Most rows of a long table come too late.
            worst = priorities(self._numbers).max()
            some = np.flatnonzero(priorities(numbers) < worst)
            numbers, X, y = numbers[some], X[some], y[some]
        self._keep(numbers, X, y)

    def merge(self, other: RowSample) -> None:
        self.count += other.count
        if other.classes is not None:
            self._see(other.classes)
        if len(other._numbers):
            self._keep(other._numbers, other._X, other._y)

    def arrays(self) -> dict[str, Array]:
        """All of it as plain arrays, from which `restore` makes the same."""
        out = {"count": np.array(self.count), "numbers": self._numbers}
        if self.classes is not None:
            out["classes"] = self.classes
        if self._X is not None:
            out |= table_arrays(self._X, "X") | {"y": self._y}
        return out

    def restore(self, arrays: dict[str, Array]) -> None:
        """Become what `arrays` were made of."""
        self.count, self._numbers = int(arrays["count"]), arrays["numbers"]
        self.classes, self._y = arrays.get("classes"), arrays.get("y")
        self._X = table_of(arrays, "X")

    def _see(self, classes: Array) -> None:
        seen = classes if self.classes is None else np.r_[self.classes, classes]
        self.classes = np.unique(seen)

    def _keep(self, numbers: Array, X: Any, y: Array) -> None:
        if not len(numbers):
            return
        if len(self._numbers):
            numbers = np.r_[self._numbers, numbers]
            X = stacked(self._X, X)
            y = np.concatenate([self._y, y])
        best = np.argsort(priorities(numbers), kind="stable")[: self.size]
        order = best[np.argsort(numbers[best])]
        self._numbers, self._X, self._y = numbers[order], X[order], y[order]

    @property
    def X(self) -> Any:
        """The rows that were kept, (at most size, d), in their order."""
        return self._X

    @property
    def y(self) -> Array:
        """Their targets."""
        return self._y

    @property
    def numbers(self) -> Array:
        """Their places among all rows."""
        return self._numbers
