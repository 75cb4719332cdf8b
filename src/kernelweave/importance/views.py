"""Which views matter, and how sure that is."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import is_classifier

from ..checks import count
from ..evaluation.copies import warn_of_copies
from ..extras import require
from ..reporting import reporter
from ..views import one_table
from .candidate import Candidate, Found
from .engines import Subject, subject_of
from .resampling import halves, permutations
from .summary import COLUMNS, row_of

if TYPE_CHECKING:
    import pandas as pd


def view_importance(
    model: Any,
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    n_subsamples: int = 20,
    n_permutations: int = 39,
    cv: int = 5,
    n_jobs: int | None = None,
    random_state: int | None = 0,
    progress: Callable[[int, int, str], Any] | None = None,
) -> pd.DataFrame:
    """What each view of a fitted model is good for, and how sure that is.

    The weight of a view says how the training objective is best fitted, which a view of
    many columns of noise may serve well. What a view is good for is told by samples
    that were left out:

        contribution = ⟨c_v, H⟩/⟨H, H⟩,   c_v the view's part of left-out predictions

    with H the targets less their mean (of classes, their coding). Contributions add up
    to the share of the targets that the model predicts; a view that tells nothing has
    about zero.

    Parameters
    ----------
    model : fitted classifier or regressor, or a Pipeline that ends in one
    X, y
        What the model was fitted to.
    groups : array-like (n,), optional
        Samples of the same group, such as those of a patient, are left out together.
    n_subsamples : int
        Random halves of the samples, for the intervals.
    n_permutations : int
        Of the rows of every view, for the null. 39 let a p-value be 0.025.
    cv : int
        Folds where samples cannot be left out by a formula: support vector machines.
    n_jobs : int, optional
        Threads.
    random_state : int, optional
    progress : callable(done, total, text), optional
        Called after every fit; `kernelweave.reporting` hears of them as well.

    Returns
    -------
    DataFrame
        One row a view, the largest contribution first:

        - weight: the share of the view's kernels in the sum of the weights;
        - contribution: see above;
        - removed: what the score loses if the model is learned again without the
          view; removed_low, removed_high: the 95 % interval of that difference, by
          the left-out errors of every sample with and without the view (a
          concordance has none);
        - alone: the score of the view alone;
        - weight_low, weight_high, contribution_low, contribution_high: how far the
          middle 95 % of random halves of the samples spread, about the value of all
          samples; selected: the share of the halves in which the view has weight;
        - null_low, null_high: the middle 95 % of the contribution where the rows of
          the view are permuted, so that it tells nothing; p_value: the share of
          permutations, with the data as they are counted in, whose contribution is as
          large as that of the view; permutations: their number.

        `frame.attrs` has the score of the whole model (`score`), what score it is
        (`score_name`), how samples were left out (`splits`), the number of fits and
        the seconds they took.

    Notes
    -----
    The score of `MKLDiscriminantAnalysis`, `MKLRidge` and their relatives that choose
    is R² of every sample left out by a formula, at the weights, norm and alpha that
    were learned with it; of classes it is that of their coding. Weights are learned
    again where views are left out or permuted and in every half, to a relative gap of
    1e-3; norm and alpha stay. Where weights and alpha were learned from left-out
    samples (`MKLDiscriminantAnalysisCV` and `MKLRidgeCV` without `norms`), both are
    learned again without a view, alone and in halves, and stay as they are where rows
    are permuted; alpha is that of squared errors everywhere, `descent_.lam`, for R² is
    of them. Machines are scored by folds, by accuracy or R², and contributions are
    of their decision values.

    A permuted view has lost its relation to the target and to the other views. A small
    p-value says that the view tells something about the target, not that it tells what
    the others do not: that is what `removed` says.

    It costs 1 + v(2 + n_permutations) fits of v views, and n_subsamples of half the
    samples, on Gram matrices that are computed once: see benchmarks/importance.py.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelweave import MKLDiscriminantAnalysis
    >>> from kernelweave.kernels import RBF
    >>> X, y = load_iris(return_X_y=True)
    >>> noise = np.random.default_rng(0).normal(size=(150, 300))
    >>> kernels = [RBF(columns=[2, 3], name="petal"),
    ...            RBF(columns=slice(4, None), name="noise")]
    >>> Z = np.hstack([X, noise])
    >>> model = MKLDiscriminantAnalysis(kernels).fit(Z, y)
    >>> frame = view_importance(model, Z, y)
    >>> frame["weight"].round(1).to_dict(), frame["contribution"].round(1).to_dict()
    ({'petal': 0.6, 'noise': 0.4}, {'petal': 0.8, 'noise': 0.0})
    """
    require("pandas", "view_importance")
    model, X, y, groups = one_table(model, X, y, groups)
    subject = subject_of(model, X, y, groups, cv)
    if groups is None:
        warn_of_copies(subject.core, X, subject.y)
    return importance_of(
        subject, n_subsamples, n_permutations, n_jobs, random_state, progress
    )


def importance_of(
    subject: Subject,
    n_subsamples: int = 20,
    n_permutations: int = 39,
    n_jobs: int | None = None,
    random_state: int | None = 0,
    progress: Callable[[int, int, str], Any] | None = None,
) -> pd.DataFrame:
    """`view_importance` of a model whose samples are at hand."""
    import pandas as pd

    count("n_subsamples", n_subsamples, least=0)
    count("n_permutations", n_permutations, least=0)
    began = time.perf_counter()
    rng = np.random.default_rng(random_state)
    tasks = list(_tasks(subject, n_subsamples, n_permutations, rng))
    found = _all(subject, [task for _, task in tasks], n_jobs, progress)
    by_kind: dict[Any, list[Found]] = {}
    for (kind, _), answer in zip(tasks, found, strict=True):
        by_kind.setdefault(kind, []).append(answer)
    whole = by_kind["whole"][0]
    rows = {name: row_of(subject, by_kind, name) for name in subject.views}
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=list(COLUMNS))
    frame = frame.astype({"permutations": int}).rename_axis("view")
    frame = frame.sort_values("contribution", ascending=False, kind="stable")
    frame.attrs = {
        "score": whole.score,
        "score_name": subject.engine.score_name,
        "splits": subject.engine.splits,
        "n_samples": len(subject.y),
        "n_subsamples": n_subsamples,
        "fits": len(tasks),
        "seconds": time.perf_counter() - began,
    }
    return frame


def _tasks(
    subject: Subject, n_subsamples: int, n_permutations: int, rng: Any
) -> Iterator[tuple[Any, Candidate]]:
    """What to fit, and what for."""
    everything = subject.members()
    yield "whole", Candidate(everything, kept=True)
    several = len(subject.views) > 1
    for view in subject.views:
        if several and len(subject.members(without=view)):
            yield ("removed", view), Candidate(subject.members(without=view))
        if len(subject.members(only=view)):
            yield ("alone", view), Candidate(subject.members(only=view))
    groups = subject.engine.groups
    classes = is_classifier(subject.core)
    for rows in halves(subject.y, classes, groups, n_subsamples, rng):
        yield "half", Candidate(everything, rows)
    for view, kernels in subject.views.items():
        for order in permutations(len(subject.y), groups, n_permutations, rng):
            yield ("null", view), Candidate(everything, None, kernels, order, kept=True)


def _all(
    subject: Subject,
    candidates: Sequence[Candidate],
    n_jobs: int | None,
    progress: Callable[[int, int, str], Any] | None,
) -> list[Found]:
    """All fits, told of as they are done."""
    found = []
    with reporter() as report:
        work = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
        calls = (delayed(subject.engine)(candidate) for candidate in candidates)
        for answer in work(calls):
            found.append(answer)
            for tell in (report, progress):
                if tell is not None:
                    tell(len(found), len(candidates), "importance of views")
    return found
