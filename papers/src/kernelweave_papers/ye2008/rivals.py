"""RKDA and SVM with the kernel, and λ or C, chosen by cross-validation.

The print gives neither the grids nor the number of folds: here λ = 10^−8..10 for
centred kernels of trace one, C = 10^−2..10^4 for k(x, x) = 1, and five folds. Of equal
candidates the narrowest kernel, and then the smallest λ or C, is taken.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

from kernelweave.grams.normalise import normalise
from kernelweave.problem import Array

from .projection import Discriminant
from .tasks import Task

LAMBDAS = tuple(10.0**i for i in range(-8, 2))
PENALTIES = tuple(10.0**i for i in range(-2, 5))
FOLDS = 5

# From K (n, n), y, K of new rows (m, n): their classes for every λ or C, (number, m).
Classifier = Callable[[Array, Array, Array], Array]


@dataclass(frozen=True)
class Chosen:
    """What cross-validation found.

    Attributes
    ----------
    kernel : int
        The best, with its best parameter.
    accuracy : float
        Share of the test rows that it gets right.
    alone : ndarray (p,)
        The same for each kernel with its own best parameter.
    """

    kernel: int
    accuracy: float
    alone: Array


def rkda(K: Array, y: Array, K_new: Array) -> Array:
    """Discriminant analysis with one kernel: the classes, for every λ."""
    K = K.copy()
    statistics = normalise(K, "trace", center=True)
    model = Discriminant(K, y)
    K_new = statistics.cross(K_new, None)
    return np.stack([model.predict(K_new, lam) for lam in LAMBDAS])


def svm(K: Array, y: Array, K_new: Array) -> Array:
    """A support vector machine with one kernel: the classes, for every C."""
    machines = (SVC(kernel="precomputed", C=C).fit(K, y) for C in PENALTIES)
    return np.stack([machine.predict(K_new) for machine in machines])


def cross_validate(classify: Classifier, task: Task, folds: int = FOLDS) -> Array:
    """Accuracy in cross-validation for every kernel and every λ or C, (p, number)."""
    splitter = StratifiedKFold(folds, shuffle=True, random_state=0)
    pairs = list(splitter.split(task.y[:, None], task.y))
    right = []
    for K in task.K:
        hits = [
            classify(K[np.ix_(train, train)], task.y[train], K[np.ix_(rest, train)])
            == task.y[rest]
            for train, rest in pairs
        ]
        right.append(np.concatenate(hits, axis=1).mean(axis=1))
    return np.array(right)


def choose(classify: Classifier, task: Task, folds: int = FOLDS) -> Chosen:
    """Choose the kernel and its parameter, and test."""
    validated = cross_validate(classify, task, folds)
    best = np.argmax(validated, axis=1)
    alone = [
        np.mean(classify(K, task.y, K_test)[i] == task.y_test)
        for K, K_test, i in zip(task.K, task.K_test, best, strict=True)
    ]
    kernel = int(np.argmax(validated.max(axis=1)))
    return Chosen(kernel, float(alone[kernel]), np.array(alone))
