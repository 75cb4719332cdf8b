"""Any score that scikit-learn knows, of left-out predictions."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import check_scoring

from ..problem import Array
from .concordance import Concordance, is_survival
from .left_out import LeftOut, as_estimator
from .measures import Accuracy, BalancedAccuracy, Measure, RSquared, jackknife
from .suitable_scores import OF_ONE_CLASS, positive_class, refuse_unsuitable

# A score without a formula is computed anew without each of at most MOST_PARTS parts of
# the units; 100 tell the width of an interval to a tenth.
MOST_PARTS = 100

# Where the largest class has more than UNEQUAL times the samples of the smallest, a
# model that always predicts it has an accuracy that looks like success.
UNEQUAL = 1.5

# Scores between 0 and 1, of which samples of small classes tell most.
SHARES = ("roc auc", "average precision", "f1", "precision", "recall", "jaccard")

KNOWN: dict[str, Callable[[], Measure]] = {
    "accuracy": Accuracy,
    "balanced_accuracy": BalancedAccuracy,
    "r2": RSquared,
    "concordance": Concordance,
}


class Scorer(Measure):
    """A scorer of scikit-learn, of all left-out predictions together.

    Parameters
    ----------
    name : str
    scorer : callable(estimator, X, y)
        It sees an estimator that knows the predictions, and numbers of rows as X.
    negative : bool
        Whether users are shown minus the score.
    positive : class, optional
        The scorer sees two classes, 1 for this one and 0 for the other.
    """

    least, most = -np.inf, np.inf

    def __init__(self, name: str, scorer: Any, negative: bool, positive: Any = None):
        self.name, self.scorer, self.negative = name, scorer, negative
        self.positive = positive
        if name.startswith(SHARES):
            self.least, self.most = 0.0, 1.0

    def plain(self, answers: LeftOut) -> float:
        answers = answers if self.positive is None else answers.against(self.positive)
        truth = answers.truth[answers.sample]
        whole = answers.classes is None or len(np.unique(truth)) == len(answers.classes)
        if not (whole and len(truth) > 1):
            return np.nan
        with warnings.catch_warnings():
            # A class that is never predicted counts 0, as in scikit-learn.
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            rows = answers.rows[answers.sample][:, None]
            try:
                return float(self.scorer(as_estimator(answers), rows, truth))
            except AttributeError as error:
                # The scorer asks for a method, such as predict_proba.
                raise ValueError(
                    f"the score {self.name!r} needs what this estimator does not "
                    f"predict: {str(error).replace('_Classifier', 'it')}"
                ) from error

    def values(self, answers: LeftOut) -> Array:
        n_units = int(answers.units.max()) + 1
        parts = min(n_units, MOST_PARTS)
        of = np.random.default_rng(0).permutation(n_units) % parts
        part = of[answers.units[answers.sample]]
        score = self.plain(answers)
        without = [self.plain(answers.part(part != b)) for b in range(parts)]
        # Without a part that holds a whole class there is no score to compare with.
        return jackknife(score, np.where(np.isnan(without), score, without))

    def weight(self, *answers: LeftOut) -> float:
        if np.isfinite(self.least):
            return BalancedAccuracy().weight(*answers)
        return float(np.sqrt(np.mean([np.var(self.values(one)) for one in answers])))


def measures(
    scoring: Any, estimator: Any, truth: Array, positive: Any = None
) -> list[Measure]:
    """The measures that `scoring` asks for, the first of which is the main one.

    Parameters
    ----------
    scoring : str, callable, list of str, dict from name to either, or None
        None: accuracy, after the balanced one where classes are unequal; R² and the
        mean absolute error for numbers; the concordance for events and times.
    estimator : classifier, regressor or Cox regression
    truth : ndarray
        The targets of the samples that are scored.
    positive : class, optional
        The one of two that scores such as "f1" are about; the default is the second.
    """
    if scoring is None:
        scoring = _default(estimator, truth)
    if isinstance(scoring, str) or callable(scoring):
        scoring = [scoring]
    if isinstance(scoring, Mapping):
        named = dict(scoring)
    else:
        named = {_name(one): one for one in scoring}
    if not named:
        raise ValueError("scoring is empty: name at least one score, or pass None")
    classes = np.unique(truth) if is_classifier(estimator) else None
    positive = positive_class(positive, classes)
    return [
        _measure(name, one, estimator, classes, positive) for name, one in named.items()
    ]


def _default(estimator: Any, truth: Array) -> list[str]:
    if is_survival(estimator):
        return ["concordance"]
    if not is_classifier(estimator):
        return ["r2", "neg_mean_absolute_error"]
    counts = np.unique(truth, return_counts=True)[1]
    if counts.max() > UNEQUAL * counts.min():
        return ["balanced_accuracy", "accuracy"]
    return ["accuracy"]


def _name(scoring: Any) -> str:
    if isinstance(scoring, str):
        return scoring
    return getattr(scoring, "__name__", None) or type(scoring).__name__


def _measure(
    name: str, scoring: Any, estimator: Any, classes: Array | None, positive: Any
) -> Measure:
    named = isinstance(scoring, str)
    if named and not is_survival(estimator):
        refuse_unsuitable(scoring, classes)
    fits = is_survival(estimator) == (scoring == "concordance")
    if named and scoring in KNOWN and fits:
        return KNOWN[scoring]()
    if not (named or callable(scoring)):
        raise ValueError(
            "scoring takes names of scikit-learn, such as 'roc_auc', or callables; got "
            f"{scoring!r}: sklearn.metrics.get_scorer_names() lists the names"
        )
    if is_survival(estimator):
        raise ValueError(
            f"scoring={scoring!r} is not for events and times: use 'concordance'"
        )
    scorer = check_scoring(estimator, scoring)
    negative = name.startswith("neg_")
    shown = name.removeprefix("neg_").replace("_", " ")
    if named and positive is not None and scoring in OF_ONE_CLASS:
        shown = f"{shown} of {positive}"
    # A scorer of one's own sees the classes as they are.
    return Scorer(shown, scorer, negative, positive if named else None)
