"""The same splits for an estimator, for each of its views, and for the average."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.utils import _safe_indexing

from ..estimators import LaplacianMKLSVC
from ..estimators.access import fit_knowing_groups
from ..estimators.partial_labels import split_labels
from ..inputs.matrices import is_given
from ..problem import Array
from ..selection.groups import check_groups
from ..solution import uninterrupted
from ..survival import survival_array, survival_target
from ..targets import refuse_missing, refuse_several_labels
from ..views import one_table
from .answer import Evaluation
from .comparison import Comparison, Row
from .concordance import LeftOutRisks, is_survival
from .contenders import Contender, contenders, core_of
from .copies import warn_of_copies
from .leaks import warn_of_leaks
from .left_out import LeftOut
from .measures import Measure, refuse_hiding
from .recording import Recorder
from .scorers import measures
from .splits import make_splits

Progress = Callable[[int, int, str], Any]


def evaluate(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 5,
    groups: Any = None,
    repeats: int = 1,
    scoring: Any = None,
    positive: Any = None,
    random_state: int | None = 0,
    progress: Progress | None = None,
) -> Evaluation:
    """Cross-validate an estimator, each of its views alone, and the plain average.

    Everything is learned anew in every split, from its training rows: kernel widths,
    scales, weights and coefficients, and what an estimator chooses by itself, such as
    the norm and alpha of `MKLDiscriminantAnalysisCV`. All rows of the answer see the
    same splits.

    Parameters
    ----------
    estimator : estimator of kernelweave, or a Pipeline that ends in one
        A classifier, a regressor or a Cox regression, fitted or not: it is cloned.
    X : table (n, d), or Gram matrices (p, n, n) if `kernels="precomputed"`
    y : array-like (n,); of a Cox regression, a DataFrame of events and times
        With `LaplacianMKLSVC`, unlabelled rows are in every training set, and never
        scored.
    cv : int, splitter of scikit-learn, or iterable of (train, test)
        A number is that of folds, which hold the classes of a classifier, or the
        events, in equal shares.
    groups : array-like (n,), optional
        Rows of the same group, such as the measurements of a patient, are left out
        together, and count as one where intervals are concerned. An estimator that
        chooses gets the groups of the training rows: by whole groups it chooses, too.
    repeats : int
        Of the whole cross-validation, with other folds: the interval gets a little
        narrower, and the work longer. Samples stay as many as they are.
    scoring : str, callable, list of str or dict from name to either, optional
        Scores that scikit-learn has names for, such as "roc_auc"; the first is the one
        that words are about. By default accuracy, after balanced accuracy if the
        largest class has more than 1.5 times the samples of the smallest; R² and the
        mean absolute error for numbers; "concordance" for events and times, of pairs
        of samples that were left out together.
    positive : class, optional
        The one of two classes that "f1", "average_precision" and the like are about;
        the default is the second one in sorted order.
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

    A score is that of all left-out predictions of a repetition together, not the mean
    of the folds' scores, so folds may be small, down to single rows. Decision values of
    different splits are compared where a score needs them and there are no
    probabilities.

    Intervals are those of `sample_interval`: means over the samples, or groups, whose
    number and not that of the folds says how sure they are, with an allowance for the
    training rows that the splits have in common. For scores that are no means the
    jackknife tells what a sample adds. The score is that of a model learned from
    (cv − 1)/cv of the rows.

    The best view is found by the scores it is then compared with, which flatters it: to
    be better than that view is harder than to be better than one named beforehand.

    Rows that are equal to rows of the training part draw a warning, and so do columns
    of DataFrames and arrays that are copies of the target.

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
    estimator, X, y, groups = one_table(estimator, X, y, groups)
    core = core_of(estimator)
    if not (is_classifier(core) or is_regressor(core) or is_survival(core)):
        raise ValueError(
            "evaluate needs a classifier, a regressor or a Cox regression, whose "
            f"predictions can be scored; got {type(core).__name__}"
        )
    given = is_given(core)
    if given:
        X = np.asarray(X)
        X = X[None] if X.ndim == 2 else X
    y, scored = _targets(core, y)
    rows, unlabelled = np.flatnonzero(scored), np.flatnonzero(~scored)
    truth = np.array(y[rows].tolist())
    every = None if groups is None else check_groups(groups, len(y))
    group = None if every is None else every[rows]
    splits = [
        (rows[train], rows[test])
        for train, test in make_splits(core, truth, group, cv, repeats, random_state)
    ]
    if is_regressor(core):
        refuse_hiding(truth)
    asked = measures(scoring, core, truth, positive)
    labels = y if scored.all() else np.array(list(map(str, y)))
    copied = warn_of_copies(core, X, labels, splits)
    if y.ndim == 1:
        warn_of_leaks(X, y, not is_classifier(core))
    field = contenders(estimator, X)
    recorders = [Recorder(core, y, rows, group, splits) for _ in field]
    total = len(field) * len(splits)
    for s, (train, test) in enumerate(splits):
        where = f"split {s + 1} of {len(splits)}"
        train = np.concatenate([train, unlabelled])
        learned: Any = None
        for c, contender in enumerate(field):
            if progress is not None:
                progress(s * len(field) + c, total, f"{where}: {contender.name}")
            model = contender.estimator(learned)
            table = X[contender.members] if given else X
            try:
                known, among = _safe_indexing(y, train), _rows_of(every, train)
                part = _part(table, train, train, given)
                fit_knowing_groups(model, part, known, among)
            except ValueError as error:
                raise ValueError(f"{contender.name}, {where}: {error}") from error
            solution = core_of(model).solution_
            # A tuple, a solution a class, has none that was interrupted.
            if not isinstance(solution, tuple):
                uninterrupted(solution)
            learned = model if learned is None else learned
            recorders[c].add(s, model, _part(table, test, train, given))
    if progress is not None:
        progress(total, total, "done")
    answers = [recorder.answers() for recorder in recorders]
    comparisons = tuple(
        _comparison(measure, field, answers, splits, len(rows)) for measure in asked
    )
    found = answers[0]
    times = int(found.times[0]) if np.ptp(found.times) == 0 else 1
    return Evaluation(
        comparisons,
        len(found.truth),
        len(splits) // times,
        times,
        None if group is None else len(np.unique(group)),
        found,
        copied,
    )


