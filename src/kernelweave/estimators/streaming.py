"""Estimators that learn from sums over rows, where the kernels have features."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.metaestimators import available_if

from ..arrays import is_foreign
from ..fitted.features import (
    FeatureData,
    FeatureWork,
    TrainingData,
    columns_of,
    have_features,
    sums_pay,
)
from ..inputs.rows import Rows
from ..inputs.table import read_chunk
from ..streamed.chunks import ArrayChunks, Chunks
from ..streamed.distributed import DaskChunks
from ..streamed.sample import RowSample
from ..targets import read_targets
from .fitting import all_or_nothing

M = TypeVar("M")
P = ParamSpec("P")
R = TypeVar("R")


class Streaming(Protocol):
    """How an estimator learns from rows that come in chunks: its `_streaming`."""

    # Whether rows are read again after the two passes that make the sums.
    many_passes: bool

    def check(self, model: Any) -> None:
        """Refuse kernels, losses and other parameters that have no sums over chunks."""
        ...

    def fit(self, model: Any, chunks: Chunks, names: Any) -> Any:
        """Fit the model, in passes over the chunks; `names` are those of columns."""
        ...


def has_features(model: Any) -> bool:
    """Whether all kernels of the estimator have features."""
    return have_features(model.kernels)


def adding(
    partial_fit: Callable[Concatenate[M, P], R],
) -> Callable[Concatenate[M, P], R]:
    """`partial_fit`, there if all kernels have features, that adds all or nothing.

    scikit-learn has no types: without this one, type checkers see Any.
    """
    return available_if(has_features)(all_or_nothing(partial_fit, anew=False))


def learns_from_chunks(model: Any) -> bool:
    """Whether `fit_to_chunks` takes such estimators."""
    return hasattr(model, "_streaming")


def reads_again(model: Any) -> bool:
    """Whether rows are read again after the two passes that make the sums."""
    return model._streaming.many_passes


@all_or_nothing
def fit_to_chunks(model: Any, chunks: Chunks, width: int, names: Any = None) -> Any:
    """Fit a model to rows of `width` columns, in passes over the chunks.

    `names` are those of the columns, if they have any.
    """
    model._streaming.check(model)
    model.n_features_in_ = width
    if names is not None:
        model.feature_names_in_ = np.array(names, dtype=object)
    return model._streaming.fit(model, chunks, names)


def fit_dask(model: Any, X: Any, y: Any, sample_weight: Any = None) -> Any:
    """Fit a model to Dask collections: passes on the cluster, a small problem here."""
    if sample_weight is not None:
        raise ValueError(
            "sample_weight is for rows in memory, not for Dask collections: pass "
            "X.compute() and y.compute()"
        )
    # Refusals come before the sizes of the blocks are computed.
    model._streaming.check(model)
    rows = DaskChunks(X, y, model._classes)
    return fit_to_chunks(model, rows, rows.width, rows.names)


def refuse_groups(groups: Any) -> None:
    """Refuse groups of rows whose folds are sums by the numbers of rows."""
    if groups is not None:
        raise ValueError(
            "groups are for rows that are compared pair by pair: here sums over rows "
            "are kept, in folds by the numbers of rows, which take groups apart. Pass "
            "rows in memory, with kernels that are not wrapped in Nystroem or "
            "RandomFourier, or MKLRidgeCV, which leaves whole groups out of such sums"
        )


def grams_or_sums(model: Any, rows: Rows) -> TrainingData:
    """Training rows by Gram matrices, or by sums where these are smaller."""
    if not sums_instead(model, rows):
        return model._represent(rows)
    work = feature_work(model)
    names = getattr(rows.table, "columns", None)
    if rows.weights is not None:
        return work.data(work.weighted_sums(rows, names), rows.reader, rows.weights)
    return work.data(work.sums(ArrayChunks(rows.X, rows.y), names), rows.reader)


def sums_instead(model: Any, rows: Rows) -> bool:
    """Whether the kernels and the loss allow sums, and these are smaller."""
    if rows.table is None or is_foreign(rows.X) or not model._sums_do():
        return False
    return sums_pay(model.kernels, *rows.X.shape)


def feature_work(model: Any) -> FeatureWork:
    """How the rows of a model become sums."""
    return FeatureWork(
        model.kernels,
        model.normalize,
        model.center,
        model._origin_free(),
        model._sum_targets,
        labels=bool(model._classes),
        look_again=getattr(model, "scoring", None) is not None,
    )


def summed(model: Any, chunks: Chunks, names: Any) -> FeatureData:
    """Two passes over the chunks, and the small problem of their sums."""
    work = feature_work(model)
    return work.data(work.sums(chunks, names), columns_of(names))


def count_chunk(model: Any, X: Any, y: Any, classes: Any) -> Any:
    """Count a chunk of rows; the small problem of all that were counted.

    The first chunk places the landmarks and sets the widths of the kernels.
    """
    first = not hasattr(model, "_sums")
    if first and hasattr(model, "weights_"):
        raise ValueError(
            f"this {type(model).__name__} was fitted to all rows at once, and kept "
            "no sums to which others could be added: fit all rows together, or "
            "begin with clone(model).partial_fit(...)"
        )
    model._streaming.check(model)
    work = feature_work(model)
    if not first:
        _check_same_features(model, work)
    names = getattr(X, "columns", None)
    X, reader = read_chunk(model, X, None if first else model._fitted.reader)
    y = read_targets(model, y, X.shape[0], model._classes)
    if first:
        sample = RowSample()
        sample.add(X, y, 0)
        sample.classes = classes
        model._sums = work.empty(sample, names)()
        if work.look_again:
            model._sums.sample = sample
    else:
        model._sums = model._sums.copy()
    model._sums.add(X, y, model._sums.count)
    return work.data(model._sums, reader)


def all_classes(model: Any, classes: Any) -> Any:
    """The classes of `partial_fit`: those given at its first call."""
    known: Any = getattr(model, "classes_", None)
    if classes is None and known is None:
        raise ValueError(
            "the first call of partial_fit needs all classes: "
            "partial_fit(X, y, classes=[...])"
        )
    given = known if classes is None else np.unique(classes)
    if hasattr(model, "_sums") and not np.array_equal(given, known):
        raise ValueError(
            f"classes={given.tolist()} are not those of the first call, "
            f"{known.tolist()}: begin anew with clone(model)"
        )
    return given


def refuse_without_features(model: Any) -> None:
    """Refuse kernels that have no sums over chunks."""
    if not has_features(model):
        raise ValueError(
            "rows that come in chunks need kernels with features: wrap each as "
            "Nystroem(RBF(), n_components=200), or use Linear(); got "
            f"{model.kernels!r}"
        )


def _check_same_features(model: Any, work: Any) -> None:
    """Refuse parameters that the sums so far were not made with."""
    if work.look_again and not hasattr(model._sums, "sample"):
        raise ValueError(
            "the first call of partial_fit had no scoring, and kept no rows to "
            "score: set it before, or fit anew"
        )
    spherical = model.normalize == "spherical"
    changed = "" if _alike(list(model.kernels), model.kernels_) else "kernels"
    changed = "normalize" if spherical != model._sums.map.spherical else changed
    if changed:
        raise ValueError(
            f"{changed} was changed after the first call of partial_fit, which "
            "made the features of the rows so far: set it back, or begin anew "
            "with clone(model)"
        )


def _alike(a: Any, b: Any) -> bool:
    """Whether two values of a parameter, or lists of kernels, say the same."""
    if isinstance(a, list | tuple):
        pair = isinstance(b, list | tuple) and len(a) == len(b)
        return pair and all(map(_alike, a, b))
    if hasattr(a, "__array__") or hasattr(b, "__array__"):
        return np.array_equal(a, b)
    if isinstance(a, np.random.RandomState | np.random.Generator):
        # A clone has a generator of its own, whose state has moved on.
        return type(a) is type(b)
    if isinstance(a, FunctionType) or not hasattr(a, "__dict__"):
        return bool(a == b)
    x = a.get_params(deep=False) if isinstance(a, BaseEstimator) else vars(a)
    return type(a) is type(b) and all(_alike(x[n], getattr(b, n)) for n in x)
