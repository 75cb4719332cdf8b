"""A table or figure of a paper, as something that can be run split by split."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

KINDS = ("accuracy", "weights", "seconds", "count", "curve")
# Last words of columns that tell their kind.
WORDS = {
    "accuracy": "accuracy",
    "weight": "weights",
    "seconds": "seconds",
    "kernels": "count",
    "vectors": "count",
}


@dataclass(frozen=True)
class Cell:
    """One number that one split gives: an accuracy in per cent, a weight, seconds.

    In a "curve", row names the curve, or "panel: curve" where the figure has several
    panels, and column is the place on the horizontal axis, a number written as text.
    """

    row: str
    column: str
    value: float


@dataclass(frozen=True)
class Table:
    """A table or figure of a paper.

    Attributes
    ----------
    title : str
    kind : {"accuracy", "weights", "seconds", "count", "curve"}
        What its numbers are, but for columns whose name says something else: see
        `kind_of`.
    splits : int
        As many as the paper prints, or 1 where nothing is random.
    data : tuple of str
        Names of the data sets needed, as `kernelweave.datasets` knows them. Those that
        are not available are reported. `run` leaves out their rows, or raises
        FileNotFoundError, and the table is reported as not run.
    run : callable
        From the number of a split, 0 ≤ split < splits, to its cells. The same number
        always gives the same cells.
    quick : callable, optional
        The same for a smaller form: fewer kernels or rows, the same shape.
    timed : bool
        Whether seconds are measured, so that splits must run one at a time. Always so
        for the kind "seconds".
    unit : str
        A row of seconds, as multiples of which the others are shown too.
    """

    title: str
    kind: str
    splits: int
    data: tuple[str, ...]
    run: Callable[[int], list[Cell]]
    quick: Callable[[int], list[Cell]] | None = None
    timed: bool = False
    unit: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(
                f"kind {self.kind!r} of table {self.title!r}: write one of "
                f"{', '.join(KINDS)}"
            )
        if self.splits < 1:
            raise ValueError(f"table {self.title!r} needs at least one split")

    def kind_of(self, column: str) -> str:
        """The kind of a column: by its last word, or that of the table.

        A table of accuracies may have columns "GMKL kernels" and "GMKL seconds"; one of
        weights may have a column "accuracy".
        """
        return WORDS.get(column.split()[-1] if column.split() else "", self.kind)
