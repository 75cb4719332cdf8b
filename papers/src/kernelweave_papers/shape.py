"""The shape of learned weights, ours beside the printed ones.

With θ our mean weights and ϑ the printed ones,

    cosine  = θᵀϑ/(‖θ‖‖ϑ‖),    overlap = Σ_j min(θ_j/Σθ, ϑ_j/Σϑ).

Both are one where the weights agree up to their scale. The overlap is the share of the
weight that lies on the same kernels.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from .comparison import Compared


@dataclass(frozen=True)
class Shape:
    """How the weights of one row agree.

    Attributes
    ----------
    row : str
    cosine, overlap : float
        Between 0 and 1.
    largest, printed_largest : str
        The column of the largest weight.
    """

    row: str
    cosine: float
    overlap: float
    largest: str
    printed_largest: str


def shapes(cells: Iterable[Compared]) -> list[Shape]:
    """One for every row with weights θ1, θ2, ... of ours and in print.

    Rows that say how often a kernel was chosen are compared in the same way.
    """
    rows: dict[str, list[Compared]] = {}
    for cell in cells:
        if re.fullmatch(r"θ\d+", cell.column):
            rows.setdefault(cell.row, []).append(cell)
    out = []
    for row, weights in rows.items():
        ours = np.array([np.nan if c.mean is None else c.mean for c in weights])
        theirs = np.array([np.nan if c.printed is None else c.printed for c in weights])
        # A row that was not run, is not printed, or has no weight has no shape.
        if np.all(np.isfinite(ours + theirs)) and ours.sum() > 0 and theirs.sum() > 0:
            out.append(_shape(row, ours, theirs, [c.column for c in weights]))
    return out


def _shape(row: str, ours: np.ndarray, theirs: np.ndarray, names: list[str]) -> Shape:
    cosine = ours @ theirs / np.linalg.norm(ours) / np.linalg.norm(theirs)
    overlap = np.minimum(ours / ours.sum(), theirs / theirs.sum()).sum()
    largest, printed = names[int(ours.argmax())], names[int(theirs.argmax())]
    return Shape(row, float(cosine), float(overlap), largest, printed)
