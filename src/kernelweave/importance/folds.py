"""Fits of any estimator, with samples left out by folds: for support vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier

from ..evaluation.concordance import is_survival
from ..evaluation.splits import make_splits
from ..problem import Array
from ..survival import breslow, concordance_index
from .candidate import Candidate, Found, taken


@dataclass(frozen=True)
class FoldEngine:
    """The estimator itself, on Gram matrices of each fold.

    A view that is absent from new rows is, in feature space, the mean of the training
    rows. So the part of view v in the decision function f, which is affine in the rows
    of the Gram matrices, is f of the rows with all other views absent, less f of rows
    without any view.

    Attributes
    ----------
    model : estimator
        With `kernels="precomputed"`, unfitted.
    matrices : ndarray (p, n, n)
    y : ndarray (n,)
    cv : int
    groups : ndarray (n,) or None
    """

    model: Any
    matrices: Array
    y: Array
    cv: int = 5
    groups: Array | None = None

    @property
    def score_name(self) -> str:
        if is_survival(self.model):
            return "concordance"
        return "accuracy" if is_classifier(self.model) else "R²"

    @property
    def folds(self) -> int:
        """How many times samples are left out."""
        return self.cv

    @property
    def splits(self) -> str:
        return f"each of {self.cv} folds left out in turn"

    def __call__(self, candidate: Candidate) -> Found:
        y = self.y if candidate.rows is None else self.y[candidate.rows]
        parts, predicted, found = self._left_out(candidate, y)
        p, members = len(self.matrices), candidate.members
        weights, shares = np.zeros((2, p))
        weights[members], shares[members] = found, _shares(parts, self._targets(y))
        losses = None
        if is_survival(self.model):
            score = concordance_index(y["event"], y["time"], predicted)
        else:
            losses = self._losses(y, predicted)
            score = float(1 - np.mean(losses))
        return Found(weights, shares, score, losses)

    def parts(self, members: Array) -> Array:
        """Each kernel's part of left-out decision values, (p, n, k)."""
        found = np.zeros((len(self.matrices), *self._targets(self.y).shape))
        found[members] = self._left_out(Candidate(members), self.y)[0]
        return found

    def _left_out(self, candidate: Candidate, y: Array) -> tuple[Array, Array, Array]:
        """Parts of the members, predictions, and mean weights over the folds."""
        K = taken(self.matrices, candidate)
        groups = self.groups
        if candidate.rows is not None and groups is not None:
            groups = groups[candidate.rows]
        parts = np.zeros((len(K), *self._targets(y).shape))
        survival = is_survival(self.model)
        predicted = np.empty(len(y)) if survival else np.empty_like(y)
        weights = np.zeros(len(K))
        # Permuted matrices are learned from in two halves: they are many.
        cv = self.cv if candidate.permuted is None else 2
        truth = np.array(y.tolist()) if survival else y
        splits = make_splits(self.model, truth, groups, cv, 1, 0)
        for train, test in splits:
            inside = K[:, train[:, None], train]
            model = clone(self.model).fit(inside, y[train])
            new = K[:, test[:, None], train]
            predicted[test] = model.predict(new)
            # The mean row of the training rows is the origin of the centred features.
            origin = np.mean(inside, axis=1, keepdims=True)
            parts[:, test] = self._parts(model, new, origin)
            weights += np.mean(np.atleast_2d(model.weights_), axis=0) / len(splits)
        return parts, predicted, weights

    def _losses(self, y: Array, predicted: Array) -> Array:
        """1 where a class is wrong; of numbers n(y_i − f_i)²/Σ(y − ȳ)²."""
        if is_classifier(self.model):
            return (predicted != y).astype(float)
        y, predicted = y.reshape(len(y), -1), predicted.reshape(len(y), -1)
        # The mean over the outputs, as scikit-learn has R² of several.
        return np.mean((y - predicted) ** 2 / np.var(y, axis=0), axis=1)

    def _targets(self, y: Array) -> Array:
        """Numbers to compare decision values with, centred, (n, k).

        Of events and times: the events of a sample less those expected of it where all
        have the same risk, which is what the first step of a Cox regression follows.
        """
        if is_survival(self.model):
            event, time = y["event"], y["time"]
            H = (event - breslow(event, time, np.zeros(len(y)))(time))[:, None]
        elif not is_classifier(self.model):
            H = np.asarray(y, dtype=float).reshape(len(y), -1)
        else:
            classes = np.unique(y)
            H = y[:, None] == (classes[1:] if len(classes) == 2 else classes)
        return H - np.mean(H, axis=0)

    def _parts(self, model: Any, new: Array, origin: Array) -> Array:
        """Each kernel's part of the decision values, (p, m, k)."""
        f = model.decision_function if is_classifier(model) else model.predict
        nothing = np.broadcast_to(origin, new.shape)
        base = _columns(f(nothing[:, :1]))
        found = []
        for j in range(len(new)):
            only = np.array(nothing)
            only[j] = new[j]
            found.append(_columns(f(only)) - base)
        return np.stack(found)


def _columns(f: Array) -> Array:
    f = np.asarray(f, dtype=float)
    return f.reshape(len(f), -1)


def _shares(parts: Array, H: Array) -> Array:
    """s⟨c_j, H⟩/⟨H, H⟩ with s = ⟨f, H⟩/⟨f, f⟩: they add up to a squared correlation.

    Decision values have a scale of their own, so they are brought to that of H first.
    """
    parts = parts - np.mean(parts, axis=1, keepdims=True)
    f = np.sum(parts, axis=0)
    size = np.sum(f**2)
    slope = np.sum(f * H) / size if size > 0 else 0.0
    return max(slope, 0.0) * np.sum(parts * H, axis=(1, 2)) / np.sum(H**2)
