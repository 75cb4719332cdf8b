"""What the estimators that choose their norm and alpha share."""

from __future__ import annotations

import sys
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.exceptions import ConvergenceWarning

from ..grams import GramStack, Stack
from ..problem import Array, Loss
from ..scale.distributed import is_dask
from ..scale.folds import Folds
from ..scale.held_out import HeldOut
from ..scale.reduced import Reduced
from ..select import GRID_TOL, cross_validated_grid, grid, leave_one_out_grid
from ..stacklevel import outside
from ..weights import LpBall
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
        norms = checked_grid(self.norms, "norms", 1)
        alphas = checked_grid(self.alphas, "alphas")
        keep = self._kept()
        score = None if self.scoring is None else self._left_out_score(H, y)
        total = float(np.sum((H - H.mean(axis=0)) ** 2)) or 1.0
        shape = (len(norms), len(alphas))
        scores, gaps, seconds = np.empty((3, *shape))
        solves = np.empty(shape, dtype=int)
        weights = np.zeros((*shape, len(keep)))
        errors = np.zeros((*shape, len(H)))
        for point in leave_one_out_grid(
            stack.subset(keep),
            H,
            norms,
            alphas,
            intercept=self.center,
            solver=self.solver,
            tol=max(self.tol, GRID_TOL),
            max_iter=self.max_iter,
        ):
            at = point.index
            assert point.left_out is not None
            if score is None:
                errors[at] = np.sum((H - point.left_out) ** 2, axis=1)
                scores[at] = 1 - np.sum(errors[at]) / total
            else:
                scores[at] = score(point.left_out)
            gaps[at] = point.solution.certificate.relative_gap
            seconds[at], solves[at] = point.seconds, point.inner_solves
            weights[at][keep] = point.solution.weights
            self._report(point.norm, point.lam, scores[at], seconds[at])
        eligible = _not_worse(errors) if score is None else scores == np.max(scores)
        self._choose(norms, alphas, scores[None], gaps, seconds, eligible)
        self.cv_results_["inner_solves"] = solves.ravel()
        self.cv_results_["weights"] = weights.reshape(-1, len(keep))

    def _fit_reduced(self, reduced: Reduced, folds: Folds, coding: Array) -> None:
        if self.cv is None:
            self._by_folds(reduced, folds, coding)
        super()._fit_reduced(reduced, folds, coding)

    def _by_folds(self, reduced: Reduced, folds: Folds, coding: Array) -> None:
        """As by leave-one-out, with the rows of a fold left out, from sums alone."""
        if self.scoring is not None:
            raise ValueError(
                f"scoring={self.scoring!r} needs a prediction for every row, of which "
                "kernels with features keep sums only: use scoring=None, which is R², "
                "or give cv"
            )
        norms = checked_grid(self.norms, "norms", 1)
        alphas = checked_grid(self.alphas, "alphas")
        keep = self._kept()
        shape = (len(norms), len(alphas))
        gaps, seconds = np.empty((2, *shape))
        solves = np.empty(shape, dtype=int)
        weights = np.zeros((*shape, len(keep)))
        held_out = HeldOut(folds, reduced.scaling, coding)
        errors = np.empty((*shape, len(held_out)))
        total = float(np.sum(reduced.H**2)) or 1.0
        for point in grid(
            reduced.gram.subset(keep),
            reduced.H,
            norms,
            alphas,
            intercept=False,
            solver=self.solver,
            tol=max(self.tol, GRID_TOL),
            max_iter=self.max_iter,
        ):
            at = point.index
            weights[at][keep] = point.solution.weights
            errors[at] = held_out(weights[at], point.lam).errors
            gaps[at] = point.solution.certificate.relative_gap
            seconds[at], solves[at] = point.seconds, point.inner_solves
            score = 1 - errors[at].sum() / total
            self._report(point.norm, point.lam, score, seconds[at])
        scores = 1 - errors.sum(axis=-1) / total
        self._choose(norms, alphas, scores[None], gaps, seconds, _not_worse(errors))
        self.cv_results_["inner_solves"] = solves.ravel()
        self.cv_results_["weights"] = weights.reshape(-1, len(keep))

    def _by_cross_validation(self, X: Any, y: Any) -> None:
        if is_dask(X, y):
            return  # `fit` goes on and says why not
        norms = checked_grid(self.norms, "norms", 1)
        alphas = checked_grid(self.alphas, "alphas")
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
        self.cv_results_ = grid_results({"norm": P, "alpha": L}, scores, gaps, seconds)
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


def grid_results(
    grid: dict[str, Array], scores: Array, gaps: Array, seconds: Array
) -> dict[str, Any]:
    """`cv_results_` as in GridSearchCV, with gaps and times; scores (n_splits, ...)."""
    mean = scores.mean(axis=0).ravel()
    results: dict[str, Any] = {f"param_{name}": grid[name] for name in grid}
    results |= {
        "params": [
            dict(zip(grid, point, strict=True))
            for point in zip(*grid.values(), strict=True)
        ],
        "mean_test_score": mean,
        "rank_test_score": rankdata(-mean, method="min").astype(int),
        "relative_gap": gaps.ravel(),
        "seconds": seconds.ravel(),
    }
    return results


def split_results(scores: Array) -> dict[str, Array]:
    """The columns of `cv_results_` for every split."""
    results = {
        f"split{split}_test_score": values.ravel()
        for split, values in enumerate(scores)
    }
    return results | {"std_test_score": scores.std(axis=0).ravel()}


def warn_of_gaps(gaps: Array, tol: float, remedy: str) -> None:
    """Say how many points of the grid did not converge."""
    count = np.sum(gaps > tol)
    if count:
        warnings.warn(
            f"{count} of {gaps.size} points of the grid stopped at a relative duality "
            f"gap above {tol:.1e}, the worst at {gaps.max():.1e}: raise max_iter, or "
            f"{remedy}",
            ConvergenceWarning,
            stacklevel=outside(),
        )


def _not_worse(errors: Array) -> Array:
    """Points of the grid within one standard error of the best, (n_norms, n_alphas).

    `errors` (n_norms, n_alphas, n) are those of every sample, so the standard error is
    that of the mean difference to the best point.
    """
    mean = errors.mean(axis=-1)
    best = np.unravel_index(np.argmin(mean), mean.shape)
    difference = errors - errors[best]
    spread = difference.std(axis=-1) / np.sqrt(errors.shape[-1])
    return difference.mean(axis=-1) <= spread


def checked_grid(
    values: Any, name: str, least: float | None = None, most: float = np.inf
) -> list[float]:
    """The values of one side of the grid: positive, or between least and most."""
    values = [values] if isinstance(values, str | Real) else list(values)
    if not values:
        raise ValueError(f"{name} is empty: give at least one value")
    if least is None:
        what = "positive numbers"
    elif most == np.inf:
        what = f"numbers of at least {least:g}"
    else:
        what = f"numbers from {least:g} to {most:g}"
    for value in values:
        number = float(value) if isinstance(value, Real) else np.nan
        inside = 0 < number < np.inf if least is None else least <= number <= most
        if not inside:
            raise ValueError(f"{name} must be {what}, got {value!r}")
    return [float(value) for value in values]
