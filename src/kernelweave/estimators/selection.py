"""Discriminants that choose the norm of the weights and the regularisation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.metrics import check_scoring, r2_score

from ..grams import Stack
from ..losses import discriminant_targets
from ..losses.quadratic import mean_shift
from ..losses.square import code_of_classes
from ..problem import Array
from ..scale.held_out import Predicted
from ..scale.sample import RowSample
from ..scale.sums import FeatureSums
from ..select import ALPHAS, NORMS
from .discriminant import MKLDiscriminantAnalysis
from .gaussian import fit_gaussians, gaussians_of
from .projecting import Discriminant
from .selecting import Selecting


class MKLDiscriminantAnalysisCV(Selecting, Discriminant):
    """Discriminant analysis that also chooses how sparse its weights are.

    For every norm p and every alpha of a grid the weights minimise, over ‖θ‖_p ≤ 1,

        F(θ) = max_A ⟨A, H⟩ − ½⟨A, (αI + Σ_j θ_j K_j)A⟩;

    p = 1 selects kernels, a large p averages them. The point of the best score is
    fitted again, to `tol`. With ‖θ‖_p ≤ 1 the sum of the weights grows with p, so the
    same alpha regularises less at a larger p: read the two together.

    Parameters
    ----------
    kernels, solver, normalize, center, max_iter
        As in `MKLDiscriminantAnalysis`.
    norms : sequence of float
        Norms p ≥ 1; np.inf is allowed. The default are those of Yan et al. (2012).
    alphas : sequence of float
        Regularisations, for `normalize="variance"`. The default is 4⁻⁵, ..., 4⁴.
    cv : int, splitter, iterable or None
        None is leave-one-out in closed form, at the weights that all samples chose:
        one pass over the grid. Where kernels have features (`Nystroem`, ...) and rows
        are many it is five folds, whose sums are kept: no row is read again. Anything
        else of scikit-learn's fits again for every split; PredefinedSplit makes a
        validation set.
    scoring : str, callable or None
        None is R² of left-out projections, the targets being the class coding H: the
        error that the projections minimise, and steadier than the accuracy. By
        leave-one-out the largest norm is then chosen that has a point within one
        standard error of the best, because the weights saw the left-out sample, and
        the more so the smaller the norm. Else a scorer of scikit-learn such as
        "accuracy", whose best value is taken.
    tol : float
        Relative duality gap of the last fit; that of the grid is 1e-4 at best.
    verbose : int
        1 prints a line a point of the grid, and an iteration of the last fit.

    Attributes
    ----------
    norm_, alpha_ : float
        What was chosen. Ties go to the larger norm, then to the larger alpha.
    best_score_ : float
        The mean score there. It was used to choose, so it flatters.
    best_index_ : int
        Its place in `cv_results_`.
    cv_results_ : dict of arrays
        As in GridSearchCV, one entry a point of the grid: `param_norm`, `param_alpha`,
        `params`, `mean_test_score`, `rank_test_score`, `relative_gap`, `seconds`; by
        leave-one-out also `weights` (n_points, p) and `inner_solves`; else
        `split0_test_score`, ... and `std_test_score`.
    weights_, solution_, dual_coef_, intercept_, classes_, kernel_names_, n_iter_
        As in `MKLDiscriminantAnalysis`.

    Notes
    -----
    Leave-one-out refits the projections without the sample, not the weights, nor the
    centring and scaling of the kernels: see `select.leave_one_out_grid`. A `scoring`
    of classes or probabilities also classifies by Gaussians that saw the sample.

    By folds a `scoring` is that of at most 10,000 rows, those that placed the
    landmarks, each predicted without its fold; R² is that of all rows.

    References
    ----------
    Yan, Kittler, Mikolajczyk and Tahir (2012), Non-sparse multiple kernel Fisher
    discriminant analysis, JMLR 13.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from kernelweave import MKLDiscriminantAnalysisCV
    >>> X, y = load_wine(return_X_y=True)
    >>> model = MKLDiscriminantAnalysisCV(norms=[1, 2, 1e6]).fit(scale(X), y)
    >>> model.cv_results_["mean_test_score"].shape
    (30,)
    >>> bool(model.best_score_ > 0.9)
    True
    """

    def __init__(
        self,
        kernels=None,
        norms=NORMS,
        alphas=ALPHAS,
        cv=None,
        scoring=None,
        solver=None,
        normalize: str | None = "variance",
        center=True,
        tol=1e-6,
        max_iter=100,
        verbose=0,
    ):
        self.kernels = kernels
        self.norms = norms
        self.alphas = alphas
        self.cv = cv
        self.scoring = scoring
        self.solver = solver
        self.normalize = normalize
        self.center = center
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    def fit(self, X: Any, y: Any):
        """Choose the norm and alpha, and fit there to all samples.

        Ctrl-C on the grid raises KeyboardInterrupt, and leaves the model as it was.

        Parameters
        ----------
        X : array-like or sparse (n, d), or Gram matrices (p, n, n)
            Gram matrices if `kernels="precomputed"`.
        y : array-like (n,)
            Class labels, of any type.
        """
        if self.cv is not None:
            self._by_cross_validation(X, y)
        return super().fit(X, y)

    def _fit_stack(self, stack: Stack | FeatureSums, labels: Array):
        if self.cv is None and not isinstance(stack, FeatureSums):
            H = discriminant_targets(labels, len(self.classes_))
            self._by_leave_one_out(stack, H, labels)
        return super()._fit_stack(stack, labels)

    def _plain(self) -> Any:
        return MKLDiscriminantAnalysis()

    def _left_out_score(self, H: Array, y: Array) -> Callable[[Array], float]:
        given = _GivenProjections(self.classes_)
        scorer = check_scoring(given, self.scoring)
        shift = mean_shift(H, np.ones(len(H))) if self.center else 0.0

        def score(f: Array) -> float:
            f = f + shift
            given._gaussians = fit_gaussians(f, H, y, len(self.classes_))
            return float(scorer(given, f, self.classes_[y]))

        return score

    def _held_out_score(self, sample: RowSample) -> Callable[[Predicted], float]:
        given = _GivenProjections(self.classes_)
        scorer = check_scoring(given, self.scoring)

        def score(found: Predicted) -> float:
            given._gaussians = gaussians_of(found)
            return float(scorer(given, found.rows, sample.y))

        return score

    def _score(self) -> Callable[[Any, Any, Any], float]:
        if self.scoring is not None:
            return check_scoring(self._plain(), self.scoring)

        def score(model: Any, X: Any, y: Any) -> float:
            """R² of the projections of new rows, in the coding of the training ones."""
            codes = code_of_classes(model._gaussians.counts)
            H = codes[_numbers(y, model.classes_)]
            f = model._scores(X)
            return float(r2_score(H, f, multioutput="variance_weighted"))

        return score


class _GivenProjections(Discriminant):
    """What a scorer asks, of rows that are projections already."""

    kernels = None

    def __init__(self, classes_: Array):
        self.classes_ = classes_

    def _scores(self, X: Any) -> Array:
        return X


def _numbers(y: Any, classes: Array) -> Array:
    """Class numbers of new labels."""
    new = np.setdiff1d(y, classes)
    if len(new):
        raise ValueError(
            f"the training part of a split has no sample of the class {str(new[0])!r}, "
            "which its test part has: use StratifiedKFold, or fewer splits"
        )
    return np.searchsorted(classes, y)
