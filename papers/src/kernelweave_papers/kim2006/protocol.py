"""KFDA with the optimal kernel against the kernel chosen by cross-validation (§4).

Ten Gaussians exp(−‖x − z‖²/σ²), σ evenly between the logarithms of 0.1 and 100, and
λ = 1e-8 in (2). They have the trace n as they are. 70 % of the rows, at random, to
learn from; 100 such partitions.

Not printed, and so chosen here: five folds, of equal kernels the narrowest; the
threshold lies half-way between the projected class means; features are scaled to [0, 1]
over all rows. The scaling was chosen by the accuracies of Table 1 themselves, of three:
on heart the kernel that cross-validation chooses has some 82 % with it, as printed, and
80 and 78 % with [−1, 1] and with unit variance. The other numbers hardly depend on it.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from sklearn.model_selection import StratifiedKFold

from kernelweave.datasets import load_table
from kernelweave.losses import FisherRatio
from kernelweave.methods import METHODS
from kernelweave.problem import Array

from ..ye2008.tasks import SIGMAS, Task, gaussians

LAMBDA = 1e-8
WIDTHS = tuple(sigma**2 for sigma in SIGMAS)
SHARE = 0.7
FOLDS = 5
SPLITS = 100
TOL = 1e-4
# Printed name → the table: Kim's heart has 297 rows.
SETS = {
    "sonar": "sonar",
    "ionosphere": "ionosphere",
    "heart": "heart-cleveland",
    "pima": "pima",
}


@cache
def table(name: str) -> tuple[Array, Array]:
    """Features scaled to [0, 1], and labels −1 and 1."""
    X, y = load_table(SETS[name])
    low, high = X.min(axis=0), X.max(axis=0)
    scaled = (X - low) / np.where(high > low, high - low, 1.0)
    return scaled, np.where(y == np.max(y), 1, -1)


def task(name: str, seed: int, rows: int | None = None) -> Task:
    """A random partition; of `rows` rows only, if given."""
    X, y = table(name)
    order = np.random.default_rng(seed).permutation(len(y))[:rows]
    train, test = np.split(order, [int(np.floor(SHARE * len(order) + 0.5))])
    return Task(
        gaussians(X[train], X[train], WIDTHS),
        y[train],
        gaussians(X[test], X[train], WIDTHS),
        y[test],
    )


def optimal_weights(task: Task) -> Array:
    """θ* of (8), adding up to one."""
    estimator = METHODS["kim2006"].estimator(
        "precomputed", alpha=LAMBDA, normalize=None, center=False, tol=TOL
    )
    return estimator.fit(task.K, task.y).weights_


def scores(K: Array, y: Array, K_new: Array) -> Array:
    """⟨w*, φ(x)⟩ of new rows, less the threshold, (m,): positive for class 1."""
    A = FisherRatio(y, LAMBDA).inner(K).A[:, 0]
    f = K @ A
    return K_new @ A - (f[y > 0].mean() + f[y < 0].mean()) / 2


def chosen_kernel(task: Task) -> int:
    """The kernel of the best accuracy in cross-validation on the training rows."""
    splitter = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    pairs = list(splitter.split(task.y[:, None], task.y))
    right = [
        sum(
            np.sum(
                np.sign(scores(K[np.ix_(a, a)], task.y[a], K[np.ix_(b, a)]))
                == task.y[b]
            )
            for a, b in pairs
        )
        for K in task.K
    ]
    return int(np.argmax(right))


def scores_of_both(task: Task) -> dict[str, Array]:
    """Scores of the test rows: with the optimal kernel, and with the chosen one."""
    theta, j = optimal_weights(task), chosen_kernel(task)
    return {
        "K*": scores(
            np.tensordot(theta, task.K, 1), task.y, np.tensordot(theta, task.K_test, 1)
        ),
        "K^cv": scores(task.K[j], task.y, task.K_test[j]),
    }
