"""Which view speaks for what, sample by sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import is_classifier

from ..evaluation.concordance import is_survival
from ..extras import require
from ..losses.square import code_of_classes
from ..problem import Array
from ..views import one_table
from .engines import Subject, subject_of
from .square import SquareEngine

if TYPE_CHECKING:
    import pandas as pd


def per_sample(
    model: Any, X: Any, y: Any, *, groups: Any = None, cv: int = 5
) -> pd.DataFrame:
    """What each view says about every sample, from fits without the sample.

    For classes it is by how much the view raises the predicted membership of a class,
    whose shares over the samples are what is predicted without any view:

        membership of c = share of c + Σ_v support_v(c),   Σ_c support_v(c) = 0

    so the class with a view's largest support is the one that it speaks for. For
    numbers it is the view's part of the prediction, in the unit of the target.

    Parameters
    ----------
    model, X, y, groups, cv
        As for `view_importance`. Support vector machines have decision values in the
        place of memberships.

    Returns
    -------
    DataFrame
        A row a sample, in the order and with the index of X; columns (view, class), or
        (view, output), or view for one output. `frame.attrs["unit"]` says what its
        numbers are.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelweave import MKLDiscriminantAnalysis
    >>> from kernelweave.kernels import RBF
    >>> X, y = load_iris(return_X_y=True)
    >>> views = [RBF(columns=[0, 1], name="sepal"), RBF(columns=[2, 3], name="petal")]
    >>> model = MKLDiscriminantAnalysis(views).fit(X, y)
    >>> says = per_sample(model, X, y)
    >>> says["petal"].loc[0].round(1).to_dict()
    {0: 0.6, 1: -0.3, 2: -0.3}
    """
    require("pandas", "per_sample")
    model, X, y, groups = one_table(model, X, y, groups)
    subject = subject_of(model, X, y, groups, cv)
    return says(subject, getattr(X, "index", None))


def says(subject: Subject, index: Any = None) -> pd.DataFrame:
    """`per_sample` of a model whose samples are at hand."""
    import pandas as pd

    parts = _parts(subject)
    by_view = np.stack([parts[m].sum(axis=0) for m in subject.views.values()])
    index = index if hasattr(index, "to_list") else None
    exact = isinstance(subject.engine, SquareEngine)
    columns: pd.Index = pd.Index(list(subject.views), name="view")
    unit = "log risk" if is_survival(subject.core) else "in the unit of the target"
    if is_classifier(subject.core):
        by_view = _memberships(subject, by_view)
        unit = "share of the membership" if exact else "decision value"
        names = pd.Index(subject.core.classes_, name="class")
        columns = pd.MultiIndex.from_product([columns, names])
    elif by_view.shape[2] > 1:
        names = pd.Index(range(by_view.shape[2]), name="output")
        columns = pd.MultiIndex.from_product([columns, names])
    flat = by_view.transpose(1, 0, 2).reshape(by_view.shape[1], -1)
    frame = pd.DataFrame(flat, index=index, columns=columns)
    frame.attrs = {"unit": unit}
    return frame


def _parts(subject: Subject) -> Array:
    """Every kernel's part of left-out predictions, (p, n, k)."""
    if isinstance(subject.engine, SquareEngine):
        return subject.engine.parts(subject.weights).parts
    return subject.engine.parts(subject.members())


def _memberships(subject: Subject, by_view: Array) -> Array:
    """From parts of projections, or of decision values, to classes, (v, n, k)."""
    if isinstance(subject.engine, SquareEngine):
        # The coding of the classes is that of (1[y = c] − π_c)/√π_c, turned.
        counts = np.unique(subject.y, return_counts=True)[1]
        share = counts / counts.sum()
        return by_view @ (share * code_of_classes(counts).T)
    if by_view.shape[2] == 1:
        return np.concatenate([-by_view, by_view], axis=2)
    return by_view
