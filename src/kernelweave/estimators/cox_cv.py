"""Cox regression that chooses the norm of the weights and alpha."""

from __future__ import annotations

from operator import attrgetter
from typing import Any, Self

from ..selection.grid import ALPHAS
from ..selection.likelihood_grid import LIKELIHOOD_NORMS
from .choosing import chosen_weights
from .choosing_likelihood import fit_best
from .cox import MKLCoxRegression
from .fitting import all_or_nothing


class MKLCoxRegressionCV(MKLCoxRegression):
    """Cox regression that also chooses how sparse its weights are, and alpha.

    For every norm p and every alpha of a grid the weights θ, ‖θ‖_p ≤ 1, and the
    functions minimise the objective of `MKLCoxRegression`, each point from its
    neighbours. What the model would say of a sample without it follows from Newton
    steps that begin at the fit (`losses.left_out`). The point of the best score is
    fitted again, to `tol`.

    Parameters
    ----------
    kernels, solver, normalize, center, tol, max_iter, verbose
        As in `MKLCoxRegression`.
    norms : sequence of float
        Each at least 1: from few kernels (1) to all of them equally (1e6).
    alphas : sequence of float
        Where the best stands at an end of several, up to four more are tried beyond it.
    cv : int, splitter, iterable or None
        None leaves one sample out at a time, approximately. A number of folds: each has
        its share of the events.
    scoring : callable or None
        `scoring(model, X, y)`, larger is better. None: with cv=None the share of the
        partial likelihood that is explained (Verweij and van Houwelingen 1993), of
        which one standard error is given away for a larger norm; by splits the
        concordance index.

    Attributes
    ----------
    norm_, alpha_ : float
        What was chosen.
    best_score_ : float
        The score there. It was used to choose, so it flatters.
    best_index_, cv_results_
        As in `MKLLogisticRegressionCV`, with `param_alpha`.
    left_out_ : ndarray (n,)
        With cv=None: the risk of the training samples, each by the model without it, at
        the chosen point.
    weights_, solution_, dual_coef_, event_times_, kernel_names_, n_iter_
        As in `MKLCoxRegression`.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from kernelweave import MKLCoxRegressionCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 3))
    >>> time, censored = rng.exponential(np.exp(-X[:, 0])), rng.exponential(2, 80)
    >>> y = pd.DataFrame(
    ...     {"event": time <= censored, "time": np.minimum(time, censored)}
    ... )
    >>> model = MKLCoxRegressionCV(norms=[1, 2]).fit(X, y)
    >>> from kernelweave.survival import concordance_index
    >>> concordance_index(y.event, y.time, model.left_out_) > 0.6
    True
    """

    # Every point of the grid reads the Gram matrices.
    _store = 2**30

    def __init__(
        self,
        kernels=None,
        norms=LIKELIHOOD_NORMS,
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

    weights = property(chosen_weights)
    alpha = property(attrgetter("alpha_"))

    @all_or_nothing
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None
    ) -> Self:
        """Choose the norm and alpha, and fit there to all samples.

        Ctrl-C on the grid raises KeyboardInterrupt, and leaves the model as it was.

        Parameters
        ----------
        X : array-like or sparse (n, d), or Gram matrices (p, n, n)
        y : structured array (n,), or DataFrame of two columns
            Whether the event was seen ("event", of bool), and the time ("time").
        sample_weight : array-like (n,), optional
            How often a sample counts; scores of splits count every sample once.
        groups : array-like (n,), optional
            Samples of the same group, such as those of a patient, are left out
            together: cv=None is then folds of whole groups, five or as many as there
            are, and a splitter gets them.
        """
        return fit_best(
            self, MKLCoxRegression(), X, y, sample_weight, groups, self.scoring
        )
