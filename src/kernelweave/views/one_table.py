"""A model and its several tables as a model and one table."""

from __future__ import annotations

from copy import copy
from typing import Any

from ..frames import column_kinds, from_arrow, is_frame
from .choosing import kernels_for
from .container import is_views
from .targets import aligned_with, by_place
from .trained import as_trained

# Where meta-estimators of scikit-learn keep a fitted estimator, or one to be fitted.
FITTED = ("best_estimator_", "estimator_", "regressor_")
UNFITTED = ("estimator", "regressor")


def kernel_estimator(model: Any) -> Any:
    """The estimator that combines kernels: the model, or the last step of a Pipeline.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> kernel_estimator(Ridge())
    Traceback (most recent call last):
    TypeError: Ridge combines no kernels: pass an estimator of kernelweave, or a\
 Pipeline that ends in one
    """
    core = _last(model)
    if hasattr(core, "kernels"):
        return core
    also = ""
    for name in (*FITTED, *UNFITTED):
        if hasattr(_last(getattr(core, name, None)), "kernels"):
            state = ", not fitted" if name in UNFITTED else ""
            also = f"; here it is .{name}{state}"
            break
    raise TypeError(
        f"{type(core).__name__} combines no kernels: pass an estimator of kernelweave, "
        f"or a Pipeline that ends in one{also}"
    )


def _last(model: Any) -> Any:
    return model.steps[-1][1] if hasattr(model, "steps") else model


def one_table(
    model: Any, X: Any, y: Any, groups: Any = None
) -> tuple[Any, Any, Any, Any]:
    """The model, and several tables, y and groups as one DataFrame and its rows.

    What can do with one table, and clones the model, then needs to know nothing of
    several: the kernels that `kernels=None` stands for are those of a copy of the
    model. One table comes back as it is, with the model itself or, if it holds text, a
    copy with the kernels that suit it.

    Parameters
    ----------
    model : estimator, or a Pipeline that ends in one
        Fitted or not.
    X, y
        As `fit` takes them.
    groups : array-like (n,), or DataFrame of one column, optional
        Joined by index as y is, if it has one.

    Examples
    --------
    >>> import pandas as pd
    >>> from kernelweave import MKLRidge
    >>> tables = {"rna": pd.DataFrame({"TP53": [0.7, 0.1, 0.4]})}
    >>> model, table, y, _ = one_table(MKLRidge(), tables, [1, 2, 3])
    >>> model.kernels[0].label, table.columns.tolist()
    ('rna: rbf 0.5×median', ['rna: TP53'])
    """
    X = from_arrow(X)
    groups = _one_column(groups)
    core = kernel_estimator(model)
    # A list of Gram matrices is no list of tables.
    kernels = core.kernels
    if isinstance(kernels, str) or not is_views(X):
        plain = hasattr(model, "kernels") and kernels is None and is_frame(X)
        if plain and "labels" in column_kinds(X):
            model = copy(core)
            model.kernels = kernels_for(X)
        return model, X, by_place(X, y, "y"), by_place(X, groups, "groups")
    views, y, beside = aligned_with(X, y, groups=groups)
    groups = beside["groups"]
    names = getattr(core, "feature_names_in_", None)
    if core.kernels is None:
        core = copy(core)
        core.kernels = kernels_for(views)
        if hasattr(model, "steps"):
            model = copy(model)
            model.steps = [*model.steps[:-1], (model.steps[-1][0], core)]
        else:
            model = core
    table = views.frame if names is None else as_trained(views, names)
    return model, table, y, groups


def _one_column(groups: Any) -> Any:
    """The only column of a DataFrame; what is none stays as it is."""
    columns = getattr(groups, "columns", None)
    if columns is None:
        return groups
    if len(columns) != 1:
        raise ValueError(
            f"groups is a table of {len(columns)} columns: pass the one that holds the "
            "groups, such as groups=table['patient']"
        )
    return groups[columns[0]]
