"""v and C of a support vector machine, chosen by splits along warm paths."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
from sklearn.metrics import check_scoring

from ..checks import numbers
from ..inputs.matrices import is_given
from ..inputs.rows import as_rows
from ..selection.choice import grid_results, split_results, warn_of_gaps
from ..selection.splits import cross_validated_grid, splits_of
from ..weights import ElasticNet
from .choosing import adopt, divisible, preparing
from .weighing import sample_weights

# The relative gap of a point of the grid. Scores count classes or errors of left-out
# rows, which this gap changes far less than another split would.
GRID_GAP = 1e-3

# v from all kernels (0) to few (1). On ten sets five values chose no better.
VS = (0.0, 0.75, 1.0)

# C for kernels of implied variance one: of classifiers, and of regressors, where C has
# the unit of the targets.
CS = (0.1, 1.0, 10.0, 100.0)
NUMBER_CS = (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)


def choose_machine(
    model: Any, plain: Any, X: Any, y: Any, sample_weight: Any, groups: Any
) -> None:
    """Set v_, best_C_, best_score_, best_index_ and cv_results_ of a model.

    `plain` is the estimator of one point of the grid.
    """
    vs, Cs = numbers("vs", model.vs, 0, 1), numbers("Cs", model.Cs)
    adopt(plain, model, GRID_GAP)
    kind = {"classes": model._classes, "anywhere": model._anywhere}
    X, y = divisible(as_rows(model, X, y, **kind), plain)
    if sample_weight is not None:
        sample_weight = sample_weights(sample_weight, None, len(y))
    cv = 5 if model.cv is None and groups is None else model.cv
    cv = splits_of(cv, y, groups, bool(plain._classes))

    def report(i: int, j: int, score: float, seconds: float) -> None:
        if model.verbose:
            print(
                f"v {vs[i]:5.3g}  C {Cs[j]:9.3g}  score {score:8.4f}  {seconds:6.2f} s",
                file=sys.stderr,
                flush=True,
            )

    with warnings.catch_warnings():
        # What a corner of the grid does badly shows in its score and its gap.
        warnings.simplefilter("ignore", UserWarning)
        scores, gaps, seconds = cross_validated_grid(
            preparing(plain),
            X,
            y,
            [ElasticNet(v) for v in vs],
            Cs,
            parameter="C",
            order=(np.argsort(vs), np.argsort(Cs)),
            solver=model.solver,
            cv=cv,
            classes=plain._classes,
            given=is_given(model),
            score=check_scoring(plain, model.scoring),
            sample_weight=sample_weight,
            settled=_settled if sample_weight is None else None,
            report=report,
        )
    V, P = (grid.ravel() for grid in np.meshgrid(vs, Cs, indexing="ij"))
    most, spent = gaps.max(axis=0), seconds.sum(axis=0)
    results = grid_results({"v": V, "C": P}, scores, most, spent, model.scoring)
    mean = results["mean_test_score"]
    best = int(np.lexsort((V, -P, mean))[-1])
    model.cv_results_ = results | split_results(scores)
    model.v_, model.best_C_ = float(V[best]), float(P[best])
    model.best_score_, model.best_index_ = float(mean[best]), best
    warn_of_gaps(gaps, max(model.tol, GRID_GAP), "leave out the largest Cs")


def chosen_net(model: Any) -> ElasticNet:
    """The set in which a fitted model that chooses learned its weights."""
    return ElasticNet(model.v_)


def _settled(model: Any) -> bool:
    """Whether a larger C would change nothing: no coefficient is at its bound ±C.

    Samples that weigh more or less than others, and squared losses, which have no
    bounds, are not looked at.
    """
    bounded = model.loss in ("hinge", "epsilon_insensitive")
    alike = getattr(model, "class_weight", None) is None
    if not (bounded and alike):
        return False
    return float(np.max(np.abs(model.solution_.A))) < (1 - 1e-9) * model.C_
