"""Discriminants that choose the norm of the weights and the regularisation."""

from __future__ import annotations

from operator import attrgetter
from typing import Any, Self

import numpy as np

from ..fitted.features import FeatureData, TrainingData
from ..fitted.grams import GramData
from ..frames import is_dask
from ..inputs.rows import as_rows
from ..losses import discriminant_targets
from ..selection.choice import keep_choice
from ..selection.grid import ALPHAS
from ..selection.groups import group_numbers
from ..streamed.sample import RowSample
from ..streamed.targets import Indicators
from ..weights import Fixed, LpBall
from .choosing import by_left_out, by_splits, chosen_weights
from .discriminant import MKLDiscriminantAnalysis
from .fitting import all_or_nothing
from .prediction import learn_to_predict, predicts
from .projection_scores import held_out_score, left_out_score, new_rows_score
from .projections import learn_projections
from .streaming import fit_dask, refuse_groups, sums_instead


class MKLDiscriminantAnalysisCV(MKLDiscriminantAnalysis):
    """Discriminant analysis whose weights and alpha predict best.

    By default weights θ and λ = alpha minimise the exact left-out error

        P(θ, λ) = Σ_i ‖h_i − f_{−i}(x_i)‖²,

    f_{−i} being the projections without sample i and h_i its coding: alpha along a path
    at equal weights first, then both by descent from there. With `kernels=None` and at
    most 100 columns there is a second descent, in which the Laplacian kernels also
    learn how much each column matters; kernels with these relevances then join the
    others. The average of equal and learned weights, and relevances alone, are judged
    by samples that had no part in learning them, a third at a time, and kept only if
    these gain more than the noise of the gain. That is near a local optimum, not a
    proved one. Where it lowers the log-loss of left-out samples by more than twice the
    noise, the widest Gaussian alone takes the place of the other Gaussians, Laplacians
    and linear kernels on its columns. Rows that are known by sums over features
    (`Nystroem`, ...) are left out by folds.

    With `norms`, the papers' problem: for every norm p and every alpha of a grid the
    weights minimise, over ‖θ‖_p ≤ 1,

        F(θ) = max_A ⟨A, H⟩ − ½⟨A, (αI + Σ_j θ_j K_j)A⟩,

    with proof; p = 1 selects kernels, a large p averages them. The point of the best
    score is fitted again, to `tol`. With ‖θ‖_p ≤ 1 the sum of the weights grows with p,
    so the same alpha regularises less at a larger p: read the two together.

    Parameters
    ----------
    kernels, solver, normalize, center, max_iter, class_weight, priors, n_components
        As in `MKLDiscriminantAnalysis`.
    norms : sequence of float, optional
        None learns for prediction. Norms p ≥ 1, np.inf allowed, make a grid; where `cv`
        or `scoring` is given, or `fit` gets groups, None means the norms of Yan et al.
        (2012).
    alphas : sequence of float
        Regularisations, for `normalize="variance"`. The default is 4⁻⁵, ..., 4⁴.
        Without `norms` the path goes on beyond an end that is the best, and in the end
        the ridges between them count, too.
    cv : int, splitter, iterable or None
        None is leave-one-out in closed form, at the weights that all samples chose:
        one pass over the grid. Where kernels have features (`Nystroem`, ...) and rows
        are many it is five folds, whose sums are kept: no row is read again, and a
        `scoring` is that of 10,000 sampled rows at most. Anything else of scikit-learn
        fits again for every split; PredefinedSplit makes a validation set. With groups
        None is five folds of whole groups, or as many as there are groups.
    scoring : str, callable or None
        None is R² of left-out projections, the targets being the class coding H: the
        error that the projections minimise, and steadier than the accuracy. On a grid
        by leave-one-out the largest norm is then chosen that has a point within one
        standard error of the best, because the weights saw the left-out sample, and
        the more so the smaller the norm. Else a scorer of scikit-learn such as
        "accuracy", whose best value is taken.
    tol : float
        Relative duality gap of the last fit; that of the grid is 1e-4 at best.
    verbose : int

    Attributes
    ----------
    descent_ : Descent
        Without `norms`, `cv`, `scoring` and groups: `theta`, `lam`, the error `value`
        and that at equal weights (`start_value`), `accepted`: whether the difference is
        more than noise. Its λ is that of squared errors; `alpha_` may be another.
        `widest`: whether the widest Gaussian stands alone; then squared errors may be
        larger than at the start.
    norm_, alpha_ : float
        What was chosen. Ties go to the larger norm, then to the larger alpha. Without
        `norms` the norm is inf, that of equal weights, and alpha is the largest whose
        error of left-out projections exceeds the least by 1 %: classes and their
        probabilities ask for more ridge than that error does. Another alpha is taken
        where it lowers the log-loss of left-out samples by more than twice the noise;
        not where several labels are told, a single alpha is given, or rows are known by
        sums or by files of matrices.
    best_score_ : float
        The mean score there; without `norms`, R² of left-out projections at `descent_`.
        It was used to choose, so it flatters.
    best_index_ : int
        Its place in `cv_results_`; without `norms`, that of alpha at equal weights.
    cv_results_ : dict of arrays
        As in GridSearchCV, one entry a point of the grid: `param_norm`, `param_alpha`,
        `params`, `mean_test_score`, `rank_test_score`, `relative_gap`, `seconds`; on a
        grid by leave-one-out `weights` (n_points, p) and `inner_solves`, too; by splits
        `split0_test_score`, ... and `std_test_score`.
    weights_, solution_, dual_coef_, intercept_, classes_, kernel_names_, n_iter_
        As in `MKLDiscriminantAnalysis`. Without `norms` the certificate of `solution_`
        is that of the projections at the weights that were found.

    Notes
    -----
    Leave-one-out refits the projections without the sample, not the weights, nor the
    centring and scaling of the kernels: see `selection.leave_one_out_grid`. A `scoring`
    of classes or probabilities also classifies by Gaussians that saw the sample; in
    folds of groups these are placed by rows left out one by one.

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
    >>> model = MKLDiscriminantAnalysisCV().fit(X, y)
    >>> bool(model.best_score_ > 0.9)
    True
    >>> bool(model.descent_.value <= model.descent_.start_value)
    True
    >>> model = MKLDiscriminantAnalysisCV(norms=[1, 2, 1e6]).fit(scale(X), y)
    >>> model.cv_results_["mean_test_score"].shape
    (30,)
    """

    _anywhere = False
    # Every point of the grid reads the Gram matrices.
    _store = 2**30
    scatter = "total"
    multiclass_sdp = "exact"
    store_covariance = False
    weights_per_target = False

    def __init__(
        self,
        kernels=None,
        norms=None,
        alphas=ALPHAS,
        cv=None,
        scoring=None,
        solver=None,
        normalize: str | None = "variance",
        center=True,
        tol=1e-6,
        max_iter=100,
        verbose=0,
        class_weight=None,
        priors=None,
        n_components=None,
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
        self.class_weight = class_weight
        self.priors = priors
        self.n_components = n_components

    @all_or_nothing
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None
    ) -> Self:
        """Choose the norm and alpha, and fit there to all samples.

        Ctrl-C on the grid raises KeyboardInterrupt, and leaves the model as it was.

        Parameters
        ----------
        X : array-like or sparse (n, d), or Gram matrices (p, n, n)
            Gram matrices if `kernels="precomputed"`.
        y : array-like (n,), or (n, q) of zeros and ones
            Class labels, of any type; or several labels, each there or not.
        sample_weight : array-like (n,), optional
            As in `MKLDiscriminantAnalysis`. A sample is left out with all its weight,
            and its error counts as its weight.
        groups : array-like (n,), optional
            Samples of the same group, such as those of a patient, are left out
            together: of equal weights alpha is chosen by five folds of whole groups,
            each with its share of the classes; or norm and alpha, where `norms`, `cv`
            or `scoring` are given, by a splitter `cv`, which gets them. Classes are
            placed by exact projections without the group. Nothing is learned by
            leave-one-out.
        """
        if is_dask(X, y):
            refuse_groups(groups)
            return fit_dask(self, X, y, sample_weight)
        if self.cv is None and groups is None:
            return self._fit_data(*self._begin(X, y, sample_weight))
        rows = as_rows(self, X, y, classes=True, labels=True)
        if sums_instead(self, rows):
            refuse_groups(groups)
        plain, score = MKLDiscriminantAnalysis(), new_rows_score(self.scoring)
        beside, average = (sample_weight, groups), predicts(self)
        choice = by_splits(
            self, plain, rows, score, self.cv, *beside, average=average, widen=average
        )
        keep_choice(self, choice)
        data, labels = self._begin(X, y, sample_weight)
        kept = data.kept if isinstance(data, GramData) else None
        return self._fit_data(data, labels, group_numbers(groups, data.n, kept))

    def _fit_data(self, data: TrainingData, labels: Any = None, groups: Any = None):
        """Choose norm and alpha, unless splits or groups did, and learn."""
        H: Any = None
        if isinstance(data, GramData):
            H = discriminant_targets(labels, len(self.classes_), data.v)
        if groups is not None or self.cv is not None:
            weights = LpBall(self.norm_)
        elif self.norms is None and self.scoring is None:
            found = learn_to_predict(self, data, H, labels=labels)
            data, choice, self.descent_ = found
            keep_choice(self, choice)
            weights = Fixed(self.descent_.theta)
        else:
            score: Any = None
            if self.scoring is not None and isinstance(data, FeatureData):
                score = held_out_score(self, data)
            elif self.scoring is not None:
                score = left_out_score(self, H, labels, data.v)
            keep_choice(self, by_left_out(self, data, H, score))
            weights = LpBall(self.norm_)
        learn_projections(self, data, labels, H, (weights, self.alpha_), groups)
        return self

    weights = property(chosen_weights)
    alpha = property(attrgetter("alpha_"))
    _learns_widths = property(predicts)

    def _sum_targets(self, sample: RowSample) -> Indicators:
        if self.scoring is not None and sample.classes is not None:
            lacking = np.setdiff1d(sample.classes, sample.y)
            if len(lacking):
                raise ValueError(
                    f"scoring={self.scoring!r} sees {len(sample.y)} sampled rows, none "
                    f"of which is of the class {str(lacking[0])!r}: use scoring=None, "
                    "which is R² of all rows"
                )
        return super()._sum_targets(sample)
