"""Support vector machines that choose the mix of norms and C themselves."""

from __future__ import annotations

from operator import attrgetter
from typing import Any, Self

from ..frames import is_dask
from .choosing_machine import CS, NUMBER_CS, VS, choose_machine, chosen_net
from .fitting import all_or_nothing
from .svc import MKLSVC
from .svr import MKLSVR


class MKLSVCCV(MKLSVC):
    """Support vector classification that also chooses how sparse its weights are.

    For every v and every C of a grid the weights minimise the objective of `MKLSVC`
    over the elastic net v Σθ_j + (1 − v) Σθ_j² ≤ 1: v = 1 selects few kernels, v = 0
    keeps all. Each point starts from its neighbours; where no coefficient is at its
    bound C, larger C change nothing, and are not fitted. The point of the best
    cross-validated score is fitted again, to all samples and to `tol`.

    Parameters
    ----------
    kernels, loss, class_weight, solver, normalize, center, max_iter
        As in `MKLSVC`.
    vs : sequence of float
        From 0 to 1.
    Cs : sequence of float
        Penalties of errors, for `normalize="variance"`.
    cv : int, splitter, iterable or None
        As in GridSearchCV; None is five folds.
    scoring : str, callable or None
        None is the accuracy.
    tol : float
        Relative duality gap of the last fit; that of the grid is 1e-3 at best.
    verbose : int
        1 prints a line a point of the grid, and an iteration of the last fit.

    Attributes
    ----------
    v_, C_ : float
        What was chosen. Ties go to the smaller C, then to the larger v.
    best_score_ : float
        The mean score there. It was used to choose, so it flatters.
    best_index_ : int
        Its place in `cv_results_`.
    cv_results_ : dict of arrays
        As in GridSearchCV: `param_v`, `param_C`, `params`, `mean_test_score`,
        `std_test_score`, `rank_test_score`, `split0_test_score`, ..., and
        `relative_gap` and `seconds`.
    weights_, solution_, support_, dual_coef_, intercept_, classes_, kernel_names_
        As in `MKLSVC`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelweave import MKLSVCCV
    >>> X, y = load_iris(return_X_y=True)
    >>> model = MKLSVCCV(vs=[0, 0.5, 1], Cs=[1, 10]).fit(X, y)
    >>> model.cv_results_["mean_test_score"].shape
    (6,)
    >>> bool(model.best_score_ > 0.95)
    True
    """

    def __init__(
        self,
        kernels=None,
        vs=VS,
        Cs=CS,
        loss="hinge",
        class_weight=None,
        cv=None,
        scoring=None,
        solver=None,
        normalize: str | None = "variance",
        center=False,
        tol=1e-4,
        max_iter=200,
        verbose=0,
    ):
        self.kernels = kernels
        self.vs = vs
        self.Cs = Cs
        self.loss = loss
        self.class_weight = class_weight
        self.cv = cv
        self.scoring = scoring
        self.solver = solver
        self.normalize = normalize
        self.center = center
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    _anywhere = False
    multiclass = "shared"

    weights = property(chosen_net)
    C = property(attrgetter("best_C_"))

    @all_or_nothing
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None
    ) -> Self:
        """Choose v and C, and fit there to all samples.

        Ctrl-C on the grid raises KeyboardInterrupt, and leaves the model as it was.

        Parameters
        ----------
        X : array-like or sparse (n, d), or Gram matrices (p, n, n)
            Gram matrices if `kernels="precomputed"`.
        y : array-like (n,)
            Class labels, of any type.
        sample_weight : array-like (n,), optional
            Multiplies C, in the folds as well. Scores count every sample once.
        groups : array-like (n,), optional
            Samples of the same group are left out together: a splitter `cv` gets them,
            a number of folds is one of whole groups.
        """
        if is_dask(X, y):
            self._streaming.check(self)
        choose_machine(self, MKLSVC(), X, y, sample_weight, groups)
        return self._fit_data(*self._begin(X, y, sample_weight))


class MKLSVRCV(MKLSVR):
    """Support vector regression that also chooses how sparse its weights are.

    Parameters
    ----------
    kernels, epsilon, loss, solver, normalize, center, max_iter
        As in `MKLSVR`.
    vs, Cs, cv, tol, verbose
        As in `MKLSVCCV`; C is in the units of y.
    scoring : str, callable or None
        None is R².

    Attributes
    ----------
    v_, C_, best_score_, best_index_, cv_results_
        As in `MKLSVCCV`.
    weights_, solution_, support_, dual_coef_, intercept_, kernel_names_
        As in `MKLSVR`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from kernelweave import MKLSVRCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = MKLSVRCV(vs=[0, 1], Cs=[10, 100], epsilon=10).fit(X, y)
    >>> bool(model.best_score_ > 0.45)
    True
    """

    def __init__(
        self,
        kernels=None,
        vs=VS,
        Cs=NUMBER_CS,
        epsilon=0.1,
        loss="epsilon_insensitive",
        cv=None,
        scoring=None,
        solver=None,
        normalize: str | None = "variance",
        center=False,
        tol=1e-4,
        max_iter=200,
        verbose=0,
    ):
        self.kernels = kernels
        self.vs = vs
        self.Cs = Cs
        self.epsilon = epsilon
        self.loss = loss
        self.cv = cv
        self.scoring = scoring
        self.solver = solver
        self.normalize = normalize
        self.center = center
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    weights = property(chosen_net)
    C = property(attrgetter("best_C_"))

    @all_or_nothing
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None
    ) -> Self:
        """Choose v and C, and fit there to all samples.

        Ctrl-C on the grid raises KeyboardInterrupt, and leaves the model as it was.

        Parameters
        ----------
        X : array-like or sparse (n, d), or Gram matrices (p, n, n)
        y : array-like (n,) or (n, n_outputs)
        sample_weight : array-like (n,), optional
            Multiplies C, in the folds as well. Scores count every sample once.
        groups : array-like (n,), optional
            Samples of the same group are left out together: a splitter `cv` gets them,
            a number of folds is one of whole groups.
        """
        choose_machine(self, MKLSVR(), X, y, sample_weight, groups)
        return self._fit_data(*self._begin(X, y, sample_weight))
