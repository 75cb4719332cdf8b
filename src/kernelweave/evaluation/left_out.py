"""What was predicted for samples that were left out of the training."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if

from ..extras import require
from ..problem import Array

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Predictions for left-out samples, one entry for each test of a sample.

    A sample is tested once in every repetition of a cross-validation; of other splits
    it may be more often, or not at all, and then it is not here.

    Attributes
    ----------
    truth : ndarray (n,) or (n, outputs)
        The targets of the samples that were tested.
    rows : ndarray of int (n,)
        Their numbers in X.
    units : ndarray of int (n,)
        The number of the group of each; its own number without groups.
    classes : ndarray or None
    sample, split : ndarray of int (m,)
        Which of the n samples a test is of, and in which split.
    predicted : ndarray (m,) or (m, outputs)
    probability : ndarray (m, n_classes) or None
        A class that was not in a training set has the probability 0.
    decision : ndarray (m,) or (m, n_classes) or None
        Decision values, of classifiers without probabilities.
    """

    truth: Array
    rows: Array
    units: Array
    classes: Array | None
    sample: Array
    split: Array
    predicted: Array
    probability: Array | None = None
    decision: Array | None = None

    @property
    def times(self) -> Array:
        """How often each sample was tested, (n,)."""
        return np.bincount(self.sample, minlength=len(self.truth))

    @cached_property
    def repetition(self) -> Array:
        """The how manieth test of its sample each is, from 0, (m,)."""
        order = np.lexsort((self.split, self.sample))
        starts = np.concatenate([[0], np.cumsum(self.times)[:-1]])
        place = np.empty(len(order), dtype=int)
        place[order] = np.arange(len(order)) - np.repeat(starts, self.times)
        return place

    @property
    def wrong(self) -> Array:
        """Which tests gave another class than the true one, (m,)."""
        return np.asarray(self.predicted != self.truth[self.sample])

    def losses(self) -> Array:
        """Wrong predictions of every sample, or its squared errors, added up, (n,)."""
        if self.classes is not None:
            loss = self.wrong.astype(float)
        else:
            error = self.predicted - self.truth[self.sample]
            loss = np.sum(error.reshape(len(error), -1) ** 2, axis=1)
        return np.bincount(self.sample, loss, minlength=len(self.truth))

    def answer(self) -> Array:
        """One prediction a sample, (n,) or (n, outputs).

        The class that was predicted most often, the more probable one of two such; the
        mean of predicted numbers.
        """
        n = len(self.truth)
        if self.classes is None:
            flat = self.predicted.reshape(len(self.predicted), -1)
            columns = [np.bincount(self.sample, f, minlength=n) for f in flat.T]
            mean = np.stack(columns, axis=1) / self.times[:, None]
            return mean.reshape(self.truth.shape)
        votes = np.zeros((n, len(self.classes)))
        np.add.at(votes, (self.sample, self._numbers(self.predicted)), 1.0)
        if self.probability is not None:
            np.add.at(votes, self.sample, 1e-3 * self.probability)
        return self.classes[np.argmax(votes, axis=1)]

    def probabilities(self) -> Array | None:
        """Mean over the tests of a sample, (n, n_classes)."""
        if self.probability is None:
            return None
        total = np.zeros((len(self.truth), self.probability.shape[1]))
        np.add.at(total, self.sample, self.probability)
        return total / self.times[:, None]

    def confusion(self) -> Array:
        """Samples by true class and predicted one, (n_classes, n_classes).

        With repetitions the mean of them, so that all add up to n.
        """
        assert self.classes is not None
        k = len(self.classes)
        table = np.zeros((k, k))
        true = self._numbers(self.truth[self.sample])
        share = 1 / self.times[self.sample]
        np.add.at(table, (true, self._numbers(self.predicted)), share)
        return table

    def to_frame(self) -> pd.DataFrame:
        """One row a sample, under its number in X: truth, prediction, probabilities."""
        require("pandas", "left_out.to_frame()")
        import pandas as pd

        answer = self.answer()
        if self.truth.ndim > 1:
            names = [f"output {j}" for j in range(self.truth.shape[1])]
            parts = {"true": self.truth, "predicted": answer}
            frames = {k: pd.DataFrame(v, columns=names) for k, v in parts.items()}
            return pd.concat(frames, axis=1).set_axis(self.rows)
        columns: dict[str, Any] = {"true": self.truth, "predicted": answer}
        chances = self.probabilities()
        if chances is not None and self.classes is not None:
            for k, name in enumerate(self.classes):
                columns[f"P({name})"] = chances[:, k]
        return pd.DataFrame(columns, index=self.rows)

    def part(self, tests: Array) -> LeftOut:
        """The same of some of the tests."""
        chances, decision = self.probability, self.decision
        return replace(
            self,
            sample=self.sample[tests],
            split=self.split[tests],
            predicted=self.predicted[tests],
            probability=None if chances is None else chances[tests],
            decision=None if decision is None else decision[tests],
        )

    def against(self, positive: Any) -> LeftOut:
        """The same with the classes 1, for the positive one of two, and 0."""
        assert self.classes is not None and len(self.classes) == 2
        place = self.classes.tolist().index(positive)
        chances, decision = self.probability, self.decision
        return replace(
            self,
            truth=(self.truth == positive).astype(int),
            classes=np.array([0, 1]),
            predicted=(self.predicted == positive).astype(int),
            probability=None if chances is None else chances[:, [1 - place, place]],
            decision=decision if decision is None or place == 1 else -decision,
        )

    def _numbers(self, labels: Array) -> Array:
        return np.searchsorted(np.asarray(self.classes), labels)


def as_estimator(answers: LeftOut) -> Any:
    """An estimator that a scorer of scikit-learn asks for these predictions.

    Whatever rows it is asked about, it answers for all tests in their order.
    """
    kind = _Regressor if answers.classes is None else _Classifier
    return kind(answers)


class _Regressor(RegressorMixin, BaseEstimator):
    def __init__(self, answers: LeftOut):
        self.answers = answers

    def predict(self, X: Any) -> Array:
        return self.answers.predicted


def _has(name: str) -> Any:
    """A scorer looks for the methods that there are."""
    return available_if(lambda model: getattr(model.answers, name) is not None)


class _Classifier(ClassifierMixin, BaseEstimator):
    def __init__(self, answers: LeftOut):
        self.answers = answers
        self.classes_ = answers.classes

    def predict(self, X: Any) -> Array:
        return self.answers.predicted

    @_has("probability")
    def predict_proba(self, X: Any) -> Array | None:
        return self.answers.probability

    @_has("decision")
    def decision_function(self, X: Any) -> Array | None:
        return self.answers.decision
