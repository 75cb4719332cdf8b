"""Rows of numbers with columns of text beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse, vstack

from ..frames import replaced
from ..problem import Array


@dataclass(frozen=True, eq=False)
class MixedTable:
    """A table of which some columns hold text, or other objects.

    Attributes
    ----------
    numbers : ndarray (n, d)
        NaN in the columns of text.
    texts : dict
        From the place of a column to its entries, an array (n,) of str and, where one
        is missing, None.

    Examples
    --------
    >>> names = np.array(["a", "b", "c"])
    >>> table = MixedTable(np.array([[1.0, np.nan]] * 3), {1: names})
    >>> table[1:].texts
    {1: array(['b', 'c'], dtype='<U1')}
    """

    numbers: Array
    texts: dict[int, Array]

    @property
    def shape(self) -> tuple[int, ...]:
        return self.numbers.shape

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, rows: Any) -> MixedTable:
        texts = {j: values[rows] for j, values in self.texts.items()}
        return MixedTable(self.numbers[rows], texts)

    def frame(self, names: Any) -> Any:
        """A DataFrame of these columns, the texts in their places."""
        import pandas as pd

        table = pd.DataFrame(self.numbers, columns=names)
        return replaced(table, self.texts)


def stacked(first: Any, second: Any) -> Any:
    """Two tables of one kind, one above the other."""
    if issparse(first):
        return vstack([first, second], "csr")
    if not isinstance(first, MixedTable):
        return np.vstack([first, second])
    texts = {j: np.concatenate([t, second.texts[j]]) for j, t in first.texts.items()}
    return MixedTable(np.vstack([first.numbers, second.numbers]), texts)
