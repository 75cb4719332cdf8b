"""What a first pass over the rows of a file says: which task, which kernels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..problem import Array
from ..streamed.chunks import S
from ..streamed.sample import RowSample
from ..streamed.stream import Stream

# More different targets than this are no classes.
MOST = 10_000


@dataclass
class Survey:
    """A sample of the rows, and the different targets if they are not too many.

    Attributes
    ----------
    sample : RowSample
    distinct : ndarray or None
        Sorted; None if there are more than MOST.
    """

    sample: RowSample = field(default_factory=RowSample)
    distinct: Array | None = field(default_factory=lambda: np.empty(0))

    def add(self, X: Any, y: Array, first: int) -> None:
        self.sample.add(X, y, first)
        self._see(np.unique(y))

    def merge(self, other: Survey) -> None:
        self.sample.merge(other.sample)
        if other.distinct is None:
            self.distinct = None
        else:
            self._see(other.distinct)

    def _see(self, values: Array) -> None:
        if self.distinct is None:
            return
        both = [a for a in (self.distinct, values) if len(a)]
        self.distinct = np.unique(np.concatenate(both)) if both else self.distinct
        if len(self.distinct) > MOST:
            self.distinct = None

    def arrays(self) -> dict[str, Array]:
        out = self.sample.arrays()
        return out if self.distinct is None else out | {"distinct": self.distinct}

    def restore(self, arrays: dict[str, Array]) -> None:
        self.sample.restore(arrays)
        self.distinct = arrays.get("distinct")


class Surveyed:
    """The chunks of a stream whose first pass, the survey, is done."""

    def __init__(self, stream: Stream, sample: RowSample):
        self._stream = stream
        self._sample: Any = sample

    def accumulate(self, make: Callable[[], S]) -> S:
        if self._sample is None:
            return self._stream.accumulate(make)
        sample, self._sample = self._sample, None
        return sample
