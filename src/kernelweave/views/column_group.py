"""One view of a table, and the kernels that suit it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from ..frames import as_texts, column, column_kinds, gaps, is_frame, numbers
from ..kernels import (
    ChiSquared,
    Kernel,
    Linear,
    Overlap,
    Spectrum,
    Words,
    number_kernels,
)
from ..kernels.families import rank_kernels
from ..kernels.missing import MissingValuesError
from ..problem import Array
from .text_kinds import text_kind
from .unfit_texts import refuse_unfit

KINDS = ("numeric", "counts", "categorical", "sequence", "words")

# Whole numbers up to here may as well be grades or answers as counts.
FEW = 10

# Types of pandas and polars that say that a column holds categories.
CATEGORIES = ("CategoricalDtype", "Categorical", "Enum")

# Lengths of the substrings of sequences: those of few letters, such as DNA, need longer
# ones to differ.
FEW_LETTERS = 6
SHORT, LONG = (2, 3), (3, 5)


class ColumnGroup:
    """Some columns of a table, by what they hold.

    Parameters
    ----------
    name : str
    table : DataFrame of pandas or polars, or array (n, d)
    places : ndarray of int
        Which columns.
    """

    def __init__(self, name: str, table: Any, places: Array):
        self.name = name
        self.table = table
        self.framed = is_frame(table)
        held = column_kinds(table, places) if self.framed else ["numbers"] * len(places)
        by_kind: dict[str, list[int]] = {}
        for j, kind in zip(places, held, strict=True):
            by_kind.setdefault(kind, []).append(int(j))
        if "times" in by_kind:
            first = self._names(by_kind["times"])[0]
            raise ValueError(
                f"view {name!r}: the column {first!r} holds dates or times: turn it "
                "into a number, such as days, or leave it out"
            )
        self.numbers = by_kind.pop("numbers", [])
        self.texts = by_kind.get("labels", [])
        self.labels = sorted(chain.from_iterable(by_kind.values()))

    def kernels(self, missing: str, kind: str | None = None) -> list[Kernel]:
        """See `kernelweave.views.kernels_for`; `kind` None is found out."""
        plain, labels = self.numbers, self.labels
        if kind == "categorical":
            plain, labels = [], sorted(plain + labels)
        elif kind in ("sequence", "words"):
            if plain or labels != sorted(self.texts):
                other = next(j for j in plain + labels if j not in self.texts)
                raise ValueError(
                    f"view {self.name!r} cannot be {kind!r}: its column "
                    f"{self._names([other])[0]!r} does not hold text"
                )
        elif kind is not None and labels:
            raise ValueError(
                f"view {self.name!r} cannot be {kind!r}: its column "
                f"{self._names(labels)[0]!r} holds text or categories"
            )
        if missing != "mean":
            self._refuse_empty()
        if missing == "error":
            self._refuse_gaps()
        out: list[Kernel] = []
        prefix = f"{self.name}: "
        if plain:
            columns = self._names(plain)
            if kind == "counts" or (kind is None and self._are_counts(plain)):
                name = f"{prefix}chi²"
                out.append(ChiSquared("median", columns, name, missing=missing))
                name = f"{prefix}linear"
                out.append(Linear(columns, name, scale=True, missing=missing))
                out += rank_kernels(columns, prefix, missing)
            else:
                out += number_kernels(columns, prefix, missing)
        if kind != "categorical":
            for j in [j for j in labels if j in self.texts]:
                texts = self._text_kernels(j, missing, kind)
                labels = [i for i in labels if i != j or not texts]
                out += texts
        if labels:
            out.append(Overlap(self._names(labels), f"{prefix}overlap", missing))
        return out

    def _text_kernels(self, j: int, missing: str, kind: str | None) -> list[Kernel]:
        """Those of a column of sequences or of sentences; none for categories."""
        series = column(self.table, j)
        values = [text for text in as_texts(series) if text is not None]
        if kind is None:
            said = type(series.dtype).__name__ in CATEGORIES
            kind = "categorical" if said else text_kind(values)
            if kind == "categorical" and not said:
                name = self._names([j])[0]
                refuse_unfit(f"view {self.name!r}: the column {name!r}", values)
        if kind not in ("sequence", "words"):
            return []
        # Nothing stands for a text that is missing.
        missing = "mean" if missing == "impute" else missing
        place = self._names([j])[0]
        shown = str(place).removeprefix(f"{self.name}: ")
        if kind == "words":
            return [Words(place, f"{self.name}: words of {shown}", missing)]
        letters = set("".join(values).upper())
        lengths = LONG if len(letters) <= FEW_LETTERS else SHORT
        return [
            Spectrum(
                length, place, f"{self.name}: spectrum {length} of {shown}", missing
            )
            for length in lengths
        ]

    def _names(self, places: Sequence[int]) -> list[Any]:
        """Names of columns, or their places where names are not text."""
        if not self.framed:
            return list(places)
        names = [self.table.columns[j] for j in places]
        return names if all(isinstance(name, str) for name in names) else list(places)

    def _are_counts(self, places: list[int]) -> bool:
        """Several columns of whole numbers ≥ 0, up to many, with zeros.

        One number in ten or more is zero, and most columns have one: levels 0 to 15
        have fewer, and ages beside a yes or no are no counts.
        """
        X = numbers(self.table, places)
        held = ~np.isnan(X)
        whole = ~held | ((np.rint(X) == X) & (X >= 0))
        many = np.any(X > FEW)
        share = np.sum(X == 0) / max(np.sum(held), 1)
        spread = np.mean(np.any(X == 0, axis=0))
        return (
            len(places) > 1
            and bool(whole.all() and many)
            and share > 0.1
            and spread > 0.5
        )

    def _refuse_empty(self) -> None:
        """No median and no frequent category stands for a column without values."""
        empty = [j for j in self.labels if gaps(column(self.table, j)).all()]
        if self.numbers:
            known = ~np.isnan(numbers(self.table, self.numbers))
            empty += [
                j
                for j, count in zip(self.numbers, known.sum(axis=0), strict=True)
                if count == 0
            ]
        if empty:
            names = ", ".join(map(repr, self._names(sorted(empty)[:5])))
            raise ValueError(
                f"view {self.name!r}: no row has a value in the column {names}: leave "
                "it out (on the command line --drop COLUMN)"
            )

    def _refuse_gaps(self) -> None:
        parts = [gaps(column(self.table, j))[:, None] for j in self.labels]
        if self.numbers:
            parts.insert(0, np.isnan(numbers(self.table, self.numbers)))
        missing = np.hstack(parts)
        if not missing.any():
            return
        places = np.array(self.numbers + self.labels)[missing.any(axis=0)]
        rows, absent = np.sum(missing.any(axis=1)), np.sum(missing.all(axis=1))
        names = ", ".join(map(str, self._names(sorted(places)[:5])))
        raise MissingValuesError(
            f"view {self.name!r}: {rows} of {len(missing)} rows have missing values"
            f"{f', {absent} of them in all of its columns' if absent else ''}, in the "
            f"columns {names}{', ...' if len(places) > 5 else ''}",
            "Leave the rows out, or choose in kernels_for(..., missing=...), or Views: "
            "missing='mean' lets the view add nothing to rows that have none of its "
            "columns; missing='impute' fills in medians of the training rows (or their "
            "most frequent category)",
        )
