"""The same splits for an estimator, for each of its views, and for the average."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.model_selection import RepeatedKFold, RepeatedStratifiedKFold
from sklearn.utils import _safe_indexing

from ..estimators import LaplacianMKLSVC
from ..estimators.partial_labels import split_labels
from ..inputs.matrices import is_given
from ..problem import Array
from ..solution import uninterrupted
from ..targets import refuse_missing
from ..views import one_table
from .comparison import Evaluation, Row
from .contenders import Contender, contenders, core_of
from .measures import Accuracy, Measure, RSquared

Progress = Callable[[int, int, str], Any]


def evaluate(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    cv: int = 5,
    repeats: int = 1,
    random_state: int | None = 0,
    progress: Progress | None = None,
) -> Evaluation:
    """Cross-validate an estimator, each of its views alone, and the plain average.

    Everything is learned anew in every split, from its training rows: kernel widths,
    scales, weights and coefficients. All rows of the answer see the same splits.

    Parameters
    ----------
    estimator : classifier or regressor of kernelweave, or a Pipeline that ends in one
        Fitted or not: it is cloned. Its score is accuracy, or R².
    X : table (n, d), or Gram matrices (p, n, n) if `kernels="precomputed"`
    y : array-like (n,)
        With `LaplacianMKLSVC`, unlabelled rows are in every training set, and never
        scored.
    cv : int
        Folds; those of a classifier hold the classes in equal shares.
    repeats : int
        Of the whole cross-validation, with other folds: the interval gets a little
        narrower, and the work longer. Samples stay as many as they are.
    random_state : int
        Of the folds.
    progress : callable(done, total, text), optional
        Called before every fit, and at the end.

    Returns
    -------
    Evaluation

    Notes
    -----
    A view is the kernels whose names begin alike, as in "rna: linear"; a kernel without
    ": " in its name is a view of its own. A view alone is the same estimator with the
    kernels of the view. The average has the same weight for all kernels, as large as
    the estimator's set of weights allows. Where alpha or C is learned or chosen
    together with the weights, the average takes what was found; an estimator that
    chooses its norm by leave-one-out or folds chooses alpha anew for the average.

    Intervals are those of `sample_interval`: means over the samples, whose number and
    not that of the folds says how sure they are, with an allowance for the training
    rows that the splits have in common. The score is that of a model learned from
    (cv − 1)/cv of the rows.

    The best view is found by the scores it is then compared with, which flatters it: to
    be better than that view is harder than to be better than one named beforehand.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelweave import MKLDiscriminantAnalysis
    >>> from kernelweave.kernels import RBF
    >>> X, y = load_iris(return_X_y=True)
    >>> views = [RBF(columns=[0, 1], name="sepal"), RBF(columns=[2, 3], name="petal")]
    >>> evaluation = evaluate(MKLDiscriminantAnalysis(views), X, y)
    >>> evaluation.best_view.name, evaluation.metric
    ('petal', 'accuracy')
    """
    estimator, X, y = one_table(estimator, X, y)
    core = core_of(estimator)
    if not (is_classifier(core) or is_regressor(core)):
        raise ValueError(
            "evaluate needs a classifier or a regressor, whose predictions can be "
            f"scored; got {type(core).__name__}"
        )
    given = is_given(core)
    if given:
        X = np.asarray(X)
        X = X[None] if X.ndim == 2 else X
    y, scored = _targets(core, y)
    splits = _splits(core, y, np.flatnonzero(scored), cv, repeats, random_state)
    measure = Accuracy() if is_classifier(core) else RSquared(y)
    field = contenders(estimator, len(X) if given else None)
    scores = np.empty((len(field), len(splits)))
    outputs = y.shape[1] if y.ndim > 1 else 1
    losses = np.empty((len(field), repeats, len(y), outputs))
    for s, (train, test) in enumerate(splits):
        where = f"split {s + 1} of {len(splits)}"
        train = np.concatenate([train, np.flatnonzero(~scored)])
        learned: Any = None
        for c, contender in enumerate(field):
            if progress is not None:
                progress(s * len(field) + c, scores.size, f"{where}: {contender.name}")
            model = contender.estimator(learned)
            table = X[contender.members] if given else X
            try:
                model.fit(_part(table, train, train, given), _safe_indexing(y, train))
            except ValueError as error:
                raise ValueError(f"{contender.name}, {where}: {error}") from error
            solution = core_of(model).solution_
            # A tuple, a solution a class, has none that was interrupted.
            if not isinstance(solution, tuple):
                uninterrupted(solution)
            learned = model if learned is None else learned
            # Labels with None among them are objects; the classes are not.
            truth = np.array(_safe_indexing(y, test).tolist())
            predicted = np.asarray(model.predict(_part(table, test, train, given)))
            scores[c, s] = measure.fold_score(truth, predicted)
            losses[c, s // cv, test] = measure.loss(truth, predicted)
    if progress is not None:
        progress(scores.size, scores.size, "done")
    losses = losses[:, :, scored]
    rows = tuple(
        _row(contender, measure, scores[c], losses[c], losses[0], cv)
        for c, contender in enumerate(field)
    )
    return Evaluation(rows, measure.metric, int(np.sum(scored)), cv, repeats)


def _targets(core: Any, y: Any) -> tuple[Array, Array]:
    """The targets, and which rows have one."""
    if isinstance(core, LaplacianMKLSVC):
        y, unlabelled = split_labels(y)
        return y, ~unlabelled
    refuse_missing(y)
    y = np.asarray(y)
    return y, np.ones(len(y), dtype=bool)


def _splits(
    core: Any, y: Array, rows: Array, cv: int, repeats: int, random_state: int | None
) -> list[tuple[Array, Array]]:
    """Training and test rows of every split, among the given rows."""
    if not (isinstance(cv, int) and cv >= 2):
        raise ValueError(f"cv must be a whole number of at least 2, got {cv!r}")
    if not (isinstance(repeats, int) and repeats >= 1):
        raise ValueError(
            f"repeats must be a whole number of at least 1, got {repeats!r}"
        )
    if is_classifier(core):
        classes, counts = np.unique(np.array(y[rows].tolist()), return_counts=True)
        if len(classes) < 2:
            raise ValueError("y has one class only: there is nothing to evaluate")
        if np.min(counts) < cv:
            few, count = classes[np.argmin(counts)], np.min(counts)
            remedy = f"use at most {count}" if count > 1 else "leave the class out"
            samples = "sample" if count == 1 else "samples"
            raise ValueError(
                f"class {few!s} has {count} labelled {samples}, too few for {cv} "
                f"folds: {remedy}"
            )
        splitter = RepeatedStratifiedKFold(
            n_splits=cv, n_repeats=repeats, random_state=random_state
        )
        y = np.unique(np.array(y[rows].tolist()), return_inverse=True)[1]
    else:
        # R² of one sample is not defined.
        if len(rows) < 2 * cv:
            raise ValueError(
                f"{len(rows)} samples are too few for {cv} folds of at least two: "
                + ("use fewer folds" if len(rows) >= 4 else "4 are the fewest")
            )
        splitter = RepeatedKFold(
            n_splits=cv, n_repeats=repeats, random_state=random_state
        )
    return [
        (rows[train], rows[test]) for train, test in splitter.split(rows[:, None], y)
    ]


def _part(X: Any, rows: Array, columns: Array, given: bool) -> Any:
    """Rows of a table; of Gram matrices, those rows and columns."""
    return X[:, rows[:, None], columns] if given else _safe_indexing(X, rows)


def _row(
    contender: Contender,
    measure: Measure,
    scores: Array,
    losses: Array,
    learned: Array,
    cv: int,
) -> Row:
    """The scores of a contender, and what the learned combination gains over it."""
    interval = measure.score(losses, cv)
    return Row(
        contender.name,
        contender.kind,
        tuple(map(float, scores)),
        interval.mean,
        interval.low,
        interval.high,
        None if contender.kind == "learned" else measure.compare(learned, losses, cv),
    )
