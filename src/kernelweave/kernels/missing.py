"""Tables with missing values, or with text, in the columns of a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import issparse
from sklearn.exceptions import NotFittedError

from ..frames import column, column_kinds, gaps, is_frame

if TYPE_CHECKING:
    from .base import Kernel


class MissingValuesError(ValueError):
    """Missing values where the kernel takes none.

    `found` says where they are, without the remedy, which depends on who asked.
    """

    def __init__(self, found: str, remedy: str):
        super().__init__(f"{found}. {remedy}")
        self.found = found


def check_choice(kernel: Kernel) -> None:
    """Refuse a `missing` that the kernel does not know."""
    if kernel.missing not in kernel._choices:
        known = ", ".join(map(repr, kernel._choices))
        raise ValueError(
            f"kernel {kernel.label!r}: missing must be one of {known}, got "
            f"{kernel.missing!r}"
        )


def column_names(table: Any, columns: Any) -> Any:
    """Names of the chosen columns, or None where the table has no names."""
    if not is_frame(table):
        return None
    names = np.asarray(table.columns, dtype=object)
    return names if columns is None else names[columns]


def listed(kernel: Kernel, places: Any) -> str:
    """The first few of the kernel's columns at these places, by name or number."""
    names = (
        kernel.column_names_ if kernel.column_names_ is not None else kernel.columns_
    )
    chosen = places if names is None else names[places]
    return ", ".join(map(str, chosen[:5])) + (", ..." if len(chosen) > 5 else "")


def refuse_gaps(kernel: Kernel, Z: Any) -> None:
    """An error that says where NaN is in Z, the kernel's columns, and the remedy."""
    if issparse(Z):
        if np.isnan(Z.data).any():
            raise ValueError(
                f"kernel {kernel.label!r}: the sparse table contains NaN; zeros, or a "
                "dense table and a choice of missing=..., can stand for missing values"
            )
        return
    # The sum is NaN if one entry is, and needs no array of its own.
    with np.errstate(invalid="ignore", over="ignore"):
        if not np.isnan(np.sum(Z)):
            return
    missing = np.isnan(Z)
    if not missing.any():
        return
    columns = np.flatnonzero(missing.any(axis=0))
    rows, absent = int(np.sum(missing.any(axis=1))), int(np.sum(missing.all(axis=1)))
    whole = f", {absent} of them in all of its columns" if absent else ""
    remedies = {
        "mean": "missing='mean' lets the kernel add nothing to rows that have none of "
        "its columns",
        "impute": "missing='impute' fills in medians of the training rows (or their "
        "most frequent category)",
    }
    known = [remedies[choice] for choice in kernel._choices if choice != "error"]
    raise MissingValuesError(
        f"kernel {kernel.label!r}: {rows} of {len(Z)} rows have missing values (NaN)"
        f"{whole}, in the columns {listed(kernel, columns)}",
        "Leave the rows out, or choose: " + "; ".join(known),
    )


def refuse_labels(kernel: Kernel, table: Any) -> None:
    """An error if the kernel computes with numbers, and a column holds text."""
    if not is_frame(table):
        return
    chosen = range(table.shape[1]) if kernel.columns_ is None else kernel.columns_
    for j, kind in zip(chosen, column_kinds(table, chosen), strict=True):
        if kind in ("labels", "times"):
            name = table.columns[j]
            series = column(table, int(j))
            present = np.flatnonzero(~gaps(series))
            example = ""
            if len(present):
                example = f" (such as {str(series.to_list()[present[0]])!r})"
            what = "text or categories" if kind == "labels" else "dates or times"
            number = "turn it into a number, such as days, " if kind == "times" else ""
            advice = kernel._text_advice or (
                f"{number}use Overlap(columns=[{name!r}]) for it, choose other "
                "columns, or let kernelweave.views.kernels_for(table) choose the "
                "kernels"
            )
            raise ValueError(
                f"kernel {kernel.label!r} computes with numbers, but the column "
                f"{name!r} holds {what}{example}: {advice}"
            )


def refuse_unfitted(kernel: Kernel) -> None:
    """An error for a kernel that has not seen training rows."""
    raise NotFittedError(
        f"kernel {kernel.label!r} is not fitted: call kernel.fit(X) first, with "
        "the training rows, by which it finds its columns and widths"
    )


def refuse_sparse(kernel: Kernel) -> None:
    """An error for a sparse table that would lose its zeros."""
    if kernel.missing != "error":
        raise ValueError(
            f"kernel {kernel.label!r}: missing={kernel.missing!r} takes no sparse "
            "table: pass X.toarray()"
        )
    raise ValueError(
        f"kernel {kernel.label!r} was fitted to a dense table, and scales its "
        f"columns (scale={kernel.scale!r}) so that a sparse table has no zeros: "
        "pass X.toarray()"
    )


def medians(kernel: Kernel, Z: Any) -> Any:
    """The median of every column, which stands for its missing entries."""
    missing = np.isnan(Z)
    empty = np.flatnonzero(missing.all(axis=0))
    if len(empty):
        names = listed(kernel, empty)
        raise ValueError(
            f"kernel {kernel.label!r}: no training row has a value (all NaN) in "
            f"{len(empty)} of its columns ({names}): leave these columns out"
        )
    return np.nanmedian(Z, axis=0) if missing.any() else np.median(Z, axis=0)


def with_absent(kernel: Kernel, X: Any, Y: Any, here: Any, there: Any) -> Any:
    """The Gram matrix of rows of which some are absent, by masks of those that are not.

    An absent row has the feature vector μ.
    """
    out = np.empty((len(X), len(Y)))
    if here.any() and there.any():
        out[np.ix_(here, there)] = kernel._gram(X[here], Y[there])
    if here.any() and not there.all():
        out[np.ix_(here, ~there)] = kernel._to_mean(X[here])[:, None]
    if there.any() and not here.all():
        out[np.ix_(~here, there)] = kernel._to_mean(Y[there])
    if not (here.all() or there.all()):
        out[np.ix_(~here, ~there)] = kernel._mean_square()
    return out
