"""Moments kept apart by folds, so that rows can be left out without reading them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..problem import Array
from .moments import Moments

# Bytes for all folds together.
_MEMORY = 2**30


def fold_count(width: int) -> int:
    """Five folds, or as many as a gigabyte holds, but two at least."""
    return int(np.clip(_MEMORY // (8 * width**2), 2, 5))


@dataclass
class Folds:
    """Row i is in fold i mod F: Σ_f moments_f is the whole, whole − moments_f the rest.

    Which fold a row is in depends on its number only, not on chunks or machines.
    """

    parts: list[Moments]

    @classmethod
    def empty(cls, origin: Array) -> Folds:
        return cls([Moments.empty(origin) for _ in range(fold_count(len(origin)))])

    def add(self, rows: Array, first: int, v: Array | None = None) -> None:
        """Count rows whose numbers are first, first + 1, ..., each as its weight v."""
        F = len(self.parts)
        for f, part in enumerate(self.parts):
            mine = slice((f - first) % F, None, F)
            part.add(rows[mine], None if v is None else v[mine])

    def merge(self, other: Folds) -> None:
        for mine, theirs in zip(self.parts, other.parts, strict=True):
            mine.merge(theirs)

    @property
    def count(self) -> int:
        return int(sum(part.count for part in self.parts))

    def total(self) -> Moments:
        whole = Moments.empty(self.parts[0].origin)
        for part in self.parts:
            whole.merge(part)
        return whole

    def splits(self) -> Iterator[tuple[int, Moments, Moments]]:
        """(number, the other folds, this fold), for every fold that has rows."""
        whole = self.total()
        for f, part in enumerate(self.parts):
            if 0 < part.count < whole.count:
                yield f, whole.less(part), part
