"""Keeps what a contender predicts, split after split."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from ..problem import Array
from .concordance import LeftOutRisks, is_survival
from .left_out import LeftOut


class Recorder:
    """Predictions of one contender.

    Parameters
    ----------
    core : estimator
    y : ndarray (n, ...)
        Targets of all rows; events and times have two fields.
    rows : ndarray of int
        Those that have one.
    groups : ndarray or None
        Of these rows.
    splits : list of (train, test)
        In numbers of all rows.
    """

    def __init__(
        self,
        core: Any,
        y: Array,
        rows: Array,
        groups: Array | None,
        splits: list[tuple[Array, Array]],
    ):
        tested = np.isin(rows, np.concatenate([test for _, test in splits]))
        self.rows = rows[tested]
        # Labels with None among them are objects; the classes are not.
        self.truth = np.array(y[self.rows].tolist())
        units = self.rows if groups is None else groups[tested]
        self.units = np.unique(units, return_inverse=True)[1]
        known = np.array(y[rows].tolist())
        self.classes = np.unique(known) if is_classifier(core) else None
        self._kind = LeftOutRisks if is_survival(core) else LeftOut
        self.place = {int(row): i for i, row in enumerate(self.rows)}
        self.splits = splits
        self.parts: list[tuple[Array, Array, Array, Array | None, Array | None]] = []

    def add(self, split: int, model: Any, X: Any) -> None:
        """Predict the test rows of a split, which are X, by the model of the split."""
        test = self.splits[split][1]
        sample = np.array([self.place[int(row)] for row in test])
        predicted = np.asarray(model.predict(X))
        chances = decision = None
        if self.classes is not None:
            if hasattr(model, "predict_proba"):
                there = np.searchsorted(self.classes, model.classes_)
                chances = np.zeros((len(test), len(self.classes)))
                chances[:, there] = np.asarray(model.predict_proba(X))
            elif len(model.classes_) == len(self.classes):
                decision = np.asarray(model.decision_function(X))
        number = np.full(len(test), split)
        self.parts.append((sample, number, predicted, chances, decision))

    def answers(self) -> LeftOut:
        sample, split, predicted, chances, decision = zip(*self.parts, strict=True)
        return self._kind(
            self.truth,
            self.rows,
            self.units,
            self.classes,
            np.concatenate(sample),
            np.concatenate(split),
            np.concatenate(predicted),
            _joined(chances),
            _joined(decision),
        )


def _joined(parts: Sequence[Array | None]) -> Array | None:
    """All parts together, or None if one of them is not there."""
    there = [part for part in parts if part is not None]
    return np.concatenate(there) if len(there) == len(parts) else None
