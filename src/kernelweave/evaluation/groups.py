"""Samples that belong together, such as those of a patient."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..problem import Array
from ..targets import refuse_missing


def check_groups(groups: Any, n: int) -> Array:
    """The group of every sample, (n,); refused if one is missing.

    Parameters
    ----------
    groups : array-like (n,)
    n : int
    """
    try:
        refuse_missing(groups)
    except ValueError as error:
        raise ValueError(f"groups: {error}".replace("y is", "it is")) from error
    groups = np.asarray(groups)
    if groups.shape != (n,):
        raise ValueError(
            f"groups must hold one group for each of the {n} rows, got shape "
            f"{groups.shape}"
        )
    if groups.dtype == object:
        groups = groups.astype(str)
    return groups
