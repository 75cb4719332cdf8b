"""Logistic regression that chooses the norm of the weights and C."""

from __future__ import annotations

from operator import attrgetter
from typing import Any, Self

import numpy as np
from scipy.special import log_expit
from sklearn.metrics import get_scorer

from ..losses.left_out import LeftOutFit
from ..selection.likelihood_grid import LIKELIHOOD_NORMS
from .choosing import chosen_weights
from .choosing_likelihood import fit_best
from .fitting import all_or_nothing
from .likelihood import Outcome
from .logistic import MKLLogisticRegression

# For kernels of implied variance one.
CS = tuple(4.0**k for k in range(-4, 4))


class MKLLogisticRegressionCV(MKLLogisticRegression):
    """Logistic regression that also chooses how sparse its weights are, and C.

    For every norm p and every C of a grid the weights θ, ‖θ‖_p ≤ 1, and the functions
    minimise the objective of `MKLLogisticRegression`, each point from its neighbours.
    What the model would say of a sample without it follows from the last Newton step of
    the fit (`losses.left_out`). The point of the best score is fitted again, to `tol`.

    Parameters
    ----------
    kernels, class_weight, solver, normalize, center, tol, max_iter, verbose
        As in `MKLLogisticRegression`.
    norms : sequence of float
        Each at least 1: from few kernels (1) to all of them equally (1e6).
    Cs : sequence of float
        Where the best stands at an end of several, up to four more are tried beyond it.
    cv : int, splitter, iterable or None
        None leaves one sample out at a time, approximately; else as in GridSearchCV.
    scoring : str, callable or None
        A scorer of scikit-learn. None is minus the log-loss, as "neg_log_loss", each
        sample with its weight; with cv=None one standard error of it is given away for
        a larger norm, as in `MKLRidgeCV`.

    Attributes
    ----------
    norm_, C_ : float
        What was chosen.
    best_score_ : float
        The score there. It was used to choose, so it flatters.
    best_index_ : int
        Its place in `cv_results_`.
    cv_results_ : dict of arrays
        As in GridSearchCV, one entry a point of the grid: `param_norm`, `param_C`,
        `params`, `mean_test_score`, `rank_test_score`, `relative_gap`, `seconds`; with
        cv=None `weights` (n_points, p) and `inner_solves`, too; by splits
        `split0_test_score`, ... and `std_test_score`.
    left_out_ : ndarray (n,) or (n, k)
        With cv=None: the decision values of the training samples, each by the model
        without it, at the chosen point.
    weights_, solution_, dual_coef_, intercept_, classes_, kernel_names_, n_iter_
        As in `MKLLogisticRegression`.

    Notes
    -----
    Leave-one-out refits the coefficients without the sample, not the weights, nor the
    centring and scaling of the kernels, as in `selection.leave_one_out_grid`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelweave import MKLLogisticRegressionCV
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MKLLogisticRegressionCV(norms=[1, 2], Cs=[0.1, 1, 10]).fit(X, y)
    >>> bool(model.best_score_ > -0.2), model.left_out_.shape
    (True, (150, 3))
    """

    # Every point of the grid reads the Gram matrices.
    _store = 2**30
    weights_per_target = False

    def __init__(
        self,
        kernels=None,
        norms=LIKELIHOOD_NORMS,
        Cs=CS,
        class_weight=None,
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
        self.Cs = Cs
        self.class_weight = class_weight
        self.cv = cv
        self.scoring = scoring
        self.solver = solver
        self.normalize = normalize
        self.center = center
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    weights = property(chosen_weights)
    C = property(attrgetter("C_"))

    @all_or_nothing
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None
    ) -> Self:
        """Choose the norm and C, and fit there to all samples.

        Ctrl-C on the grid raises KeyboardInterrupt, and leaves the model as it was.

        Parameters
        ----------
        X : array-like or sparse (n, d), or Gram matrices (p, n, n)
        y : array-like (n,), or (n, q) of zeros and ones
            Class labels, of any type; or several labels, each there or not.
        sample_weight : array-like (n,), optional
            Multiplies C, in the folds as well; scores of splits count every sample
            once.
        groups : array-like (n,), optional
            Samples of the same group, such as those of a patient, are left out
            together: cv=None is then folds of whole groups, five or as many as there
            are, and a splitter gets them.
        """
        plain = MKLLogisticRegression()
        scoring = _log_loss_of_new if self.scoring is None else self.scoring
        return fit_best(
            self, plain, X, y, sample_weight, groups, scoring, minus_log_loss
        )


def minus_log_loss(fit: LeftOutFit, outcome: Outcome) -> float:
    """Minus the mean log-loss of left-out samples."""
    unit: Any = outcome.loss(1.0)
    return -float(np.sum(unit.losses(fit.u))) / float(np.sum(outcome.weight))


def _log_loss_of_new(model: Any, X: Any, y: Any) -> float:
    """The same of rows that are new to a model; the losses of several labels add up."""
    if np.ndim(y) == 1:
        return float(get_scorer("neg_log_loss")(model, X, y))
    signs = 2.0 * np.asarray(y) - 1.0
    return float(np.mean(np.sum(log_expit(signs * model.decision_function(X)), axis=1)))
