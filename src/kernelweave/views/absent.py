"""How many samples lack a view."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..problem import Array
from .names import view_of


def absent_counts(model: Any, X: Any) -> dict[str, int]:
    """How many rows of X lack every column of a view.

    Parameters
    ----------
    model : fitted estimator
    X : array-like (m, d)

    Returns
    -------
    dict
        From view to number; views that no row lacks have 0. Empty for Gram matrices,
        which do not tell.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from kernelweave import MKLRidge
    >>> from kernelweave.views import kernels_for
    >>> table = pd.DataFrame({"age": [61, 48, 55, 50], "rna": [np.nan, 0.3, 0.9, 0.1]})
    >>> kernels = kernels_for(table, {"age": "age", "rna": "rna"}, missing="mean")
    >>> model = MKLRidge(kernels).fit(table, [1, 2, 3, 4])
    >>> absent_counts(model, table)
    {'age': 0, 'rna': 1}
    """
    # Estimators take views, and so cannot be imported by them at the start.
    from ..estimators.access import check_new  # it imports weights/, which imports this
    from ..inputs.matrices import is_given

    if is_given(model):
        return {}
    masks: dict[str, Array] = {}
    Z = check_new(model, X)
    for kernel in model.kernels_:
        view, mask = view_of(kernel.label), kernel.absent(Z)
        masks[view] = masks[view] & mask if view in masks else mask
    return {view: int(np.sum(mask)) for view, mask in masks.items()}
