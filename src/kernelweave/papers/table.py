"""A table or figure of a paper, as something that can be run split by split."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

KINDS = ("accuracy", "weights", "seconds", "count", "curve")


@dataclass(frozen=True)
class Cell:
    """One number that one split gives: an accuracy in per cent, a weight, seconds.

    In a "curve", row names the curve and column is the place on the horizontal axis,
    a number written as text.
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
        What most of its numbers are. Higher is better for an accuracy only.
    splits : int
        As many as the paper prints, or 1 where nothing is random.
    data : tuple of str
        Names of the data sets needed, as `kernelweave.datasets` knows them. If one of
        them is not available the table is not run, and reported as such.
    run : callable
        From the number of a split, 0 ≤ split < splits, to its cells. The same number
        always gives the same cells.
    quick : callable, optional
        The same for a smaller form: fewer kernels or rows, the same shape.
    """

    title: str
    kind: str
    splits: int
    data: tuple[str, ...]
    run: Callable[[int], list[Cell]]
    quick: Callable[[int], list[Cell]] | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(
                f"kind {self.kind!r} of table {self.title!r}: write one of "
                f"{', '.join(KINDS)}"
            )
        if self.splits < 1:
            raise ValueError(f"table {self.title!r} needs at least one split")
