"""The target, where it is a column of one of the tables."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from ..stacklevel import outside
from ..tables.ids import shown
from .joining import SEPARATOR

if TYPE_CHECKING:
    import pandas as pd

    from .container import Views


def take_target(views: Views, name: str) -> tuple[Views, pd.Series]:
    """See `Views.take_target`."""
    frame = views.frame
    found = [c for c in frame.columns if name in (c, c.partition(SEPARATOR)[2])]
    if not found:
        raise ValueError(
            f"no table has a column {name!r}; the columns are "
            f"{shown(list(frame.columns))}"
        )
    if len(found) > 1:
        raise ValueError(
            f"several tables have a column {name!r}: name one of "
            f"{', '.join(map(repr, found))}"
        )
    (column,) = found
    same = column.partition(SEPARATOR)[2]
    twins = [c for c in frame.columns if c.partition(SEPARATOR)[2] == same]
    if len(twins) == frame.shape[1]:
        raise ValueError(f"there is no column beside the target {name!r}")
    have = frame[column].notna()
    if not have.all():
        lacking = list(frame.index[~have])
        warnings.warn(
            f"{len(lacking)} of {len(frame)} samples have no {name}, and are left "
            f"out: {shown(lacking)}",
            UserWarning,
            stacklevel=outside(),
        )
    y = frame.loc[have, column].rename(same)
    # Samples that another table has make numbers of this column floats.
    if y.dtype.kind == "f" and (y % 1 == 0).all():
        y = y.astype(int)
    rows = frame.loc[have].drop(columns=twins)
    return views.with_frame(rows, whole=True, _in_order=True), y