def _targets(core: Any, y: Any) -> tuple[Array, Array]:
    """The targets, and which rows have one."""
    if isinstance(core, LaplacianMKLSVC):
        y, unlabelled = split_labels(y)
        return y, ~unlabelled
    if is_survival(core):
        y = survival_array(*survival_target(y))
    refuse_missing(y)
    refuse_several_labels(core, y, "evaluate")
    y = np.asarray(y)
    return y, np.ones(len(y), dtype=bool)


def _part(X: Any, rows: Array, columns: Array, given: bool) -> Any:
    """Rows of a table; of Gram matrices, those rows and columns."""
    return X[:, rows[:, None], columns] if given else _safe_indexing(X, rows)


def _rows_of(groups: Array | None, rows: Array) -> Array | None:
    return None if groups is None else groups[rows]


def _comparison(
    measure: Measure,
    field: list[Contender],
    answers: list[LeftOut],
    splits: list[tuple[Array, Array]],
    n: int,
) -> Comparison:
    """All contenders by one measure."""
    # n/(n − n_train), which is cv for folds.
    learned = float(np.mean([len(train) for train, _ in splits]))
    folds = n / (n - learned)
    rows = []
    for contender, found in zip(field, answers, strict=True):
        interval = measure.score(found, folds)
        parts = (found.part(found.split == s) for s in range(len(splits)))
        scores = [measure.plain(part) for part in parts]
        mean, low, high = interval.mean, interval.low, interval.high
        if measure.negative:
            scores, (mean, low, high) = [-x for x in scores], (-mean, -high, -low)
        gain = None
        if contender.kind != "learned":
            gain = measure.gain(answers[0], found, folds)
        shown = tuple(map(float, scores))
        rows.append(Row(contender.name, contender.kind, shown, mean, low, high, gain))
    chance = measure.plain(_constant(answers[0]))
    times = answers[0].times
    return Comparison(
        tuple(rows),
        measure.name,
        -chance if measure.negative else chance,
        measure.negative,
        len(answers[0].truth),
        int(times[0]) if np.ptp(times) == 0 else 1,
    )


def _constant(answers: LeftOut) -> LeftOut:
    """What is predicted by one who knows the distribution of the targets alone."""
    if isinstance(answers, LeftOutRisks):
        return answers.constant()
    truth, n = answers.truth, len(answers.truth)
    chances = None
    if answers.classes is None:
        predicted = np.broadcast_to(np.mean(truth, axis=0), truth.shape)
    else:
        counts = np.bincount(np.searchsorted(answers.classes, truth))
        predicted = np.full(n, answers.classes[np.argmax(counts)])
        chances = np.tile(counts / n, (n, 1))
    one = np.arange(n)
    return LeftOut(
        truth,
        answers.rows,
        answers.units,
        answers.classes,
        one,
        0 * one,
        predicted,
        chances,
    )
