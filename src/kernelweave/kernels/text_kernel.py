"""Kernels of a column of text."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..inputs.columns import TableColumns
from ..problem import Array
from .base import Kernel
from .missing import MissingValuesError
from .texts import mixed


class TextKernel(Kernel):
    """A kernel of one column of text: subclasses define `compare`.

    `compare(X, Y)` has arrays of str, (m,) and (n,), as they stand in the table, and
    returns k(x, z), (m, n). Where a text takes work, `prepare` does it once.

    Parameters
    ----------
    columns : name or number
        The column that holds the texts.
    name, missing
        See `Kernel`; missing="impute" is not for texts.
    """

    _choices = ("error", "mean")
    _takes_labels = True
    _computes = False

    @property
    def selection(self) -> tuple[Any, ...]:
        return (*super().selection, type(self))

    def prepare(self, texts: Array) -> Any:
        """What `compare` takes of texts (n,): rows can be taken of it as of arrays."""
        return texts

    def _fit_texts(self, X: Any) -> None:
        self._table = TableColumns.of(X)
        found = mixed(X, self._table, self.columns_)
        if len(found) != 1 or (self.columns_ is not None and len(self.columns_) != 1):
            raise ValueError(
                f"kernel {self.label!r} compares the texts of one column, and its "
                f"columns hold {len(found)} of text: name the column, as in "
                f"{type(self).__name__}(columns='sequence')"
            )

    def _numbers(self, X: Any) -> PreparedTexts:
        self._check_fitted()
        found = mixed(X, self._table, self.columns_)
        if not found:
            raise ValueError(
                f"kernel {self.label!r} was fitted to a column of text, which the new "
                "table does not have: pass a DataFrame"
            )
        texts = next(iter(found.values()))
        present = np.array([text is not None for text in texts], dtype=bool)
        filled = np.where(present, texts, "")
        return PreparedTexts(self.prepare(filled), present)

    def _filled(self, Z: Any) -> Any:
        absent = int(np.sum(~Z.present))
        if self.missing == "error" and absent:
            raise MissingValuesError(
                f"kernel {self.label!r}: {absent} of {len(Z)} rows have no text",
                "Leave the rows out, or choose missing='mean', which lets the kernel "
                "add nothing to them",
            )
        return Z

    def _fill(self, Z: Any) -> Array:
        return np.empty(0)

    def _present(self, Z: Any) -> Array:
        return Z.present if self.missing == "mean" else np.ones(len(Z), dtype=bool)

    def absent(self, X: Any) -> Array:
        return ~self._numbers(X).present

    def _gram(self, X: Any, Y: Any) -> Array:
        return self.compare(X.rows, Y.rows)


class PreparedTexts:
    """What a kernel made of texts, and which of them are there, (n,)."""

    def __init__(self, rows: Any, present: Array):
        self.rows, self.present = rows, present

    @property
    def shape(self) -> tuple[int, ...]:
        return self.present.shape

    def __len__(self) -> int:
        return len(self.present)

    def __getitem__(self, rows: Any) -> PreparedTexts:
        return PreparedTexts(self.rows[rows], self.present[rows])
