"""What the support vector machines that choose v and C share."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import check_scoring

from ..checks import numbers
from ..select import GRID_TOL, cross_validated_grid
from ..weights import ElasticNet
from .cv_results import grid_results, split_results, warn_of_gaps
from .entrance import check_divisible
from .support import SupportVectorEstimator

# From all kernels to few.
VS = (0.0, 0.25, 0.5, 0.75, 1.0)

# For kernels of implied variance one.
CS = (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)


class SelectingMachine(SupportVectorEstimator):
    """Cross-validate every (v, C) along warm paths; `fit` then fits at the best."""

    vs: Any
    Cs: Any
    cv: Any
    scoring: Any

    _anywhere = False

    @property
    def weights(self) -> Any:
        return ElasticNet(self.v_)

    @property
    def C(self) -> Any:
        return self.best_C_

    def _select(self, plain: Any, X: Any, y: Any, sample_weight: Any) -> None:
        """Set v_, best_score_, best_index_ and cv_results_; plain is the estimator."""
        X, y = check_divisible(self, X, y)
        vs = numbers("vs", self.vs, 0, 1)
        Cs = numbers("Cs", self.Cs)
        settings = plain.get_params(deep=False)
        mine = self.get_params(deep=False)
        plain.set_params(**{name: mine[name] for name in settings if name in mine})
        plain.set_params(tol=max(self.tol, GRID_TOL), verbose=0)
        if sample_weight is not None:
            rows = np.zeros((len(y), 1))
            sample_weight = self._sample_weights(sample_weight, rows, len(y))
        with warnings.catch_warnings():
            # What a corner of the grid does badly shows in its score and its gap.
            warnings.simplefilter("ignore", UserWarning)
            scores, gaps, seconds = cross_validated_grid(
                clone(plain),
                X,
                y,
                [ElasticNet(v) for v in vs],
                Cs,
                parameter="C",
                order=(np.argsort(vs), np.argsort(Cs)),
                cv=5 if self.cv is None else self.cv,
                score=check_scoring(plain, self.scoring),
                sample_weight=sample_weight,
                report=lambda i, j, *rest: self._report(vs[i], Cs[j], *rest),
            )
        V, P = (grid.ravel() for grid in np.meshgrid(vs, Cs, indexing="ij"))
        self.cv_results_ = grid_results(
            {"v": V, "C": P},
            scores,
            gaps.max(axis=0),
            seconds.sum(axis=0),
            self.scoring,
        )
        self.cv_results_ |= split_results(scores)
        mean = self.cv_results_["mean_test_score"]
        best = int(np.lexsort((V, -P, mean))[-1])
        self.v_, self.best_C_ = float(V[best]), float(P[best])
        self.best_score_, self.best_index_ = float(mean[best]), best
        warn_of_gaps(gaps, max(self.tol, GRID_TOL), "leave out the largest Cs")

    def _report(self, v: float, C: float, score: float, seconds: float) -> None:
        if self.verbose:
            print(
                f"v {v:5.3g}  C {C:9.3g}  score {score:8.4f}  {seconds:6.2f} s",
                file=sys.stderr,
                flush=True,
            )
