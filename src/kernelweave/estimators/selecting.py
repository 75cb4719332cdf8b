"""What the estimators that choose their norm and alpha share."""

from __future__ import annotations

import sys
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ..checks import numbers
from ..grams import GramStack, Stack
from ..problem import Array, Loss
from ..scale.distributed import is_dask
from ..scale.held_out import HeldOut, Predicted
from ..scale.reduced import Reduced
from ..scale.sample import RowSample
from ..scale.sums import FeatureSums
from ..select import (
    GRID_TOL,
    GridPoint,
    cross_validated_grid,
    grid,
    leave_one_out_grid,
)
from ..weights import LpBall
from .cv_results import (
    grid_results,
    not_worse,
    split_results,
    warn_of_gaps,
)
from .entrance import check_divisible
from .featured import FeaturedEstimator
from .ridged import RidgedEstimator


class Selecting(RidgedEstimator, FeaturedEstimator, ABC):
    """Walk the grid, choose, and let the plain estimator fit at what was chosen."""

    norms: Any
    alphas: Any
    cv: Any
    scoring: Any

    # Every point of the grid reads them.
    _store = 2**30
    _anywhere = False

    @property
    def weights(self) -> Any:
        return LpBall(self.norm_)

    @property
    def alpha(self) -> Any:
        return self.alpha_

    @abstractmethod
    def _plain(self) -> Any:
        """The estimator of one point of the grid."""

    @abstractmethod
    def _left_out_score(self, H: Array, y: Array) -> Callable[[Array], float]:
        """From left-out predictions (n, k) to the score that `scoring` asks for."""

    @abstractmethod
    def _held_out_score(self, sample: RowSample) -> Callable[[Predicted], float]:
        """The same from predictions for the rows of a sample, by the other folds."""

    @abstractmethod
    def _score(self) -> Callable[[Any, Any, Any], float]:
        """The scorer of a fitted estimator and rows that are new to it."""

    def _check_featured(self) -> None:
        super()._check_featured()
        if self.cv is not None:
            raise ValueError(
                f"cv={self.cv!r} fits again for every split, for which rows that come "
                "in chunks are not there: use cv=None, whose folds are in the sums"
            )

    def _by_leave_one_out(self, stack: Stack, H: Array, y: Array) -> None:
        score = None if self.scoring is None else self._left_out_score(H, y)
        total = float(np.sum((H - H.mean(axis=0)) ** 2)) or 1.0

        def look(point: GridPoint, theta: Array) -> tuple[float, Array]:
            assert point.left_out is not None
            errors = np.sum((H - point.left_out) ** 2, axis=1)
            found = score(point.left_out) if score else 1 - np.sum(errors) / total
            return found, errors

        self._along(leave_one_out_grid, stack, H, look, self.center)

    def _looks_again(self) -> bool:
        return self.scoring is not None

    def _empty_sums(self, sample: RowSample, names: Any = None):
        if self._looks_again() and sample.classes is not None:
            lacking = np.setdiff1d(sample.classes, sample.y)
            if len(lacking):
                raise ValueError(
                    f"scoring={self.scoring!r} sees {len(sample.y)} sampled rows, none "
                    f"of which is of the class {str(lacking[0])!r}: use scoring=None, "
                    "which is R² of all rows"
                )
        return super()._empty_sums(sample, names)

    def _fit_reduced(self, reduced: Reduced, sums: FeatureSums, coding: Array) -> None:
        if self.cv is None:
            self._by_folds(reduced, sums, coding)
        super()._fit_reduced(reduced, sums, coding)

    def _by_folds(self, reduced: Reduced, sums: FeatureSums, coding: Array) -> None:
        """As by leave-one-out, with the rows of a fold left out.

        R² is that of all rows, from their sums; another score is that of the sample.
        """
        score, rows = None, None
        if self.scoring is not None:
            score = self._held_out_score(sums.sample)
            rows = self._map(sums.sample.X), sums.sample.numbers
        held_out = HeldOut(sums.folds, reduced.scaling, coding, rows)
        total = float(np.sum(reduced.H**2)) or 1.0

        def look(point: GridPoint, theta: Array) -> tuple[float, Array]:
            found = held_out(theta, point.lam)
            errors = found.errors
            return score(found) if score else 1 - np.sum(errors) / total, errors

        self._along(grid, reduced.gram, reduced.H, look, intercept=False)

    def _along(
        self,
        walk: Callable[..., Iterator[GridPoint]],
        stack: Any,
        H: Array,
        look: Callable[[GridPoint, Array], tuple[float, Array]],
        intercept: bool,
    ) -> None:
        """Walk the grid, look at every point, and choose.

        `look` has the point and the weights of all kernels, and tells the score and
        the errors of the rows, or folds, that were left out.
        """
        norms = numbers("norms", self.norms, 1)
        alphas = numbers("alphas", self.alphas)
        keep = self._kept()
        shape = (len(norms), len(alphas))
        scores, gaps, seconds = np.empty((3, *shape))
        solves = np.empty(shape, dtype=int)
        weights = np.zeros((*shape, len(keep)))
        left_out: dict[tuple[int, int], Array] = {}
        for point in walk(
            stack.subset(keep),
            H,
            norms,
            alphas,
            intercept=intercept,
            solver=self.solver,
            tol=max(self.tol, GRID_TOL),
            max_iter=self.max_iter,
        ):
            at = point.index
            weights[at][keep] = point.solution.weights
            scores[at], left_out[at] = look(point, weights[at])
            gaps[at] = point.solution.certificate.relative_gap
            seconds[at], solves[at] = point.seconds, point.inner_solves
            self._report(point.norm, point.lam, scores[at], seconds[at])
        eligible = scores == np.max(scores)
        if self.scoring is None:
            eligible = not_worse(
                np.array([left_out[at] for at in np.ndindex(shape)]).reshape(*shape, -1)
            )
        self._choose(norms, alphas, scores[None], gaps, seconds, eligible)
        self.cv_results_["inner_solves"] = solves.ravel()
        self.cv_results_["weights"] = weights.reshape(-1, len(keep))

    def _by_cross_validation(self, X: Any, y: Any) -> None:
        if is_dask(X, y):
            return  # `fit` goes on and says why not
        X, y = check_divisible(self, X, y)
        norms = numbers("norms", self.norms, 1)
        alphas = numbers("alphas", self.alphas)
        plain = self._plain().set_params(
            kernels=self.kernels,
            solver=self.solver,
            normalize=self.normalize,
            center=self.center,
            tol=max(self.tol, GRID_TOL),
            max_iter=self.max_iter,
        )
        with warnings.catch_warnings():
            # What a corner of the grid does badly shows in its score and its gap.
            warnings.simplefilter("ignore", UserWarning)
            scores, gaps, seconds = cross_validated_grid(
                plain,
                X,
                y,
                [LpBall(norm) for norm in norms],
                alphas,
                parameter="alpha",
                order=(np.argsort(norms)[::-1], np.argsort(alphas)[::-1]),
                cv=self.cv,
                score=self._score(),
                report=lambda i, j, *rest: self._report(norms[i], alphas[j], *rest),
            )
        mean = scores.mean(axis=0)
        self._choose(
            norms,
            alphas,
            scores,
            gaps.max(axis=0),
            seconds.sum(axis=0),
            eligible=mean == np.max(mean),
        )
        self.cv_results_ |= split_results(scores)

    def _choose(
        self,
        norms: list[float],
        alphas: list[float],
        scores: Array,
        gaps: Array,
        seconds: Array,
        eligible: Array,
    ) -> None:
        """Set norm_, alpha_, best_score_, best_index_ and cv_results_.

        Of the eligible points the largest norm is chosen, what adapts least; in it
        the best score, and of equal ones the largest alpha.
        """
        P, L = (grid.ravel() for grid in np.meshgrid(norms, alphas, indexing="ij"))
        self.cv_results_ = grid_results(
            {"norm": P, "alpha": L}, scores, gaps, seconds, self.scoring
        )
        mean = self.cv_results_["mean_test_score"]
        best = int(np.lexsort((L, mean, P, eligible.ravel()))[-1])
        self.norm_, self.alpha_ = float(P[best]), float(L[best])
        self.best_score_, self.best_index_ = float(mean[best]), best
        warn_of_gaps(gaps, max(self.tol, GRID_TOL), "leave out the smallest alphas")

    def _report(self, norm: float, alpha: float, score: float, seconds: float) -> None:
        if self.verbose:
            print(
                f"norm {norm:9.6g}  alpha {alpha:9.3g}  score {score:8.4f}"
                f"  {seconds:6.2f} s",
                file=sys.stderr,
                flush=True,
            )

    def _check_scale(self, loss: Loss, gram: GramStack, theta: Array) -> None:
        """An alpha that was chosen needs no warning that it is large."""
