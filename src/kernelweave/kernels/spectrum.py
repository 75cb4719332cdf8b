"""The spectrum kernel of sequences: which short substrings they share."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from ..checks import count
from ..problem import Array
from .text_kernel import TextKernel


@dataclass(frozen=True, eq=False)
class Sequences:
    """Counts (n, v) of v substrings in n sequences."""

    substrings: list[str]
    counts: csr_matrix

    @property
    def shape(self) -> tuple[int, int]:
        return self.counts.shape

    def __len__(self) -> int:
        return self.counts.shape[0]

    def __getitem__(self, rows: Any) -> Sequences:
        return Sequences(self.substrings, self.counts[rows])

    @classmethod
    def of(cls, texts: Array, length: int) -> Sequences:
        """All substrings of `length` letters, as often as they occur."""
        places: dict[str, int] = {}
        indices, data, ends = [], [], [0]
        for text in texts:
            found = Counter(text[i : i + length] for i in range(len(text) - length + 1))
            indices += [places.setdefault(part, len(places)) for part in found]
            data += found.values()
            ends.append(len(indices))
        shape = (len(texts), len(places))
        counts = csr_matrix((np.array(data, dtype=float), indices, ends), shape=shape)
        return cls(list(places), counts)

    def products(self, other: Sequences) -> Array:
        """⟨c(x), c(z)⟩, (m, n), over the substrings that both have."""
        if self.substrings is other.substrings:
            return (self.counts @ other.counts.T).toarray()
        here = {part: i for i, part in enumerate(self.substrings)}
        both = [(here[z], j) for j, z in enumerate(other.substrings) if z in here]
        if not both:
            return np.zeros((len(self), len(other)))
        mine, theirs = map(list, zip(*both, strict=True))
        return (self.counts[:, mine] @ other.counts[:, theirs].T).toarray()

    def lengths(self) -> Array:
        """‖c(x)‖, (n,); one where a sequence has no substring."""
        squares = np.asarray(self.counts.multiply(self.counts).sum(axis=1)).ravel()
        return np.sqrt(np.where(squares > 0, squares, 1.0))


@dataclass(eq=False, repr=False)
class Spectrum(TextKernel):
    """k(x, z) = ⟨c(x), c(z)⟩/(‖c(x)‖‖c(z)‖), c(x) the counts of substrings of x.

    For sequences of letters: DNA, proteins, codes. Two of them are alike that share
    many substrings of `length` letters, wherever these stand. Upper and lower case are
    different letters. A sequence shorter than `length` is like no other.

    Parameters
    ----------
    length : int
        Letters of a substring.
    columns : name or number
        The column of text that holds the sequences.
    name, missing
        See `Kernel`; missing="impute" is not for sequences.

    References
    ----------
    Leslie, Eskin and Noble (2002), The spectrum kernel: a string kernel for SVM protein
    classification, Pacific Symposium on Biocomputing.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"dna": ["GATTACA", "ATTACAG", "CCGCCG"]})
    >>> Spectrum(length=3, columns="dna").fit(table)(table).round(2)
    array([[1. , 0.8, 0. ],
           [0.8, 1. , 0. ],
           [0. , 0. , 1. ]])
    """

    length: int = 3
    columns: Any = None
    name: Any = None
    missing: str = "error"

    @property
    def selection(self) -> tuple[Any, ...]:
        return (*super().selection, self.length)

    def prepare(self, texts: Array) -> Sequences:
        count(f"kernel {self.label!r}: length", self.length)
        return Sequences.of(texts, self.length)

    def compare(self, X: Sequences, Y: Sequences) -> Array:
        return X.products(Y) / X.lengths()[:, None] / Y.lengths()

    def _diagonal(self, X: Any) -> Array:
        return np.asarray(X.rows.counts.sum(axis=1) > 0, dtype=float).ravel()
