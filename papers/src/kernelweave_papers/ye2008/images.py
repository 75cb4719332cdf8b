"""§5.3: 24 log-Gabor images, two RBF kernels each, 48 kernels in all.

The paper's 2705 embryos are not at hand; here the images are the 1797 handwritten
digits that scikit-learn ships, of 8×8 pixels and ten classes. The rest is as printed:
four scales and six orientations, σ = 50 and 100, one part of the images to learn from
and nine to test on, `SILP_θ` against every kernel alone, with λ chosen by
cross-validation, and against uniform weights. σ has the meaning of §5.1,
exp(−‖x − z‖²/σ), and every view is scaled to a mean squared distance of 100, for which
the two widths make sense.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from sklearn.datasets import load_digits

from kernelweave.problem import Array

from ..table import Cell
from .log_gabor import LogGabor
from .projection import Discriminant
from .protocol import LAMBDA, centred, learn_discriminants
from .rivals import choose, rkda
from .tasks import Task, gaussians, split

WIDTHS = (50.0, 100.0)
SHARE = 0.1
DISTANCE = 100.0


@cache
def views() -> tuple[tuple[Array, ...], Array]:
    """The 24 views of the digits, (n, 64) each, scaled, and the digits."""
    digits = load_digits()
    made = LogGabor().views(digits.images)
    return tuple(_scaled(view) for view in made.values()), digits.target


def _scaled(view: Array) -> Array:
    """To a mean squared distance, 2Σ of the variances, of 100."""
    return view * np.sqrt(DISTANCE / (2 * np.sum(np.var(view, axis=0))))


def digits_task(seed: int, every: int = 1) -> Task:
    """A split; with `every` only each so-maniest view."""
    made, y = views()
    train, test = split(y, SHARE, seed)
    K, K_test = (
        np.concatenate([gaussians(v[rows], v[train], WIDTHS) for v in made[::every]])
        for rows in (train, test)
    )
    return Task(K, y[train], K_test, y[test])


def run_images(seed: int, every: int = 1) -> list[Cell]:
    """Accuracies of the five ways, in percent."""
    task = digits_task(seed, every)
    stack, tests = centred(task)
    uniform = Discriminant(stack.mean(axis=0), task.y)
    alone = choose(rkda, task).alone
    accuracies = {
        "SILP_θ": learn_discriminants(task)["SILP_θ"].accuracy,
        "best kernel alone": alone.max(),
        "worst kernel alone": alone.min(),
        "mean of the kernels alone": alone.mean(),
        "uniform weights": np.mean(
            uniform.predict(tests.mean(axis=0), LAMBDA) == task.y_test
        ),
    }
    return [Cell(k, "accuracy", 100 * float(v)) for k, v in accuracies.items()]
